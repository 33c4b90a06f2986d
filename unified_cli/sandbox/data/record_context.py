"""What a field's value may depend on: the record that it belongs to."""

from collections.abc import Callable
from typing import NamedTuple

from unified_cli.sandbox.data import people, vocabulary
from unified_cli.sandbox.data.people import CANDIDATES, CUSTOMERS, STAFF, STAFF_DOMAIN, Person, company
from unified_cli.sandbox.data.relations import CHILDREN_PER_PARENT
from unified_cli.sandbox.data.seeded_random import SeededRandom, creation_time

PEOPLE = {"users": STAFF, "me": STAFF, "contacts": CUSTOMERS, "candidates": CANDIDATES}
"""The group that the people of a resource belong to."""

_CONTACTS_PER_ACCOUNT = CHILDREN_PER_PARENT["ticketing", "contacts", "account_id"]
_COMPANIES = 60
_Title = Callable[[int, SeededRandom], str]


class RecordContext(NamedTuple):
    """A record that is being generated; `created` is in seconds since 1970, `person` whom it describes, if anybody."""

    seed: str
    api: str
    resource: str
    number: int
    random: SeededRandom
    created: int
    person: Person | None
    title: str


class RecordContexts:
    """The contexts of the records of a resource: what depends on the resource alone is found once."""

    def __init__(self, seed: str, api: str, resource: str) -> None:
        self._seed, self._api, self._resource = seed, api, resource
        self._random = SeededRandom.of(seed, api, resource)
        self._group = PEOPLE.get(resource)
        self._attendees = (api, resource) == ("conferencing", "attendees")
        self._title_of = _titles(api, resource)

    def record(self, number: int) -> RecordContext:
        """The context of record 1, 2, … of the resource."""
        random = self._random.numbered(number)
        person = self._person(number)
        title = person.name if person else self._title_of(number, random)
        return RecordContext(
            self._seed, self._api, self._resource, number, random, creation_time(random), person, title
        )

    def title(self, number: int) -> str:
        """The title of record 1, 2, … of the resource."""
        group = self._group_of(number)
        if group:
            return people.full_name(self._seed, group, number)
        return self._title_of(number, self._random.numbered(number))

    def _group_of(self, number: int) -> str | None:
        if self._attendees:
            # Two of three are colleagues, the third is a guest.
            return CUSTOMERS if number % 3 == 0 else STAFF
        return self._group

    def _person(self, number: int) -> Person | None:
        group = self._group_of(number)
        if group is None:
            return None
        domain = STAFF_DOMAIN if group == STAFF else "mail.example"
        if group == CUSTOMERS:
            domain = company((number - 1) // _CONTACTS_PER_ACCOUNT % _COMPANIES + 1).domain
        return people.person(self._seed, group, number, domain)


def _titles(api: str, resource: str) -> _Title:
    """What gives the title of a record that describes nobody."""
    if resource == "accounts":
        return lambda number, _random: company(number).name
    names = vocabulary.names(api, resource)
    if names:
        return lambda number, _random: vocabulary.in_turn(names, number)
    if resource in ("attachments", "files"):
        return lambda _number, random: random.pick("file", vocabulary.FILES)[0]
    if resource in ("tickets", "emails", "pull-requests", "activities"):
        return lambda _number, random: (
            f"{random.pick('trouble', vocabulary.PROBLEMS)} {random.pick('thing', vocabulary.PRODUCTS)}"
        )
    if resource in ("events", "meetings"):
        return lambda _number, random: random.pick("talk", vocabulary.MEETINGS)
    word = vocabulary.singular(resource).replace("_", " ").capitalize()
    return lambda number, _random: f"{word} {number}"
