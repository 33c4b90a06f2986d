"""The base class of all record writers, and the writers of JSON, NDJSON and ids."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, TypedDict

import msgspec

from unified_cli.json_text.members import SLICE, Record, one_line as on_one_line, parts, text
from unified_cli.output.formats import Format
from unified_cli.output.stdout import pretty
from unified_cli.plural import counted


class Style(NamedTuple):
    """The format of the output, and its options.

    `items` and `cursor` are the service's names for the list of records and the cursor
    of a page. `columns` are the columns that the user requested, and `known` the fields
    that the catalogue lists for the records, in order. `bom` adds a byte-order mark to
    CSV. `width` is the width of the terminal, or None without a terminal. `pretty`
    indents JSON. `listing` is False for a single record.
    """

    format: Format
    items: str
    cursor: str
    columns: Sequence[str] = ()
    known: Sequence[str] = ()
    safe_cells: bool = False
    bom: bool = False
    typed: bool = False
    """Whether the cells of CSV and TSV are JSON. The header then marks each column as
    JSON.
    """
    width: int | None = None
    colour: bool = False
    pretty: bool = False
    encoding: str = "utf-8"
    ellipsis: str = "…"
    listing: bool = True
    first: Sequence[str] = ()
    """Columns that come before all others."""
    more: Sequence[str] = ()
    """Columns that come after those of the first page."""
    label: int | None = None
    """The width of the longest connection name, if several responses are combined in
    any order. 0 if records do not name their connection. Otherwise None.
    """
    by_program: bool = False
    """Whether the records are results of a jq program."""

    def expects(self, names: Collection[str]) -> bool:
        """Return whether later records may have known columns that are not in `names`,
        for example because they are from another connection.

        Returns False if a jq program kept less than half of the known columns.
        """
        remaining = len({*self.known}.intersection(names))
        return not self.by_program or 2 * remaining >= len(self.known)


class WriterMemory(TypedDict, total=False):
    """The state of a writer between pages: the columns, the keys without a column, and
    counts.

    `unseen` has the chosen columns that have not been found in any record yet.
    `left_out` counts values that a table or a jq program cannot represent. In tables
    for people, `widths` are the widths of the columns, and `hidden` are the members
    that have no column.
    """

    columns: list[str]
    lost: list[str]
    guarded: int
    begun: bool
    without: int
    unseen: list[str]
    widths: dict[str, int]
    hidden: list[str]
    left_out: list[str]


class RecordWriter:
    """Converts records to bytes, page by page.

    Another process that gets the same `memory` can continue the output in the same
    file.
    """

    def __init__(self, style: Style, memory: WriterMemory) -> None:
        self._style = style
        self.memory = memory

    def page(self, slices: Iterable[Sequence[Record]], *, one_line: bool) -> Iterator[bytes]:
        """Yield the records of a page as bytes, in pieces.

        The slices may be iterated more than once. `one_line` means that no record
        contains a line break.
        """
        self.prepare(slices)
        for records in slices:
            yield from self.add(records, one_line=one_line)

    def prepare(self, slices: Iterable[Sequence[Record]]) -> None:
        """Prepare for a page's records before writing them."""

    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:
        """Yield these records as bytes."""
        raise NotImplementedError

    def end(self, next_cursor: str | None) -> bytes:  # noqa: ARG002  most formats need no end
        """Return the bytes that complete the output. Output without these bytes is
        invalid, so that a parser notices if it is incomplete.
        """
        return b""

    def missing_parts(self) -> Sequence[str]:
        """Return sentences about missing data, which makes the run incomplete."""
        return ()

    def notes(self) -> Sequence[str]:
        """Return notes for the user about the output."""
        return ()


def joined(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines in pieces of about a mebibyte.

    Even a few records may fill many lines.
    """
    part: list[str] = []
    size = 0
    for line in lines:
        part.append(line)
        size += len(line)
        if size >= SLICE:
            yield "".join(part)
            part, size = [], 0
    if part:
        yield "".join(part)


class JsonDocument(RecordWriter):
    """A JSON object with the records and, for a list, the cursor. Each record is on its
    own line or, on a terminal, indented.
    """

    def __init__(self, style: Style, memory: WriterMemory) -> None:
        super().__init__(style, memory)
        self._begun: bool = memory.get("begun", False)

    # `one_line` is not needed, because records in a document may contain line breaks.
    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:  # noqa: ARG002
        """Yield the records, with a comma before them if other records were written
        before.
        """
        if not records:
            return
        if not self._style.pretty:
            inside = b",\n".join(records)
        else:
            inside = b",\n".join(
                b"    " + pretty(bytes(record)).replace(b"\n", b"\n    ") for record in records
            )
        before = b",\n" if self._begun else self._head()
        self._begun = self.memory["begun"] = True
        yield before + inside

    def end(self, next_cursor: str | None) -> bytes:
        """Return the cursor, if the output is a list, and the closing brackets."""
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
    """NDJSON: records as served, but without line breaks."""

    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:
        """Yield a line for each record."""
        if records:
            lines = records if one_line else [_flat(bytes(record)) for record in records]
            yield b"\n".join([*lines, b""])


def _flat(record: bytes) -> bytes:
    return on_one_line(record) if b"\n" in record or b"\r" in record else record


class Ids(RecordWriter):
    """One id on each line."""

    def __init__(self, style: Style, memory: WriterMemory) -> None:
        super().__init__(style, memory)
        self._without: int = memory.get("without", 0)

    # `one_line` is not needed, because only the ids are written.
    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:  # noqa: ARG002
        """Yield the ids, and count the records without a valid id."""
        found = [text((parts(record) or {}).get("id")) for record in records]
        good = [text for text in found if text and text.isprintable()]
        self._without += len(found) - len(good)
        self.memory["without"] = self._without
        yield "".join(f"{identifier}\n" for identifier in good).encode("utf-8")

    def missing_parts(self) -> Sequence[str]:
        """Return how many records had no id."""
        return (
            [f"left out {counted(self._without, 'record')} without an id that fits on a line"]
            if self._without
            else []
        )
