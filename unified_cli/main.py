"""The program: run a command line in a runtime, and turn the outcome into an exit
code.
"""

import errno
import json
import os
import re
import traceback
from collections.abc import Callable

from unified_cli import VERSION_LINE, os_limits, signals
from unified_cli.cli.raw_words import asks_for_json
from unified_cli.config.keys import KEYS
from unified_cli.errors import (
    ExitCode,
    StoppedError,
    StorageError,
    Terminated,
    TerminatedError,
    UnifiedError,
    UsageError,
    bug_message,
)
from unified_cli.masking import hide, visible
from unified_cli.output import stdout
from unified_cli.runtime import Runtime

# The module of Rust's panics, which are not an `Exception`.
_RUST = "pyo3_runtime"
# EPERM and ENOSYS occur if a sandbox forbids a call, and ENOLCK if a disk has no locks.
_STORAGE = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EROFS,
    errno.EIO,
    errno.EPERM,
    errno.ENOSYS,
    errno.ENOLCK,
}


def main(argv: list[str], runtime: Runtime) -> int:
    """Run `unified` with these arguments, and return its exit code.

    No other code turns an error into an exit code.
    """
    # Mask the token from the start, because a message may contain the token before it
    # is used.
    hide(runtime.environ.get(KEYS["token"].variable, ""))
    with stdout.paged(runtime) as shown:
        try:
            if argv == ["--version"]:
                stdout.write(shown, [VERSION_LINE.encode()])
                return ExitCode.DONE
            if command := _command_runner(argv, shown):
                command()
            stdout.bypass_pager(shown)
        except UnifiedError as error:
            return _report(_with_profiles(os_limits.with_next_step(error), argv), shown)
        except stdout.QuitError:
            return ExitCode.DONE
        except stdout.ClosedError:
            return ExitCode.CLOSED
        except KeyboardInterrupt as stop:
            if isinstance(stop, Terminated):
                stdout.end_pager(shown)
            else:
                shown.stderr.end_line()
            return _report(_stopped(stop, _nothing_sent(argv, shown)), shown)
        except BaseException as error:  # noqa: BLE001  any other exception is our own bug
            return _report(_unforeseen(error, argv, shown), shown)
    return ExitCode.DONE


def _with_profiles(error: UnifiedError, argv: list[str]) -> UnifiedError:
    if error.hint and "unified " in error.hint:
        from unified_cli.cli import next_steps  # noqa: PLC0415  only for an error

        error.replace_hint(next_steps.with_profiles(error.hint, argv))
    return error


def _command_runner(argv: list[str], runtime: Runtime) -> Callable[[], None] | None:
    try:
        # Import the app here, so that `main` reports failures and signals during the
        # import.
        from unified_cli import app  # noqa: PLC0415

        return app.read(argv, runtime)
    except Exception:
        # Signals are not caught here: one may have interrupted an import, which cannot
        # be repeated.
        runtime.stderr.machine = runtime.stderr.machine or asks_for_json(argv, runtime)
        raise


def _report(error: UnifiedError, runtime: Runtime) -> ExitCode:
    stderr = runtime.stderr
    if stderr.machine:
        # Escape the message before encoding it, because the escapes of JSON must not
        # change.
        facts = {**error.facts(), "message": visible(error.message)}
        work = {"run": stderr.run, "next": error.next_command}
        facts.update({name: value for name, value in work.items() if value})

        stderr.line(json.dumps({"error": facts}))
        return error.code
    first, *details = error.lines
    lines = [f"error: {first}", *(f"  {line}" for line in details)]
    if isinstance(error, UsageError) and error.caret:
        text, column = error.caret
        lines += [f"  {text}", f"  {' ' * column}^"]
    if error.next_command:
        lines += [f"  {line}" for line in error.next_command.splitlines()]
    stderr.block(lines)
    return error.code


def _stopped(stop: KeyboardInterrupt, otherwise: list[str]) -> UnifiedError:
    """Return the error for a signal. Its message contains the notes of the signal, or
    `otherwise` if there are no notes.
    """
    kind = TerminatedError if isinstance(stop, Terminated) else StoppedError
    return kind("; ".join([kind.kind, *(getattr(stop, "__notes__", []) or otherwise)]))


def _nothing_sent(argv: list[str], runtime: Runtime) -> list[str]:
    """Return ["nothing was sent"] if a signal came before the first request.

    Returns an empty list for a server, which may be waiting for a request.
    """
    return [] if runtime.stderr.has_sent or "serve" in argv else ["nothing was sent"]


def _unforeseen(error: BaseException, argv: list[str], runtime: Runtime) -> UnifiedError:
    """Return the error for any other exception. Re-raises an exception that is neither
    an `Exception` nor a panic.
    """
    if isinstance(error, Exception):
        wrapped = signals.find_stop(error)
        return _stopped(wrapped, _nothing_sent(argv, runtime)) if wrapped else _bug(error, runtime)
    if type(error).__module__ != _RUST:
        raise error
    return _bug(_behind(error), runtime)


def _behind(panic: BaseException) -> Exception:
    """Return the error that caused a Rust panic: an OSError if the panic names one,
    otherwise a RuntimeError, which is reported as a bug.
    """
    if match := re.search(r"\bOs \{ code: (\d+)", str(panic)):
        return OSError(int(match[1]), os.strerror(int(match[1])))
    return RuntimeError(str(panic)).with_traceback(panic.__traceback__)


def _bug(error: Exception, runtime: Runtime) -> UnifiedError:
    if runtime.stderr.verbosity > 1:
        runtime.stderr.block("".join(traceback.format_exception(error)).splitlines())
    if os_limits.is_no_descriptor(error):
        # Leave out the file of this error, because it is often a module.
        return os_limits.no_descriptor()
    if isinstance(error, FileNotFoundError) and (lost := os_limits.lost_directory()):
        return lost
    if isinstance(error, OSError) and (error.filename or error.errno in _STORAGE):
        return StorageError(
            f"{error.filename or 'the operating system'}: {error.strerror or error}"
        )
    frame = traceback.extract_tb(error.__traceback__)[-1]
    name = frame.filename.rpartition("unified_cli")[2].lstrip("/\\") or frame.filename
    where = f"a bug, sorry: {type(error).__name__} at {name}:{frame.lineno}"
    return UnifiedError(bug_message(where, more="-vv shows the traceback"))
