"""Generate records together, and the values that their fields depend on."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache

from unified_cli.catalogue.model import FILE_RESOURCES
from unified_cli.sandbox import people, vocabulary
from unified_cli.sandbox.people import CANDIDATES, CUSTOMERS, STAFF, Person, company
from unified_cli.sandbox.seeded_random import SeededColumns, SeededRandom, timestamps
from unified_cli.sandbox.vocabulary import TABLES, id_prefix
from unified_cli.values import JsonObject

PEOPLE = {"users": STAFF, "me": STAFF, "contacts": CUSTOMERS, "candidates": CANDIDATES}
"""The group of people that the records of a resource belong to."""

_KEPT = 4096

Pointers = dict[int | None, JsonObject | None]
"""References (id and title) to the records of a resource, by number. The number None
has no reference.
"""


class SeededConnection:
    """A connection to generate records for: its seed, and the number of records of each
    resource.

    Caches shared values.
    """

    def __init__(self, seed: str, counts: Mapping[tuple[str, str], int]) -> None:
        self.seed = seed
        self._counts = counts
        self._pointers: dict[tuple[str, str], Pointers] = {}
        self._people: dict[str, dict[int, Person]] = {}

    def count(self, api: str, resource: str) -> int:
        """Return the number of records of a resource."""
        return self._counts.get((api, resource), vocabulary.count(api, resource))

    def pointers(self, api: str, resource: str, numbers: Sequence[int | None]) -> Pointers:
        """Return the pointers to these records of a resource. The result may include
        more.
        """
        cached = self._pointers.get((api, resource))
        if cached is None or len(cached) > _KEPT:
            # Create a new dict, because another thread may be reading the old one.
            cached = self._pointers[api, resource] = {None: None}
        missing = [number for number in {*numbers} if number not in cached and number is not None]
        if missing:
            prefix, titles = id_prefix(resource), RecordBatch(self, api, resource, missing).titles
            for number, title in zip(missing, titles, strict=True):
                cached[number] = {"id": f"{prefix}{number}", "name": title}
        return cached

    def people(self, group: str, numbers: Sequence[int]) -> list[Person]:
        """Return the people with these numbers in a group."""
        cached = self._people.get(group)
        if cached is None or len(cached) > _KEPT:
            cached = self._people[group] = {}
        missing = [number for number in {*numbers} if number not in cached]
        if missing:
            cached.update(zip(missing, people.people(self.seed, group, missing), strict=True))
        return [cached[number] for number in numbers]


class RecordBatch:
    """Several records of a resource, which are generated together. The lists of this
    class have one value for each record.
    """

    def __init__(
        self, connection: SeededConnection, api: str, resource: str, numbers: Sequence[int]
    ) -> None:
        self.connection = connection
        self.api, self.resource = api, resource
        self.numbers = numbers

    @cached_property
    def random(self) -> SeededColumns:
        """The random numbers of the records."""
        return SeededColumns(
            SeededRandom.from_words(self.connection.seed, self.api, self.resource).keys(
                self.numbers
            )
        )

    @cached_property
    def created(self) -> list[int]:
        """When the records were created, in seconds since 1970."""
        return self.random.creation_times()

    @cached_property
    def created_at(self) -> list[str]:
        """When the records were created, in the service's format."""
        return timestamps(self.created)

    @cached_property
    def files(self) -> list[tuple[str, str]]:
        """Name and content type of the records' files."""
        return self.random.pick("file", TABLES["files"])

    @cached_property
    def people(self) -> list[Person]:
        """The people that the records describe, if any."""
        if (self.api, self.resource) == ("conferencing", "attendees"):
            # Of three people, two are colleagues and one is a guest.
            both = (self.connection.people(group, self.numbers) for group in (STAFF, CUSTOMERS))
            return [
                guest if n % 3 == 0 else staff
                for n, staff, guest in zip(self.numbers, *both, strict=True)
            ]
        group = PEOPLE.get(self.resource)
        return self.connection.people(group, self.numbers) if group else []

    @cached_property
    def titles(self) -> list[str]:
        """The titles of the records, or the names of people."""
        group = PEOPLE.get(self.resource)
        if group:
            return people.full_names(self.connection.seed, group, self.numbers)
        return [person.name for person in self.people] or _titles(self.api, self.resource)(self)

    def related(self, resource: str, numbers: Sequence[int]) -> "RecordBatch":
        """Return records of another resource of this API and connection."""
        return RecordBatch(self.connection, self.api, resource, numbers)

    def count(self, resource: str) -> int:
        """Return the number of records of another resource of the same API."""
        return self.connection.count(self.api, resource)

    def pointers(self, resource: str, numbers: Sequence[int | None]) -> Pointers:
        """Return the pointers to records of another resource. The result may include
        more.
        """
        return self.connection.pointers(self.api, resource, numbers)


@lru_cache(256)
def _titles(api: str, resource: str) -> Callable[[RecordBatch], list[str]]:
    """Return a function that returns titles for records other than people."""
    if resource == "accounts":
        return lambda batch: [company(number).name for number in batch.numbers]
    names = vocabulary.names(api, resource)
    if names:
        return lambda batch: [vocabulary.in_turn(names, number) for number in batch.numbers]
    if resource in FILE_RESOURCES:
        return lambda batch: [name for name, _ in batch.files]
    if resource in ("tickets", "emails", "pull-requests", "activities"):
        return _troubles
    if resource in ("events", "meetings"):
        return lambda batch: batch.random.pick("talk", TABLES["meetings"])
    word = vocabulary.singular(resource).replace("_", " ").capitalize()
    return lambda batch: [f"{word} {number}" for number in batch.numbers]


def _troubles(batch: RecordBatch) -> list[str]:
    random = batch.random
    problems, products = (
        random.pick("trouble", TABLES["problems"]),
        random.pick("thing", TABLES["products"]),
    )
    return [f"{problem} {product}" for problem, product in zip(problems, products, strict=True)]
