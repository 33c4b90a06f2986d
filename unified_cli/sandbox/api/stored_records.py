"""The records of one resource of one connection: the seeded ones with the changes made to them."""

from collections.abc import Iterator

from unified_cli.json_text import lossless
from unified_cli.json_text.json_codec import dump, read
from unified_cli.json_text.values import JsonObject
from unified_cli.sandbox.api.filters import Test, tests
from unified_cli.sandbox.api.query_tree import QueryTree
from unified_cli.sandbox.data.generate import SeededRecords
from unified_cli.sandbox.data.record_ids import SHOWN_AS, number_of
from unified_cli.sandbox.store import CREATED, SandboxStore

_WINDOW = 200
_END = 1 << 62


class Row:
    """One record: its text is what is answered, its value what is compared; a seeded one is generated when needed."""

    __slots__ = ("_seeded", "_text", "_value", "position")

    def __init__(
        self, position: int, text: str | None = None, seeded: tuple[SeededRecords, str, str] | None = None
    ) -> None:
        self.position = position
        self._text = text
        self._seeded = seeded
        self._value: JsonObject | None = None

    @property
    def text(self) -> str:
        """The record's JSON."""
        if self._text is None and self._seeded is not None:
            records, api, resource = self._seeded
            self._text = records.encoded(api, resource, self.position).decode()
        return self._text or "{}"

    @property
    def encoded(self) -> bytes:
        """The record's JSON in UTF-8, as a page is made of: a whole page takes long to encode."""
        if self._text is None and self._seeded is not None:
            records, api, resource = self._seeded
            return records.encoded(api, resource, self.position)
        return self.text.encode()

    @property
    def value(self) -> JsonObject:
        """The record decoded; its numbers may have lost digits."""
        if self._value is None:
            if self._seeded is not None:
                records, api, resource = self._seeded
                self._value = records.record(api, resource, self.position)
            else:
                self._value = read(self.text)
        return self._value or {}

    @property
    def members(self) -> dict[str, str]:
        """The record's fields, each as JSON text."""
        return lossless.split(self.text)


class Records:
    """The records of a connection, API and resource; writing needs a transaction of the store."""

    def __init__(self, store: SandboxStore, account: str, api: str, resource: str, *, seeded: bool = True) -> None:
        self.api, self.resource = api, resource
        self.account = account
        self.scope = (account, api, SHOWN_AS.get(resource, resource))
        self._store = store
        self._seeded_records = store.seeded(account)
        self._only_first = resource in SHOWN_AS
        self.count = self._seeded_records.count(api, resource) if seeded else 0

    def get(self, identity: str) -> Row | None:
        """The record with this id; None where there is none, or it was deleted."""
        if not is_encodable(identity):
            return None
        changed = self._store.by_id(self.scope, identity)
        if changed is not None:
            position, text = changed
            return None if text is None else Row(position, text)
        number = number_of(self.resource, identity)
        if number is None or number > self.count:
            return None
        return self._seeded(number)

    def tests(self, query: QueryTree) -> list[Test]:
        """The tests of a query that a record must pass to be listed."""
        return tests(self.api, self.resource, query)

    def rows(self, after: int = 0) -> Iterator[Row]:
        """Records in the order of their creation, from the one after a position on."""
        for low in range(after + 1, self.count + 1, _WINDOW):
            high = min(low + _WINDOW - 1, self.count)
            changed = dict(self._store.changed(self.scope, low, high))
            for number in range(low, high + 1):
                if (row := self._current(number, changed)) is not None:
                    yield row
        while not self._only_first:
            more = self._store.created(self.scope, after, _END, _WINDOW, newest=False)
            yield from (Row(position, text) for position, text in more)
            if len(more) < _WINDOW:
                return
            after = more[-1][0]

    def rows_back(self, before: int) -> Iterator[Row]:
        """Records in the opposite order, from the one before a position on."""
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
            for number in range(top, low - 1, -1):
                if (row := self._current(number, changed)) is not None:
                    yield row

    def create(self, members: dict[str, str], identity: str | None, now: str) -> tuple[str, Row]:
        """Add a record, with a new id unless one is given; what was posted is kept as it is."""
        position = self._store.next_position(self.scope)
        if identity is None:
            identity = f"{self.resource}-new-{position - CREATED}"
            members = {"id": dump(identity), **{k: v for k, v in members.items() if k != "id"}}
        time = dump(now)
        row = Row(position, lossless.join({**members, **{k: time for k in _TIMES if k not in members}}))
        self._store.put(self.scope, position, identity, row.text)
        return identity, row

    def update(self, row: Row, identity: str, members: dict[str, str], now: str) -> Row:
        """Replace fields of a record; `updated_at` becomes `now` unless it is given."""
        merged = {**row.members, "updated_at": dump(now), **members}
        changed = Row(row.position, lossless.join(merged))
        self._store.put(self.scope, row.position, identity, changed.text)
        return changed

    def delete(self, row: Row, identity: str) -> None:
        """Delete a record; its id is never used again."""
        self._store.put(self.scope, row.position, identity, None)

    def _current(self, number: int, changed: dict[int, str | None]) -> Row | None:
        if number not in changed:
            return self._seeded(number)
        text = changed[number]
        return None if text is None else Row(number, text)

    def _seeded(self, number: int) -> Row:
        return Row(number, seeded=(self._seeded_records, self.api, self.resource))


def is_encodable(identity: str) -> bool:
    """Whether a text can be an id: half a surrogate pair has no UTF-8 and cannot be stored."""
    try:
        identity.encode()
    except UnicodeEncodeError:
        return False
    return True


_TIMES = ("created_at", "updated_at")
