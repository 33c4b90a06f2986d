"""Records that are generated together, and what the values of their fields may depend on."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache

from unified_cli.json_text.values import JsonObject
from unified_cli.sandbox.data import people, vocabulary
from unified_cli.sandbox.data.people import CANDIDATES, CUSTOMERS, STAFF, STAFF_DOMAIN, Person, company
from unified_cli.sandbox.data.record_ids import id_prefix
from unified_cli.sandbox.data.relations import CHILDREN_PER_PARENT
from unified_cli.sandbox.data.seeded_columns import SeededColumns
from unified_cli.sandbox.data.seeded_random import SeededRandom, timestamps

PEOPLE = {"users": STAFF, "me": STAFF, "contacts": CUSTOMERS, "candidates": CANDIDATES}
"""The group that the people of a resource belong to."""

_KEPT = 4096
_CONTACTS_PER_ACCOUNT = CHILDREN_PER_PARENT["ticketing", "contacts", "account_id"]
_COMPANIES = 60

Pointers = dict[int | None, JsonObject | None]
"""Pointers to the records of a resource, id and title, by number; nothing for no number."""


class SeededConnection:
    """A connection that records are generated for: its seed, and how many records each resource has."""

    def __init__(self, seed: str, counts: Mapping[tuple[str, str], int]) -> None:
        self.seed = seed
        self._counts = counts
        self._pointers: dict[tuple[str, str], Pointers] = {}

    def count(self, api: str, resource: str) -> int:
        """How many records of a resource there are."""
        return self._counts.get((api, resource), vocabulary.count(api, resource))

    def pointers(self, api: str, resource: str, numbers: Sequence[int | None]) -> Pointers:
        """The pointers to these records of a resource, among others; the last few thousand are kept."""
        kept = self._pointers.setdefault((api, resource), {None: None})
        if len(kept) > _KEPT:
            # A new one, because another thread may be reading this one.
            kept = self._pointers[api, resource] = {None: None}
        missing = [number for number in {*numbers} if number is not None and number not in kept]
        if missing:
            prefix, titles = id_prefix(resource), RecordBatch(self, api, resource, missing).titles
            for number, title in zip(missing, titles, strict=True):
                kept[number] = {"id": f"{prefix}{number}", "name": title}
        return kept


class RecordBatch:
    """Records 1, 2, … of a resource that are generated together; every list has one value for each of them."""

    def __init__(self, connection: SeededConnection, api: str, resource: str, numbers: Sequence[int]) -> None:
        self.connection = connection
        self.api, self.resource = api, resource
        self.numbers = numbers

    @cached_property
    def random(self) -> SeededColumns:
        """Their random numbers."""
        return SeededColumns(SeededRandom.of(self.connection.seed, self.api, self.resource), self.numbers)

    @cached_property
    def created(self) -> list[int]:
        """When they were created, in seconds since 1970."""
        return self.random.creation_times()

    @cached_property
    def created_at(self) -> list[str]:
        """The same as the service writes times."""
        return timestamps(self.created)

    @cached_property
    def files(self) -> list[tuple[str, str]]:
        """Name and content type of their files."""
        return self.random.pick("file", vocabulary.FILES)

    @cached_property
    def people(self) -> list[Person]:
        """The people whom they describe; none of a resource that describes nobody."""
        group_of = _groups(self.api, self.resource)
        return [_person(self.connection.seed, group_of(number), number) for number in self.numbers] if group_of else []

    @cached_property
    def titles(self) -> list[str]:
        """Their titles; of a person the name."""
        group_of = _groups(self.api, self.resource)
        if group_of:
            return [people.full_name(self.connection.seed, group_of(number), number) for number in self.numbers]
        return _titles(self.api, self.resource)(self)

    def of(self, resource: str, numbers: Sequence[int]) -> "RecordBatch":
        """Records of another resource of the same API and connection."""
        return RecordBatch(self.connection, self.api, resource, numbers)

    def count(self, resource: str) -> int:
        """How many records another resource of the same API has."""
        return self.connection.count(self.api, resource)

    def pointers(self, resource: str, numbers: Sequence[int | None]) -> Pointers:
        """The pointers to these records of another resource of the same API, among others."""
        return self.connection.pointers(self.api, resource, numbers)


def _groups(api: str, resource: str) -> Callable[[int], str] | None:
    """What gives the group of the person whom record 1, 2, … describes; None where the records describe nobody."""
    if (api, resource) == ("conferencing", "attendees"):
        # Two of three are colleagues, the third is a guest.
        return lambda number: CUSTOMERS if number % 3 == 0 else STAFF
    group = PEOPLE.get(resource)
    return None if group is None else lambda _number: group


def _person(seed: str, group: str, number: int) -> Person:
    domain = STAFF_DOMAIN if group == STAFF else "mail.example"
    if group == CUSTOMERS:
        domain = company((number - 1) // _CONTACTS_PER_ACCOUNT % _COMPANIES + 1).domain
    return people.person(seed, group, number, domain)


@lru_cache(256)
def _titles(api: str, resource: str) -> Callable[[RecordBatch], list[str]]:
    """What gives the titles of records that describe nobody."""
    if resource == "accounts":
        return lambda batch: [company(number).name for number in batch.numbers]
    names = vocabulary.names(api, resource)
    if names:
        return lambda batch: [vocabulary.in_turn(names, number) for number in batch.numbers]
    if resource in ("attachments", "files"):
        return lambda batch: [name for name, _ in batch.files]
    if resource in ("tickets", "emails", "pull-requests", "activities"):
        return _troubles
    if resource in ("events", "meetings"):
        return lambda batch: batch.random.pick("talk", vocabulary.MEETINGS)
    word = vocabulary.singular(resource).replace("_", " ").capitalize()
    return lambda batch: [f"{word} {number}" for number in batch.numbers]


def _troubles(batch: RecordBatch) -> list[str]:
    random = batch.random
    problems, products = random.pick("trouble", vocabulary.PROBLEMS), random.pick("thing", vocabulary.PRODUCTS)
    return [f"{problem} {product}" for problem, product in zip(problems, products, strict=True)]
