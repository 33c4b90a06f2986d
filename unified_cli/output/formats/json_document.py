"""JSON of any length as one document: written page by page, closed only after the last."""

from collections.abc import Iterator, Sequence

import msgspec

from unified_cli.json_text.members import Record
from unified_cli.output.formats.record_writer import RecordWriter, WriterMemory
from unified_cli.output.pretty_json import pretty
from unified_cli.output.style import Style


class JsonDocument(RecordWriter):
    """An object with the records and, of a list, the cursor: a record a line, indented on a terminal."""

    def __init__(self, style: Style, memory: WriterMemory) -> None:
        super().__init__(memory)
        self._style = style
        self._begun: bool = memory.get("begun", False)

    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:  # noqa: ARG002  a document may break lines
        """The records, after those that were written before."""
        if not records:
            return
        if not self._style.pretty:
            inside = b",\n".join(records)
        else:
            inside = b",\n".join(_indented(pretty(bytes(record))) for record in records)
        before = b",\n" if self._begun else self._head()
        self._begun = self.memory["begun"] = True
        yield before + inside

    def end(self, next_cursor: str | None) -> bytes:
        """The closing brackets; the cursor where the records are a list."""
        start = b"\n" if self._begun else self._head().rstrip()
        cursor = msgspec.json.encode(self._style.cursor) + b": " + msgspec.json.encode(next_cursor)
        if not self._style.pretty:
            return start + (b"], " + cursor if self._style.listing else b"]") + b"}\n"
        bracket = b"  ]" if self._begun else b"]"
        return start + bracket + (b",\n  " + cursor if self._style.listing else b"") + b"\n}\n"

    def _head(self) -> bytes:
        start = b"{\n  " if self._style.pretty else b"{"
        return start + msgspec.json.encode(self._style.items) + b": [\n"


def _indented(text: bytes) -> bytes:
    return b"    " + text.replace(b"\n", b"\n    ")
