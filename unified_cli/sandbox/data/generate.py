"""Seeded records: record N of a resource is computed from seed, connection, API, resource and N."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from unified_cli.catalogue.known import KnownField, known
from unified_cli.json_text.json_codec import encoded
from unified_cli.json_text.values import Json, JsonObject
from unified_cli.sandbox.data import vocabulary
from unified_cli.sandbox.data.consistency import ADJUSTMENTS, Adjustment
from unified_cli.sandbox.data.field_mappings import MAPPINGS
from unified_cli.sandbox.data.field_values import FieldMaker
from unified_cli.sandbox.data.fields import field_maker
from unified_cli.sandbox.data.record_context import PEOPLE, RecordContext, RecordContexts
from unified_cli.sandbox.data.record_ids import SHOWN_AS, id_prefix
from unified_cli.sandbox.data.references import References
from unified_cli.sandbox.data.relations import FieldPlace, target
from unified_cli.sandbox.data.seeded_random import timestamp

_KEPT = 4096
# Assumption: every record has these but those the service publishes without an id.
_ALWAYS = (KnownField("id"), KnownField("name"), KnownField("created_at"), KnownField("updated_at"))
_UNKNOWN_PERSON = (KnownField("first_name"), KnownField("last_name"), KnownField("emails", "array"))
NAMELESS = frozenset({"availability", "utilization"})


class _Prepared(NamedTuple):
    """What the records of a resource are made with."""

    contexts: RecordContexts
    makers: list[tuple[str, FieldMaker]]
    adjust: Adjustment | None


class SeededRecords:
    """The records that a connection has at first, each generated when it is read."""

    def __init__(
        self,
        seed: str,
        connection: str,
        counts: Mapping[tuple[str, str], int],
        encode: Callable[[JsonObject], bytes] = encoded,
    ) -> None:
        self._encode = encode
        self._seed = f"{seed}/{connection}"
        self._mapping = MAPPINGS.get(connection.partition(":")[0])
        self._counts = counts
        self._references = References(self._seed, self.count, _target)
        self._pointers: dict[tuple[str, str], _Pointers] = {}
        self._encoded: dict[tuple[str, str, int], bytes] = {}
        self._prepared: dict[tuple[str, str], _Prepared] = {}

    def count(self, api: str, resource: str) -> int:
        """How many records of a resource there are."""
        return self._counts.get((api, resource), vocabulary.count(api, resource))

    def record(self, api: str, resource: str, number: int) -> JsonObject:
        """Record 1, 2, … of a resource as a JSON object."""
        contexts, makers, adjust = self._prepared.get((api, resource)) or self._prepare(api, resource)
        context = contexts.record(number)
        record: JsonObject = {name: make(context, name) for name, make in makers}
        if adjust is not None:
            record.update(adjust(context, record))
        return self._mapping(record) if self._mapping else record

    def encoded(self, api: str, resource: str, number: int) -> bytes:
        """Record 1, 2, … as JSON; the last few thousand are kept."""
        place = (api, resource, number)
        found = self._encoded.get(place)
        if found is None:
            if len(self._encoded) >= _KEPT:
                self._encoded.clear()
            found = self._encoded[place] = self._encode(self.record(api, resource, number))
        return found

    def _prepare(self, api: str, resource: str) -> _Prepared:
        """What makes the records of a resource."""
        shown = SHOWN_AS.get(resource, resource)
        makers = [
            (name, make or self._reference_maker((api, shown, name), field, to))
            for name, (field, to, make) in _plan(api, shown).items()
        ]
        found = _Prepared(RecordContexts(self._seed, api, shown), makers, ADJUSTMENTS.get((api, shown)))
        self._prepared[api, resource] = found
        return found

    def _reference_maker(self, place: FieldPlace, field: KnownField, to: str) -> FieldMaker:
        return self._several(place, field, to) if field.type == "array" else self._one(place, field, to)

    def _several(self, place: FieldPlace, field: KnownField, to: str) -> FieldMaker:
        numbers = self._references.several(place, field, to)
        if field.name.endswith("_ids"):
            prefix = id_prefix(to)
            return lambda context, _name: [f"{prefix}{one}" for one in numbers(context.number, context.random)]
        pointers = self._pointers_to(place[0], to)
        return lambda context, _name: [pointers[one] for one in numbers(context.number, context.random)]

    def _one(self, place: FieldPlace, field: KnownField, to: str) -> FieldMaker:
        number_of = self._references.one(place)
        if field.type == "object":
            pointers = self._pointers_to(place[0], to)

            def pointer(context: RecordContext, _name: str) -> Json:
                number = number_of(context.number, context.random)
                return None if number is None else pointers[number]

            return pointer
        prefix = id_prefix(to)

        def identity(context: RecordContext, _name: str) -> Json:
            number = number_of(context.number, context.random)
            return None if number is None else f"{prefix}{number}"

        return identity

    def _pointers_to(self, api: str, to: str) -> "_Pointers":
        found = self._pointers.get((api, to))
        if found is None:
            found = self._pointers[api, to] = _Pointers(RecordContexts(self._seed, api, to), to)
        return found


class _Pointers(dict[int, JsonObject]):
    """The pointers to the records of a resource, id and title, by number; the last few thousand are kept."""

    def __init__(self, contexts: RecordContexts, resource: str) -> None:
        super().__init__()
        self._title = contexts.title
        self._prefix = id_prefix(resource)

    def __missing__(self, number: int) -> JsonObject:
        if len(self) >= _KEPT:
            self.clear()
        pointer = self[number] = {"id": f"{self._prefix}{number}", "name": self._title(number)}
        return pointer


class _FieldPlan(NamedTuple):
    """A field of a resource's records: the resource that it refers to, or what makes its value."""

    field: KnownField
    to: str
    make: FieldMaker | None


@lru_cache(256)
def _plan(api: str, resource: str) -> Mapping[str, _FieldPlan]:
    """The fields of a resource's records by name; they are the same for every connection."""
    fields = known(api, resource).fields or (_UNKNOWN_PERSON if resource in PEOPLE else ())
    has = {field.name for field in fields}
    if resource not in NAMELESS:
        # Where fields are known, no name is added to them; else it comes after the id.
        named = len(has) > 1 and resource not in PEOPLE
        more = tuple(f for f in _ALWAYS if f.name not in has and not (f.name == "name" and named))
        fields = more + fields if "id" not in has else fields + more
    return {field.name: _planned(api, resource, field) for field in fields}


def _planned(api: str, resource: str, field: KnownField) -> _FieldPlan:
    to = target(api, resource, field) or ""
    refers = to and field.name not in ("id", "remote_data")
    return _FieldPlan(field, to, None if refers else _maker(resource, field))


def _target(place: FieldPlace) -> str:
    return _plan(place[0], place[1])[place[2]].to


def _maker(resource: str, field: KnownField) -> FieldMaker:
    if field.name == "id":
        prefix = id_prefix(resource)
        return lambda context, _name: f"{prefix}{context.number}"
    if field.name == "remote_data":
        return _remote
    if values := field.values:
        often, other = values[0], f"{field.name} else"
        # The first value is the usual one.
        return lambda context, name: context.random.pick(other, values) if context.random.one_in(name, 3) else often
    return field_maker(field.name, field.type)


def _remote(context: RecordContext, _name: str) -> JsonObject:
    own = 10_000 + context.number
    return {
        "gid": own,
        "object": vocabulary.singular(context.resource),
        "title": context.title,
        "self": f"https://provider.example/v3/{context.resource}/{own}",
        "created": timestamp(context.created),
    }
