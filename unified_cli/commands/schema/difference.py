"""The differences between the expected and the observed shape."""

from collections.abc import Iterator
from enum import Enum
from math import sqrt
from typing import NamedTuple, Self

from unified_cli.commands.schema.shape import ANY, ShapeNode, step

_SURE = 1.959964
"""95 % of a normal distribution are within this many standard deviations of the
mean.
"""
_FEWEST = 30
"""Shares are only compared if there are at least this many records."""


class ShapeChange(Enum):
    """Every kind of difference.

    A `strict` kind is a failure only with `--strict`. Any other kind always is.
    """

    about: str
    strict: bool

    # `Enum` requires these names.
    def __new__(cls, value: str, about: str, strict: bool) -> Self:  # noqa: D102
        member = object.__new__(cls)
        member._value_ = value
        member.about, member.strict = about, strict
        return member

    LOST_PATH = "lost-path", "a path that is in no record any more", False
    OTHER_TYPE = "other-type", "a type that the path did not have", False
    NEW_PATH = "new-path", "a path that was not there", True
    NEW_VALUE = "new-value", "a value that the enumeration did not have", True
    PRESENT_SHARE = "present-share", "the share of records with the path has changed", True
    NULL_SHARE = "null-share", "the share of null has changed", True


class ShapeDifference(NamedTuple):
    """A difference at a path: the expected and the observed value."""

    kind: ShapeChange
    path: str
    before: str
    now: str


def compare(before: ShapeNode, now: ShapeNode, path: str = "") -> Iterator[ShapeDifference]:
    """Yield the differences at a path, and below it."""
    if (other := now.kinds - _allowed(before)) and before.kinds:
        yield ShapeDifference(ShapeChange.OTHER_TYPE, path, _listed(before.kinds), _listed(other))
    nulls = (before.counts["null"], before.seen), (now.counts["null"], now.seen)
    if before.counted and _differ(*nulls):
        yield ShapeDifference(ShapeChange.NULL_SHARE, path, *map(_percent, nulls))
    if before.values is not None and now.values and (new := now.values - before.values):
        yield ShapeDifference(ShapeChange.NEW_VALUE, path, _listed(before.values), _listed(new))
    yield from _members(before, now, path)
    if before.items is not None and now.items is not None:
        yield from compare(before.items, now.items, f"{path}[]")


def _members(before: ShapeNode, now: ShapeNode, path: str) -> Iterator[ShapeDifference]:
    objects = now.counts["object"]
    for name, member in before.members.items():
        inner = _inner(path, step(name))
        other = now.members.get(name)
        if other is not None:
            yield from _member_differences(before, member, now, other, inner)
        elif _is_lost(before, member, now):
            was = _percent(_present_and_total(before, member)) if member.counted else "known"
            yield ShapeDifference(ShapeChange.LOST_PATH, inner, was, f"in none of {objects}")
    if before.others is not None:
        if now.others is not None:
            yield from _member_differences(
                before, before.others, now, now.others, _inner(path, ANY)
            )
        return
    # If the expected schema has no members, it allows any.
    for name in now.members.keys() - before.members.keys() if before.members else ():
        found = _listed(now.members[name].kinds or {"null"})
        yield ShapeDifference(ShapeChange.NEW_PATH, _inner(path, step(name)), "", found)
    if before.members and now.others is not None:
        yield ShapeDifference(
            ShapeChange.NEW_PATH, _inner(path, ANY), "", _listed(now.others.kinds or {"null"})
        )


def _member_differences(
    before: ShapeNode, member: ShapeNode, now: ShapeNode, other: ShapeNode, inner: str
) -> Iterator[ShapeDifference]:
    if member.counted and before.counted and None not in {member.present, other.present}:
        shares = _present_and_total(before, member), _present_and_total(now, other)
        if _differ(*shares):
            yield ShapeDifference(ShapeChange.PRESENT_SHARE, inner, *map(_percent, shares))
    yield from compare(member, other, inner)


def _inner(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _present_and_total(node: ShapeNode, member: ShapeNode) -> tuple[int, int]:
    return member.present or 0, node.counts["object"]


def _allowed(node: ShapeNode) -> frozenset[str]:
    return node.kinds | {"integer"} if "number" in node.kinds else node.kinds


def _is_lost(before: ShapeNode, member: ShapeNode, now: ShapeNode) -> bool:
    """Return whether a member is missing by more than chance.

    This is the case if its expected share is above the upper limit for a member that
    was never observed.
    """
    objects = now.counts["object"]
    if not objects or now.others is not None:
        return False
    if not (member.counted and before.counted):
        return True
    present, total = _present_and_total(before, member)
    return present > 0 and total > 0 and present / total > wilson_interval(0, objects)[1]


def _differ(before: tuple[int, int], now: tuple[int, int]) -> bool:
    """Return whether two shares differ by more than chance.

    This is the case if each share is outside the confidence interval of the other.
    """
    (one, of_one), (two, of_two) = before, now
    if min(of_one, of_two) < _FEWEST or one * of_two == two * of_one:
        return False
    return not (
        _within(one / of_one, wilson_interval(two, of_two))
        or _within(two / of_two, wilson_interval(one, of_one))
    )


def _within(share: float, interval: tuple[float, float]) -> bool:
    return interval[0] <= share <= interval[1]


def wilson_interval(number: int, total: int) -> tuple[float, float]:
    """Return the 95 % confidence interval (Wilson's score) of a share."""
    share, square = min(1.0, number / total), _SURE**2
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = (
        _SURE * sqrt(share * (1 - share) / total + square / (4 * total**2)) / (1 + square / total)
    )
    return max(0.0, middle - half), min(1.0, middle + half)


def _percent(share: tuple[int, int]) -> str:
    return f"{100 * share[0] / share[1]:.3g} % of {share[1]}" if share[1] else "known"


def _listed(names: frozenset[str] | set[str]) -> str:
    return ", ".join(sorted(names))
