"""Read and change the records of a connection's resource.

The records are the seeded records with the changes to them, and the created records.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from unified_cli.catalogue.model import SHOWN_AS
from unified_cli.json_text.json_codec import dump, read
from unified_cli.sandbox.messages import join_members, split_members
from unified_cli.sandbox.query import QueryTree, Test, tests
from unified_cli.sandbox.seeded_records import SeededRecords
from unified_cli.sandbox.store import CREATED, SandboxStore
from unified_cli.sandbox.vocabulary import number_of
from unified_cli.values import JsonObject

_WINDOW = 200
_TOGETHER = 50
_END = 1 << 62


class SeededList(NamedTuple):
    """The seeded records of a connection, API and resource."""

    records: SeededRecords
    api: str
    resource: str

    def encoded(self, numbers: Sequence[int]) -> list[bytes]:
        """Return the records with these numbers as JSON."""
        return self.records.encoded(self.api, self.resource, numbers)

    def values(self, numbers: Sequence[int]) -> list[JsonObject]:
        """Return the records with these numbers as JSON objects."""
        return self.records.records(self.api, self.resource, numbers)


class Row:
    """A record as JSON and as a value. A seeded record is generated only when it is
    used.
    """

    __slots__ = ("decoded", "json", "position", "seeded")

    def __init__(
        self, position: int, text: str | None = None, seeded: SeededList | None = None
    ) -> None:
        self.position = position
        self.seeded = seeded
        self.json = None if text is None else text.encode()
        self.decoded: JsonObject | None = None

    @property
    def text(self) -> str:
        """The record's JSON."""
        return self.encoded.decode()

    @property
    def encoded(self) -> bytes:
        """The record's JSON in UTF-8. Joining encoded records is faster than encoding a
        complete page.
        """
        return self.json or encoded([self])[0]

    @property
    def value(self) -> JsonObject:
        """The decoded record, whose numbers may have lost digits."""
        if self.decoded is None:
            if self.seeded is None:
                self.decoded = read(self.text)
            else:
                self.decoded = self.seeded.values((self.position,))[0]
        return self.decoded or {}

    @property
    def members(self) -> dict[str, str]:
        """The record's fields, each as JSON text."""
        return split_members(self.text)


def encoded(rows: Sequence[Row]) -> list[bytes]:
    """Return the JSON of rows in UTF-8, and generate seeded records together."""
    left = [row for row in rows if row.json is None]
    if left and (seeded := left[0].seeded):
        for row, json in zip(left, seeded.encoded([row.position for row in left]), strict=True):
            row.json = json
    return [row.json or b"{}" for row in rows]


def with_values(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows with their values, and generate many seeded records at a time."""
    remaining = iter(rows)
    while some := list(itertools.islice(remaining, _TOGETHER)):
        left = [row for row in some if row.decoded is None and row.seeded]
        if left and (seeded := left[0].seeded):
            for row, value in zip(left, seeded.values([row.position for row in left]), strict=True):
                row.decoded = value
        yield from some


class Records:
    """The records of a connection, API and resource. Write in a transaction of the
    store.
    """

    def __init__(
        self, store: SandboxStore, account: str, api: str, resource: str, *, seeded: bool = True
    ) -> None:
        self.api, self.resource = api, resource
        self.account = account
        self.scope = (account, api, SHOWN_AS.get(resource, resource))
        self._store = store
        self._seeded = SeededList(store.seeded(account), api, resource)
        self._only_first = resource in SHOWN_AS
        self.more: Sequence[Test] = ()
        """Tests that a record must pass in addition to the tests of the query."""
        self.count = self._seeded.records.count(api, resource) if seeded else 0

    def get(self, identity: str) -> Row | None:
        """Return the record with this id, or None if it is missing or deleted."""
        if not is_encodable(identity):
            return None
        changed = self._store.by_id(self.scope, identity)
        if changed is not None:
            position, text = changed
            return None if text is None else Row(position, text)
        number = number_of(self.resource, identity)
        if number is None or number > self.count:
            return None
        return Row(number, seeded=self._seeded)

    def tests(self, query: QueryTree) -> list[Test]:
        """Return the tests of a query that a record must pass to be listed."""
        own = [field.name for field in self._store.own_fields(self.api, self.resource)]
        return [*tests(self.api, self.resource, query, own), *self.more]

    def rows(self, after: int = 0) -> Iterator[Row]:
        """Yield the records after a position."""
        for low in range(after + 1, self.count + 1, _WINDOW):
            high = min(low + _WINDOW - 1, self.count)
            changed = dict(self._store.changed(self.scope, low, high))
            yield from self._current(range(low, high + 1), changed)
        while not self._only_first:
            more = self._store.created(self.scope, after, _END, _WINDOW, newest=False)
            yield from (Row(position, text) for position, text in more)
            if len(more) < _WINDOW:
                return
            after = more[-1][0]

    def rows_back(self, before: int) -> Iterator[Row]:
        """Yield the records before a position, in reverse order."""
        high = before
        while not self._only_first:
            more = self._store.created(self.scope, 0, high, _WINDOW, newest=True)
            yield from (Row(position, text) for position, text in more)
            if len(more) < _WINDOW:
                break
            high = more[-1][0]
        for top in range(min(before - 1, self.count), 0, -_WINDOW):
            low = max(top - _WINDOW + 1, 1)
            changed = dict(self._store.changed(self.scope, low, top))
            yield from self._current(range(top, low - 1, -1), changed)

    def create(self, members: dict[str, str], identity: str | None, now: str) -> tuple[str, Row]:
        """Add a record, with a new id if `identity` is None."""
        position = self._store.next_position(self.scope)
        if identity is None:
            identity = f"{self.resource}-new-{position - CREATED}"
            members = {"id": dump(identity), **{k: v for k, v in members.items() if k != "id"}}
        time = dump(now)
        row = Row(
            position, join_members({**members, **{k: time for k in _TIMES if k not in members}})
        )
        self._store.put(self.scope, position, identity, row.text)
        return identity, row

    def update(self, row: Row, identity: str, members: dict[str, str], now: str) -> Row:
        """Replace fields of a record.

        Also sets `updated_at` to `now`, unless `members` has another value for it.
        """
        merged = {**row.members, "updated_at": dump(now), **members}
        changed = Row(row.position, join_members(merged))
        self._store.put(self.scope, row.position, identity, changed.text)
        return changed

    def delete(self, row: Row, identity: str) -> None:
        """Delete a record. Its id is never used again."""
        self._store.put(self.scope, row.position, identity, None)

    def _current(self, numbers: Iterable[int], changed: dict[int, str | None]) -> Iterator[Row]:
        """Yield the seeded records that are not deleted, with their changes."""
        for number in numbers:
            if number not in changed:
                yield Row(number, seeded=self._seeded)
            elif (text := changed[number]) is not None:
                yield Row(number, text)


def is_encodable(identity: str) -> bool:
    """Return whether a text can be an id. A lone surrogate cannot be stored."""
    try:
        identity.encode()
    except UnicodeEncodeError:
        return False
    return True


_TIMES = ("created_at", "updated_at")
