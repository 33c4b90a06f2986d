"""Run an operation on several connections concurrently. If one fails, the results of
the others are still printed.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from unified_cli import signals
from unified_cli.call import Call, Mode, RequestOf, builder, dry_run, listing, record_output
from unified_cli.call.listing import ListSummary
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli.flags import part
from unified_cli.cli.option_parts import NetworkOptions
from unified_cli.cli.options import CallOptions, PageOptions, ReadOptions, overrides
from unified_cli.config import file, profiles
from unified_cli.config.settings import Settings
from unified_cli.errors import RecordProgramError, UnifiedError, UsageError
from unified_cli.fleet import own_account, selection
from unified_cli.fleet.conclude import Ending, conclude, failure_lines
from unified_cli.fleet.read import FairReaders
from unified_cli.http import pagination
from unified_cli.http.pagination import Page
from unified_cli.http.request import Request
from unified_cli.output import stdout
from unified_cli.output.printer import Printer
from unified_cli.output.progress import Progress, Work, progress
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

_MOST_NAMED = 5

_Read = tuple[str, Page | UnifiedError | None]
"""The name of a connection, and a page, an error, or None at the end."""


class ManyReads(NamedTuple):
    """Reads of connections, by name.

    `ask` returns the settings and the request of a connection, or raises an error.
    `edit` changes a page before it is printed. If `labelled`, each record names its
    connection.
    """

    common: Call
    operation: Operation
    names: Sequence[str]
    ask: Callable[[str], tuple[Settings, Request]]
    edit: Callable[[Page], Page] = lambda page: page
    labelled: bool = True
    more: str = ""
    """How to read the rest of a list, if a cursor cannot be used."""

    def continuation(self, name: str, tally: ListSummary) -> str:
        """Return how to continue an interrupted list."""
        return "run this again" if self.more else f"to continue: -p {name} {tally.continuation()}"

    def label(self, name: str) -> str | None:
        """Return the label for the records of a connection."""
        return name if self.labelled else None


def run(
    runtime: Runtime,
    catalogue: Catalogue,
    operation: Operation,
    options: CallOptions,
    mode: Mode,
    request_of: RequestOf = builder.operation_request,
) -> None:
    """Run an operation on the selected connections.

    Each printed record has its profile. `request_of` builds the requests. Raises
    UsageError if an option needs a single connection, and the errors of `read`.
    """
    config = file.read(runtime)
    common = builder.common_call(runtime, catalogue, config, options, mode, operation)
    names = profiles.select(config, options.profile)

    def call_to(name: str) -> Call:
        return common._replace(
            settings=own_account.resolved(overrides(options, name), runtime, config)
        )

    def ask(name: str) -> tuple[Settings, Request]:
        call = call_to(name)
        return call.settings, request_of(call, operation)

    if mode.shown:
        for call in map(call_to, names):
            dry_run.show(call, request_of(call, operation))
        return
    stdout.check(runtime)
    selection.note_same_of(runtime, config, options, names)
    read(ManyReads(common, operation, names, ask))


def read(reads: ManyReads) -> None:
    """Read the connections, and print their records as they arrive.

    Raises IncompleteError if some connections failed, or their common error if all
    failed alike.
    """
    common, runtime, options = reads.common, reads.common.runtime, reads.common.options
    program = record_output.program(options)
    labels = reads.names if reads.labelled else None
    printer = record_output.printer_for(
        common, reads.operation, program, names=labels, gathers=True
    )
    outcome = _FanOutOutcome(reads, printer)
    work = Work(part="connection", parts=len(reads.names))
    fair = FairReaders(
        runtime,
        common.catalogue,
        part(options, NetworkOptions).workers,
        in_turn=part(options, ReadOptions).ordered,
    )

    def poll() -> None:
        # Write the records as they arrive, while the workers run.
        outcome.flush()
        stdout.check_read(runtime)

    with progress(runtime, work, to_stdout=True) as shown, fair as readers:
        results = readers.read(reads.names, _page_reader(reads, readers, outcome), poll=poll)
        _read_all(runtime, outcome, shown, results)
    page_options = part(options, PageOptions)
    if outcome.is_quit:
        outcome.raise_error([], page_options)
        raise stdout.QuitError
    missing = _end(outcome)
    outcome.report(runtime, page_options)
    outcome.raise_error(missing, page_options)


def _end(outcome: "_FanOutOutcome") -> list[str]:
    """End the output, and return sentences about the missing parts.

    If a connection failed, a column that was not found may be among its records. Report
    the column as missing then, instead of raising UsageError.
    """
    try:
        return outcome.printer.end()
    except UsageError as error:
        if not outcome.failed:
            raise
        return [error.message]


def _page_reader(
    reads: ManyReads, readers: FairReaders, outcome: "_FanOutOutcome"
) -> Callable[[str], Generator[_Read]]:
    wanted = listing.span(reads.common) if reads.operation.lists else None

    def pages(name: str) -> Generator[Page]:
        settings, request = reads.ask(name)
        with readers.client(settings, reads.label(name)) as client:
            if wanted is None:
                yield pagination.as_page(client.send(request), request)
            else:
                for page in pagination.pages(client.send, request, client.service, wanted):
                    if name in outcome.failed:
                        return
                    yield page

    return lambda name: pagination.with_errors(name, pages(name))


def _read_all(
    runtime: Runtime, outcome: "_FanOutOutcome", shown: Progress, results: Generator[_Read]
) -> None:
    try:
        with closing(results):
            for name, found in results:
                if isinstance(found, Page) and name not in outcome.failed:
                    outcome.add(name, found)
                    shown.add(len(found.records), pages=1)
                    stdout.check_read(runtime)
                elif not isinstance(found, Page):
                    outcome.ended.add(name)
                    if found:
                        outcome.failed.setdefault(name, found)
                    shown.add(parts=1, failed=name in outcome.failed)
        outcome.flush()
    except stdout.QuitError:
        outcome.is_quit = len(outcome.ended) < len(outcome.names)
    except stdout.ClosedError:
        raise
    except BaseException as error:
        with suppress(UnifiedError, stdout.ClosedError):
            # Print the records that were already read. An error here must not hide the
            # first error.
            outcome.flush()
        outcome.report_interruption(runtime, error)
        raise


@dataclass(slots=True)
class _FanOutOutcome:
    """Prints the records of all connections, and collects the outcomes."""

    reads: ManyReads
    printer: Printer
    tallies: dict[str, ListSummary] = field(init=False)
    begun: ListSummary | None = None
    """The counts of the connection whose page is being formatted."""
    unwritten: list[tuple[ListSummary, Page]] = field(default_factory=list)
    """The pages that may be incomplete in the output."""
    failed: dict[str, UnifiedError] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    is_quit: bool = False
    """Whether the user has quit the pager."""

    def __post_init__(self) -> None:
        self.tallies = {name: ListSummary() for name in self.names}

    @property
    def names(self) -> Sequence[str]:
        return self.reads.names

    def add(self, name: str, page: Page) -> None:
        """Print a page. If the jq program fails on it, the connection has failed."""
        self.begun = self.tallies[name]
        self.begun.torn = True
        shown, label = self.reads.edit(page), self.reads.label(name)
        try:
            self.printer.page(
                shown.records, one_line=shown.one_line, large=shown.large, profile=label
            )
        except RecordProgramError as error:
            self.failed[name] = error
            self.begun.torn, self.begun = self.printer.torn, None
            return
        self.begun = None
        self.unwritten.append((self.tallies[name], page))
        if self.printer.is_written:
            self.flush()

    def flush(self) -> None:
        """Print the buffered output, and count its pages.

        If printing fails, the output is not printed again.
        """
        written, self.unwritten = self.unwritten, []
        self.printer.flush()
        for tally, page in written:
            tally.add(page)
            tally.torn = tally is self.begun

    def report(self, runtime: Runtime, page_options: PageOptions) -> None:
        cut = {
            name: tally
            for name, tally in self.tallies.items()
            if tally.next_cursor and name not in self.failed
        }
        more = self.reads.more
        if len(cut) > 1 and more:
            runtime.stderr.note(f"cut on request: {counted(len(cut), 'connection')}; {more}")
        elif len(cut) > 1:
            what, onward = (
                ("cut on request", "-p NAME")
                if page_options.limit
                else ("more records", "--all, or -p NAME")
            )
            runtime.stderr.note(
                f"{what}: {counted(len(cut), 'connection')}; to continue: {onward} for one of them"
            )
        else:
            for name, tally in cut.items():
                message = f"cut on request after {tally.so_far()}; {more}" if more else None
                runtime.stderr.note(
                    f"{name}: {message or listing.unread_message(tally, page_options)}"
                )
        good = [tally for name, tally in self.tallies.items() if name not in self.failed]
        if page_options.several:
            records, pages = (
                sum(tally.records for tally in good),
                sum(tally.pages for tally in good),
            )
            read = f"{counted(records, 'record')} in {counted(pages, 'page')}"
            runtime.stderr.note(
                f"{read} from {len(good)} of {counted(len(self.names), 'connection')}"
            )
        # Use the order of the selection, because the order of failures varies.
        failed = {name: self.failed[name] for name in self.names if name in self.failed}
        so_far = {
            name: f"{tally.so_far()}; {self.reads.continuation(name, tally)}"
            for name, tally in self.tallies.items()
            if tally.pages and name in failed
        }
        for line in failure_lines(failed, so_far):
            runtime.stderr.line(line)

    def report_interruption(self, runtime: Runtime, error: BaseException) -> None:
        """Print how to continue each partly read connection.

        After a signal, also print how to read the unread connections.
        """
        unread = []
        ended = {name for name in self.ended if not self.tallies[name].torn}
        for name, tally in self.tallies.items():
            if name in ended:
                continue
            if not (tally.pages or tally.torn):
                unread.append(name)
                continue
            torn = " and part of another" if tally.torn else ""
            onward = self.reads.continuation(name, tally)
            runtime.stderr.line(f"{name}: stopped after {tally.so_far()}{torn}; {onward}")
        if isinstance(error, KeyboardInterrupt):
            chosen = " ".join(f"-p {name}" for name in unread[:_MOST_NAMED])
            more = " …" if len(unread) > _MOST_NAMED else ""
            others = f"{chosen}{more} for the other connections" if unread else "see above"
            done = f"{len(ended)} of {counted(len(self.names), 'connection')}"
            signals.say_how_to_continue(error, done, others)

    def raise_error(self, missing: list[str], page_options: PageOptions) -> None:
        """Raise the error that summarises the run, if anything failed or is missing."""
        if not page_options.allow_partial:
            missing += [
                f"{name}: {part}"
                for name, tally in self.tallies.items()
                for part in tally.left_out()
            ]
        failed = {name: self.failed[name] for name in self.names if name in self.failed}
        conclude(Ending("connection", len(self.names), failed, missing=missing))
