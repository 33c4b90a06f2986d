"""jq programs that must be true of what was read."""

from collections.abc import Sequence
from typing import NamedTuple

from unified_cli.errors import UsageError
from unified_cli.masking import MaskedText, excerpt
from unified_cli.output.jq_process import JqProcess
from unified_cli.output.jq_program import JqProgram, as_json

_LONGEST_PROGRAM = 120
_LONGEST_VALUE = 200
_NOTHING = "no result"


class Verdict(NamedTuple):
    """Whether an expectation holds.

    `value` is the first output of its program that is not true, or says that there is none; after an error it is empty.
    """

    expectation: str
    holds: bool
    value: MaskedText
    message: MaskedText


class Expectation:
    """A jq program all of whose outputs must be `true`; none, or an error, is a failure."""

    def __init__(self, expression: str, option: str = "--expect", process: JqProcess | None = None) -> None:
        """`process` runs it, if the time is limited. Raises UsageError where the expression cannot be compiled."""
        self.expression = expression
        self.shown = f"{option} '{excerpt(' '.join(expression.split()), _LONGEST_PROGRAM)}'"
        # An expression that is wrong is shown by what jq says of it; one that fails on a value, by itself.
        JqProgram(expression, option)
        self._program = JqProgram(expression, self.shown, process)

    def judge(self, document: bytes) -> Verdict:
        """Whether it holds for a JSON document."""
        try:
            values = self._program.run(document)
            wrong = [as_json(value) for value in values if value is not True] if values else [_NOTHING]
        except UsageError as error:
            return Verdict(self.expression, holds=False, value=error.reason, message=error.reason)
        value = excerpt(wrong[0] if wrong else "true", _LONGEST_VALUE)
        return Verdict(self.expression, not wrong, value, excerpt(f"{self.shown} gives {value}", 2 * _LONGEST_VALUE))


def failed(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Those that do not hold."""
    return [one for one in verdicts if not one.holds]
