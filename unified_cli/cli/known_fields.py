"""Find the known fields of the operation that was typed.

Used only if a command line could not be parsed.
"""

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import Any

from unified_cli.catalogue.known import KnownField, known
from unified_cli.catalogue.known_filters import synonyms

OPERATION_WORDS = 3
"""The words of an operation: API, RESOURCE and OPERATION."""
_CLOSE_FILTER = 0.7


def facts(context: Any, part: str) -> Sequence[KnownField]:
    """Return the known fields of an operation's `query`, `body` or records."""
    path = context.command_path.split()[1:]
    if len(path) != OPERATION_WORDS:
        return ()
    facts = known(path[0], path[1])
    if part == "fields":
        return facts.fields
    return (facts.body if part == "body" else facts.query).get(path[2], ())


def field_names(context: Any) -> Collection[str]:
    """Return the names of the known fields and parameters of an operation."""
    parts = ("query", "body", "fields")
    return {fact.name for part in parts for fact in facts(context, part)}


def meant_field(context: Any, name: str) -> str:
    """Return the known field of a body that has this name in other services.

    Returns the name itself if there is no such field.
    """
    known = [fact.name for part in ("body", "fields") for fact in facts(context, part)]
    return next(iter(synonyms(name, known)), name)


def known_filter(context: Any, name: str) -> str:
    """Return the known parameter that is most similar to a name.

    Returns the name itself if it is known, or if no parameter is similar.
    """
    fields = [fact.name for part in ("query", "fields") for fact in facts(context, part)]
    is_known = name in fields or name.removesuffix("_id") in fields
    close = [] if is_known else get_close_matches(name, fields, 1, _CLOSE_FILTER)
    return close[0] if close else name
