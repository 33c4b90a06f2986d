"""The entry of the console script and of `python -m unified_cli`."""

import sys

if __name__ == "__main__":
    # `python -m` puts the working directory first, where a file named like a library would be run; this package is
    # found by then. Python's own -P leaves it out.
    if not sys.flags.safe_path:
        del sys.path[0]

import gc
import os

from unified_cli import VERSION_LINE


def run() -> None:
    """Run the command line of this process and end it with the exit code."""
    if sys.argv[1:] == ["--version"] and _print(VERSION_LINE):
        os._exit(0)
    # What start-up builds lives on, so looking for garbage in it is time lost; a call turns the collector on again.
    gc.disable()
    if __name__ != "__main__" and not sys.flags.safe_path:
        # The folder of the console script, which holds programs: nothing in it should pass for a library.
        del sys.path[0]
    _occupy()
    from unified_cli import signals  # noqa: PLC0415  the version is answered at the speed of the bare interpreter

    signals.handle_signals()
    try:
        from unified_cli.main import main  # noqa: PLC0415  a signal may come while it is imported
        from unified_cli.runtime import Runtime  # noqa: PLC0415  as above

        code = main(sys.argv[1:], Runtime.system())
    except KeyboardInterrupt as stop:
        code = signals.exit_code(stop)
    # All that was to be written is written; taking the interpreter down in order costs 10 ms and can only complain.
    os._exit(code)


def _print(line: str) -> bool:
    """Whether the line could be written; where not, the program says why."""
    try:
        return os.write(1, line.encode()) == len(line)
    except OSError:
        return False


def _occupy() -> None:
    """Keep what is opened later off the places of closed standard streams, where others would write into it."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


if __name__ == "__main__":
    run()
