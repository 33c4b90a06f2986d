"""Records as JSON: one document of any length, closed only after the last page; or one line a record; or its id."""

from collections.abc import Iterator, Sequence

import msgspec

from unified_cli.json_text.members import Record, one_line as on_one_line, parts, text
from unified_cli.output.record_writer import RecordWriter, Style, WriterMemory
from unified_cli.output.stdout import pretty
from unified_cli.plural import counted


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
            inside = b",\n".join(b"    " + pretty(bytes(record)).replace(b"\n", b"\n    ") for record in records)
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


class Lines(RecordWriter):
    """NDJSON: records as they were served; those with line breaks between their parts are made compact."""

    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:
        """One line a record."""
        if records:
            lines = records if one_line else [_flat(bytes(record)) for record in records]
            yield b"\n".join([*lines, b""])


def _flat(record: bytes) -> bytes:
    return on_one_line(record) if b"\n" in record or b"\r" in record else record


class Ids(RecordWriter):
    """One id a line."""

    def __init__(self, memory: WriterMemory) -> None:
        super().__init__(memory)
        self._without: int = memory.get("without", 0)

    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:  # noqa: ARG002  ids are short
        """The ids; records without one, or with one that does not fit on a line, are counted."""
        found = [text((parts(record) or {}).get("id")) for record in records]
        good = [one for one in found if one and one.isprintable()]
        self._without += len(found) - len(good)
        self.memory["without"] = self._without
        yield "".join(f"{one}\n" for one in good).encode("utf-8")

    def shortcomings(self) -> Sequence[str]:
        """How many records had no id."""
        return (
            [f"left out {counted(self._without, 'record')} without an id that fits on a line"] if self._without else []
        )
