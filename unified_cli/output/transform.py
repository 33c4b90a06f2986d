"""What is done to records before they are written: a jq program, for each or for all, a label, a choice of columns."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from unified_cli.errors import UsageError
from unified_cli.json_text.members import Record, label
from unified_cli.json_text.record_columns import project
from unified_cli.json_text.record_slices import slices
from unified_cli.output.column_check import ColumnCheck
from unified_cli.output.formats.record_writer import RecordWriter
from unified_cli.output.jq_program import JqProgram, as_json
from unified_cli.output.style import Style

LARGEST_DOCUMENT = 32 * 1024 * 1024
"""Bytes of a document for a jq program, which takes about twenty times as much memory."""


class Transform:
    """Applied to records in this order: the program, the label, the choice of columns.

    `check` is told of the records that the columns are chosen from, here or by a writer.
    """

    def __init__(
        self, program: JqProgram | None = None, columns: Sequence[str] = (), check: ColumnCheck | None = None
    ) -> None:
        self._program = program
        self._columns = columns
        self.check = check or ColumnCheck()

    def apply(self, records: Sequence[Record], name: tuple[str, str] | None = None) -> Sequence[Record]:
        """The records to write; `name` is a key and a value that each gets as its first member."""
        if self._program:
            records = [Record(text) for text in self._program.texts(map(bytes, records))]
        if name:
            records = label(records, *name)
        self.check.look(records)
        if self._columns:
            records = [project(record, self._columns) for record in records]
        return records

    def slices(
        self, records: Sequence[Record], name: tuple[str, str] | None = None, *, large: bool
    ) -> Iterable[Sequence[Record]]:
        """The same, in slices if the records are `large`: they are made anew each time they are gone through."""
        return _Slices(self, records, name) if large else [self.apply(records, name)]

    def remarks(self) -> Sequence[str]:
        """What may differ from what was served, and the columns that no record has."""
        return [*(self._program.remarks() if self._program else ()), *self.check.remarks()]


class _Slices:
    def __init__(self, transform: Transform, records: Sequence[Record], name: tuple[str, str] | None) -> None:
        self._transform = transform
        self._records = records
        self._name = name

    def __iter__(self) -> Iterator[Sequence[Record]]:
        return (self._transform.apply(part, self._name) for part in slices(self._records))


class JqDocument(RecordWriter):
    """Collects all records into one document, and writes the results of a jq program for it."""

    def __init__(self, style: Style, program: JqProgram) -> None:
        super().__init__({})
        self._style = style
        self._program = program
        self._records: list[Record] = []
        self._size = 0

    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:  # noqa: ARG002  nothing is written yet
        """Nothing, for now. Raises UsageError for more than a document may hold."""
        self._records += records
        self._size += sum(len(memoryview(record)) for record in records)
        _check(self._size)
        return iter(())

    def end(self, next_cursor: str | None) -> bytes:
        """The results for an object with the records and, where they are a list, the cursor."""
        members = [msgspec.json.encode(self._style.items) + b":[" + b",".join(self._records) + b"]"]
        if self._style.listing:
            members.append(msgspec.json.encode(self._style.cursor) + b":" + msgspec.json.encode(next_cursor))
        return render(self._program, b"{" + b",".join(members) + b"}", self._style.format)

    def remarks(self) -> Sequence[str]:
        """What the program may have changed."""
        return self._program.remarks()


def _check(size: int) -> None:
    if size > LARGEST_DOCUMENT:
        raise UsageError(
            f"--jq takes a document of at most {LARGEST_DOCUMENT >> 20} MiB",
            hint="on a list, -o ndjson runs the program on each record",
        )


def render(program: JqProgram, body: bytes, form: str) -> bytes:
    """The results of a program for a document: a line each, texts without quotes; in YAML a document each.

    Raises UsageError for a document that is too large.
    """
    _check(len(body))
    if form == "yaml":
        from unified_cli.output.formats.yaml_text import dump as dump_yaml  # noqa: PLC0415  only where it is asked for

        return b"---\n".join(dump_yaml(value) for value in program.run(body))
    values = program.run(body)
    lines = [value if isinstance(value, str) else as_json(value) for value in values]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
