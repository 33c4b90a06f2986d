"""What all formats of records have in common."""

from collections.abc import Sequence

from unified_cli.json_text.members import Record
from unified_cli.json_text.values import JsonObject


class RecordWriter:
    """Turns records into bytes, page by page.

    `memory` is what another process needs, besides what is written already, to go on in the same file.
    """

    def __init__(self, memory: JsonObject) -> None:
        self.memory = memory

    def add(self, records: Sequence[Record], *, one_line: bool) -> bytes:
        """The records as bytes; `one_line` says that no record holds a line break between its parts."""
        raise NotImplementedError

    def end(self, next_cursor: str | None) -> bytes:  # noqa: ARG002  most formats need no end
        """What completes the output; without it the output is recognisably incomplete."""
        return b""

    def shortcomings(self) -> Sequence[str]:
        """What is missing from the output though the records had it; the run is then incomplete."""
        return ()

    def remarks(self) -> Sequence[str]:
        """What the user should know about the output."""
        return ()
