"""A list on stdout: one page or all, in any format, ended as complete, cut on request or broken off."""

import shlex
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from unified_cli.call import record_output
from unified_cli.catalogue import Catalogue
from unified_cli.cli.connect import Clients
from unified_cli.config.keys import positive
from unified_cli.config.settings import Settings
from unified_cli.errors import IncompleteError, StorageError, UnifiedError, UsageError
from unified_cli.http import read_ahead
from unified_cli.http.pagination import Page, Span
from unified_cli.http.request import Request
from unified_cli.output import stdout
from unified_cli.output.printer import Printer
from unified_cli.output.progress import progress
from unified_cli.runtime import Runtime

Given = Mapping[str, Any]


def span(given: Given) -> Span:
    """What is to be read. Raises UsageError for a limit that is no number of records."""
    limit = given.get("limit")
    try:
        records = None if limit is None else positive(limit)
    except ValueError as error:
        raise UsageError(f"--limit {error}, not {limit!r}") from None
    return Span(given.get("cursor"), None if given.get("all") or records else 1, records)


class ListSummary:
    """How far a list was read."""

    def __init__(self) -> None:
        self.pages = self.records = 0
        self.next_cursor: str | None = None
        self.partial: list[int] = []
        self.torn = False
        """The page that was being written when it ended may be there in part."""

    def add(self, page: Page) -> None:
        """Count a page that was written."""
        self.pages += 1
        self.records += len(page.records)
        self.next_cursor = page.next_cursor
        if page.partial:
            self.partial.append(page.number)

    def so_far(self) -> str:
        """Records and pages, in words."""
        return f"{_count(self.records, 'record')} in {_count(self.pages, 'page')}"

    def onward(self) -> str:
        """The option that goes on where this stopped."""
        return f"--cursor {shlex.quote(self.next_cursor)}" if self.next_cursor else "from the start"

    def left_out(self) -> list[str]:
        """What the provider left out."""
        if not self.partial:
            return []
        numbers = ", ".join(map(str, self.partial[:20])) + (" …" if len(self.partial) > 20 else "")
        return [f"the provider left something out of page {numbers} (--allow-partial accepts that)"]


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def run(
    runtime: Runtime, catalogue: Catalogue, clients: Clients, resolved: Settings, request: Request, given: Given
) -> None:
    """Read the pages that were asked for and print their records.

    Raises what the reading raises, told how far it came; IncompleteError where something is missing.
    """
    wanted = span(given)
    look = record_output.style_for(runtime, catalogue.service, request.operation, given, resolved["output"])
    printer = Printer(runtime, look, record_output.program(given))
    if given.get("restart") or given.get("dedupe"):
        raise UsageError("--restart and --dedupe are for --all with --out FILE")
    stdout.check(runtime)
    clients.token(resolved)

    tally = ListSummary()
    pages = read_ahead.pages(clients.open(resolved), request, catalogue.service, wanted)
    try:
        with progress(runtime) as told, closing(pages):
            for page in pages:
                tally.torn = True
                printer.page(page.records, one_line=page.one_line)
                tally.torn = False
                tally.add(page)
                told.page(len(page.records))
    except stdout.ClosedError:
        raise
    except BaseException as error:
        _broken(runtime, tally, error)
        raise
    missing = printer.end(tally.next_cursor)
    tell(runtime, tally, given, resolved["output"])
    missing += [] if given.get("allow_partial") else tally.left_out()
    if missing:
        raise IncompleteError("; ".join(missing))


def tell(runtime: Runtime, tally: ListSummary, given: Given, output: str, who: str = "") -> None:
    """Say how a list ended: complete, or cut on request."""
    if tally.next_cursor is None:
        if given.get("all") or given.get("limit"):
            runtime.stderr.note(f"{who}complete: {tally.so_far()}")
    elif given.get("limit"):
        runtime.stderr.note(f"{who}cut on request after {tally.so_far()}; to go on: {tally.onward()}")
    elif output != "json":
        runtime.stderr.note(f"{who}there are more records: --all, or {tally.onward()}")


def _broken(runtime: Runtime, tally: ListSummary, error: BaseException) -> None:
    torn = tally.torn and (isinstance(error, StorageError) or not isinstance(error, UnifiedError))
    if tally.pages == 0 and not torn:
        return
    said = f"broken off after {tally.so_far()}{' and part of another' if torn else ''}; to go on: {tally.onward()}"
    if isinstance(error, UnifiedError):
        error.message = f"{error.message}; {said}"
    else:
        runtime.stderr.line(said)
