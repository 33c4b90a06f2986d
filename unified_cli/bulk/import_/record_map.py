"""A jq program that reshapes one record after the other."""

import jq

from unified_cli.errors import UsageError
from unified_cli.json_text import surrogates
from unified_cli.masking import excerpt


class RecordMap:
    """A compiled program; not for several threads."""

    def __init__(self, program: str) -> None:
        """Raises UsageError for what is no jq program."""
        try:
            self._program = jq.compile(program)
        except ValueError as error:
            reason = str(error).removeprefix("jq: error: ").splitlines()[0]
            raise UsageError(f"--map {program!r} is no jq program: {reason}") from None

    def __call__(self, record: bytes) -> list[bytes]:
        """What the program makes of a record, each result as JSON text. Raises ValueError saying why it cannot."""
        try:
            results: str = self._program.input_text(surrogates.without(record).decode("utf-8")).text()
        except ValueError as error:
            first = str(error).partition("\n")[0] or "it failed"
            raise ValueError(excerpt(first, 200)) from None
        return [line.encode() for line in results.split("\n") if line]
