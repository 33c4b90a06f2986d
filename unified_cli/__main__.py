"""The entry point of the console script and of `python -m unified_cli`."""

import sys

if __name__ == "__main__":
    # `python -m` puts the working directory first in `sys.path`. A file there could
    # have the name of a library, so remove the directory. This package has been found
    # already. With Python's -P, the directory is not in the path.
    if not sys.flags.safe_path:
        del sys.path[0]

import gc
import os

from unified_cli import VERSION_LINE


def run() -> None:
    """Run this process's command line and exit."""
    if sys.argv[1:] == ["--version"] and _print_line(VERSION_LINE):
        os._exit(0)
    import signal  # noqa: PLC0415  --version takes no longer than the bare interpreter

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Let Ctrl-C end the process until the program's own handler is installed.
        # Python's handler would print a traceback during an import.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Most objects of the start-up stay in use, so do not waste time on garbage
    # collection. The program enables it before a call.
    gc.disable()
    if __name__ != "__main__" and not sys.flags.safe_path:
        # Nothing should be imported from the folder of the console script, which
        # contains programs.
        del sys.path[0]
    _reserve_descriptors()
    # Imported late, so that --version takes no longer than the bare interpreter.
    from unified_cli import signals  # noqa: PLC0415

    signals.handle_signals()
    try:
        from unified_cli.main import main  # noqa: PLC0415  a signal may come while it is imported
        from unified_cli.runtime import Runtime  # noqa: PLC0415  as above

        # Keep the runtime until the process ends. Python 3.13 prints a traceback when
        # it frees a stream that cannot be written to.
        runtime = Runtime.system()
        code = main(sys.argv[1:], runtime)
    except KeyboardInterrupt as stop:
        code = signals.exit_code(stop)
    except RuntimeError as error:
        if (wrapped := signals.find_stop(error)) is None:
            raise
        code = signals.exit_code(wrapped)
    # All output is written. Skip the orderly shutdown of the interpreter, which takes
    # 10 ms.
    os._exit(code)


def _print_line(line: str) -> bool:
    try:
        return os.write(1, line.encode()) == len(line)
    except OSError:
        return False


def _reserve_descriptors() -> None:
    """Open closed standard streams to the null device.

    Otherwise a file that is opened later would get one of their descriptors.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


if __name__ == "__main__":
    run()
