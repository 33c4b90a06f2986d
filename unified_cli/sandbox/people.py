"""Generate people and companies from numbers, for all APIs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from unified_cli.sandbox.seeded_random import SeededColumns, SeededRandom
from unified_cli.sandbox.vocabulary import CHILDREN_PER_PARENT, TABLES

_FIRST: Sequence[str] = TABLES["first_names"]
_LAST: Sequence[str] = TABLES["last_names"]
_TITLES: Sequence[str] = TABLES["job_titles"]
_COMPANIES: Sequence[str] = TABLES["companies"]
_TOWNS: Sequence[str] = TABLES["towns"]
_SKIPPED = re.compile("[^a-z0-9]")
_PLAIN = str.maketrans("äöüßøłéèíóñçëôã", "aousoleeionceoa")

STAFF_DOMAIN = "northwind.example"
STAFF, CUSTOMERS, CANDIDATES = "staff", "customers", "candidates"
_CUSTOMERS_PER_COMPANY = CHILDREN_PER_PARENT["ticketing", "contacts", "account_id"]
_CUSTOMER_COMPANIES = 60


class Person(NamedTuple):
    """A person with a name, an address and a job."""

    first: str
    last: str
    email: str
    username: str
    title: str
    phone: str
    town: str

    @property
    def name(self) -> str:
        """The whole name."""
        return f"{self.first} {self.last}"


@dataclass(frozen=True, slots=True)
class Company:
    """A customer's company."""

    name: str
    domain: str


@lru_cache(1024)
def company(number: int) -> Company:
    """Return the company with this number. After the first twenty, names repeat with a
    number.
    """
    turn, place = divmod(number - 1, len(_COMPANIES))
    name = _COMPANIES[place] + (f" {turn + 1}" if turn else "")
    return Company(name, f"{_plain(name)}.example")


def people(seed: str, group: str, numbers: Sequence[int]) -> list[Person]:
    """Return the people with these numbers in a group.

    The people are the same in all APIs, and have unique email addresses.
    """
    group_random, first_of, last_of = _group(seed, group)
    random = SeededColumns(group_random.keys(numbers))
    described = zip(
        numbers,
        random.pick("title", _TITLES),
        random.below("phone", 10_000),
        random.pick("town", _TOWNS),
        strict=True,
    )
    result = []
    for number, title, phone, town in described:
        first, last = (number - 1 + first_of) % len(_FIRST), (number - 1 + last_of) % len(_LAST)
        # The lengths of the two lists have no common factor, so names repeat only after
        # all combinations were used.
        turn = (number - 1) // (len(_FIRST) * len(_LAST))
        username = f"{_FIRST_PLAIN[first]}.{_LAST_PLAIN[last]}{turn + 1 if turn else ''}"
        email, line = (
            f"{username}@{_domain(group, number)}",
            f"+1-555-{number % 900 + 100:03d}-{phone:04d}",
        )
        result.append(Person(_FIRST[first], _LAST[last], email, username, title, line, town))
    return result


def full_names(seed: str, group: str, numbers: Sequence[int]) -> list[str]:
    """Return the full names of people 1, 2, … of a group."""
    _, first, last = _group(seed, group)
    return [
        f"{_FIRST[(number - 1 + first) % len(_FIRST)]} {_LAST[(number - 1 + last) % len(_LAST)]}"
        for number in numbers
    ]


def _domain(group: str, number: int) -> str:
    """Return the domain of a person's email address. For a customer, this is the domain
    of the company.
    """
    if group == CUSTOMERS:
        return company((number - 1) // _CUSTOMERS_PER_COMPANY % _CUSTOMER_COMPANIES + 1).domain
    return STAFF_DOMAIN if group == STAFF else "mail.example"


@lru_cache(64)
def _group(seed: str, group: str) -> tuple[SeededRandom, int, int]:
    """Return the random numbers of a group of people.

    Also returns the positions of its first and last names.
    """
    random = SeededRandom.from_words(seed, group)
    return random, random.below("first", len(_FIRST)), random.below("last", len(_LAST))


def _plain(text: str) -> str:
    return _SKIPPED.sub("", text.lower().translate(_PLAIN))


_FIRST_PLAIN = [_plain(name) for name in _FIRST]
_LAST_PLAIN = [_plain(name) for name in _LAST]
