"""Whether a record that is about to be changed is still as it was seen: the rule of applied plans and of edits."""

import msgspec

from unified_cli.catalogue import Service
from unified_cli.json_text.difference import PathRules, member_differences
from unified_cli.json_text.members import Parts, parts
from unified_cli.masking import excerpt

_LONGEST_VALUE = 80
_ABSENT = b"null"


def changes(seen: Parts, now: Parts, rules: PathRules) -> list[str]:
    """What differs now from the members that were seen, in words; other members may have changed."""
    return [
        f"{one.path} was {shown(one.one)} and is {shown(one.other)}"
        for name, value in seen.items()
        for one in member_differences(name, value, now.get(name), rules)
    ]


def shown(value: bytes | None) -> str:
    """A value in a message, cut where it is long."""
    return excerpt((value or _ABSENT).decode("utf-8"), _LONGEST_VALUE)


def record_in(body: bytes, service: Service) -> Parts:
    """The members of the record in an answer, which may stand in an envelope; none where there is no record."""
    try:
        members = parts(body.strip()) or {}
        inner = members.get(service.items, b"")
        return (parts(inner) or {}) if "id" not in members and inner.startswith(b"{") else members
    except (msgspec.DecodeError, RecursionError):
        return {}
