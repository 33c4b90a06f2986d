"""Find references to other records in a record, and replace their ids."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from unified_cli.catalogue import Resource
from unified_cli.json_text.members import items, join, parts

_ID = "id"


class IdReference(NamedTuple):
    """A reference in a record: its path, the resource as API/RESOURCE, and the id as
    JSON text.
    """

    path: str
    resource: str
    id: bytes


Exchange = Callable[[IdReference], bytes | None]
"""Returns the new id of a reference, or None to keep the old id."""


class IdReferences:
    """The fields of a resource that refer to other records. Each is an id, an object
    with an id, or an array of these.
    """

    def __init__(self, resource: Resource) -> None:
        self.name = f"{resource.api}/{resource.name}"
        self._fields: Mapping[str, str] = {
            field.name: f"{resource.api}/{field.references}"
            for field in resource.facts.fields
            if field.references
        }

    @property
    def resources(self) -> frozenset[str]:
        """The resources that these fields refer to."""
        return frozenset(self._fields.values())

    def all_in(self, record: bytes) -> Iterator[IdReference]:
        """Yield every reference of a record."""
        found: list[IdReference] = []
        # Use a lambda for the type checker, because `append` is not an Exchange.
        self.replace_ids(record, lambda reference: found.append(reference))  # noqa: PLW0108
        yield from found

    def replace_ids(self, record: bytes, exchange: Exchange) -> bytes:
        """Return the record with new ids in its references, and all other text
        unchanged.
        """
        members = parts(record) or {}
        if not any(name in self._fields for name in members):
            return record
        return join(
            {
                name: _replace_ids(value, name, self._fields[name], exchange)
                if name in self._fields
                else value
                for name, value in members.items()
            }
        )

    def with_own_id(self, record: bytes, exchange: Exchange) -> bytes:
        """Return the record with a new id of its own, and new ids in its references."""
        members = {**(parts(record) or {})}
        if (own := members.get(_ID)) is not None:
            members[_ID] = exchange(IdReference(_ID, self.name, own)) or own
        return self.replace_ids(join(members), exchange) if members else record


def _replace_ids(value: bytes, path: str, resource: str, exchange: Exchange) -> bytes:
    match value[:1]:
        case b"{":
            members = {**(parts(value) or {})}
            if _ID in members:
                members[_ID] = _replace_ids(members[_ID], f"{path}.{_ID}", resource, exchange)
            return join(members)
        case b"[":
            of_items = (
                _replace_ids(bytes(item), f"{path}[{at}]", resource, exchange)
                for at, item in enumerate(items(value))
            )
            return b"[" + b",".join(of_items) + b"]"
        case b"n" | b"t" | b"f":
            return value
    if value == b'""':
        return value
    return exchange(IdReference(path, resource, value)) or value
