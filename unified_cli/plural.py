"""Numbers with their nouns and lists of names, as messages say them: `1 record`, `0 replies`, `a, b and 7 more`."""

from collections.abc import Sequence

_MOST_NAMED = 20


def counted(number: int, noun: str) -> str:
    """The number and the noun, in the plural unless it is one."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural(noun)}"


def all_of(number: int, noun: str) -> str:
    """All of them: `the only record`, `all 2 records`."""
    return f"the only {noun}" if number == 1 else f"all {counted(number, noun)}"


def plural(noun: str) -> str:
    """The plural of an English noun that forms it with -s or -ies."""
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"


def named(names: Sequence[str], most: int = _MOST_NAMED) -> str:
    """The names, at most so many of them, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
