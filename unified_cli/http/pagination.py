"""Read the pages of a list, one after the other, without decoding records.

A repeated cursor is an error.

The request has the page size already (`call.builder`).
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
from unified_cli.http.answer import Answer
from unified_cli.http.page_body import PageBody
from unified_cli.http.request import OWN_CURSOR, Request, number_as_cursor
from unified_cli.json_text import members
from unified_cli.json_text.members import Record, string
from unified_cli.masking import excerpt, masked

if TYPE_CHECKING:
    # Few lists are filtered.
    from unified_cli.json_text.change_time import ChangeFilter

SourceT = TypeVar("SourceT")

_MOST_EMPTY = 100
_EXPIRED = {400, 404, 410, 422}
_START_OF_BODY = 1024
_AFTER = re.compile(OWN_CURSOR + r"(\d{1,9}):(.*)", re.DOTALL)


class Page(NamedTuple):
    """Some records of a list, and the cursor at which the list continues.

    `next_cursor` is None after the last page; if a limit cut the page, the cursor is
    for `--cursor` only. `one_line` says that no record holds a line break, `large` that
    the records are to be worked on in slices. `date` is the Date header of the answer.
    """

    number: int
    records: Sequence[Record]
    next_cursor: str | None
    partial: bool = False
    one_line: bool = True
    large: bool = False
    date: str | None = None


class Span(NamedTuple):
    """The part of a list to read: from `cursor` on, at most `pages` and `records`
    (None: all), changed after `since`.

    A run that continues says how many pages are `done` and which cursors were `seen`.
    """

    cursor: str | None = None
    pages: int | None = None
    records: int | None = None
    done: int = 0
    seen: frozenset[int] = frozenset()
    since: "ChangeFilter | None" = None


class Send(Protocol):
    """A client's way of sending."""

    def __call__(self, request: Request, /, *, page: bool) -> Answer:
        """Return the answer to the request. With `page`, split into records."""


class ListReader:
    """Reads a list page by page, from the cursor and up to the limits of a span."""

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
        """Nothing is left to be read."""

    def read(self) -> Page:
        """Return the next page, requested now.

        Raises the errors of `send`; ServiceError if the answer is not a page, or if its
        cursor leads back to an earlier page; StateError if the service no longer
        accepts its own cursor; and IncompleteError after too many empty pages.
        """
        if self._empty >= _MOST_EMPTY:
            raise IncompleteError(
                f"gave up after {self._empty} empty pages in a row, and there may be more records"
            )
        self._number += 1
        request = _at_cursor(self._request, self._service, self._cursor)
        if self._request.searches:
            # Each page has its own key, for its attempts.
            request = request._replace(key=str(uuid.uuid4()))
        answer = _send(self._send, request, self._number)
        page = split(answer, self._request, self._service, self._number)
        if self._cursor is not None and _is_bare(answer):
            # The answer does not say whether there are more pages.
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
            # The cursor is put into a URL and an export's checkpoint.
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

    Raises the errors of `ListReader.read`.
    """
    reader = ListReader(send, request, service, span)
    while not reader.done:
        yield reader.read()


def fingerprint(cursor: str) -> int:
    """Return 64 bits that represent a cursor."""
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


def as_page(answer: Answer, request: Request) -> Page:
    """Return a single record as a page. Raises ServiceError if it is not JSON."""
    if not answer.body:
        raise ServiceError(
            f"the service answered {request.line} as {answer.content_type}, not with a record"
        )
    return Page(1, [Record(answer.body.strip())], None, one_line=False)


def split(answer: Answer, request: Request, service: Service, number: int = 1) -> Page:
    """Return the page in an answer.

    An answer is an object with records and cursor, or a bare array. Raises ServiceError
    if it is neither. `number` is that of the page.
    """
    if not answer.body:
        said = f"as {answer.content_type}" if answer.content_type else "without content"
        raise ServiceError(
            f"the service answered {request.line} {said}, not with a page of records"
        )
    body = answer.body
    try:
        page = answer.page or page_body.decode(body, service)
    except msgspec.DecodeError as error:
        reason = str(error).replace("$", "").strip()
        said = f"the answer to {request.line} is not a page of records: {reason}"
        raise ServiceError(said, hint=hints.NO_PAGE) from None
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
        answer.headers.get("date"),
    )


def _is_bare(answer: Answer) -> bool:
    return (answer.body or b"")[:_START_OF_BODY].lstrip().startswith(b"[")


def check_keys(page: PageBody, request: Request) -> None:
    """Raise ServiceError for a page with a repeated key: only a part of it was read."""
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


def _send(send: Send, request: Request, number: int) -> Answer:
    try:
        return send(request, page=True)
    except RefusedError as error:
        if error.status in _EXPIRED and number > 1:
            raise StateError(
                f"the service no longer takes the cursor of page {number}: {error.message}",
                status=error.status,
            ) from None
        raise


def filtered(request: Request, since: "ChangeFilter | None") -> Request:
    """Return the request with this filter, unless it has one."""
    return (
        request
        if since is None or since.query[0] in dict(request.query)
        else request.with_query(since.query)
    )


def _cut(
    page: Page, cursor: str | None, skip: int, left: int | None, since: "ChangeFilter | None"
) -> Page:
    """Return the page without unwanted records.

    Records that were already read, are filtered out, or are beyond the limit are
    unwanted.
    """
    if since is None and skip == 0 and (left is None or left >= len(page.records)):
        return page
    if since is None:
        end = len(page.records) if left is None else min(len(page.records), skip + left)
        found = page.records[skip:end]
    else:
        # The position counts all served records, because a later run filters by a later
        # time, which leaves out different records.
        kept = [at for at in range(skip, len(page.records)) if since.keeps(page.records[at])]
        end = len(page.records) if left is None or left >= len(kept) else kept[left]
        found = [page.records[at] for at in kept[:left]]
    onward = page.next_cursor if end == len(page.records) else f"{OWN_CURSOR}{end}:{cursor or ''}"
    return page._replace(records=found, next_cursor=onward)
