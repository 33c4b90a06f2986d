"""The base of all record formats, and three formats: JSON, NDJSON and ids."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, TypedDict

import msgspec

from unified_cli.json_text.members import SLICE, Record, one_line as on_one_line, parts, text
from unified_cli.output.formats import Format
from unified_cli.output.stdout import pretty
from unified_cli.plural import counted


class Style(NamedTuple):
    """How the output looks.

    `items` and `cursor` are the service's names for the records and the cursor.
    `columns` are the columns asked for, `known` the columns that records are known to
    have, in order. `bom` puts a byte-order mark before CSV. `width` is the terminal's
    width, None off a terminal; `pretty` says that JSON is indented, `listing` that the
    records are a list, not a single one.
    """

    format: Format
    items: str
    cursor: str
    columns: Sequence[str] = ()
    known: Sequence[str] = ()
    safe_cells: bool = False
    bom: bool = False
    typed: bool = False
    """The cells of CSV and TSV are JSON, and their header says so."""
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
    """The width of the longest connection name, if the records of several connections
    come in any order; 0 without names.
    """
    by_program: bool = False
    """Whether the records are results of a jq program."""

    def expects(self, names: Collection[str]) -> bool:
        """Return whether later records, such as those of another connection, may have
        any of the known columns.

        If a jq program kept less than half of the known columns, its later results are
        expected to lack the rest too.
        """
        kept = len({*self.known}.intersection(names))
        return not self.by_program or 2 * kept >= len(self.known)


class WriterMemory(TypedDict, total=False):
    """The state of a writer between pages: the columns, the keys without a column, and
    counts.

    `unseen` are the chosen columns that no record has had so far, `left_out` names the
    values that a table or a jq program cannot hold. `widths` are the column widths of
    rows for people, `hidden` the members without a column in these rows.
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
    """Turns records into bytes, page by page.

    `memory` is the state that another process needs to continue in the same file.
    """

    def __init__(self, style: Style, memory: WriterMemory) -> None:
        self._style = style
        self.memory = memory

    def page(self, slices: Iterable[Sequence[Record]], *, one_line: bool) -> Iterator[bytes]:
        """Yield the records of a page as bytes, in pieces.

        The slices may be read more than once.

        `one_line` says that each record is already on a single line.
        """
        self.prepare(slices)
        for records in slices:
            yield from self.add(records, one_line=one_line)

    def prepare(self, slices: Iterable[Sequence[Record]]) -> None:
        """Learn from a page's records before the first is written."""

    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:
        """Yield these records as bytes."""
        raise NotImplementedError

    def end(self, next_cursor: str | None) -> bytes:  # noqa: ARG002  most formats need no end
        """Return the bytes that complete the output.

        Without these bytes the output is recognisably incomplete.
        """
        return b""

    def shortcomings(self) -> Sequence[str]:
        """Return sentences about the data that is missing from the output.

        If data is missing, the run is incomplete.
        """
        return ()

    def remarks(self) -> Sequence[str]:
        """Return what the user should know about the output."""
        return ()


def joined(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines in pieces of about a mebibyte.

    Even a few records may fill many lines, so the lines are not joined all at once.
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
    """A JSON object with the records and, for a list, the cursor. Each record is on a
    line of its own, or indented on a terminal.
    """

    def __init__(self, style: Style, memory: WriterMemory) -> None:
        super().__init__(style, memory)
        self._begun: bool = memory.get("begun", False)

    # `one_line` is not needed: line breaks within a record do no harm in a document.
    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:  # noqa: ARG002
        """Yield the records, after those that were written before."""
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
        """Return the closing brackets, and before them the cursor of a list."""
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
    """NDJSON: records as they were served; those with line breaks between their parts
    are made compact.
    """

    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:
        """Yield one line a record."""
        if records:
            lines = records if one_line else [_flat(bytes(record)) for record in records]
            yield b"\n".join([*lines, b""])


def _flat(record: bytes) -> bytes:
    return on_one_line(record) if b"\n" in record or b"\r" in record else record


class Ids(RecordWriter):
    """One id a line."""

    def __init__(self, style: Style, memory: WriterMemory) -> None:
        super().__init__(style, memory)
        self._without: int = memory.get("without", 0)

    # `one_line` is not needed, because only the ids are written.
    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:  # noqa: ARG002
        """Yield the ids.

        Records without one, or with one that does not fit on a line, are counted.
        """
        found = [text((parts(record) or {}).get("id")) for record in records]
        good = [one for one in found if one and one.isprintable()]
        self._without += len(found) - len(good)
        self.memory["without"] = self._without
        yield "".join(f"{one}\n" for one in good).encode("utf-8")

    def shortcomings(self) -> Sequence[str]:
        """Return how many records had no id."""
        return (
            [f"left out {counted(self._without, 'record')} without an id that fits on a line"]
            if self._without
            else []
        )
