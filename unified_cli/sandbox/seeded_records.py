"""Generate record N of a resource from the seed, connection, API, resource and N."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from unified_cli.catalogue.known import KnownField, known
from unified_cli.catalogue.model import SHOWN_AS
from unified_cli.json_text.json_codec import encoded_objects, objects
from unified_cli.sandbox import vocabulary
from unified_cli.sandbox.field_values import FieldMaker, field_maker, numbered
from unified_cli.sandbox.record_batch import PEOPLE, RecordBatch, SeededConnection
from unified_cli.sandbox.record_consistency import ADJUSTMENTS
from unified_cli.sandbox.vocabulary import (
    CHILD_LISTS,
    CHILDREN_PER_PARENT,
    DERIVED,
    NAMELESS,
    FieldPlace,
    id_prefix,
    rarely_set,
    target,
    target_of,
)
from unified_cli.values import Json, JsonColumns, JsonObject

OwnFields = Callable[[str, str], Sequence[KnownField]]
"""Returns the fields that a user's file defines for a resource."""

Targets = Callable[[RecordBatch], Sequence[int | None]]
"""Returns the number of the record that each record refers to, or None."""

TargetLists = Callable[[RecordBatch], list[Sequence[int]]]
"""Returns the numbers of the records that each record refers to."""


def _targets(place: FieldPlace) -> Targets:
    """Return the function that finds the records that a field refers to."""
    if place in DERIVED:
        return _derived(place)
    to = target_of(place)
    find = _found(place, to)
    return lambda batch: (
        find(batch, size) if (size := batch.count(to)) else [None] * len(batch.numbers)
    )


def _target_lists(place: FieldPlace, to: str) -> TargetLists:
    """Return the function that finds the records of the resource `to` that a list field
    refers to.
    """
    if child := CHILD_LISTS.get(place):
        children = CHILDREN_PER_PARENT[place[0], child[0], child[1]]
        return lambda batch: _children(batch.numbers, children, batch.count(to))
    name = place[2]

    def some(batch: RecordBatch) -> list[Sequence[int]]:
        size = batch.count(to)
        if not size:
            return [[] for _ in batch.numbers]
        firsts, two = (
            batch.random.below(name, size),
            batch.random.below(f"{name} length", min(size, 2)),
        )
        return [
            [first % size + 1, (first + 1) % size + 1] if more else [first % size + 1]
            for first, more in zip(firsts, two, strict=True)
        ]

    return some


def _children(numbers: Sequence[int], children: int, size: int) -> list[Sequence[int]]:
    starts = ((number - 1) * children + 1 for number in numbers)
    return [range(start, min(start + children, size + 1)) for start in starts]


def _found(place: FieldPlace, to: str) -> Callable[[RecordBatch, int], Sequence[int | None]]:
    """Return the function that finds the records that a field refers to.

    The resource `to` must have records.
    """
    _, resource, name = place
    if children := CHILDREN_PER_PARENT.get(place):
        return lambda batch, size: [(number - 1) // children % size + 1 for number in batch.numbers]
    if rarely_set(name):
        return lambda batch, size: _rare(batch, name, size, lower=to == resource)
    if place == ("ats", "applications", "current_stage"):
        return _stages
    if to == _STATUSES:
        return _statuses
    return lambda batch, size: [number + 1 for number in batch.random.below(name, size)]


def _derived(place: FieldPlace) -> Targets:
    api, resource, _ = place
    first, between, second = DERIVED[place]
    near, far = _targets((api, resource, first)), _targets((api, between, second))

    def targets(batch: RecordBatch) -> Sequence[int | None]:
        middles = near(batch)
        found = [middle for middle in middles if middle is not None]
        ends = dict(zip(found, far(batch.related(between, found)), strict=True))
        return [None if middle is None else ends[middle] for middle in middles]

    return targets


def _rare(batch: RecordBatch, name: str, size: int, *, lower: bool) -> Sequence[int | None]:
    """Return a reference for about one record in four, and None for the others.

    With `lower`, a reference is to a record with a lower number.
    """
    targets: list[int | None] = []
    for place, (number, has) in enumerate(
        zip(batch.numbers, batch.random.one_in(f"has {name}", 4), strict=True)
    ):
        most = min(size, number - 1) if lower else size
        targets.append(batch.random[place].below(name, most) + 1 if has and most else None)
    return targets


def _stages(batch: RecordBatch, size: int) -> Sequence[int | None]:
    stages = CHILDREN_PER_PARENT["ats", "job_interview_stages", "job"]
    jobs = _targets(("ats", "applications", "job"))(batch)
    turns = batch.random.below("current_stage", stages)
    return [
        ((job or 1) - 1) * stages % size + 1 + turn for job, turn in zip(jobs, turns, strict=True)
    ]


_STATUSES, _USUAL_STATUSES = "ticket_status", 6


def _statuses(batch: RecordBatch, size: int) -> Sequence[int | None]:
    """Return a status for each ticket or task. Most records have a usual status. Each
    of the other statuses is the status of one of the last records.
    """
    usual, last = min(size, _USUAL_STATUSES), batch.count(batch.resource)
    numbers = batch.random.below("status", usual)
    return [
        size - (last - number) if 0 <= last - number < size - usual and last > size else choice + 1
        for number, choice in zip(batch.numbers, numbers, strict=True)
    ]


_KEPT = 4096
# Assumption: every record has these fields, unless the documentation shows the record
# without an id.
_ALWAYS = (KnownField("id"), KnownField("name"), KnownField("created_at"), KnownField("updated_at"))
_UNKNOWN_PERSON = (KnownField("first_name"), KnownField("last_name"), KnownField("emails", "array"))
_TIMES = ("created_at", "updated_at")
_POINTER = {"id", "name"}


# Some connections have their own field mappings: fields are renamed, missing, or of
# another type.
def _remapped(columns: JsonColumns) -> JsonColumns:
    """Return references as plain ids, and an additional field."""
    plain = {name: [_plain(value) for value in values] for name, values in columns.items()}
    return {**plain, "mapped_by": ["custom" for _ in next(iter(plain.values()))]}


def _plain(value: Json) -> Json:
    return value["id"] if isinstance(value, dict) and value.keys() == _POINTER else value


def _untimed(columns: JsonColumns) -> JsonColumns:
    return {name: values for name, values in columns.items() if name not in _TIMES}


MAPPINGS: Mapping[str, Callable[[JsonColumns], JsonColumns]] = {
    "remapped": _remapped,
    "untimed": _untimed,
}
"""Changes to seeded records, by the kind of connection."""


class SeededRecords:
    """The initial records of a connection, which are generated when they are read."""

    def __init__(
        self,
        seed: str,
        connection: str,
        counts: Mapping[tuple[str, str], int],
        encode: Callable[[JsonColumns], list[bytes]] = encoded_objects,
        own_fields: OwnFields = lambda _api, _resource: (),
    ) -> None:
        self._encode = encode
        self._own_fields = own_fields
        self._connection = SeededConnection(f"{seed}/{connection}", counts)
        self._mapping = MAPPINGS.get(connection.partition(":")[0])
        self._encoded: dict[tuple[str, str], dict[int, bytes]] = {}

    def count(self, api: str, resource: str) -> int:
        """Return how many records of a resource there are."""
        return self._connection.count(api, resource)

    def records(self, api: str, resource: str, numbers: Sequence[int]) -> list[JsonObject]:
        """Return the records with these numbers as JSON objects. Generating many
        records at once is faster.
        """
        return objects(self._columns(api, resource, numbers))

    def encoded(self, api: str, resource: str, numbers: Sequence[int]) -> list[bytes]:
        """Return the records with these numbers as JSON. A few thousand records are
        cached.
        """
        # Copy into a list, because another thread may be adding an entry.
        if sum(map(len, list(self._encoded.values()))) > _KEPT:
            # Replace the dictionary, because another thread may be reading the old one.
            self._encoded = {}
        cached = self._encoded.setdefault((api, resource), {})
        missing = [number for number in numbers if number not in cached]
        if missing:
            cached.update(
                zip(missing, self._encode(self._columns(api, resource, missing)), strict=True)
            )
        return [cached[number] for number in numbers]

    def _columns(self, api: str, resource: str, numbers: Sequence[int]) -> JsonColumns:
        shown = SHOWN_AS.get(resource, resource)
        batch = RecordBatch(self._connection, api, shown, numbers)
        # The records that these fields refer to are unknown.
        own = tuple(field._replace(references=None) for field in self._own_fields(api, shown))
        columns: JsonColumns = {name: make(batch, name) for name, make in _makers(api, shown, own)}
        if adjust := ADJUSTMENTS.get((api, shown)):
            columns = {**columns, **adjust(batch, columns)}
        return self._mapping(columns) if self._mapping else columns


@lru_cache(256)
def _makers(
    api: str, resource: str, own: tuple[KnownField, ...]
) -> tuple[tuple[str, FieldMaker], ...]:
    """Return the fields of a resource and the functions that generate their values.

    If there are fields of a user's file (`own`), they replace the fields of the
    catalogue.
    """
    fields = own or known(api, resource).fields or (_UNKNOWN_PERSON if resource in PEOPLE else ())
    has = {field.name for field in fields}
    if resource not in NAMELESS:
        # Add a name after the id only if no fields are known.
        named = len(has) > 1 and resource not in PEOPLE
        more = tuple(f for f in _ALWAYS if f.name not in has and not (f.name == "name" and named))
        fields = more + fields if "id" not in has else fields + more
    return tuple((field.name, _maker(api, resource, field)) for field in fields)


def _maker(api: str, resource: str, field: KnownField) -> FieldMaker:
    if field.name == "id":
        prefix = id_prefix(resource)
        return numbered(lambda number: f"{prefix}{number}")
    if field.name == "remote_data":
        return _remote
    to = target(api, resource, field)
    if to:
        return (
            _several(api, resource, field, to)
            if field.type == "array"
            else _one(api, resource, field, to)
        )
    if field.values:
        return _mostly_first(field.values)
    if values := _filtered(api, resource, field.name):
        return numbered(lambda number: values[(number - 1) % len(values)])
    return field_maker(field.name, field.type)


def _filtered(api: str, resource: str, name: str) -> tuple[str, ...]:
    found = known(api, resource).query.get("list", ())
    return next((field.values for field in found if field.name == name), ())


def _several(api: str, resource: str, field: KnownField, to: str) -> FieldMaker:
    targets = _target_lists((api, resource, field.name), to)
    if field.name.endswith("_ids"):
        prefix = id_prefix(to)
        return lambda batch, _name: [
            [f"{prefix}{number}" for number in numbers] for numbers in targets(batch)
        ]

    def pointers(batch: RecordBatch, _name: str) -> list[Json]:
        lists = targets(batch)
        pointer = batch.pointers(to, [number for numbers in lists for number in numbers])
        return [[pointer[number] for number in numbers] for numbers in lists]

    return pointers


def _one(api: str, resource: str, field: KnownField, to: str) -> FieldMaker:
    targets = _targets((api, resource, field.name))
    if field.type != "object":
        prefix = id_prefix(to)
        return lambda batch, _name: [
            None if number is None else f"{prefix}{number}" for number in targets(batch)
        ]

    def pointers(batch: RecordBatch, _name: str) -> list[Json]:
        numbers = targets(batch)
        pointer = batch.pointers(to, numbers)
        return [pointer[number] for number in numbers]

    return pointers


def _mostly_first(choices: tuple[str, ...]) -> FieldMaker:
    """Return one of these values, mostly the first value. The last records have the
    values in turn, so that every value occurs.
    """

    def make(batch: RecordBatch, name: str) -> list[Json]:
        others = zip(
            batch.random.one_in(name, 3), batch.random.pick(f"{name} else", choices), strict=True
        )
        last = batch.count(batch.resource)
        return [
            choices[left]
            if 0 <= (left := last - number) < min(last, len(choices))
            else other
            if rare
            else choices[0]
            for number, (rare, other) in zip(batch.numbers, others, strict=True)
        ]

    return make


def _remote(batch: RecordBatch, _name: str) -> list[JsonObject]:
    resource, word = batch.resource, vocabulary.singular(batch.resource)
    return [
        {
            "gid": 10_000 + number,
            "object": word,
            "title": title,
            "self": f"https://provider.example/v3/{resource}/{10_000 + number}",
            "created": created,
        }
        for number, title, created in zip(
            batch.numbers, batch.titles, batch.created_at, strict=True
        )
    ]
