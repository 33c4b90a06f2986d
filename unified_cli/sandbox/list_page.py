"""Return one page of a list: filtered, sorted, and in the requested format."""

import binascii
import itertools
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote

from unified_cli.catalogue import Operation, Service
from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox.messages import JSON, Refusal, SandboxResponse, join_members
from unified_cli.sandbox.query import QueryTree, QueryValue, Test, is_field, is_on, sort_key, texts
from unified_cli.sandbox.stored_files import Scope
from unified_cli.sandbox.stored_records import Row, encoded, with_values

# Assumption: these are the default and the largest page size. The service does not
# document them.
USUAL, GREATEST = 50, 500
# The service documents the page size of connection lists.
PLATFORM = 5000
# The parameters of every list, except the parameters that the service defines and the
# fields of the records.
_GENERIC = frozenset({"and", "or", "remote_query"})
_REDUCED = ("id", "name", "title", "subject", "created_at", "updated_at")
# Assumption: a cursor is valid for a day, which is longer than an export should pause.
# The service does not document this time.
LIFETIME = 86_400.0


class CursorError(Exception):
    """The cursor is invalid. The message contains the reason."""


def seal(words: str, query: str, now: float) -> str:
    """Return a cursor with this content, valid for this query."""
    text = f"{words}|{int(now * 1000)}"
    sealed = f"{zlib.crc32(f'{text}|{query}'.encode()):08x}|{text}".encode()
    return binascii.b2a_base64(sealed, newline=False).decode().translate(_SAFE).rstrip("=")


def unseal(cursor: str, query: str, now: float, lifetime: float) -> str:
    """Return the content of a cursor.

    Raises CursorError if the cursor is invalid or too old, or belongs to another query.
    """
    try:
        padded = cursor.translate(_BACK) + "=" * (-len(cursor) % 4)
        check, words, issued = binascii.a2b_base64(padded.encode("ascii")).decode().split("|")
        fits = check == f"{zlib.crc32(f'{words}|{issued}|{query}'.encode()):08x}"
    except ValueError:
        raise CursorError(f"{cursor[:40]!r} is not a cursor of this service") from None
    if not fits:
        raise CursorError("belongs to another query")
    if now - int(issued) / 1000 > lifetime:
        raise CursorError("has expired")
    return words


_SAFE = str.maketrans("+/", "-_")
_BACK = str.maketrans("-_", "+/")


@dataclass(frozen=True, slots=True)
class ListTerms:
    """How a connection or a fault changes the paging."""

    now: float
    greatest: int = GREATEST
    partial: bool = False
    lifetime: float = LIFETIME
    repeat_cursor: bool = False
    """Whether the page repeats the cursor of the request."""
    empty: bool = False
    """Whether the page is empty, although more pages follow."""
    bare: bool = False
    """Whether the page has only the records and the cursor of the next page."""
    platform: bool = False
    """Whether the list belongs to the service itself. Its pages have the page size and
    the next cursor, but no previous cursor and no count.
    """


class ListedRecords(Protocol):
    """Records that can be read from a position in either direction."""

    @property
    def scope(self) -> Scope:
        """The query that a cursor of this list belongs to."""

    def tests(self, query: QueryTree) -> list[Test]:
        """Return the tests that a record must pass to be listed."""

    def rows(self, after: int = 0) -> Iterator[Row]:
        """Yield the records after a position."""

    def rows_back(self, before: int) -> Iterator[Row]:
        """Yield the records before a position, in reverse order."""


def page(
    records: ListedRecords, service: Service, query: QueryTree, terms: ListTerms
) -> SandboxResponse:
    """Return a page of the records. Raises Refusal 400 if the limit, the cursor or the
    order is invalid.
    """
    # A cursor is bound to all parameters but the cursor itself and the page size.
    bound = {
        name: value
        for name, value in query.items()
        if name not in (service.cursor, service.page_size)
    }
    binding = f"{records.scope}{zlib.crc32(dump(bound).encode())}"
    limit = _limit(query, service, terms)
    cursor = "".join(texts(query.get(service.cursor, "")))
    try:
        where = unseal(cursor, binding, terms.now, terms.lifetime) if cursor else ">0"
    except CursorError as error:
        raise Refusal(400, f"{service.cursor} {error}") from None
    must = records.tests(bound)
    orders = _orders(query.get(service.sort), service.sort)
    if orders:
        rows, earlier, later = _cut_sorted(_sorted(records, must, orders), where, limit)
    else:
        rows, earlier, later = _cut(records, must, where, limit)
    if terms.empty and later:
        # This page is empty, and the next page has the records that belong to this
        # page.
        rows, later = [], where
    if terms.repeat_cursor and later and cursor:
        later = where

    def cursor_of(words: str | None) -> str | None:
        return seal(words, binding, terms.now) if words else None

    envelope = {service.cursor: dump(cursor_of(later))}
    if terms.platform and not terms.bare:
        envelope[service.page_size] = str(limit)
    elif not terms.bare:
        envelope |= {
            service.previous_cursor: dump(cursor_of(earlier)),
            service.record_count: str(len(rows)),
        }
    if terms.partial:
        envelope[service.partial] = "true"
    items = _items(rows, query, service, partial=terms.partial)
    start, rest = f'{{"{service.items}":', join_members(envelope)[1:]
    return SandboxResponse(
        200, b"".join((start.encode(), items, b",", rest.encode())), {"content-type": JSON}
    )


def ignored(operation: Operation, service: Service, query: QueryTree) -> list[str]:
    """Return the names of unknown parameters, percent-encoded."""
    api, resource = operation.api, operation.resource
    others = [
        name
        for name in query
        if name not in _GENERIC and name not in service and not is_field(api, resource, name)
    ]
    known = (
        {
            field.name
            for field in (*operation.facts.query.get(operation.name, ()), *operation.facts.fields)
        }
        if others
        else set()
    )
    return [quote(name, safe="[]") for name in others if name not in known]


def _limit(query: QueryTree, service: Service, terms: ListTerms) -> int:
    size, greatest = query.get(service.page_size), terms.greatest
    if size is None or is_on(query.get(service.ignore_limit)):
        return min(PLATFORM if terms.platform else USUAL, greatest)
    if not isinstance(size, str) or not size.isascii() or not size.isdigit() or not size.strip("0"):
        raise Refusal(400, f"{service.page_size} must be a whole number from 1 on, not {size!r}")
    return greatest if len(size) > 9 else min(int(size), greatest)


def _orders(value: QueryValue | None, word: str) -> list[tuple[str, bool]]:
    if value is None or value == "":
        return []
    if not isinstance(value, dict) or not all(way in ("asc", "desc") for way in value.values()):
        raise Refusal(400, f"{word} takes fields with a direction: {word}[created_at]=asc or desc")
    return [(name, way == "desc") for name, way in value.items()]


def _cut(
    records: ListedRecords, must: list[Test], where: str, limit: int
) -> tuple[list[Row], str | None, str | None]:
    """Return the rows after or before a position.

    Also returns the contents of two cursors: for the previous page and for the next
    page.
    """
    way, position = where[0], int(where[1:])
    back = way == "<"
    source: Iterable[Row] = records.rows_back(position) if back else records.rows(position)
    if must:
        source = (row for row in with_values(source) if all(test(row.value) for test in must))
    found = list(itertools.islice(source, limit + 1))
    more = len(found) > limit
    rows = found[:limit]
    if back:
        rows.reverse()
        later = f">{rows[-1].position}" if rows else f">{position - 1}"
        return rows, f"<{rows[0].position}" if rows and more else None, later
    return (
        rows,
        f"<{rows[0].position}" if rows and position else None,
        f">{rows[-1].position}" if more else None,
    )


def _sorted(records: ListedRecords, must: list[Test], orders: list[tuple[str, bool]]) -> list[Row]:
    rows = [row for row in with_values(records.rows()) if all(test(row.value) for test in must)]
    for name, descending in reversed(orders):
        key = sort_key(name)
        rows.sort(key=lambda row: key(row.value), reverse=descending)
    return rows


def _cut_sorted(
    rows: list[Row], where: str, limit: int
) -> tuple[list[Row], str | None, str | None]:
    """Return the same as `_cut`, for rows sorted by a field."""
    # The form `@start,position` means to begin after the row at `position`, or at index
    # `start` if that row was deleted.
    start = 0
    if where.startswith("@"):
        place, last = (int(word) for word in where[1:].split(","))
        start = (
            next((index + 1 for index, row in enumerate(rows) if row.position == last), place)
            if place
            else 0
        )
    end = start + limit
    before = max(start - limit, 0)
    earlier = f"@{before},{rows[before - 1].position if before else 0}" if start else None
    return rows[start:end], earlier, f"@{end},{rows[end - 1].position}" if end < len(rows) else None


def shaped(
    rows: list[Row], query: QueryTree, service: Service, *, partial: bool = False
) -> list[str]:
    """Return the rows as JSON, without excluded fields and in the requested format."""
    dropped = set(texts(query.get(service.exclude_fields, [])))
    # Assumption: the service accepts an array, as documented, and a list with commas,
    # as in the vendor's notes.
    dropped = {name for word in dropped for name in word.split(",")}
    if is_on(query.get(service.ignore_remote_data)):
        dropped.add("remote_data")
    if query.get(service.response_format) in ("raw", "normalized", "stream"):
        return [row.members.get("remote_data", row.text) for row in rows]
    if not dropped and not partial:
        return [row.text for row in rows]
    keep = _REDUCED if partial else None
    return [
        join_members(
            {
                k: v
                for k, v in row.members.items()
                if k not in dropped and (keep is None or k in keep)
            }
        )
        for row in rows
    ]


def _items(rows: list[Row], query: QueryTree, service: Service, *, partial: bool) -> bytes:
    """Return the records of a page as JSON, without decoding unchanged records."""
    changing = (
        service.exclude_fields,
        service.ignore_remote_data,
        service.response_format,
        service.key_by,
    )
    whole = encoded(rows)
    if not partial and not any(name in query for name in changing):
        return b"[" + b",".join(whole) + b"]"
    return _keyed(
        rows, shaped(rows, query, service, partial=partial), query.get(service.key_by)
    ).encode()


def _keyed(rows: list[Row], result: list[str], name: QueryValue | None) -> str:
    if not isinstance(name, str) or not name:
        return "[" + ",".join(result) + "]"
    keys = [row.value.get(name) for row in rows]
    return join_members(
        {str(key): text for key, text in zip(keys, result, strict=True) if key is not None}
    )
