"""jq programs, and their results for JSON."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from unified_cli import signals
from unified_cli.errors import UsageError
from unified_cli.json_text import surrogates
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.numbers import changed_by_jq
from unified_cli.json_text.values import Json
from unified_cli.output.jq_process import JqProcess

# A program begins with its directives; a comment may continue after a backslash at the end of its line.
_DIRECTIVE = re.compile(r"(?:\s|#(?:[^\\\n]|\\(?:\r\n|.))*+)*+(import|include|module)\b", re.DOTALL)
_HALTS = """\
def halt: error("halt has no meaning here, where a program runs once for each value");
def halt_error: error;
def halt_error($code): error;
"""
# The last line of what jq says about a program.
_LONGEST_REASON = 300
_SUMMARY = re.compile(r"jq: \d+ compile errors?")


class JqProgram:
    """A compiled jq program. It computes in doubles, so it remembers whether it met a number that it changes."""

    def __init__(self, expression: str, option: str = "--jq", process: JqProcess | None = None) -> None:
        """`process` runs it, if the time is limited. Raises UsageError where the expression cannot be compiled."""
        try:
            self._program = compiled(expression)
        except ValueError as error:
            raise UsageError(f"{option}: {_reason(error)}") from None
        self._option = option
        self._process = process
        self._changed = False

    def run(self, text: bytes) -> list[Json]:
        """The results of the program for one JSON text. Raises UsageError where it fails on it."""
        with self._interruptible():
            return [*self._results(text)]

    def texts(self, texts: Iterable[bytes]) -> list[bytes]:
        """The results for one JSON text after the other, each as JSON on one line. Raises UsageError as `run` does."""
        with self._interruptible():
            return [as_json(value).encode() for text in texts for value in self._results(text)]

    def _interruptible(self) -> AbstractContextManager[None]:
        """What lets signals end a running program; a process of its own is ended with the error that they raise."""
        return nullcontext() if self._process else signals.ending_at_once()

    def _results(self, text: bytes) -> Iterator[Json]:
        # jq reads no halves of surrogate pairs.
        readable = surrogates.without(text)
        self._changed = self._changed or readable != text or changed_by_jq(text) is not None
        try:
            if self._process:
                yield from self._process.results(self._program.program_string, readable.decode("utf-8"))
            else:
                yield from iter(self._program.input_text(readable.decode("utf-8")))
        except ValueError as error:
            raise UsageError(f"{self._option}: {_reason(error)}") from None

    def remarks(self) -> Sequence[str]:
        """What may differ though the program did not ask for it."""
        remark = "--jq computes in doubles, so some values are not as served (integers beyond 2^53, zeros at the end)"
        return [remark] if self._changed else []


def as_json(value: Json) -> str:
    """A result as JSON on one line. Raises UsageError for one that is nested too deep."""
    try:
        return dump(value)
    except RecursionError:
        raise UsageError("--jq gives a result that is nested too deep to be written") from None


def compiled(expression: str) -> Any:
    """The program, compiled by the jq library. Raises ValueError for one that is wrong or reads other files."""
    import jq  # noqa: PLC0415  only for jq programs

    if directive := _DIRECTIVE.match(expression):
        # jq looks for modules in the working directory too.
        raise ValueError(f"error: no {directive[1]} directive is allowed, since a program reads no other files")
    with signals.ending_at_once():
        program = jq.compile(expression)
        # The library ends the results there without a word, so a record would be missing. A program compiles alone
        # first: its messages name its own lines.
        return jq.compile(_HALTS + expression) if "halt" in expression else program


def _reason(error: ValueError) -> str:
    lines = [line for line in str(error).splitlines() if not _SUMMARY.fullmatch(line)]
    text = " ".join(" ".join(lines).removeprefix("jq: ").removeprefix("error: ").split())
    # A program may raise a whole page as its error.
    return text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]}…"
