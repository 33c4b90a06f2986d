"""The people and companies that appear in every API, each computed from a number."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from unified_cli.sandbox.data.seeded_random import SeededRandom

_FIRST = (
    "Ada", "Björn", "Chiara", "Dmitri", "Élodie", "Farid", "Grace", "Hiroshi", "Inés", "Jürgen", "Keiko", "Łukasz",
    "Mónica", "Ngozi", "Oisín", "Priya", "Quentin", "Rosalind", "Søren", "Thandiwe", "Umut", "Valentina", "Wei",
    "Ximena", "Yusuf", "Zoë", "Alan", "Barbara", "Claude", "Dorothy", "Edsger",
)  # fmt: skip
_LAST = (
    "Lovelace", "Hopper", "Çelik", "Da Silva", "Eriksson", "Fernández", "García", "Hoffmann", "Ibrahim", "Jansen",
    "Kowalski", "Lindqvist", "Müller", "Nakamura", "O'Brien", "Okafor", "Petrov", "Quispe", "Rossi", "Schmidt",
    "Tanaka", "Usman", "van Dijk", "Wójcik", "Yamada", "Zhang", "Dubois", "Haddad", "Kim",
)  # fmt: skip
_TITLES = (
    "Support Engineer", "Account Manager", "Software Engineer", "Head of People", "Recruiter", "Product Manager",
    "Site Reliability Engineer", "Designer", "Data Analyst", "Customer Success Lead", "CTO", "Office Manager",
)  # fmt: skip
_COMPANIES = (
    "Acme", "Globex", "Initech", "Umbrella Café", "Hooli", "Stark & Söhne", "Wayne Logistics", "Wonka Sweets",
    "Tyrell Optics", "Soylent Foods", "Cyberdyne Tools", "Nakatomi Trading", "Gringotts Savings", "Oceanic Travel",
    "Massive Dynamic", "Vandelay Imports", "Dunder Paper", "Pied Piper", "Monsters Energy", "Aperture Labs",
)  # fmt: skip
_TOWNS = ("Berlin", "São Paulo", "Nairobi", "Osaka", "Kraków", "Austin", "Montréal", "Pune", "Malmö", "Lagos")
_SKIPPED = re.compile("[^a-z0-9]")
_PLAIN = str.maketrans("äöüßøłéèíóñçëôã", "aousoleeionceoa")

STAFF_DOMAIN = "northwind.example"
STAFF, CUSTOMERS, CANDIDATES = "staff", "customers", "candidates"


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
    """Company 1, 2, …: names repeat with a number after the first twenty."""
    turn, place = divmod(number - 1, len(_COMPANIES))
    name = _COMPANIES[place] + (f" {turn + 1}" if turn else "")
    return Company(name, f"{_plain(name)}.example")


@lru_cache(4096)
def person(seed: object, group: str, number: int, domain: str) -> Person:
    """Person 1, 2, … of a group: the same person wherever they appear, with an email address that nobody else has."""
    random, first_place, last_place = _group(seed, group)
    first, last = (number - 1 + first_place) % len(_FIRST), (number - 1 + last_place) % len(_LAST)
    # The two lengths have no common factor, so names repeat only after every pair was used.
    turn = (number - 1) // (len(_FIRST) * len(_LAST))
    username = f"{_FIRST_PLAIN[first]}.{_LAST_PLAIN[last]}{turn + 1 if turn else ''}"
    random = random.numbered(number)
    return Person(
        _FIRST[first],
        _LAST[last],
        f"{username}@{domain}",
        username,
        random.pick("title", _TITLES),
        f"+1-555-{number % 900 + 100:03d}-{random.below('phone', 10_000):04d}",
        random.pick("town", _TOWNS),
    )


def full_name(seed: object, group: str, number: int) -> str:
    """The whole name of person 1, 2, … of a group."""
    _, first, last = _group(seed, group)
    return f"{_FIRST[(number - 1 + first) % len(_FIRST)]} {_LAST[(number - 1 + last) % len(_LAST)]}"


@lru_cache(64)
def _group(seed: object, group: str) -> tuple[SeededRandom, int, int]:
    """The random numbers of a group of people, and which first and which last name its people begin with."""
    random = SeededRandom.of(seed, group)
    return random, random.below("first", len(_FIRST)), random.below("last", len(_LAST))


def _plain(text: str) -> str:
    return _SKIPPED.sub("", text.lower().translate(_PLAIN))


_FIRST_PLAIN = [_plain(name) for name in _FIRST]
_LAST_PLAIN = [_plain(name) for name in _LAST]
