"""jq programs and their results for JSON, in this process or, where the time is
limited, in one of their own.
"""

import json
import re
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from difflib import get_close_matches
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from unified_cli import signals
from unified_cli.errors import StorageError, UsageError
from unified_cli.json_text import json_check
from unified_cli.json_text.json_codec import dump
from unified_cli.masking import MaskedText, excerpt
from unified_cli.runtime import Runtime
from unified_cli.values import Json

if TYPE_CHECKING:
    import subprocess

# A program begins with its directives; a comment may continue after a backslash at the
# end of its line.
_DIRECTIVE = re.compile(r"(?:\s|#(?:[^\\\n]|\\(?:\r\n|.))*+)*+(import|include|module)\b", re.DOTALL)
_HALTS = """\
def halt: error("halt has no meaning here, where a program runs once for each value");
def halt_error: error;
def halt_error($code): error;
"""
# The last line of what jq says about a program.
_LONGEST_REASON = 300
_MOST_NAMED = 6
_UNDEFINED = re.compile(r"(\w+)/(\d) is not defined")
# The functions that are misspelt most.
_USUAL = (
    "length",
    "select",
    "map",
    "keys",
    "contains",
    "startswith",
    "endswith",
    "unique",
    "group_by",
    "sort_by",
    "join",
)
_CLOSE = 0.75
_SUMMARY = re.compile(r"jq: \d+ compile errors?")
_WORKER = Path(__file__).with_name("jq_worker.py")
# A program that is not run before the time is over has so long, as the last read has.
_LEAST_SECONDS = 1.0
_START_SECONDS = 60.0
_LONGEST_PROGRAM = 120
_LONGEST_VALUE = 200
_NOTHING = "no result"
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_NUMBER = re.compile(rb"-?\d[\d.eE+-]*")
_SAFE_DIGITS = 15


class JqProcess:
    """Runs programs until a time on the runtime's clock, for `--until`
    (`commands.operation.expect`).

    It is not for several threads.
    """

    def __init__(self, runtime: Runtime, seconds: float) -> None:
        self._runtime = runtime
        self._seconds = seconds
        self._until = runtime.monotonic() + seconds
        self._child: subprocess.Popen[bytes] | None = None
        self._is_over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child is not None:
            self._child.kill()
        self._end()

    def results(self, program: str, text: str) -> list[Json]:
        """The results of a program for a JSON text.

        After one that did not end, none is run. Raises ValueError where it fails, or
        does not end in time; StorageError where no process can be started.
        """
        if not self._is_over:
            data = text.encode()
            seconds = max(_LEAST_SECONDS, self._until - self._runtime.monotonic())
            request = json.dumps(
                {"program": program, "size": len(data), "seconds": seconds}
            ).encode()
            answer = self._ask(request + b"\n" + data)
            if answer.endswith(b"\n"):
                found = json.loads(answer)
                if "error" in found:
                    raise ValueError(found["error"])
                results: list[Json] = found["results"]
                return results
            if (code := self._end()) != -signal.SIGALRM:
                raise ValueError(
                    f"its process ended with {code}: it may need more memory than there is"
                )
            self._is_over = True
        raise ValueError(f"it did not end within {self._seconds:g} s")

    def _ask(self, request: bytes) -> bytes:
        """The line that answers a request; empty where the process was ended before."""
        child = self._child or self._start()
        assert child.stdin is not None  # noqa: S101  a pipe, as below
        assert child.stdout is not None  # noqa: S101  as above
        try:
            child.stdin.write(request)
            child.stdin.flush()
        except BrokenPipeError:
            return b""
        return child.stdout.readline()

    def _start(self) -> "subprocess.Popen[bytes]":
        """The process, which has said that it runs: one that cannot start would be
        taken for one that failed.
        """
        import select  # noqa: PLC0415  most programs run in this process
        import subprocess  # noqa: PLC0415  as above

        try:
            self._child = child = subprocess.Popen(  # noqa: S603  our own program, and no shell
                # Without -P the folder of the script would come first where modules are looked for.
                [sys.executable, "-P", str(_WORKER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            raise StorageError(
                f"cannot start a process for a jq program: {error.strerror}"
            ) from None
        assert child.stdout is not None  # noqa: S101  a pipe, as above
        poller = select.poll()
        poller.register(child.stdout, select.POLLIN)
        if not poller.poll(_START_SECONDS * 1000):
            raise StorageError(
                f"a process for a jq program did not start within {_START_SECONDS:g} s"
            )
        if child.stdout.readline() != b"ready\n":
            said = child.communicate()[1].decode("utf-8", "replace").strip().rpartition("\n")[2]
            why = f"ended with {child.returncode}" + (f": {said}" if said else "")
            raise StorageError(
                f"a process for a jq program cannot start, it {why}", hint="unified doctor"
            )
        return child

    def _end(self) -> int | None:
        """Wait until the process, if there is one, has ended; gives how it did."""
        child, self._child = self._child, None
        if child is None:
            return None
        child.communicate()
        return child.returncode


class JqProgram:
    """A compiled jq program. It computes in doubles, so it remembers whether it met a
    number that it changes.
    """

    def __init__(
        self, expression: str, option: str = "--jq", process: JqProcess | None = None
    ) -> None:
        """`process` runs it, if the time is limited. Raises UsageError where the
        expression cannot be compiled.
        """
        self._program = compiled(expression, option)
        self._expression = expression
        self._option = option
        self._process = process
        self._changed = False

    def run(self, text: bytes) -> list[Json]:
        """The results of the program for one JSON text. Raises UsageError where it fails on it."""
        with self._interruptible():
            return [*self._results(text)]

    def texts(self, texts: Iterable[bytes]) -> list[bytes]:
        """The results for one JSON text after the other, each as JSON on one line.
        Raises UsageError as `run` does.
        """
        with self._interruptible():
            return [as_json(value).encode() for text in texts for value in self._results(text)]

    def _interruptible(self) -> AbstractContextManager[None]:
        """What lets signals end a running program; a process of its own is ended with
        the error that they raise.
        """
        return nullcontext() if self._process else signals.ending_at_once()

    def _results(self, text: bytes) -> Iterator[Json]:
        # jq reads no halves of surrogate pairs.
        readable = json_check.without_halves(text)
        self._changed = self._changed or readable != text or changed_by_jq(text) is not None
        try:
            if self._process:
                yield from self._process.results(
                    self._program.program_string, readable.decode("utf-8")
                )
            else:
                yield from iter(self._program.input_text(readable.decode("utf-8")))
        except ValueError as error:
            reason = _reason(error)
            hint = _input(readable, self._expression) if reason.startswith("Cannot") else None
            hint = (
                "== compares, = assigns" if reason.startswith("Invalid path expression") else hint
            )
            raise UsageError(f"{self._option}: {reason}", hint=hint) from None

    def remarks(self) -> Sequence[str]:
        """What may differ though the program did not ask for it."""
        remark = (
            "--jq computes in doubles, so some values are not as served (integers beyond 2^53,"
            " zeros at the end)"
        )
        return [remark] if self._changed else []


def changed_by_jq(text: bytes) -> str | None:
    """The first number of a JSON text that jq writes as another text, as `1.10` becomes
    `1.1`; None without one.
    """
    for match in _NUMBER.finditer(_STRING.sub(b"", text)):
        number = match[0]
        if (
            not (len(number) <= _SAFE_DIGITS and number.isdigit())
            and _as_jq_writes(number) != number
        ):
            return number.decode()
    return None


def _as_jq_writes(number: bytes) -> bytes:
    value = float(number)
    # What is greater than any double, jq writes as the greatest one.
    whole = not isinf(value) and value.is_integer()
    return (str(int(value)) if whole else repr(value)).encode()


def as_json(value: Json) -> str:
    """A result as JSON on one line. Raises UsageError for one that is nested too deep."""
    try:
        return dump(value)
    except RecursionError:
        raise UsageError("--jq gives a result that is nested too deep to be written") from None


def compiled(expression: str, option: str) -> Any:
    """The program that an option was given, compiled. Raises UsageError for one that is
    wrong or reads other files.
    """
    import jq  # noqa: PLC0415  only for jq programs

    if directive := _DIRECTIVE.match(expression):
        # jq looks for modules in the working directory too.
        said = (
            f"{option}: no {directive[1]} directive is allowed, since a program reads no other"
            " files"
        )
        raise UsageError(said, hint="a function stands in the program itself: def NAME: …; …")
    try:
        with signals.ending_at_once():
            program = jq.compile(expression)
            # The library ends the results there without a word, so a record would be
            # missing. A program compiles alone first: its messages name its own lines.
            return jq.compile(_HALTS + expression) if "halt" in expression else program
    except ValueError as error:
        raise UsageError(f"{option}: {_reason(error)}", hint=_spelled(expression, error)) from None


def _spelled(expression: str, error: ValueError) -> str | None:
    """What to type instead, where a path begins as in another language; None where it does not."""
    if expression.startswith("$."):
        return f"the input is the dot alone: {expression[1:]}"
    if "'" in expression and "INVALID_CHARACTER" in str(error):
        return "a text stands in double quotes, and the program in single ones"
    if "unexpected end of file" in str(error):
        return "it ends too early: a value is missing there, or what closes a bracket or a text"
    undefined = _UNDEFINED.search(str(error))
    if undefined is None:
        return None
    if meant := get_close_matches(undefined[1], _USUAL, 1, _CLOSE):
        return f"did you mean {meant[0]}?"
    if undefined[2] != "0":
        return None
    if re.search(rf"[=!<>]=?\s*{undefined[1]}\b", expression):
        return (
            f'a text stands in double quotes: "{undefined[1]}"; the path of a member begins with'
            " a dot"
        )
    return f"the path of a member begins with a dot: .{undefined[1]}"


def _input(text: bytes, expression: str) -> str | None:
    """What the program was given, where that is an object whose members it does not
    name, or a list.
    """
    try:
        given = json.loads(text)
    except RecursionError:
        return None
    if isinstance(given, list):
        return "the input is a list: .[] gives its items"
    if not isinstance(given, dict) or any(
        re.search(rf"\.{re.escape(name)}\b", expression) for name in given
    ):
        return None
    named = ", ".join([*given][:_MOST_NAMED]) + (", …" if len(given) > _MOST_NAMED else "")
    inner = next((name for name, value in given.items() if isinstance(value, list)), None)
    return f"the input is {{{excerpt(named)}}}" + (
        f": .{excerpt(inner)}[] gives its records" if inner else ""
    )


def _reason(error: ValueError) -> str:
    lines = [line for line in str(error).splitlines() if not _SUMMARY.fullmatch(line)]
    text = " ".join(" ".join(lines).removeprefix("jq: ").removeprefix("error: ").split())
    # A program may raise a whole page as its error.
    return text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]}…"


class Verdict(NamedTuple):
    """Whether an expectation holds.

    `value` is the first output of its program that is not true, or says that there is
    none; after an error it is empty.
    """

    expectation: str
    holds: bool
    value: MaskedText
    message: MaskedText


class Expectation:
    """A jq program all of whose outputs must be `true`; none, or an error, is a failure."""

    def __init__(
        self, expression: str, option: str = "--expect", process: JqProcess | None = None
    ) -> None:
        """`process` runs it, if the time is limited. Raises UsageError where the
        expression cannot be compiled.
        """
        self.expression = expression
        self.shown = f"{option} '{excerpt(' '.join(expression.split()), _LONGEST_PROGRAM)}'"
        # An expression that is wrong is shown by what jq says of it; one that fails on
        # a value, by itself.
        JqProgram(expression, option)
        self._program = JqProgram(expression, self.shown, process)

    def judge(self, document: bytes) -> Verdict:
        """Whether it holds for a JSON document."""
        try:
            values = self._program.run(document)
            wrong = (
                [as_json(value) for value in values if value is not True] if values else [_NOTHING]
            )
        except UsageError as error:
            message = excerpt(f"{error.reason} ({error.hint})") if error.hint else error.reason
            return Verdict(self.expression, holds=False, value=error.reason, message=message)
        value = excerpt(wrong[0] if wrong else "true", _LONGEST_VALUE)
        return Verdict(
            self.expression,
            not wrong,
            value,
            excerpt(f"{self.shown} gives {value}", 2 * _LONGEST_VALUE),
        )


def failed(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Those that do not hold."""
    return [one for one in verdicts if not one.holds]
