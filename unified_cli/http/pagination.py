"""Read the pages of a list without decoding records.

A repeated cursor is an error.
"""

import hashlib
import re
import uuid
from collections.abc import Generator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import msgspec

from unified_cli import hints
from unified_cli.catalogue import Service
from unified_cli.errors import (
    IncompleteError,
    RefusedError,
    ServiceError,
    StateError,
    UnifiedError,
    UsageError,
)
from unified_cli.http import page_body
from unified_cli.http.page_body import PageBody
from unified_cli.http.request import OWN_CURSOR, Request, number_as_cursor
from unified_cli.http.response import Response
from unified_cli.json_text import members
from unified_cli.json_text.members import Record, string
from unified_cli.masking import excerpt, masked

if TYPE_CHECKING:
    # Import it late, because few lists are filtered.
    from unified_cli.json_text.change_time import ChangeFilter

SourceT = TypeVar("SourceT")

_MOST_EMPTY = 100
_EXPIRED = {400, 404, 410, 422}
_START_OF_BODY = 1024
_AFTER = re.compile(OWN_CURSOR + r"(\d{1,9}):(.*)", re.DOTALL)


class Page(NamedTuple):
    """Some records of a list, and the cursor of the next page.

    `next_cursor` is None after the last page. If a limit cut the page, use
    `next_cursor` only for `--cursor`. `one_line` means that no record contains a line
    break, and `large` that records should be processed in slices. `date` is the Date
    header.
    """

    number: int
    records: Sequence[Record]
    next_cursor: str | None
    partial: bool = False
    one_line: bool = True
    large: bool = False
    date: str | None = None


class Span(NamedTuple):
    """The part of a list to read: from `cursor`, at most `pages` and `records` (None
    means all), and only records changed after `since`.

    A resumed run has read `done` pages with the cursors `seen`.
    """

    cursor: str | None = None
    pages: int | None = None
    records: int | None = None
    done: int = 0
    seen: frozenset[int] = frozenset()
    since: "ChangeFilter | None" = None


class Send(Protocol):
    """The interface of `Client.send`."""

    def __call__(self, request: Request, /, *, page: bool) -> Response:
        """Send the request and return the response. With `page`, split it into
        records.
        """


class ListReader:
    """Reads the pages of a list within a span."""

    def __init__(self, send: Send, request: Request, service: Service, span: Span) -> None:
        self._send = send
        self._since = span.since
        self._request = filtered(request, span.since)
        self._service = service
        self._cursor, self._skip = _start(request, service, span)
        self._left = span.records
        self._last = span.pages
        self._number = span.done
        self._seen = {*span.seen, *([fingerprint(self._cursor)] if self._cursor else [])}
        self._empty = 0
        self.done = span.pages is not None and span.done >= span.pages
        """Whether the last page has been read."""

    def read(self) -> Page:
        """Request and return the next page.

        Raises the errors of `send`, ServiceError if the response is not a page or its
        cursor repeats an earlier one, StateError if the service refuses its own cursor,
        and IncompleteError after too many empty pages.
        """
        if self._empty >= _MOST_EMPTY:
            raise IncompleteError(
                f"gave up after {self._empty} empty pages in a row, and there may be more records"
            )
        self._number += 1
        request = _at_cursor(self._request, self._service, self._cursor)
        if self._request.searches:
            # Each page has its own idempotency key.
            request = request._replace(key=str(uuid.uuid4()))
        response = _send(self._send, request, self._number)
        page = split(response, self._request, self._service, self._number)
        if self._cursor is not None and _is_bare(response):
            # A bare array does not say whether there are more pages.
            raise ServiceError(
                f"page {self._number} of {self._request.line} is a bare array without a cursor,"
                " and there may be more records",
                retryable=False,
            )
        if page.next_cursor is not None:
            self._note(page.next_cursor)
        self._empty = 0 if page.records else self._empty + 1
        page = _cut(page, self._cursor, self._skip, self._left, self._since)
        if self._left is not None:
            self._left -= len(page.records)
        self._cursor, self._skip = page.next_cursor, 0
        self.done = page.next_cursor is None or self._left == 0 or self._number == self._last
        return page

    def _note(self, cursor: str) -> None:
        if self._last is None and masked(cursor) != cursor:
            # The cursor becomes part of URLs and checkpoints.
            raise ServiceError(
                f"the cursor after page {self._number} of {self._request.line} contains the"
                " token; not followed",
                retryable=False,
            )
        mark = fingerprint(cursor)
        if mark in self._seen:
            raise ServiceError(
                f"the cursor did not advance: page {self._number} of {self._request.line} leads"
                " back to a page already read"
            )
        self._seen.add(mark)


def pages(send: Send, request: Request, service: Service, span: Span) -> Generator[Page]:
    """Yield the pages of a list, each requested on demand.

    Raises the same errors as `ListReader.read`.
    """
    reader = ListReader(send, request, service, span)
    while not reader.done:
        yield reader.read()


def fingerprint(cursor: str) -> int:
    """Return a 64-bit hash of a cursor."""
    return int.from_bytes(
        hashlib.blake2b(cursor.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"
    )


def with_errors(
    source: SourceT, found: Generator[Page]
) -> Generator[tuple[SourceT, Page | UnifiedError | None]]:
    """Yield each page with its source, then None or the error."""
    try:
        with closing(found):
            for page in found:
                yield source, page
    except UnifiedError as error:
        yield source, error
    else:
        yield source, None


def as_page(response: Response, request: Request) -> Page:
    """Return a single record as a page. Raises ServiceError if it is not JSON."""
    if not response.body:
        raise ServiceError(
            f"the service answered {request.line} as {response.content_type}, not with a record"
        )
    return Page(1, [Record(response.body.strip())], None, one_line=False)


def split(response: Response, request: Request, service: Service, number: int = 1) -> Page:
    """Return the page in a response.

    The response is an object with records and a cursor, or a bare array. `number` is
    the number of the page. Raises ServiceError if the response is not a page.
    """
    if not response.body:
        message = f"as {response.content_type}" if response.content_type else "without content"
        raise ServiceError(
            f"the service answered {request.line} {message}, not with a page of records"
        )
    body = response.body
    try:
        page = response.page or page_body.decode(body, service)
    except msgspec.DecodeError as error:
        reason = str(error).replace("$", "").strip()
        message = f"the answer to {request.line} is not a page of records: {reason}"
        raise ServiceError(message, hint=hints.NO_PAGE) from None
    check_keys(page, request)
    one_line = b"\n" not in body and b"\r" not in body
    large = len(body) > members.SLICE
    return Page(
        number,
        page.records,
        _cursor(page.cursor, request),
        page.partial,
        one_line,
        large,
        response.headers.get("date"),
    )


def _is_bare(response: Response) -> bool:
    return (response.body or b"")[:_START_OF_BODY].lstrip().startswith(b"[")


def check_keys(page: PageBody, request: Request) -> None:
    """Raise ServiceError if a page has a duplicate key, because a part of it was not
    read.
    """
    if page.repeated:
        raise ServiceError(
            f"the answer to {request.line} has more than one {page.repeated!r}",
            retryable=False,
        )


def _cursor(text: bytes, request: Request) -> str | None:
    if text in {b"null", b'""'}:
        return None
    if number := number_as_cursor(text.decode("utf-8")):
        return number
    if not text.startswith(b'"'):
        shown = excerpt(text.decode("utf-8"), 100)
        raise ServiceError(f"the answer to {request.line} has a cursor that is not text: {shown}")
    cursor = string(text)
    try:
        cursor.encode("utf-8")
    except UnicodeEncodeError:
        raise ServiceError(f"the answer to {request.line} has a cursor that is not UTF-8") from None
    return cursor


def _start(request: Request, service: Service, span: Span) -> tuple[str | None, int]:
    typed = [value for name, value in request.query if name == service.cursor and value]
    text = span.cursor or (typed[-1] if typed else None)
    match = _AFTER.fullmatch(text or "")
    return (match[2] or None, int(match[1])) if match else (text, 0)


def _at_cursor(request: Request, service: Service, cursor: str | None) -> Request:
    if cursor is None:
        return request
    try:
        cursor.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError("the cursor is not UTF-8") from None
    return request.with_query((service.cursor, cursor))


def _send(send: Send, request: Request, number: int) -> Response:
    try:
        return send(request, page=True)
    except RefusedError as error:
        if error.status in _EXPIRED and number > 1:
            raise StateError(
                f"the service no longer accepts the cursor of page {number}: {error.message}",
                status=error.status,
            ) from None
        raise


def filtered(request: Request, since: "ChangeFilter | None") -> Request:
    """Return the request with this filter, unless it already has one."""
    return (
        request
        if since is None or since.query[0] in dict(request.query)
        else request.with_query(since.query)
    )


def _cut(
    page: Page, cursor: str | None, skip: int, left: int | None, since: "ChangeFilter | None"
) -> Page:
    """Return the page without unwanted records.

    Such records were already read, are filtered out, or exceed the limit.
    """
    if since is None and skip == 0 and (left is None or left >= len(page.records)):
        return page
    if since is None:
        end = len(page.records) if left is None else min(len(page.records), skip + left)
        found = page.records[skip:end]
    else:
        # Count all served records, because the next run may filter by another time.
        changed = [at for at in range(skip, len(page.records)) if since.keeps(page.records[at])]
        end = len(page.records) if left is None or left >= len(changed) else changed[left]
        found = [page.records[at] for at in changed[:left]]
    onward = page.next_cursor if end == len(page.records) else f"{OWN_CURSOR}{end}:{cursor or ''}"
    return page._replace(records=found, next_cursor=onward)
