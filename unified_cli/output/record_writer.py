"""What all formats of records have in common."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypedDict

from unified_cli.errors import ServiceError
from unified_cli.json_text.members import SLICE, Record


class Style(NamedTuple):
    """How the output is to look.

    `items` and `cursor` are the service's words for them. `columns` are those asked for, `known` those that records are
    known to have, in order. `bom` puts a byte-order mark before CSV. `width` is that of the terminal, None off one;
    `pretty` says that JSON is indented, `listing` that the records are a list, not one alone.
    """

    format: str
    items: str
    cursor: str
    columns: Sequence[str] = ()
    known: Sequence[str] = ()
    safe_cells: bool = False
    bom: bool = False
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
    """How wide the longest name of a connection is, where the records of several come in any order; 0 without names."""


class WriterMemory(TypedDict, total=False):
    """What a writer keeps from one page to the next: the columns, the keys that found none, and counts.

    `unseen` are the chosen columns that no record had so far, `left_out` says what a table does not take.
    """

    columns: list[str]
    lost: list[str]
    guarded: int
    begun: bool
    without: int
    unseen: list[str]
    left_out: list[str]


class RecordWriter:
    """Turns records into bytes, page by page.

    `memory` is what another process needs, besides what is written already, to go on in the same file.
    """

    def __init__(self, memory: WriterMemory) -> None:
        self.memory = memory

    def page(self, slices: Iterable[Sequence[Record]], *, one_line: bool) -> Iterator[bytes]:
        """The records of a page as bytes, piece by piece; the slices may be gone through more than once.

        `one_line` says that no record holds a line break between its parts. Raises ServiceError for a record that is
        nested too deeply to be taken apart.
        """
        try:
            self.prepare(slices)
            for records in slices:
                yield from self.add(records, one_line=one_line)
        except RecursionError:
            raise ServiceError(
                "a record is nested too deeply for this format (-o ndjson passes it on)", retryable=False
            ) from None

    def prepare(self, slices: Iterable[Sequence[Record]]) -> None:
        """Learn from all records of a page what has to be known before the first is written."""

    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:
        """Some records as bytes."""
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


def joined(lines: Iterable[str]) -> Iterator[str]:
    """Lines in pieces of about a mebibyte, because a few records may fill many lines."""
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
