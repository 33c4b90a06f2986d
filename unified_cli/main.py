"""The program: run a command line in a runtime, and turn what becomes of it into an exit code."""

import contextlib
import io
import json
import traceback
from collections.abc import Iterator
from typing import NoReturn

from unified_cli import VERSION_LINE
from unified_cli.errors import ExitCode, StorageError, UnifiedError, UsageError
from unified_cli.output import stream
from unified_cli.runtime import Runtime


class Terminated(BaseException):
    """SIGTERM arrived."""


def terminate(_signal: int, _frame: object) -> NoReturn:
    """Have the program end as SIGTERM wants: the handler of the signal."""
    raise Terminated


def main(argv: list[str], runtime: Runtime) -> int:
    """The exit code of running `unified` with these arguments; the only place where an error becomes a code."""
    machine = _wants_json(argv, runtime)
    try:
        _run(argv, runtime)
    except UnifiedError as error:
        _report(error, runtime, machine=machine)
        return error.code
    except stream.ClosedError:
        return ExitCode.CLOSED
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except Terminated:
        return ExitCode.TERMINATED
    except Exception as error:  # noqa: BLE001  whatever it is, it is ours
        _report(_bug(error, runtime), runtime, machine=machine)
        return ExitCode.BUG
    return ExitCode.DONE


def _run(argv: list[str], runtime: Runtime) -> None:
    if argv == ["--version"]:
        stream.write(runtime, [VERSION_LINE.encode()])
        return
    from unified_cli.commands import program  # noqa: PLC0415  Typer is not needed for the version

    with _typer_output(runtime):
        program.run(argv, runtime)


@contextlib.contextmanager
def _typer_output(runtime: Runtime) -> Iterator[None]:
    """Lead what Typer prints by itself, which is help, to the runtime's stdout."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        yield
    if text := printed.getvalue():
        stream.write(runtime, [text.encode(runtime.encoding, "backslashreplace")])


def _wants_json(argv: list[str], runtime: Runtime) -> bool:
    """Whether JSON was asked for, as far as the bare command line tells: errors may come before it is understood."""
    asked = runtime.environ.get("UNIFIED_OUTPUT", "")
    for position, word in enumerate(argv):
        if word in {"-o", "--output"} and position + 1 < len(argv):
            asked = argv[position + 1]
        elif word.startswith("--output="):
            asked = word.removeprefix("--output=")
        elif word.startswith("-o") and not word.startswith("--"):
            asked = word[2:]
    return asked in {"json", "ndjson"}


def _report(error: UnifiedError, runtime: Runtime, *, machine: bool) -> None:
    talk = runtime.talk
    if machine or talk.machine:
        talk.line(json.dumps({"error": error.facts()}, ensure_ascii=False))
        return
    lines = [f"error: {error.message}"]
    if isinstance(error, UsageError) and error.caret:
        text, column = error.caret
        lines += [f"  {text}", f"  {' ' * column}^"]
    talk.block(lines)


def _bug(error: Exception, runtime: Runtime) -> UnifiedError:
    if runtime.talk.verbosity > 1:
        runtime.talk.block("".join(traceback.format_exception(error)).splitlines())
    if isinstance(error, OSError):
        return StorageError(f"{error.filename or 'the operating system'}: {error.strerror or error}")
    place = traceback.extract_tb(error.__traceback__)[-1]
    name = place.filename.rpartition("unified_cli")[2].lstrip("/\\") or place.filename
    return UnifiedError(
        f"a bug, sorry: {type(error).__name__} at {name}:{place.lineno} (-vv shows more; please report it)"
    )
