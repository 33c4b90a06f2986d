"""One line a record: its JSON, or its id."""

from collections.abc import Iterator, Sequence

from unified_cli.json_text.members import Record, one_line as on_one_line, parts, text
from unified_cli.output.formats.record_writer import RecordWriter, WriterMemory
from unified_cli.plural import counted


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
