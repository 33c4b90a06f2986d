"""Which id a record of one connection has in another."""

from collections.abc import Iterable

import msgspec

from unified_cli.json_text.members import text


class IdPair(msgspec.Struct, rename={"old": "from", "new": "to"}):
    """A record of a resource, written as API/RESOURCE: its `old` id and its `new` one, texts or numbers."""

    resource: str
    old: str | int
    new: str | int


class IdMap:
    """New ids by resource and old id. A text and a number that are written alike are the same id."""

    def __init__(self, pairs: Iterable[IdPair] = ()) -> None:
        self._found: dict[tuple[str, str], bytes] = {}
        for pair in pairs:
            self.add(pair)

    def add(self, pair: IdPair) -> bool:
        """Note a pair; False where the record is known under another new id."""
        new = msgspec.json.encode(pair.new)
        return self._found.setdefault((pair.resource, str(pair.old)), new) == new

    def new_id(self, resource: str, old: bytes) -> bytes | None:
        """The new id for an old one, both as JSON text; None where it is not known."""
        return self._found.get((resource, text(old)))
