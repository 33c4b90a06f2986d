"""A jq program that reshapes one record after the other."""

from collections.abc import Callable

from unified_cli import signals
from unified_cli.errors import UsageError
from unified_cli.json_text import json_check
from unified_cli.json_text.numbers import changed_by_jq
from unified_cli.masking import excerpt
from unified_cli.output.jq_program import compiled


class RecordMap:
    """A compiled program; not for several threads."""

    def __init__(self, program: str, option: str = "--map", *, note: Callable[[str], None] | None = None) -> None:
        """Raises UsageError for what is no jq program; `note` tells the user, once, that it may change numbers."""
        self._option, self._note = option, note
        try:
            self._program = compiled(program)
        except ValueError as error:
            reason = str(error).removeprefix("jq: ").removeprefix("error: ").splitlines()[0]
            raise UsageError(f"{option} {program!r} is no jq program: {reason}") from None

    def __call__(self, record: bytes) -> list[bytes]:
        """What the program makes of a record, each result as JSON text. Raises ValueError saying why it cannot."""
        if self._note and (digits := changed_by_jq(record)):
            self._note(
                f"{self._option} computes in doubles, which cannot represent {digits}; other numbers may change too"
            )
            self._note = None
        try:
            with signals.ending_at_once():
                results: str = self._program.input_text(json_check.without_halves(record).decode("utf-8")).text()
        except ValueError as error:
            first = str(error).partition("\n")[0] or "it failed"
            raise ValueError(excerpt(first, 200)) from None
        return [line.encode() for line in results.split("\n") if line]
