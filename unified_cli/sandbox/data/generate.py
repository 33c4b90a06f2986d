"""Seeded records: record N of a resource is computed from seed, connection, API, resource and N."""

from collections.abc import Mapping

from unified_cli.catalogue.known import KnownField, known
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.values import Json, JsonObject
from unified_cli.sandbox.data import people, vocabulary
from unified_cli.sandbox.data.consistency import ADJUSTMENTS
from unified_cli.sandbox.data.field_mappings import MAPPINGS
from unified_cli.sandbox.data.field_values import file_of
from unified_cli.sandbox.data.fields import BY_NAME, BY_TYPE
from unified_cli.sandbox.data.people import CANDIDATES, CUSTOMERS, STAFF, STAFF_DOMAIN, Person, company
from unified_cli.sandbox.data.record_context import RecordContext
from unified_cli.sandbox.data.record_ids import SHOWN_AS, record_id
from unified_cli.sandbox.data.relations import CHILD_LISTS, CHILDREN_PER_PARENT, DERIVED, FieldPlace, rarely_set, target
from unified_cli.sandbox.data.seeded_random import SeededRandom, creation_time, timestamp

_PEOPLE = {"users": STAFF, "me": STAFF, "contacts": CUSTOMERS, "candidates": CANDIDATES}
_KEPT = 4096
# Assumption: every record has these but those the service publishes without an id.
_ALWAYS = (KnownField("id"), KnownField("name"), KnownField("created_at"), KnownField("updated_at"))
_UNKNOWN_PERSON = (KnownField("first_name"), KnownField("last_name"), KnownField("emails", "array"))
NAMELESS = frozenset({"availability", "utilization"})


class SeededRecords:
    """The records that a connection has at first, each generated when it is read."""

    def __init__(self, seed: str, connection: str, counts: Mapping[tuple[str, str], int]) -> None:
        self._seed = f"{seed}/{connection}"
        self._mapping = MAPPINGS.get(connection.partition(":")[0])
        self._counts = counts
        self._titles: dict[tuple[str, str, int], str] = {}
        self._texts: dict[tuple[str, str, int], str] = {}
        self._plans: dict[tuple[str, str], dict[str, tuple[KnownField, str]]] = {}

    def count(self, api: str, resource: str) -> int:
        """How many records of a resource there are."""
        return self._counts.get((api, resource), vocabulary.count(api, resource))

    def record(self, api: str, resource: str, number: int) -> JsonObject:
        """Record 1, 2, … of a resource as a JSON object."""
        resource = SHOWN_AS.get(resource, resource)
        random = SeededRandom(self._seed, api, resource, number)
        created = creation_time(random)
        person = self._person(api, resource, number)
        context = RecordContext(
            self._seed, api, resource, number, random, created, person, self._title(api, resource, number, person)
        )
        record = {name: self._value(context, field, to) for name, (field, to) in self._plan(api, resource).items()}
        adjust = ADJUSTMENTS.get((api, resource))
        if adjust is not None:
            record.update(adjust(context, record))
        return self._mapping(record) if self._mapping else record

    def text(self, api: str, resource: str, number: int) -> str:
        """Record 1, 2, … as JSON text; the last few thousand are kept."""
        place = (api, resource, number)
        text = self._texts.get(place)
        if text is None:
            if len(self._texts) >= _KEPT:
                self._texts.clear()
            text = self._texts[place] = dump(self.record(api, resource, number))
        return text

    def _target_number(self, place: FieldPlace, number: int, random: SeededRandom | None = None) -> int | None:
        """The number of the record that a field of record `number` refers to; None where it refers to none."""
        api, resource, name = place
        if place in DERIVED:
            first, between, second = DERIVED[place]
            middle = self._target_number((api, resource, first), number, random)
            return middle and self._target_number((api, between, second), middle)
        _, to = self._plan(api, resource)[name]
        size = self.count(api, to)
        if size == 0:
            return None
        if children := CHILDREN_PER_PARENT.get(place):
            return (number - 1) // children % size + 1
        random = random or SeededRandom(self._seed, api, resource, number)
        if rarely_set(name):
            size = min(size, number - 1) if to == resource else size
            if size == 0 or not random.one_in(f"has {name}", 4):
                return None
        if place == ("ats", "applications", "current_stage"):
            job = self._target_number((api, resource, "job"), number, random) or 1
            stages = CHILDREN_PER_PARENT["ats", "job_interview_stages", "job"]
            return (job - 1) * stages % size + 1 + random.below(name, stages)
        return random.below(name, size) + 1

    def _plan(self, api: str, resource: str) -> dict[str, tuple[KnownField, str]]:
        """The fields of a resource's records by name, each with the resource it refers to, if any."""
        plan = self._plans.get((api, resource))
        if plan is None:
            fields = known(api, resource).fields or (_UNKNOWN_PERSON if resource in _PEOPLE else ())
            has = {field.name for field in fields}
            if resource not in NAMELESS:
                # Where fields are known, no name is added to them; else it comes after the id.
                named = len(has) > 1 and resource not in _PEOPLE
                more = tuple(f for f in _ALWAYS if f.name not in has and not (f.name == "name" and named))
                fields = more + fields if "id" not in has else fields + more
            plan = {field.name: (field, target(api, resource, field) or "") for field in fields}
            self._plans[api, resource] = plan
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

    def _title(self, api: str, resource: str, number: int, person: Person | None) -> str:
        if person is not None:
            return person.name
        if resource == "accounts":
            return company(number).name
        named = vocabulary.title(api, resource, number)
        if named is not None:
            return named
        random = SeededRandom(self._seed, api, resource, number)
        if resource in ("attachments", "files"):
            return file_of(random)[0]
        if resource in ("tickets", "emails", "pull-requests", "activities"):
            return f"{random.pick('trouble', vocabulary.PROBLEMS)} {random.pick('thing', vocabulary.PRODUCTS)}"
        if resource in ("events", "meetings"):
            return random.pick("talk", vocabulary.MEETINGS)
        return f"{vocabulary.singular(resource).replace('_', ' ').capitalize()} {number}"

    def _value(self, context: RecordContext, field: KnownField, to: str) -> Json:
        name = field.name
        if name == "id":
            return record_id(context.resource, context.number)
        if name == "remote_data":
            return self._remote(context)
        if to:
            return self._reference(context, field, to)
        if field.values:
            # The first value is the usual one.
            other = context.random.one_in(name, 3)
            return context.random.pick(f"{name} else", field.values) if other else field.values[0]
        make = BY_NAME.get((name, field.type)) or BY_TYPE[field.type]
        return make(context, name)

    def _reference(self, context: RecordContext, field: KnownField, to: str) -> Json:
        if field.type == "array":
            numbers = self._target_numbers(context, field, to)
            ids = field.name.endswith("_ids")
            return [record_id(to, n) if ids else self._pointer(context.api, to, n) for n in numbers]
        number = self._target_number((context.api, context.resource, field.name), context.number, context.random)
        if number is None:
            return None
        return self._pointer(context.api, to, number) if field.type == "object" else record_id(to, number)

    def _target_numbers(self, context: RecordContext, field: KnownField, to: str) -> list[int]:
        size = self.count(context.api, to)
        child = CHILD_LISTS.get((context.api, context.resource, field.name))
        if child is not None:
            children = CHILDREN_PER_PARENT[context.api, child[0], child[1]]
            start = (context.number - 1) * children + 1
            return [n for n in range(start, start + children) if n <= size]
        wanted = min(size, 1 + context.random.below(f"{field.name} length", 2))
        first = context.random.below(field.name, max(size, 1))
        return [(first + step) % size + 1 for step in range(wanted)]

    def _pointer(self, api: str, to: str, number: int) -> JsonObject:
        place = (api, to, number)
        title = self._titles.get(place)
        if title is None:
            if len(self._titles) >= _KEPT:
                self._titles.clear()
            title = self._titles[place] = self._title(api, to, number, self._person(api, to, number))
        return {"id": record_id(to, number), "name": title}

    def _remote(self, context: RecordContext) -> JsonObject:
        own = 10_000 + context.number
        return {
            "gid": own,
            "object": vocabulary.singular(context.resource),
            "title": context.title,
            "self": f"https://provider.example/v3/{context.resource}/{own}",
            "created": timestamp(context.created),
        }
