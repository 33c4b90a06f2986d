"""Export one list to one file, page by page, and resume an earlier run."""

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from unified_cli import hints
from unified_cli.errors import StateError, StorageError, UnifiedError
from unified_cli.exported import increments
from unified_cli.exported.checkpoint import Checkpoint, ListIdentity, Option, TableRead
from unified_cli.exported.increments import Increment, MarkReader
from unified_cli.exported.parquet_file import ParquetColumns
from unified_cli.http import pagination
from unified_cli.http.pagination import Page, Span
from unified_cli.http.request import Request
from unified_cli.json_text import change_time
from unified_cli.json_text.members import Record, parts
from unified_cli.masking import masked
from unified_cli.output import formats
from unified_cli.output.record_writer import Style, WriterMemory
from unified_cli.output.transform import Transform, writer

Read = Callable[[Span], Generator[Page]]
"""Reads the pages of a list in a span."""


class TablePart(NamedTuple):
    """A connection's part of a table, and its state `before` this read.

    A table has the lists of one resource, with these `columns`. A `filtered` read is
    not a full read of the list. `restart` is the token of the last restart, if any.
    """

    api: str
    resource: str
    origin: str
    account: str
    columns: ParquetColumns
    before: TableRead | None = None
    filtered: bool = False
    restart: str = ""


@dataclass(frozen=True, slots=True)
class ListExportOptions:
    """How to export a list.

    `span` is the part to read, and `style` and `transform` define the output. `force`
    replaces the file, `restart` discards an earlier run, and `dedupe` skips repeated
    ids. `parquet` converts the complete NDJSON to Parquet with these columns. With a
    `lag`, the run records a mark, and the next run begins this many seconds before it.
    With `incremental`, the file adds to a complete list. An `increment` skips unchanged
    records. `table` is the table to write to, if any.
    """

    span: Span
    style: Style
    transform: Transform
    force: bool = False
    restart: bool = False
    dedupe: bool = False
    parquet: ParquetColumns | None = None
    lag: float | None = None
    incremental: bool = False
    increment: Increment | None = None
    table: TablePart | None = None

    @property
    def since(self) -> dict[str, str]:
        """The filter as typed, for the identity of the list. It is "" without a filter,
        as in older versions.
        """
        return {"changed_since": self.span.since.text} if self.span.since else {}

    @property
    def format(self) -> str:
        """The format of the file."""
        if self.table:
            return formats.DELTA.name
        return formats.PARQUET.name if self.parquet else self.style.format.name

    def identity(self, request: Request, *, replay: bool, **since: str) -> ListIdentity:
        """Return the identity of this export of the request's list."""
        style = self.style
        # Without columns, the identity must be that of older versions.
        columns: dict[str, Option] = {"columns": [*style.more]} if style.more else {}
        return ListIdentity.from_request(
            request,
            format=self.format,
            csv_safe=style.safe_cells,
            bom=style.bom,
            typed=style.typed,
            replay=replay,
            **since,
            **columns,
        )


class TakenOverError(StateError):
    """Another run has taken over from this run, which must stop."""

    def __init__(self, place: str) -> None:
        super().__init__(f"another run writes to {place} and has taken over from this run")


class ListTarget(Protocol):
    """The interface of targets. Complete pages are kept if the run is killed.

    The methods raise the errors of the destination.
    """

    @property
    def state(self) -> Checkpoint:
        """The progress of the list so far."""

    def open(self, *, force: bool, restart: bool = False, keep: bool = False) -> None:
        """Resume an earlier run, or begin.

        `restart` discards the earlier run, but `keep` retains its pages. Raises
        StateError if the earlier run had other options, is damaged, or is still
        running.
        """

    @property
    def is_published(self) -> bool:
        """Whether an earlier run published the list, but did not update the
        manifest.
        """

    def lines(self) -> Iterator[bytes]:
        """Yield the lines written so far."""

    def append(self, data: bytes) -> None:
        """Append a part of a page. It is discarded unless `count` follows."""

    def count(self, state: Checkpoint) -> None:
        """Mark the page as complete.

        `state` is the state after the page, without size and hash.
        """

    def keep(self) -> None:
        """Sync all complete pages to disk."""

    def publish(self, end: bytes, *, force: bool) -> None:
        """Write the end, and publish the complete list."""

    def tidy(self) -> None:
        """Remove temporary files of a published list, and close it."""

    def abandon(self) -> None:
        """Remove files without records."""

    def close(self) -> None:
        """Close the files. An unfinished list stays for the next run."""


def run(
    part: ListTarget, read: Read, options: ListExportOptions, wall: Callable[[], float]
) -> Generator[Page]:
    """Write all pages, yield each, and publish the file.

    `wall` is this machine's clock. Raises the errors of reading and writing, after
    which the next run resumes, and UsageError if no record has any of the chosen
    columns.
    """
    part.open(force=options.force, restart=options.restart, keep=options.restart and options.dedupe)
    if part.is_published:
        return
    file = _ListFile(part, options, wall)
    try:
        if span := _remaining_span(part.state, options.span):
            with closing(read(span)) as pages:
                for page in pages:
                    file.add(page)
                    yield page
    except (StorageError, TakenOverError):
        # Another run has taken over. Do not write to its files.
        raise
    except UnifiedError as error:
        _break_off(part, error)
        raise
    if wrong := options.transform.check.error():
        part.abandon()
        raise wrong
    if options.increment and not part.state.records:
        part.abandon()
        return
    file.publish()


def _remaining_span(state: Checkpoint, span: Span) -> Span | None:
    left = None if span.records is None else span.records - state.records - state.dropped
    if state.pages and (state.next_cursor is None or left == 0):
        return None
    return Span(
        state.next_cursor if state.pages else span.cursor,
        records=left,
        done=state.pages,
        seen=frozenset(int(cursor, 16) for cursor in state.seen),
        since=span.since,
    )


def _break_off(part: ListTarget, error: UnifiedError) -> None:
    if part.state.bytes or part.state.pages:
        part.keep()
        onward = f"run the same command to resume at page {part.state.pages + 1}"
        error.message = masked(f"{error.message}; {onward}")
    else:
        part.abandon()


class _ListFile:
    """Writes pages to the target in its format."""

    def __init__(
        self, part: ListTarget, options: ListExportOptions, wall: Callable[[], float]
    ) -> None:
        self._part = part
        self._wall = wall
        self._sent = wall()
        self._marks: MarkReader | None = None
        self._options = options
        self._writer = writer(options.style, part.state.memory.copy())
        self._check = options.transform.check
        if part.state.pages:
            # Version 0.1 did not record the columns.
            self._check.resume(part.state.memory.get("unseen", ()))
        self._seen = _SeenIds(part.lines()) if options.dedupe else None
        self._left_out = part.state.memory.get("left_out", [])

    def add(self, page: Page) -> None:
        """Write a page. Raises StorageError, and the errors of the transform."""
        increment = self._options.increment
        records = increment.new(page.records) if increment else page.records
        records = self._seen.new(records) if self._seen else records
        state = self._part.state
        if self._options.lag is not None:
            state = self._marked(page, self._options.lag)
        onward = [f"{pagination.fingerprint(page.next_cursor):016x}"] if page.next_cursor else []
        slices = self._options.transform.slices(records, large=page.large)
        for data in self._writer.page(slices, one_line=page.one_line):
            self._part.append(data)
        self._part.count(
            replace(
                state,
                next_cursor=page.next_cursor,
                pages=state.pages + 1,
                records=state.records + len(records),
                dropped=state.dropped + len(page.records) - len(records),
                partial_pages=[*state.partial_pages, page.number]
                if page.partial
                else state.partial_pages,
                seen=[*state.seen, *onward],
                memory=self._memory(),
            ),
        )

    def _marked(self, page: Page, lag: float) -> Checkpoint:
        """Return the state with the mark after this page, and both times of the first
        page.
        """
        state = self._part.state
        if not state.pages and not state.sent:
            state = replace(
                state, clock=increments.date_of(page.date), sent=increments.local(self._sent)
            )
        if self._marks is None:
            self._marks = MarkReader(state.mark, change_time.earlier(state.begun, lag), lag)
        return replace(state, mark=self._marks.note(page.records))

    def _memory(self) -> WriterMemory:
        memory: WriterMemory = {**self._writer.memory, "unseen": self._check.unseen}
        if left_out := [*self._left_out, *self._options.transform.missing_parts()]:
            memory["left_out"] = left_out
        return memory

    def publish(self) -> None:
        """Write the end, and publish the file. Raises StorageError."""
        state = self._part.state
        if state.mark:
            state.mark = state.mark._replace(written=increments.local(self._wall()))
        # An earlier run may have been killed between writing the end and publishing.
        end = b"" if state.complete else self._writer.end(state.next_cursor)
        self._part.publish(end, force=self._options.force)


def missing_parts(part: ListTarget, options: ListExportOptions) -> list[str]:
    """Return sentences about data that is missing from a complete file.

    Either the writer could not write the data, or the provider left it out.
    """
    missing = [
        *writer(options.style, part.state.memory).missing_parts(),
        *part.state.memory.get("left_out", ()),
    ]
    if part.state.partial_pages:
        numbers = ", ".join(map(str, part.state.partial_pages[:20]))
        missing.append(f"the provider left something out of page {numbers}{hints.ACCEPTS}")
    return missing


class _SeenIds:
    """The ids in the NDJSON file, as 64-bit hashes."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._ids = {hashed for line in lines if (hashed := self._hash(Record(line))) is not None}

    def new(self, records: Sequence[Record]) -> Sequence[Record]:
        """Return the records with new ids, and those without an id."""
        result = []
        for record in records:
            hashed = self._hash(record)
            if hashed is None or hashed not in self._ids:
                result.append(record)
                if hashed is not None:
                    self._ids.add(hashed)
        return result

    def _hash(self, record: Record) -> int | None:
        identity = (parts(record) or {}).get("id")
        if identity is None or identity == b"null":
            return None
        return int.from_bytes(hashlib.blake2b(identity, digest_size=8).digest(), "big")
