"""Write numbers, names and ages: `1 record`, `a, b and 7 more`, `2 h ago`."""

from collections.abc import Sequence

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_MONTH, _YEAR = 30 * _DAY, 365 * _DAY


def counted(number: int, noun: str) -> str:
    """Return the number and the noun, in the plural if needed."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural(noun)}"


def all_of(number: int, noun: str) -> str:
    """Return a phrase for all things of a kind: `the only record` or `all 2
    records`.
    """
    return f"the only {noun}" if number == 1 else f"all {counted(number, noun)}"


def plural(noun: str) -> str:
    """Return the plural of an English noun that takes -s or -ies."""
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"


def named(names: Sequence[str], most: int | None = None) -> str:
    """Return the names as one text.

    With `most`, the text has at most this many names, and then the number of the
    others.
    """
    more = f" and {len(names) - most} more" if most is not None and len(names) > most else ""
    return ", ".join(names[:most]) + more


def ago(seconds: float) -> str:
    """Return an age in words: `12 min ago`, `3 days ago`.

    A time in the future is `in 2 h`.
    """
    passed = abs(seconds)
    if passed < _MINUTE:
        return "just now"
    if passed < _HOUR:
        age = f"{passed // _MINUTE:.0f} min"
    elif passed < _DAY:
        age = f"{passed // _HOUR:.0f} h"
    else:
        age = next(
            counted(int(passed // length), unit)
            for length, unit in ((_YEAR, "year"), (_MONTH, "month"), (_DAY, "day"))
            if passed >= length
        )
    return f"{age} ago" if seconds > 0 else f"in {age}"
