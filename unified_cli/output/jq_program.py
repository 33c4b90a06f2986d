"""Compile and run jq programs, in this process or a separate one."""

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from difflib import get_close_matches
from typing import Any, NamedTuple

import jq

from unified_cli import signals
from unified_cli.errors import IncompleteError, RecordProgramError, UsageError
from unified_cli.json_text import json_check
from unified_cli.json_text.members import Record, member
from unified_cli.masking import MaskedText, excerpt
from unified_cli.output.jq_input import computed, find_unsupported
from unified_cli.output.jq_process import JqProcess
from unified_cli.plural import counted

# Directives are at the beginning of a program. A backslash continues a comment on the
# next line.
_DIRECTIVE = re.compile(r"(?:\s|#(?:[^\\\n]|\\(?:\r\n|.))*+)*+(import|include|module)\b", re.DOTALL)
_HALTS = """\
def halt: error("halt has no meaning here, where a program runs once for each value");
def halt_error: error;
def halt_error($code): error;
"""
# The longest reason from jq, in characters.
_LONGEST_REASON = 300
_MOST_NAMED = 6
_UNDEFINED = re.compile(r"(\w+)/(\d) is not defined")
# Functions that are often misspelt.
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
_PAIR = re.compile(r"(\w+)=(\w+)")
_CONDITIONS = ("--expect", "--until", "--fail-if", "--where")
_LENGTHS = ("count", "size", "len")
_SUMMARY = re.compile(r"jq: \d+ compile errors?")
_LONGEST_PROGRAM = 120
_LONGEST_VALUE = 200
_NUMBER = re.compile(r"-?\d[\d.]*")
_DATE = re.compile(r"\d{4}-\d\d(-\d\d)?([T ][\d:.Z+-]*)?")
_CONSTANT = re.compile(rf"{_NUMBER.pattern}|{_DATE.pattern}|\d+[a-z]+")
_PATH = re.compile(r"\s*\.([A-Za-z_]\w*)")
_NOTHING = "no result"
_MOST_LEFT_OUT = 5
_LONGEST_ID = 80
# Finds a single `=`, which assigns, where the user may have meant `==`.
_ASSIGNS = re.compile(r"(?<![=!<>|+*/%?-])=(?!=)")


class NotHeldError(ValueError):
    """The input has a value that jq would drop or change. `what` describes the
    value.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"jq cannot represent {what}")
        self.what = what


class JqProgram:
    """A compiled jq program, from JSON text to JSON text.

    Numbers that the program does not change keep their digits. Numbers that it computes
    are doubles: `notes` warns about them. `missing_parts` reports the records that were
    left out.
    """

    def __init__(
        self, expression: str, option: str = "--jq", process: JqProcess | None = None
    ) -> None:
        """Compile the expression. A `process` runs the program with a time limit.

        Raises UsageError if the expression cannot be compiled.
        """
        self._program = _compiled(expression, option)
        self._expression = expression
        self._option = option
        self._process = process
        self._computed: str | None = None
        self._left_out: dict[int, str] = {}

    def names(self, member: str) -> bool:
        """Return whether the program contains the name of a member."""
        return member in self._expression

    def unknown_member(self, record: bytes) -> str | None:
        """Return the first member that the program's path names, if the record lacks
        this member. Otherwise return None.
        """
        path = _PATH.match(self._expression)
        return path[1] if path and member(record, path[1]) is None else None

    def results(self, text: bytes) -> list[bytes]:
        """Return the results for JSON text, each as a line of JSON.

        Raises ValueError if the program fails, and NotHeldError if jq would drop or
        change a value in the text.
        """
        with self._interruptible():
            return self._results(text)

    def run(self, text: bytes) -> list[bytes]:
        """Return the same as `results`. Raises UsageError if the program fails, and
        IncompleteError if jq would drop or change a value.
        """
        try:
            return self.results(text)
        except NotHeldError as error:
            raise IncompleteError(f"{self._option}: {error}") from None
        except ValueError as error:
            raise self._failure(text, error) from None

    def run_each(self, records: Sequence[Record]) -> list[Record]:
        """Return the results for each of the records.

        Leaves out records that jq cannot represent. Raises RecordProgramError, which
        names the record, if the program fails.
        """
        result: list[Record] = []
        with self._interruptible():
            for text in map(bytes, records):
                try:
                    result += map(Record, self._results(text))
                except NotHeldError as error:
                    self.leave_out(text, error)
                except ValueError as error:
                    raise self._failure_on_record(text, error) from None
        return result

    def _interruptible(self) -> AbstractContextManager[None]:
        """Return a context manager in which signals end a running program.

        A program in a separate process needs no such context, because a signal's error
        ends that process.
        """
        return nullcontext() if self._process else signals.ending_at_once()

    def _results(self, text: bytes) -> list[bytes]:
        if what := find_unsupported(text):
            raise NotHeldError(what)
        given = text.decode("utf-8")
        found: list[str] = (
            self._process.results(self._program.program_string, given)
            if self._process
            else self._program.input_text(given).all()
        )
        results = [result.encode() for result in found]
        if any(map(json_check.depth_flaw, results)):
            raise ValueError("gives a result that is nested too deep to be written")
        self._computed = self._computed or computed(results, text, self._expression.encode())
        return results

    def _failure(self, text: bytes, error: ValueError) -> UsageError:
        reason = _reason(error)
        hint = _input(text, self._expression) if reason.startswith("Cannot") else None
        hint = "== compares, = assigns" if reason.startswith("Invalid path expression") else hint
        if reason.startswith("Cannot iterate over null"):
            hint = hint or "[]? skips null"
        return UsageError(f"{self._option}: {reason}", hint=hint)

    def _failure_on_record(self, record: bytes, error: ValueError) -> RecordProgramError:
        failure = self._failure(record, error)
        hint: str | None = failure.hint
        if hint and re.match(r"\s*\.\[", self._expression):
            hint = "the input is one record, not a list: leave out the .[] at the start"
        return RecordProgramError(f"{failure.reason}, on record {_shown_id(record)}", hint=hint)

    def leave_out(self, record: bytes, error: NotHeldError) -> None:
        """Count a record that was left out."""
        # A writer may read a large page twice, so do not count a record again.
        if (key := hash(record)) not in self._left_out:
            is_named = len(self._left_out) < _MOST_LEFT_OUT
            self._left_out[key] = f"{_shown_id(record)} ({error.what})" if is_named else ""

    def notes(self) -> Sequence[str]:
        """Return a warning if jq computed numbers, otherwise nothing."""
        if self._computed is None:
            return []
        return [f"{self._option} computed {self._computed} in doubles, which keep 15 digits"]

    def missing_parts(self) -> Sequence[str]:
        """Return a sentence about the records that were left out, or nothing."""
        if not self._left_out:
            return []
        number, names = len(self._left_out), [name for name in self._left_out.values() if name]
        more = f" and {number - len(names)} more" if number > len(names) else ""
        what = f"{self._option} left out {counted(number, 'record')} that jq cannot represent"
        return [f"{what}: {', '.join(names)}{more}"]


def _shown_id(record: bytes) -> str:
    identifier = member(record, "id")
    return excerpt(identifier.decode("utf-8", "replace"), _LONGEST_ID) if identifier else "no id"


def _compiled(expression: str, option: str) -> Any:
    """Compile the program of an option.

    The results of the compiled program are JSON text. Raises UsageError if the program
    is invalid or reads other files.
    """
    if directive := _DIRECTIVE.match(expression):
        # Refuse directives, because jq also searches the working directory for modules.
        message = (
            f"{option}: no {directive[1]} directive is allowed, since a program reads no other"
            " files"
        )
        raise UsageError(message, hint="define a function in the program itself: def NAME: …; …")
    try:
        with signals.ending_at_once():
            # Compile the program without the brackets first, to check that it is
            # complete and to get the right line numbers in messages.
            jq.compile(expression)
            # Convert to text in jq, because Python's numbers would lose digits. Two
            # line breaks end any comment: if the comment ends with a backslash, the
            # first line break only continues it.
            as_text = f"({expression}\n\n) | tojson"
            # Without `_HALTS`, the library would treat `halt` as the end of the
            # results, and drop a record.
            return jq.compile(_HALTS + as_text if "halt" in expression else as_text)
    except ValueError as error:
        hint = _spelled(expression, error, option)
        raise UsageError(f"{option}: {_reason(error)}", hint=hint) from None


def _spelled(expression: str, error: ValueError, option: str) -> str | None:
    """Return a hint about the correct spelling of the program in jq, or None."""
    if expression.startswith("$."):
        return f"the input is a dot without $: {expression[1:]}"
    if "'" in expression and "INVALID_CHARACTER" in str(error):
        return "put texts in double quotes, and the program in single quotes"
    if "unexpected end of file" in str(error):
        return "it ends too early: a value, a closing bracket or a closing quote is missing"
    undefined = _UNDEFINED.search(str(error))
    if undefined is None:
        return None
    if pair := _PAIR.fullmatch(expression):
        compared = f"""did you mean '.{pair[1]} == "{pair[2]}"'?"""
        made = f"{{{pair[1]}: .{pair[2]}}} makes an object"
        return compared if option in _CONDITIONS else made
    if undefined[1] in _LENGTHS:
        return "did you mean length?"
    if meant := get_close_matches(undefined[1], _USUAL, 1, _CLOSE):
        return f"did you mean {meant[0]}?"
    if undefined[2] != "0":
        return None
    if re.search(rf"[=!<>]=?\s*{undefined[1]}\b", expression):
        return (
            f'put texts in double quotes: "{undefined[1]}"; the path of a member begins with a dot'
        )
    return f"the path of a member begins with a dot: .{undefined[1]}"


def _input(text: bytes, expression: str) -> str | None:
    """Return a hint that describes the program's input, or None.

    There is a hint if the input is a list, or an object whose members the program does
    not name.
    """
    given = json_check.scan(text.decode("utf-8"))
    if isinstance(given, list):
        return "the input is a list: .[] gives its items"
    if isinstance(given, dict) and "result" not in given and ".result[]" in expression:
        return "the input is a single record, so leave out .result[]"
    if not isinstance(given, dict) or any(
        re.search(rf"\.{re.escape(name)}\b", expression) for name in given
    ):
        return None
    named = ", ".join([*given][:_MOST_NAMED]) + (", …" if len(given) > _MOST_NAMED else "")
    inner = next((name for name, value in given.items() if isinstance(value, list)), None)
    # Only a page has a list of records. An object with an id is a record, whose lists
    # contain something else.
    return f"the input is {{{excerpt(named)}}}" + (
        f": .{excerpt(inner)}[] gives its records" if inner and "id" not in given else ""
    )


def _reason(error: ValueError) -> str:
    lines = [line for line in str(error).splitlines() if not _SUMMARY.fullmatch(line)]
    text = " ".join(" ".join(lines).removeprefix("jq: ").removeprefix("error: ").split())
    # The error may contain the whole page.
    return text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]}…"


class Verdict(NamedTuple):
    """Whether an expectation holds.

    `value` is the first output that is not true, "true" if the expectation holds, or
    the reason why there is no output.
    """

    expectation: str
    holds: bool
    value: MaskedText
    message: MaskedText


def _no_condition(text: str, option: str) -> UsageError:
    """Return the error for an option whose value is a number or a time instead of a
    condition.
    """
    hint = "write a comparison, in quotes for the shell: 'length > 0'"
    if _DATE.fullmatch(text):
        hint = f"to filter by time, use -q 'created_at[lt]={text}'"
    return UsageError(f"{option} takes a condition in jq, not {text!r}", hint=hint)


class Expectation:
    """A jq program whose outputs must all be `true`. The expectation fails if the
    program has no output or ends with an error.
    """

    def __init__(
        self, expression: str, option: str = "--expect", process: JqProcess | None = None
    ) -> None:
        """Compile the expression. A `process` runs the program with a time limit.

        Raises UsageError if the expression cannot be compiled.
        """
        if _CONSTANT.fullmatch(expression):
            raise _no_condition(expression, option)
        self.expression = expression
        self.shown = f"{option} '{excerpt(' '.join(expression.split()), _LONGEST_PROGRAM)}'"
        # Compile the expression without the time limit first, to report jq's message if
        # the expression is invalid.
        JqProgram(expression, option)
        self._program = JqProgram(expression, self.shown, process)

    def judge(self, document: bytes) -> Verdict:
        """Return whether the expectation holds for a JSON document.

        Raises IncompleteError if jq would drop or change a value.
        """
        try:
            values = self._program.run(document)
            wrong = (
                [value.decode() for value in values if value != b"true"] if values else [_NOTHING]
            )
        except UsageError as error:
            message = excerpt(f"{error.reason} ({error.hint})") if error.hint else error.reason
            return Verdict(self.expression, holds=False, value=error.reason, message=message)
        value = excerpt(wrong[0] if wrong else "true", _LONGEST_VALUE)
        hint = " (== compares)" if wrong and _ASSIGNS.search(self.expression) else ""
        if not hint and _NUMBER.fullmatch(value):
            hint = " (compare the number, in quotes for the shell: 'length > 0')"
        return Verdict(
            self.expression,
            not wrong,
            value,
            excerpt(f"{self.shown} gives {value}{hint}", 2 * _LONGEST_VALUE),
        )


def failed(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts that do not hold."""
    return [verdict for verdict in verdicts if not verdict.holds]
