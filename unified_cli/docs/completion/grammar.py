"""What completion needs to know of the program, boiled down to a few tables that a shell can hold."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from unified_cli.catalogue import STANDARD, Catalogue
from unified_cli.cli.flags import Flag
from unified_cli.docs.command_index import CommandEntry, all_flags

Words = Sequence[tuple[str, str]]
"""Words, each with what it is for."""

ANY = "*"


@dataclass(frozen=True, slots=True)
class Grammar:
    """The tables. A path is the command's words joined by blanks.

    `flags` is by pattern, in which `*` stands for any one word, the first that fits counts; `values` by spelling,
    of all options that take a value; `arguments` by path, the last one repeats.
    """

    apis: Sequence[str]
    words: Mapping[str, Words]
    flags: Sequence[tuple[str, Words]]
    values: Mapping[str, str]
    arguments: Mapping[str, Sequence[str]]
    standard: Sequence[str] = tuple(STANDARD)


def grammar(catalogue: Catalogue, there: Sequence[CommandEntry]) -> Grammar:
    """The tables of the program with this catalogue, whose places are `there`."""
    values = {spelling: _kind(flag) for spelling, flag in all_flags(there).items() if flag.takes_value}
    return Grammar(
        apis=tuple(catalogue.apis),
        words={" ".join(place.path): place.words for place in there if place.words},
        flags=[*_flags(there, catalogue)],
        values=values,
        arguments={" ".join(place.path): place.takes for place in there if any(place.takes)},
    )


def _kind(flag: Flag) -> str:
    return " ".join(flag.choices) or flag.takes


def _flags(there: Iterable[CommandEntry], catalogue: Catalogue) -> Iterable[tuple[str, Words]]:
    """The options by pattern: an exact path where it must be, the operation's name for all others of that name."""
    operations = [place for place in there if place.path[:1] and place.path[0] in catalogue.apis and not place.words]
    for place in there:
        if place.flags and place not in operations:
            yield " ".join(place.path), _spelled(place.flags)
    by_name: dict[str, list[Words]] = {}
    for place in operations:
        by_name.setdefault(place.path[-1], []).append(_spelled(place.flags))
    common = {name: _most_common(sets) for name, sets in by_name.items()}
    for place in operations:
        if (spelled := _spelled(place.flags)) != common[place.path[-1]]:
            yield " ".join(place.path), spelled
    # What an operation of a user's own catalogue takes, whose name nobody knows yet.
    action = _most_common([flags for name, flags in common.items() if name not in STANDARD])
    for name, spelled in common.items():
        if spelled != action:
            yield f"{ANY} {ANY} {name}", spelled
    yield f"{ANY} {ANY} {ANY}", action


def _spelled(flags: Iterable[Flag]) -> Words:
    return tuple((spelling, flag.about) for flag in flags for spelling in reversed(flag.spellings))


def _most_common(sets: Iterable[Words]) -> Words:
    return Counter(sets).most_common(1)[0][0]
