"""Seeded records: record N of a resource is computed from seed, connection, API, resource and N."""

from collections.abc import Callable, Mapping
from functools import partial

from unified_cli.catalogue.known import KnownField, known
from unified_cli.json_text.json_codec import encoded
from unified_cli.json_text.values import Json, JsonObject
from unified_cli.sandbox.data import people, vocabulary
from unified_cli.sandbox.data.consistency import ADJUSTMENTS
from unified_cli.sandbox.data.field_mappings import MAPPINGS
from unified_cli.sandbox.data.field_values import file_of
from unified_cli.sandbox.data.fields import BY_NAME, BY_TYPE
from unified_cli.sandbox.data.people import CANDIDATES, CUSTOMERS, STAFF, STAFF_DOMAIN, Person, company
from unified_cli.sandbox.data.record_context import RecordContext
from unified_cli.sandbox.data.record_ids import SHOWN_AS, record_id
from unified_cli.sandbox.data.references import References
from unified_cli.sandbox.data.relations import CHILDREN_PER_PARENT, FieldPlace, target
from unified_cli.sandbox.data.seeded_random import SeededRandom, creation_time, timestamp

_PEOPLE = {"users": STAFF, "me": STAFF, "contacts": CUSTOMERS, "candidates": CANDIDATES}
_KEPT = 4096
# Assumption: every record has these but those the service publishes without an id.
_ALWAYS = (KnownField("id"), KnownField("name"), KnownField("created_at"), KnownField("updated_at"))
_UNKNOWN_PERSON = (KnownField("first_name"), KnownField("last_name"), KnownField("emails", "array"))
NAMELESS = frozenset({"availability", "utilization"})


ValueMaker = Callable[[RecordContext], Json]
"""Makes the value of one field of a record."""


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
        self._references = References(self._seed, self.count, self._target)
        self._pointers: dict[tuple[str, str], dict[int, JsonObject]] = {}
        self._encoded: dict[tuple[str, str, int], bytes] = {}
        self._fields: dict[tuple[str, str], dict[str, tuple[KnownField, str]]] = {}
        self._makers: dict[tuple[str, str], list[tuple[str, ValueMaker]]] = {}

    def count(self, api: str, resource: str) -> int:
        """How many records of a resource there are."""
        return self._counts.get((api, resource), vocabulary.count(api, resource))

    def record(self, api: str, resource: str, number: int) -> JsonObject:
        """Record 1, 2, … of a resource as a JSON object."""
        resource = SHOWN_AS.get(resource, resource)
        random = SeededRandom(self._seed, api, resource, number)
        created = creation_time(random)
        person = self._person(api, resource, number)
        title = self._title((api, resource, number), person, random)
        context = RecordContext(self._seed, api, resource, number, random, created, person, title)
        makers = self._makers.get((api, resource)) or self._prepare(api, resource)
        record: JsonObject = {name: make(context) for name, make in makers}
        adjust = ADJUSTMENTS.get((api, resource))
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

    def _prepare(self, api: str, resource: str) -> list[tuple[str, ValueMaker]]:
        """What makes each field of a resource's records."""
        plan = self._plan(api, resource)
        found = [(name, self._maker((api, resource, name), field, to)) for name, (field, to) in plan.items()]
        self._makers[api, resource] = found
        return found

    def _target(self, place: FieldPlace) -> str:
        return self._plan(place[0], place[1])[place[2]][1]

    def _plan(self, api: str, resource: str) -> dict[str, tuple[KnownField, str]]:
        """The fields of a resource's records by name, each with the resource it refers to, if any."""
        plan = self._fields.get((api, resource))
        if plan is None:
            fields = known(api, resource).fields or (_UNKNOWN_PERSON if resource in _PEOPLE else ())
            has = {field.name for field in fields}
            if resource not in NAMELESS:
                # Where fields are known, no name is added to them; else it comes after the id.
                named = len(has) > 1 and resource not in _PEOPLE
                more = tuple(f for f in _ALWAYS if f.name not in has and not (f.name == "name" and named))
                fields = more + fields if "id" not in has else fields + more
            plan = {field.name: (field, target(api, resource, field) or "") for field in fields}
            self._fields[api, resource] = plan
        return plan

    def _person(self, api: str, resource: str, number: int) -> Person | None:
        group = _PEOPLE.get(resource)
        if (api, resource) == ("conferencing", "attendees"):
            # Two of three are colleagues, the third is a guest.
            group = CUSTOMERS if number % 3 == 0 else STAFF
        if group is None:
            return None
        domain = STAFF_DOMAIN if group == STAFF else "mail.example"
        if group == CUSTOMERS:
            domain = company((number - 1) // CHILDREN_PER_PARENT["ticketing", "contacts", "account_id"] % 60 + 1).domain
        return people.person(self._seed, group, number, domain)

    def _title(self, place: tuple[str, str, int], person: Person | None, random: SeededRandom) -> str:
        api, resource, number = place
        if person is not None:
            return person.name
        if resource == "accounts":
            return company(number).name
        named = vocabulary.title(api, resource, number)
        if named is not None:
            return named
        if resource in ("attachments", "files"):
            return file_of(random)[0]
        if resource in ("tickets", "emails", "pull-requests", "activities"):
            return f"{random.pick('trouble', vocabulary.PROBLEMS)} {random.pick('thing', vocabulary.PRODUCTS)}"
        if resource in ("events", "meetings"):
            return random.pick("talk", vocabulary.MEETINGS)
        return f"{vocabulary.singular(resource).replace('_', ' ').capitalize()} {number}"

    def _maker(self, place: FieldPlace, field: KnownField, to: str) -> ValueMaker:
        _, resource, name = place
        if name == "id":
            return lambda context: record_id(resource, context.number)
        if name == "remote_data":
            return _remote
        if to:
            return self._several(place, field, to) if field.type == "array" else self._one(place, field, to)
        if values := field.values:
            often, other = values[0], f"{name} else"
            # The first value is the usual one.
            return lambda context: context.random.pick(other, values) if context.random.one_in(name, 3) else often
        make = BY_NAME.get((name, field.type)) or BY_TYPE[field.type]
        return lambda context: make(context, name)

    def _several(self, place: FieldPlace, field: KnownField, to: str) -> ValueMaker:
        numbers = self._references.several(place, field, to)
        if field.name.endswith("_ids"):
            return lambda context: [record_id(to, one) for one in numbers(context.number, context.random)]
        pointer = self._pointer_maker(place[0], to)
        return lambda context: [pointer(one) for one in numbers(context.number, context.random)]

    def _one(self, place: FieldPlace, field: KnownField, to: str) -> ValueMaker:
        target_of = self._references.one(place)
        written = self._pointer_maker(place[0], to) if field.type == "object" else partial(record_id, to)

        def make(context: RecordContext) -> Json:
            number = target_of(context.number, context.random)
            return None if number is None else written(number)

        return make

    def _pointer_maker(self, api: str, to: str) -> Callable[[int], Json]:
        """What makes the pointer to a record of a resource: its id and its title; the last few thousand are kept."""
        pointers = self._pointers.setdefault((api, to), {})

        def make(number: int) -> Json:
            pointer = pointers.get(number)
            if pointer is None:
                if len(pointers) >= _KEPT:
                    pointers.clear()
                random = SeededRandom(self._seed, api, to, number)
                title = self._title((api, to, number), self._person(api, to, number), random)
                pointer = pointers[number] = {"id": record_id(to, number), "name": title}
            return pointer

        return make


def _remote(context: RecordContext) -> JsonObject:
    own = 10_000 + context.number
    return {
        "gid": own,
        "object": vocabulary.singular(context.resource),
        "title": context.title,
        "self": f"https://provider.example/v3/{context.resource}/{own}",
        "created": timestamp(context.created),
    }
