"""The texts and ids of the seeded records, how many there are, and which refer to
which.

`vocabulary.json` has the tables: JSON, because every process with a sandbox reads it,
and TOML takes twenty times as long.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from unified_cli.catalogue.known import KnownField, known
from unified_cli.catalogue.model import SHOWN_AS
from unified_cli.values import Json, JsonObject

TABLES: JsonObject = json.loads(Path(__file__).with_name("vocabulary.json").read_bytes())
_USUAL_COUNT = 60
NAMELESS = frozenset({"availability", "utilization"})
"""The resources whose records have neither an id nor times of their own."""
_EVERYWHERE = frozenset({"id", "name", "created_at", "updated_at"})


def count(api: str, resource: str) -> int:
    """Return how many records of a resource there are at the start."""
    found: int = TABLES["counts"].get(f"{api}/{resource}", _USUAL_COUNT)
    return found


def names(api: str, resource: str) -> Sequence[str]:
    """Return the titles that a resource's records have in turn.

    Empty if the resource has no list of names.
    """
    found: Sequence[str] = TABLES["titles"].get(f"{api}/{resource}", ())
    return found


def in_turn(words: Sequence[str], number: int) -> str:
    """Return the word of record 1, 2, ….

    When the words start again, a number is appended.
    """
    turn, place = divmod(number - 1, len(words))
    return f"{words[place]} {turn + 1}" if turn else words[place]


@lru_cache
def singular(resource: str) -> str:
    """Return the name of one record as fields spell it: `ticket` for `tickets`,
    `page_export` for `page-exports`.
    """
    word = resource.replace("-", "_")
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us")) else word


def fields_of(api: str, resource: str) -> frozenset[str]:
    """Return the names of the fields that seeded records of a resource have."""
    found = frozenset(field.name for field in known(api, resource).fields)
    return found if resource in NAMELESS else found | _EVERYWHERE


def record_id(resource: str, number: int) -> str:
    """Return the id of seeded record 1, 2, … of a resource."""
    return f"{id_prefix(resource)}{number}"


def id_prefix(resource: str) -> str:
    """Return the prefix of the ids of a resource's seeded records.

    The number of the record follows the prefix.
    """
    return f"{SHOWN_AS.get(resource, resource)}-"


def number_of(resource: str, text: str) -> int | None:
    """Return the number of the seeded record with this id, or None if it is not such an
    id.
    """
    name, _, number = text.rpartition("-")
    # `isdigit` alone would let other scripts' digits and leading zeros name the same
    # record twice.
    plain = (
        number.isascii() and number.isdigit() and len(number) < 16 and not number.startswith("0")
    )
    return int(number) if plain and name == SHOWN_AS.get(resource, resource) else None


FieldPlace = tuple[str, str, str]
"""API, resource and field."""


def _by_place(table: str) -> Mapping[FieldPlace, Json]:
    places = ((*place.split("/"), value) for place, value in TABLES[table].items())
    return {(api, resource, field): value for api, resource, field, value in places}


CHILDREN_PER_PARENT: Mapping[FieldPlace, int] = _by_place("children_per_parent")
"""Child n of this many for each parent belongs to parent (n - 1) // number + 1."""
CHILD_LISTS: Mapping[FieldPlace, tuple[str, str]] = _by_place("child_lists")
"""A parent's list of its children: the child's resource, and its field that refers to
the parent.
"""
DERIVED: Mapping[FieldPlace, tuple[str, str, str]] = _by_place("derived")
"""A reference that follows from another, as a ticket's account is the account of its
contact.

The field to follow, the resource it leads to, and the field there.
"""
# The resource that a plain `object` refers to, if the catalogue's known fields do not
# say it.
_UNDECLARED: Mapping[FieldPlace, str] = _by_place("undeclared")

# In most records these fields are empty. Otherwise they refer to a record with a lower
# number.
_RARE = ("parent", "reject")


def target(api: str, resource: str, field: KnownField) -> str | None:
    """Return the resource of the same API that a field refers to, or None if it refers
    to none.
    """
    return field.references or _UNDECLARED.get((api, resource, field.name))


def target_of(place: FieldPlace) -> str:
    """Return the resource that a known field refers to, or empty if it refers to
    none.
    """
    api, resource, name = place
    return next(
        (
            target(api, resource, field) or ""
            for field in known(api, resource).fields
            if field.name == name
        ),
        "",
    )


def rarely_set(field: str) -> bool:
    """Return whether most records have nothing in this field."""
    return field.startswith(_RARE)
