"""Rank the operations that a search finds."""

import re
from collections.abc import Collection

from unified_cli.catalogue.model import STANDARD, Operation

_WORD = re.compile(r"[a-z0-9]+")
_SHORTEST = 3


def words_of(text: str) -> list[str]:
    """Return the words of a text, each without its plural ending."""
    return [stem(word) for word in _WORD.findall(text.lower())]


def stem(word: str) -> str:
    """Return the word without its plural ending."""
    return (
        word[:-1]
        if len(word) > _SHORTEST and word.endswith("s") and not word.endswith("ss")
        else word
    )


def rank(operation: Operation, wanted: Collection[str]) -> tuple[float, bool]:
    """Return how well an operation fits the `wanted` words; the higher, the better.

    The first value is the share of the words in the resource's name that are wanted. It
    ignores words such as `list`. The second is whether all words of the operation's
    name are wanted.
    """
    resource, names = words_of(operation.resource), {*wanted} - {*STANDARD}
    return sum(word in names for word in resource) / len(resource), {*words_of(operation.name)} <= {
        *wanted
    }
