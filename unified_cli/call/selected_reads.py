"""Read complete results from the selected connections."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, TypeVar

from unified_cli import signals
from unified_cli.call import Call, Mode, RequestOf, builder, listing
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.catalogue.known_filters import find_doubtful
from unified_cli.cli.flags import part, with_parts
from unified_cli.cli.option_parts import ConnectionOptions, MessageOptions, NetworkOptions
from unified_cli.cli.options import CallOptions, ReadOptions, overrides
from unified_cli.config import file, profiles
from unified_cli.errors import UnifiedError, UsageError
from unified_cli.fleet import own_account, selection
from unified_cli.fleet.clients import Clients
from unified_cli.fleet.read import FairReaders
from unified_cli.http import pagination
from unified_cli.http.pagination import Page
from unified_cli.http.rate_limit import Patience
from unified_cli.http.request import Request
from unified_cli.json_text.members import Record
from unified_cli.output import formats
from unified_cli.output.printer import LARGEST_DOCUMENT
from unified_cli.output.progress import Work, progress
from unified_cli.runtime import Runtime

Job = TypeVar("Job")
Found = Page | UnifiedError | None
"""A page of a list, the error that ended the list, or None at its end."""


class SelectedRead(NamedTuple):
    """A read of one connection. `name` is its profile or its account."""

    name: str
    call: Call
    request: Request


class SelectedReads(NamedTuple):
    """The reads of a command, and its `common` settings. `several` is true if there are
    several connections.
    """

    common: Call
    operation: Operation
    reads: Sequence[SelectedRead]
    several: bool

    @property
    def workers(self) -> int | None:
        """The most connections to read at a time, or None for the default."""
        return part(self.common.options, NetworkOptions).workers

    def note_same(self) -> None:
        """Print a note about profiles of the same connection."""
        selection.note_same(
            self.common.runtime, {read.name: read.call.settings for read in self.reads}
        )


@dataclass(slots=True)
class WholeRead:
    """The result of a connection: all records of a list, or one record."""

    selected: SelectedRead
    records: list[Record] = field(default_factory=list)
    partial: list[int] = field(default_factory=list)
    """The numbers of the pages that the provider left incomplete."""
    next_cursor: str | None = None
    one_line: bool = True
    large: bool = False
    error: UnifiedError | None = None
    """The error that ended the read early."""
    seconds: float = 0.0
    """How long the read took."""

    def add(self, page: Page) -> None:
        """Add a page."""
        self.records += page.records
        self.partial += [page.number] if page.partial else []
        self.next_cursor = page.next_cursor
        self.one_line = self.one_line and page.one_line
        self.large = self.large or page.large

    def document(self, *, listing: bool) -> bytes:
        """Return the array of the records, or the only record."""
        return b"[" + b",".join(self.records) + b"]" if listing else bytes(self.records[0])


def select(
    runtime: Runtime,
    catalogue: Catalogue,
    operation: Operation,
    options: CallOptions,
    mode: Mode,
    request_of: RequestOf = builder.operation_request,
) -> SelectedReads:
    """Return the reads of the selected connections.

    `request_of` returns their requests. Raises UsageError if an option cannot be used
    with reads of many connections.
    """
    if not mode.several:
        call = builder.resolve(runtime, catalogue, options, mode, operation)
        request = request_of(call, operation)
        name = call.settings.profile or request.account
        return SelectedReads(call, operation, [SelectedRead(name, call, request)], several=False)
    config = file.read(runtime)
    common = builder.common_call(runtime, catalogue, config, options, mode, operation)
    calls = {
        name: common._replace(
            settings=own_account.resolved(overrides(options, name), runtime, config)
        )
        for name in profiles.select(config, options.profile)
    }
    reads = [SelectedRead(name, call, request_of(call, operation)) for name, call in calls.items()]
    return SelectedReads(common, operation, reads, several=True)


def select_lists(
    runtime: Runtime,
    catalogue: Catalogue,
    operation: Operation,
    part_of_list: ReadOptions,
    options: ConnectionOptions,
) -> SelectedReads:
    """Return the reads of a list, for a command that does not print the records.

    `part_of_list` limits the part to read. `options` selects the connections, and has
    the options for messages and the network. Prints notes about doubtful parameters,
    and about profiles of the same connection.
    """
    query = builder.pairs(part_of_list.query)
    for doubtful in find_doubtful(operation, catalogue.service, query):
        builder.warn_of_parameter(runtime, doubtful, strict=False)
    builder.change_filter(runtime, part_of_list.since, part_of_list.query)
    # No records are printed, so use any format that all lists accept.
    read = replace(part_of_list, output=formats.TABLE.name)
    read = with_parts(read, options, MessageOptions, NetworkOptions, ConnectionOptions)
    mode = Mode(several=profiles.is_several(read.profile))
    selected = select(runtime, catalogue, operation, read, mode)
    selected.note_same()
    return selected


class ReadWork(NamedTuple):
    """Reads a connection page by page.

    `until` is the deadline for responses, and `largest` the most bytes of records.
    `seconds` gets the duration of each read, not counting the wait for its token.
    """

    selected: SelectedReads
    clients: Clients
    until: float | None = None
    largest: int | None = None
    seconds: dict[str, float] | None = None

    def run(self, read: SelectedRead) -> Generator[tuple[SelectedRead, Found]]:
        """Yield each page, then None or the error that ended it."""
        try:
            token = self.clients.token(read.call.settings)
        except UnifiedError as error:
            yield read, error
            return
        began = read.call.runtime.monotonic()
        for source, found in pagination.with_errors(read, self._pages(read, token)):
            if self.seconds is not None:
                self.seconds[read.name] = read.call.runtime.monotonic() - began
            yield source, found

    def _pages(self, read: SelectedRead, token: str) -> Generator[Page]:
        call, request, lists = read.call, read.request, self.selected.operation.lists
        name = read.name if self.selected.several else None
        settings, patience = call.settings, Patience.ENDLESS if lists or name else Patience.TIMEOUT
        if self.until is not None:
            # The deadline may be now, so allow at least a second.
            left = max(1.0, self.until - call.runtime.monotonic())
            settings = settings._replace(timeout=min(settings.timeout, left))
            patience = Patience.TIMEOUT
        with closing(self.clients.open(settings, token, name=name, patience=patience)) as client:
            if not lists:
                yield pagination.as_page(client.send(request), request)
                return
            read_so_far, span = 0, listing.span(call)._replace(pages=None)
            for page in pagination.pages(client.send, request, call.catalogue.service, span):
                read_so_far += size(page)
                if self.largest is not None and read_so_far > self.largest:
                    raise UsageError(
                        f"the list has more than {self.largest >> 20} MiB, the most that a jq"
                        " program can take",
                        hint="read less with --limit N or -q NAME=VALUE",
                    )
                yield page


@contextmanager
def shown_reads(
    common: Call,
    jobs: Sequence[Job],
    pages: Callable[[Clients, Job], Generator[tuple[Job, Found]]],
    work: Work,
    connections: int | None = None,
) -> Iterator[Iterator[tuple[Job, Found]]]:
    """Read these jobs concurrently, and show the progress during the block.

    `connections` is the number of connections. If it is None, each job belongs to a
    different connection.
    """
    runtime, catalogue, *_ = common
    workers = part(common.options, NetworkOptions).workers

    def show(result: tuple[Job, Found]) -> tuple[Job, Found]:
        if isinstance(result[1], Page):
            shown.add(len(result[1].records), pages=1)
        else:
            shown.add(parts=1, failed=result[1] is not None)
        return result

    with (
        progress(runtime, work) as shown,
        signals.with_progress(shown.so_far),
        FairReaders(runtime, catalogue, workers) as readers,
        closing(readers.read(jobs, partial(pages, readers.clients), connections)) as found,
    ):
        yield map(show, found)


def read_whole(
    selected: SelectedReads,
    readers: FairReaders,
    reads: Sequence[SelectedRead],
    until: float | None = None,
) -> Generator[WholeRead]:
    """Read these connections concurrently, and yield each complete result, in order.

    Only the next connection and `LARGEST_DOCUMENT` bytes of the others are in memory.
    `until` is the deadline for responses. An error of a connection is part of its
    result.
    """
    seconds: dict[str, float] = {}
    work = ReadWork(selected, readers.clients, until, LARGEST_DOCUMENT, seconds)

    def bytes_of(result: tuple[SelectedRead, Found]) -> int:
        return size(result[1]) if isinstance(result[1], Page) else 0

    with closing(readers.in_order(reads, work.run, bytes_of, LARGEST_DOCUMENT)) as results:
        whole: WholeRead | None = None
        for read, found in results:
            whole = whole or WholeRead(read)
            if isinstance(found, Page):
                whole.add(found)
                continue
            whole.error, whole.seconds = found, seconds.get(read.name, 0.0)
            yield whole
            whole = None


def size(page: Page) -> int:
    """Return the bytes of the records of a page."""
    return sum(map(len, page.records))
