"""Print a list, one page or all, and report how it ended."""

from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial

from unified_cli import hints, signals
from unified_cli.call import Call, builder, delivery, more_records, record_output, seen_words
from unified_cli.catalogue import Service
from unified_cli.cli.flags import part
from unified_cli.cli.options import PageOptions, ReadOptions
from unified_cli.errors import IncompleteError, UnifiedError
from unified_cli.fleet import read
from unified_cli.fleet.clients import Clients
from unified_cli.http import pagination
from unified_cli.http.client import Client
from unified_cli.http.pagination import Page, Span
from unified_cli.http.rate_limit import Patience
from unified_cli.http.request import Request
from unified_cli.masking import masked
from unified_cli.output import stdout
from unified_cli.output.printer import Printer
from unified_cli.output.progress import Work, progress
from unified_cli.plural import counted
from unified_cli.runtime import Runtime


def span(call: Call) -> Span:
    """Return the part of the list to read: all pages, a number of records, or one page.

    With `--since`, only changed records are read. Raises UsageError if options
    conflict.
    """
    pages = part(call.options, PageOptions)
    since = builder.change_filter(
        call.runtime, part(call.options, ReadOptions).since, call.options.query
    )
    return Span(pages.cursor, None if pages.several else 1, pages.limit, since=since)


class ListSummary:
    """Counts the pages and records that were read from a list."""

    def __init__(self) -> None:
        self.pages = self.records = 0
        self.next_cursor: str | None = None
        self.partial: list[int] = []
        self.torn = False
        """Whether the output ended within a page."""

    def add(self, page: Page) -> None:
        """Count a written page."""
        self.pages += 1
        self.records += len(page.records)
        self.next_cursor = page.next_cursor
        if page.partial:
            self.partial.append(page.number)

    def so_far(self) -> str:
        """Return the counts in words."""
        return f"{counted(self.records, 'record')} in {counted(self.pages, 'page')}"

    def continuation(self) -> str:
        """Return the option that continues the list."""
        return more_records.continuation(self.next_cursor)

    def left_out(self) -> list[str]:
        """Return sentences about the parts that the provider left out."""
        if not self.partial:
            return []
        numbers = ", ".join(map(str, self.partial[:20])) + (" …" if len(self.partial) > 20 else "")
        return [f"the provider left something out of page {numbers}{hints.ACCEPTS}"]


def run(call: Call, clients: Clients, request: Request) -> None:
    """Print the records of the requested pages, or save them with `--out`.

    Raises the errors of a read, which say how far the list was read, and
    IncompleteError if something is missing.
    """
    with delivery.to_file(call) as aimed:
        _print(aimed, clients, request)


def _print(call: Call, clients: Clients, request: Request) -> None:
    runtime, catalogue, settings, options, *_ = call
    wanted, asked = span(call), part(options, PageOptions)
    printer = Printer(
        runtime, record_output.style_for(call, request.operation), record_output.program(options)
    )
    clients.token(settings)

    tally = ListSummary()
    patience = Patience.TIMEOUT if wanted.pages == 1 else Patience.ENDLESS
    client = clients.open(settings, patience=patience)
    poll = partial(stdout.check_read, runtime) if runtime.stdout_is_terminal else None
    pages = _pages(client, request, catalogue.service, wanted, poll)
    try:
        with progress(runtime, Work(total=asked.limit), to_stdout=True) as shown, closing(pages):
            for page in pages:
                printer.page(page.records, one_line=page.one_line, large=page.large)
                if not tally.pages and runtime.stdout_is_terminal:
                    seen_words.save_words(call, request.operation, page.records)
                tally.add(page)
                shown.add(len(page.records), pages=1)
                if poll and page.next_cursor is not None:
                    poll()
    except stdout.QuitError:
        _check_whole([], tally, asked)
        raise
    except stdout.ClosedError:
        raise
    except BaseException as error:
        tally.torn = printer.torn
        _report_interruption(runtime, tally, error)
        raise
    missing = printer.end(tally.next_cursor)
    report(call, tally)
    _check_whole(missing, tally, asked)


def _check_whole(missing: list[str], tally: ListSummary, page_options: PageOptions) -> None:
    """Raise IncompleteError if records are missing.

    Records that the provider left out are missing, too, unless --allow-partial is
    given.
    """
    missing = missing if page_options.allow_partial else [*missing, *tally.left_out()]
    if missing:
        raise IncompleteError("; ".join(missing))


def _pages(
    client: Client,
    request: Request,
    service: Service,
    wanted: Span,
    poll: Callable[[], None] | None,
) -> Generator[Page]:
    if wanted.pages == 1:
        with closing(client):
            yield from pagination.pages(client.send, request, service, wanted)
    else:
        yield from read.pages(client, request, service, wanted, poll)


def report(call: Call, tally: ListSummary) -> None:
    """Print how the list ended: complete, or cut off at the limit."""
    asked = part(call.options, PageOptions)
    if tally.next_cursor is None:
        if asked.several:
            call.runtime.stderr.note(f"complete: {tally.so_far()}")
    else:
        call.runtime.stderr.note(unread_message(tally, asked))


def unread_message(tally: ListSummary, page_options: PageOptions) -> str:
    """Return the message about unread records, with the next step."""
    if page_options.limit:
        return f"cut on request after {tally.so_far()}; to continue: {tally.continuation()}"
    return more_records.message(tally.next_cursor)


def _report_interruption(runtime: Runtime, tally: ListSummary, error: BaseException) -> None:
    if tally.pages == 0 and not tally.torn:
        return
    part = " and part of another" if tally.torn else ""
    done = f"{tally.so_far()}{part}"
    note = f"stopped after {done}; to continue: {tally.continuation()}"
    if isinstance(error, UnifiedError):
        error.message = masked(f"{error.message}; {note}")
    elif isinstance(error, KeyboardInterrupt):
        signals.say_how_to_continue(error, done, tally.continuation())
    else:
        runtime.stderr.line(note)
