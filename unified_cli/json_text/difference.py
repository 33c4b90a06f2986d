"""Compare JSON texts path by path, without converting values, so that no digit is
lost.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.members import Parts, items, join, parts, string
from unified_cli.masking import excerpt

_NULL = b"null"
_LONGEST_VALUE = 80
_PARTS = re.compile(rb"(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?")
# Longer exponents do not occur in practice, and Python refuses very long ones.
_LONGEST_EXPONENT = 18


class ValueDifference(NamedTuple):
    """A path at which two records differ, and both values. A missing value is None."""

    path: str
    before: bytes | None
    after: bytes | None


class PathRules(NamedTuple):
    """The paths to ignore, and the paths of arrays whose order does not matter.

    A path such as `tags.name` applies to every item of `tags`, and `tags[0]` to one
    item.
    """

    ignored: frozenset[str] = frozenset()
    unordered: frozenset[str] = frozenset()


class _Place(NamedTuple):
    """The path of a value, with and without item numbers."""

    path: str = ""
    general: str = ""

    def member(self, name: str) -> "_Place":
        return (
            _Place(f"{self.path}.{name}", f"{self.general}.{name}")
            if self.path
            else _Place(name, name)
        )

    def item(self, number: int) -> "_Place":
        return _Place(f"{self.path}[{number}]", self.general)

    def is_in(self, paths: frozenset[str]) -> bool:
        return bool(paths) and (self.general in paths or self.path in paths)


_TOP = _Place()
_NO_RULES = PathRules()


def differences(
    one: bytes | None, other: bytes | None, rules: PathRules, place: _Place = _TOP
) -> Iterator[ValueDifference]:
    """Yield the differences between two values.

    Null and missing values are equal. Numbers are compared exactly.
    """
    if one == other or {one, other} <= {None, _NULL} or place.is_in(rules.ignored):
        return
    if one and other and one[:1] == other[:1] == b"{":
        these, those = parts(one) or {}, parts(other) or {}
        for name in {**these, **those}:
            yield from differences(these.get(name), those.get(name), rules, place.member(name))
    elif one and other and one[:1] == other[:1] == b"[":
        yield from _in_items(one, other, rules, place)
    elif not one or not other or canonical(one) != canonical(other):
        yield ValueDifference(place.path, one, other)


def member_differences(
    name: str, one: bytes | None, other: bytes | None, rules: PathRules
) -> Iterator[ValueDifference]:
    """Yield the differences of one member of two records."""
    yield from differences(one, other, rules, _TOP.member(name))


def _in_items(
    one: bytes, other: bytes, rules: PathRules, place: _Place
) -> Iterator[ValueDifference]:
    these, those = [bytes(item) for item in items(one)], [bytes(item) for item in items(other)]
    if place.is_in(rules.unordered):
        if sorted(canonical(item, rules, place) for item in these) != sorted(
            canonical(item, rules, place) for item in those
        ):
            yield ValueDifference(place.path, one, other)
    elif len(these) != len(those):
        yield ValueDifference(place.path, one, other)
    else:
        for number, pair in enumerate(zip(these, those, strict=True)):
            yield from differences(*pair, rules, place.item(number))


def canonical(value: bytes, rules: PathRules = _NO_RULES, place: _Place = _TOP) -> bytes:
    """Return the canonical text of a value, without ignored and null members."""
    match value[:1]:
        case b"{":
            members = sorted((parts(value) or {}).items())
            kept = [(name, text) for name, text in members if text != _NULL]
            inner = ((name, text, place.member(name)) for name, text in kept)
            found = [
                dump(name).encode() + b":" + canonical(text, rules, at)
                for name, text, at in inner
                if not at.is_in(rules.ignored)
            ]
            return b"{" + b",".join(found) + b"}"
        case b"[":
            found = [
                canonical(bytes(item), rules, place.item(number))
                for number, item in enumerate(items(value))
            ]
            return b"[" + b",".join(sorted(found) if place.is_in(rules.unordered) else found) + b"]"
        case b'"':
            return dump(string(value)).encode()
        case b"t" | b"f" | b"n":
            return value
    return _canonical_number(value)


def _canonical_number(number: bytes) -> bytes:
    """Return the canonical text of a number.

    `1.10`, `1.1` and `11e-1` become the same text, and no digits are lost.
    """
    match = _PARTS.fullmatch(number)
    if match is None or len(match[4] or b"") > _LONGEST_EXPONENT:
        return number
    sign, whole, fraction, exponent = match[1], match[2], match[3] or b"", int(match[4] or 0)
    digits = (whole + fraction).lstrip(b"0")
    if not digits:
        return b"0"
    significant = digits.rstrip(b"0")
    exponent += len(digits) - len(significant) - len(fraction)
    return sign + significant + (b"e%d" % exponent if exponent else b"")


def without_ignored(value: bytes, rules: PathRules, place: _Place = _TOP) -> bytes:
    """Return the value without the members and items at ignored paths."""
    if not rules.ignored:
        return value
    match value[:1]:
        case b"{":
            members = {
                name: (text, place.member(name)) for name, text in (parts(value) or {}).items()
            }
            return join(
                {
                    name: without_ignored(text, rules, at)
                    for name, (text, at) in members.items()
                    if not at.is_in(rules.ignored)
                }
            )
        case b"[":
            found = [(bytes(item), place.item(number)) for number, item in enumerate(items(value))]
            kept = [
                without_ignored(item, rules, at)
                for item, at in found
                if not at.is_in(rules.ignored)
            ]
            return b"[" + b",".join(kept) + b"]"
    return value


def changes(seen: Parts, now: Parts, rules: PathRules) -> list[str]:
    """Describe the changes from `seen` to `now` in the members of `seen`."""
    return [
        f"{difference.path} was {_shown(difference.before)} and is {_shown(difference.after)}"
        for name, value in seen.items()
        for difference in member_differences(name, value, now.get(name), rules)
    ]


def _shown(value: bytes | None) -> str:
    return excerpt((value or _NULL).decode("utf-8"), _LONGEST_VALUE)
