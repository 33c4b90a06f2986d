"""The known filters and sort keys of lists: used for help, other tools and warnings.
They never limit a call.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import NamedTuple

from unified_cli.catalogue.known import KnownField
from unified_cli.catalogue.model import NOT_SENT, STANDARD, Operation, Service
from unified_cli.plural import named

# The fewest digits of seconds since 1970, for times after 1973. A number with fewer
# digits is a year or a part of a date.
_LEAST_SECONDS = 9
_COMBINED = ("and", "or")
_CLOSE = 0.7
_CLOSE_FIELD = 0.85
_MOST_NAMED = 3
# Operators that only some providers support.
_OF_SOME = ("gte", "lte", "ne")
PASSED_ON = "remote_query"
DIRECTIONS = ("asc", "desc")


# Different names for the same field, such as the title of a ticket.
_SYNONYMS = (
    ("name", "title", "subject", "summary", "headline", "label"),
    ("description", "body", "content", "text", "details", "message", "note"),
    ("email", "mail", "emails", "email_address"),
    ("assignee", "owner", "assigned_to", "assignee_id", "owner_id"),
    ("status", "state"),
)


class KnownFilters(NamedTuple):
    """The known parameters of a list: `sort_keys`, and `filters`, with or without one
    of the `operators`.
    """

    filters: tuple[KnownField, ...]
    operators: tuple[str, ...]
    sort_keys: tuple[str, ...]


def known_filters(operation: Operation, service: Service) -> KnownFilters:
    """Return the filters and sort keys of a list. For other operations, all are empty.

    Assumption: the documented filters work on every list, but a provider may ignore
    them.
    """
    if not operation.lists:
        return KnownFilters((), (), ())
    times = tuple(service.times.split())
    documented = operation.facts.query.get(operation.name, ())
    others = tuple(
        parameter for parameter in documented if parameter.name not in (*times, service.sort)
    )
    return KnownFilters((*others, *map(KnownField, times)), tuple(service.operators.split()), times)


class DoubtfulParameter(NamedTuple):
    """A parameter or field without a known effect.

    `meant` is the probable name, if any. `known` is the command that prints the known
    names, and `it` is the pronoun in the message, "it" or "them".
    """

    name: str
    reason: str
    meant: str = ""
    known: str = ""
    it: str = "it"

    @property
    def hint(self) -> str | None:
        """The suggested name, or the command that lists the names, or None."""
        if self.meant:
            return f'did you mean "{self.meant}"?'
        return f"{self.known} lists them" if self.known else None

    @property
    def message(self) -> str:
        """The problem and the hint as one text."""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.reason}: the provider may ignore {self.it}{hint}"


def find_doubtful(
    operation: Operation,
    service: Service,
    query: Iterable[tuple[str, str]],
    described: Sequence[str] | None = None,
) -> list[DoubtfulParameter]:
    """Return the parameters that a list probably does not have.

    `described` are the parameters that the connection described. An unknown name is
    reported if it is similar to a known name, or if all filters of the list are known.
    Parameters for the service itself and for the provider are never reported.
    """
    if not operation.lists:
        return []
    check = _Check(operation, service, described)
    return [found for name, value in query for found in check.flaws(name, value)]


def synonyms(name: str, known: Collection[str]) -> list[str]:
    """Return the known fields for a name that other services use."""
    return [
        other
        for group in _SYNONYMS
        if name in group and name not in known
        for other in group
        if other in known
    ]


def _slips(name: str, known: Sequence[str]) -> list[str]:
    # Compare swapped letters first, because difflib rates `nmae` and `name` no more
    # similar than `amount` and `account`.
    letters = sorted(name.removesuffix("s"))
    swapped = [
        other for other in known if other != name and sorted(other.removesuffix("s")) == letters
    ]
    return swapped[:1] or get_close_matches(name, known, 1, _CLOSE_FIELD)


def doubtful_fields(
    operation: Operation, names: Iterable[str], described: Sequence[str] = ()
) -> list[DoubtfulParameter]:
    """Return the unknown fields of a body that probably have no effect.

    `described` are the fields that the connection described. A record may have further
    fields of its provider, so only names similar to known ones are reported. An action
    such as `suspend` takes only the fields in its help, so all other names are
    reported.
    """
    if not operation.takes_body or operation.method == "DELETE":
        return []
    facts = operation.facts
    taken = facts.body.get(operation.name, ())
    # A field with a dot may be a path, which has its own warning.
    plain = [name for name in names if "." not in name]
    is_action = bool(taken) and operation.name not in STANDARD
    known = {*(field.name for field in taken), *described}
    if not is_action:
        fields = {*known, *(field.name for field in facts.fields)}
        known = {*fields, *(f"{field}_id" for field in fields), *NOT_SENT}
    meant = _of_action if is_action else _of_record
    found = {name: meant(name, sorted(known)) for name in plain if name not in known}
    doubtful = [
        DoubtfulParameter(name, f'"{name}" is not a known field of {operation.command}', *near)
        for name, near in found.items()
        if near
    ]
    rest = [name for name, near in found.items() if not near]
    if is_action and rest and not any(field.assumed for field in taken):
        doubtful.append(
            _unknown(operation, rest, "" if described else f"unified help {operation.command}")
        )
    return doubtful


def texts_for_objects(operation: Operation, names: Iterable[str]) -> list[DoubtfulParameter]:
    """Return the fields that are objects, from `names`, which a body sends as text."""
    facts = operation.facts
    known = {field.name: field for field in (*facts.fields, *facts.body.get(operation.name, ()))}
    objects = [name for name in names if name in known and known[name].type == "object"]
    members = dict(member.name.partition(".")[::2] for member in facts.members)
    return [
        DoubtfulParameter(
            name,
            f'"{name}" is an object, not a text',
            f"{name}[{members[name]}]" if name in members else known[name].parameter,
        )
        for name in objects
    ]


def _unknown(operation: Operation, names: Sequence[str], known: str) -> DoubtfulParameter:
    quotes = named([f'"{name}"' for name in names], _MOST_NAMED)
    are, it = ("are not known fields", "them") if names[1:] else ("is not a known field", "it")
    reason = f"{quotes} {are} of {operation.command}"
    return DoubtfulParameter(names[0], reason, known=known, it=it)


def _of_record(name: str, known: Sequence[str]) -> list[str]:
    # The singular of a known plural is often another field.
    if f"{name}s" in known or name.removesuffix("s") in known:
        return []
    return _slips(name, known) or synonyms(name, known)[:1]


def _of_action(name: str, known: Sequence[str]) -> list[str]:
    parts = [one for one in known if one.startswith(f"{name}_") or one.endswith(f"_{name}")]
    return parts[:1] if len(parts) == 1 else get_close_matches(name, known, 1, _CLOSE)


class _Check:
    """The known facts about the query of one list."""

    def __init__(
        self, operation: Operation, service: Service, described: Sequence[str] | None
    ) -> None:
        self._command, self._service = operation.command, service
        # If the connection described its parameters, do not refer to the help, which
        # may list other parameters.
        self._help = "" if described else f"unified help {self._command}"
        # All parameters for the service itself begin with the same word, such as
        # `truto_`.
        self._passed_on = (PASSED_ON, f"{service.exclude_fields.partition('_')[0]}_")
        filters = known_filters(operation, service)
        self._operators = (*filters.operators, *_OF_SOME)
        self._times = {
            *filters.sort_keys,
            *(parameter.name for parameter in filters.filters if parameter.is_time),
        }
        fields = [field.name for field in operation.facts.fields]
        self._sorts = {*filters.sort_keys, *fields}
        own = {service.sort, service.page_size, service.cursor, service.connection, *_COMBINED}
        references = {f"{field}_id" for field in fields}
        listed = {text.partition("[")[0] for text in described or ()}
        self._known = {
            *(parameter.name for parameter in filters.filters),
            *fields,
            *references,
            *listed,
            *own,
        }
        self._is_complete = bool(listed or operation.facts.query.get(operation.name))

    def flaws(self, name: str, value: str) -> Iterator[DoubtfulParameter]:
        base, _, inner = name.partition("[")
        inner = inner.partition("]")[0]
        if base.startswith(self._passed_on) or base in _COMBINED:
            return
        if base == self._service.sort:
            if inner and inner not in self._sorts:
                meant = get_close_matches(inner, sorted(self._sorts), 1)
                near = f"{base}[{meant[0]}]" if meant else ""
                what = f'"{inner}" is not a known sort key of {self._command}'
                yield DoubtfulParameter(name, what, near, self._help)
        elif base not in self._known:
            meant = get_close_matches(base, sorted(self._known), 1, _CLOSE)
            if meant or self._is_complete:
                what = f'"{base}" is not a known parameter of {self._command}'
                yield DoubtfulParameter(name, what, "".join(meant), self._help)
        elif base in self._times:
            yield from self._time_flaws(base, name, inner, value)

    def _time_flaws(
        self, base: str, name: str, operator: str, value: str
    ) -> Iterator[DoubtfulParameter]:
        if operator and operator not in self._operators:
            meant = get_close_matches(operator, self._operators, 1)
            near = f"{base}[{meant[0]}]" if meant else ""
            what = f'"{operator}" is not a known operator of {base}'
            yield DoubtfulParameter(name, what, near, self._help)
        elif not all(map(_is_time, value.split(","))):
            yield DoubtfulParameter(name, f"{base} takes a date such as 2026-01-31, not {value!r}")


def _is_time(text: str) -> bool:
    """Return whether the text is a time in the documented form.

    Also accepts seconds since 1970, as some providers do.
    """
    if text.isdecimal() and len(text) >= _LEAST_SECONDS:
        return True
    try:
        datetime.fromisoformat(text.strip())
    except ValueError:
        return False
    return True
