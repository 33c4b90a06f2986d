"""The entry of the console script and of `python -m unified_cli`."""

import sys
from typing import NoReturn

if __name__ == "__main__":
    # `python -m` puts the working directory first, where a file named like a library would be run.
    sys.path[:] = [entry for entry in sys.path if entry]

import os
import signal

from unified_cli.main import Terminated, main
from unified_cli.runtime import Runtime


def run() -> NoReturn:
    """Run the command line of this process and end it with the exit code."""
    signal.signal(signal.SIGTERM, _terminate)
    code = main(sys.argv[1:], Runtime.system())
    # All that was to be written is written; taking the interpreter down in order costs 10 ms and can only complain.
    os._exit(code)


def _terminate(_signal: int, _frame: object) -> NoReturn:
    raise Terminated


if __name__ == "__main__":
    run()
