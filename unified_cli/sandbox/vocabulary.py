"""Text, ids, numbers and references for the seeded records.

The tables are in `vocabulary.json`, because reading TOML would take twenty times as
long.
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
"""The resources whose records have no id and no times."""
_EVERYWHERE = frozenset({"id", "name", "created_at", "updated_at"})


def count(api: str, resource: str) -> int:
    """Return how many records of a resource are seeded."""
    result: int = TABLES["counts"].get(f"{api}/{resource}", _USUAL_COUNT)
    return result


def names(api: str, resource: str) -> Sequence[str]:
    """Return the titles for a resource's records, or an empty list.

    If there are more records than titles, the titles repeat.
    """
    result: Sequence[str] = TABLES["titles"].get(f"{api}/{resource}", ())
    return result


def in_turn(words: Sequence[str], number: int) -> str:
    """Return the word for the record with this number, beginning with 1.

    When the words repeat, the function adds a number to the word.
    """
    turn, place = divmod(number - 1, len(words))
    return f"{words[place]} {turn + 1}" if turn else words[place]


@lru_cache
def singular(resource: str) -> str:
    """Return the singular for field names: `ticket` for `tickets`, `page_export` for
    `page-exports`.
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
    """Return the prefix of a resource's seeded ids, which the number follows."""
    return f"{SHOWN_AS.get(resource, resource)}-"


def number_of(resource: str, text: str) -> int | None:
    """Return the number of the seeded record with this id, or None."""
    name, _, number = text.rpartition("-")
    # `isdigit` alone would accept digits of other scripts and leading zeros.
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
"""The number of children of each parent. Child n belongs to parent (n - 1) // number +
1.
"""
CHILD_LISTS: Mapping[FieldPlace, tuple[str, str]] = _by_place("child_lists")
"""The list fields that contain the children of a record: the resource of the children,
and their field with the parent.
"""
DERIVED: Mapping[FieldPlace, tuple[str, str, str]] = _by_place("derived")
"""References that are derived from another reference: the field to follow, the resource
that it refers to, and the field of that resource. For example, a ticket's account is
the account of its contact.
"""
# The resource for a field named `object`, if the catalogue does not name one.
_UNDECLARED: Mapping[FieldPlace, str] = _by_place("undeclared")

# Most records lack the fields whose names begin with these words. In other records, the
# field refers to a record with a lower number.
_RARE = ("parent", "reject")


def target(api: str, resource: str, field: KnownField) -> str | None:
    """Return the resource of the same API that a field refers to, or None."""
    return field.references or _UNDECLARED.get((api, resource, field.name))


def target_of(place: FieldPlace) -> str:
    """Return the resource that a known field refers to, or ""."""
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
    """Return whether most records do not have this field."""
    return field.startswith(_RARE)
