"""Seeded records: number N of a resource is a pure function of seed, connection, API, resource and N."""

from collections.abc import Mapping
from typing import Any

from unified_cli.catalogue.known import KnownField, known
from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox.data import vocabulary
from unified_cli.sandbox.data.consistency import ARRANGE
from unified_cli.sandbox.data.fields import BY_NAME, BY_TYPE, file_name
from unified_cli.sandbox.data.people import CANDIDATES, CUSTOMERS, STAFF, STAFF_DOMAIN, Person, company, person
from unified_cli.sandbox.data.record_context import RecordContext
from unified_cli.sandbox.data.record_ids import SHOWN_AS, record_id
from unified_cli.sandbox.data.relations import CHILDREN, FAMILIES, FOLLOWS, seldom, target
from unified_cli.sandbox.data.seeded_random import SeededRandom, born, moment

_PEOPLE = {"users": STAFF, "me": STAFF, "contacts": CUSTOMERS, "candidates": CANDIDATES}
_KEPT = 4096
# Assumption: every record has these but those the service publishes without an id.
_ALWAYS = (KnownField("id"), KnownField("name"), KnownField("created_at"), KnownField("updated_at"))
_UNKNOWN_PERSON = (KnownField("first_name"), KnownField("last_name"), KnownField("emails", "array"))
NAMELESS = frozenset({"availability", "utilization"})


class World:
    """Everything a connection has at the start, made when it is read."""

    def __init__(self, seed: str, connection: str, counts: Mapping[tuple[str, str], int]) -> None:
        self._seed = f"{seed}/{connection}"
        self._counts = counts
        self._titles: dict[tuple[str, str, int], str] = {}
        self._texts: dict[tuple[str, str, int], str] = {}
        self._plans: dict[tuple[str, str], dict[str, tuple[KnownField, str]]] = {}

    def count(self, api: str, resource: str) -> int:
        """How many records of a resource there are."""
        return self._counts.get((api, resource), vocabulary.count(api, resource))

    def record(self, api: str, resource: str, number: int) -> dict[str, Any]:
        """Record 1, 2, … of a resource as a JSON object."""
        resource = SHOWN_AS.get(resource, resource)
        dice = SeededRandom(self._seed, api, resource, number)
        made = born(dice)
        who = self._person(api, resource, number)
        spot = RecordContext(
            self._seed, api, resource, number, dice, made, who, self._title(api, resource, number, who)
        )
        record = {name: self._value(spot, field, to) for name, (field, to) in self._plan(api, resource).items()}
        arrange = ARRANGE.get((api, resource))
        if arrange is not None:
            record.update(arrange(spot, record))
        return record

    def text(self, api: str, resource: str, number: int) -> str:
        """Record 1, 2, … as JSON text; the last few thousand are kept."""
        place = (api, resource, number)
        text = self._texts.get(place)
        if text is None:
            if len(self._texts) >= _KEPT:
                self._texts.clear()
            text = self._texts[place] = dump(self.record(api, resource, number))
        return text

    def _link(self, api: str, resource: str, name: str, number: int, dice: SeededRandom | None = None) -> int | None:
        """The number of the record that a field of record `number` points at; None where it points at nothing."""
        place = (api, resource, name)
        if place in FOLLOWS:
            first, between, second = FOLLOWS[place]
            middle = self._link(api, resource, first, number, dice)
            return middle and self._link(api, between, second, middle)
        _, to = self._plan(api, resource)[name]
        size = self.count(api, to)
        if size == 0:
            return None
        if family := FAMILIES.get(place):
            return (number - 1) // family % size + 1
        dice = dice or SeededRandom(self._seed, api, resource, number)
        if seldom(name):
            size = min(size, number - 1) if to == resource else size
            if size == 0 or not dice.one_in(f"has {name}", 4):
                return None
        if place == ("ats", "applications", "current_stage"):
            job = self._link(api, resource, "job", number, dice) or 1
            stages = FAMILIES["ats", "job_interview_stages", "job"]
            return (job - 1) * stages % size + 1 + dice.below(name, stages)
        return dice.below(name, size) + 1

    def _plan(self, api: str, resource: str) -> dict[str, tuple[KnownField, str]]:
        """The fields of a resource's records by name, each with the resource it points at, if any."""
        plan = self._plans.get((api, resource))
        if plan is None:
            fields = known(api, resource).fields or (_UNKNOWN_PERSON if resource in _PEOPLE else ())
            has = {field.name for field in fields}
            if resource not in NAMELESS:
                # Where anything is known, a name is not made up; its place is behind the id.
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
            domain = company((number - 1) // FAMILIES["ticketing", "contacts", "account_id"] % 60 + 1).domain
        return person(self._seed, group, number, domain)

    def _title(self, api: str, resource: str, number: int, who: Person | None) -> str:
        if who is not None:
            return who.name
        if resource == "accounts":
            return company(number).name
        named = vocabulary.title(api, resource, number)
        return (
            named
            if named is not None
            else self._made_up(SeededRandom(self._seed, api, resource, number), resource, number)
        )

    @staticmethod
    def _made_up(dice: SeededRandom, resource: str, number: int) -> str:
        if resource in ("attachments", "files"):
            return file_name(dice)
        if resource in ("tickets", "emails", "pull-requests", "activities"):
            return f"{dice.pick('trouble', vocabulary.TROUBLES)} {dice.pick('thing', vocabulary.THINGS)}"
        if resource in ("events", "meetings"):
            return dice.pick("talk", vocabulary.TALKS)
        return f"{vocabulary.singular(resource).replace('_', ' ').capitalize()} {number}"

    def _value(self, spot: RecordContext, field: KnownField, to: str) -> Any:
        name = field.name
        if name == "id":
            return record_id(spot.resource, spot.number)
        if name == "remote_data":
            return self._remote(spot)
        if to:
            return self._reference(spot, field, to)
        if field.values:
            # The first word is the usual one.
            return spot.dice.pick(f"{name} else", field.values) if spot.dice.one_in(name, 3) else field.values[0]
        make = BY_NAME.get((name, field.type)) or BY_TYPE[field.type]
        return make(spot, name)

    def _reference(self, spot: RecordContext, field: KnownField, to: str) -> Any:
        if field.type == "array":
            numbers = self._several(spot, field, to)
            ids = field.name.endswith("_ids")
            return [record_id(to, n) if ids else self._pointer(spot.api, to, n) for n in numbers]
        number = self._link(spot.api, spot.resource, field.name, spot.number, spot.dice)
        if number is None:
            return None
        return self._pointer(spot.api, to, number) if field.type == "object" else record_id(to, number)

    def _several(self, spot: RecordContext, field: KnownField, to: str) -> list[int]:
        size = self.count(spot.api, to)
        child = CHILDREN.get((spot.api, spot.resource, field.name))
        if child is not None:
            family = FAMILIES[spot.api, child[0], child[1]]
            start = (spot.number - 1) * family + 1
            return [n for n in range(start, start + family) if n <= size]
        wanted = min(size, 1 + spot.dice.below(f"{field.name} length", 2))
        first = spot.dice.below(field.name, max(size, 1))
        return [(first + step) % size + 1 for step in range(wanted)]

    def _pointer(self, api: str, to: str, number: int) -> dict[str, Any]:
        place = (api, to, number)
        title = self._titles.get(place)
        if title is None:
            if len(self._titles) >= _KEPT:
                self._titles.clear()
            title = self._titles[place] = self._title(api, to, number, self._person(api, to, number))
        return {"id": record_id(to, number), "name": title}

    def _remote(self, spot: RecordContext) -> dict[str, Any]:
        own = 10_000 + spot.number
        return {
            "gid": own,
            "object": vocabulary.singular(spot.resource),
            "title": spot.title,
            "self": f"https://provider.example/v3/{spot.resource}/{own}",
            "created": moment(spot.made),
        }
