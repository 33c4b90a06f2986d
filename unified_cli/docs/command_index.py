"""Everything that can be typed, as data: each level of the program with its words, options and arguments."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from unified_cli.cli.flags import Flag
from unified_cli.cli.help_page import HelpPage
from unified_cli.cli.options import FLAGS
from unified_cli.cli.tree import CommandGroup


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """Where a command line can be: `words` that may follow, each with what it is for; a command has none.

    `path` is empty for the program itself. `takes` says what the arguments are, as `tree.leaf` has it.
    """

    path: tuple[str, ...]
    words: Sequence[tuple[str, str]]
    takes: Sequence[str]
    page: HelpPage

    @property
    def flags(self) -> Sequence[Flag]:
        """The options that may stand here, beside --help."""
        return self.page.flags


def places(program: Any) -> list[CommandEntry]:
    """All places of the program, given as the command it is; parents before their children."""
    return [*_walk(program, ())]


def _walk(command: Any, path: tuple[str, ...]) -> Iterator[CommandEntry]:
    if not isinstance(command, CommandGroup):
        yield CommandEntry(path, (), command.takes, command.page())
        return
    yield CommandEntry(path, [(name, entry.about) for name, entry in command.entries.items()], (), command.page())
    for name, entry in command.entries.items():
        yield from _walk(entry.build(), (*path, name))


def all_flags(there: Sequence[CommandEntry]) -> dict[str, Flag]:
    """Every option by each of its spellings. Raises ValueError where a spelling means two things."""
    found: dict[str, Flag] = {}
    for place in there:
        for flag in place.flags:
            for spelling in flag.spellings:
                other = found.setdefault(spelling, flag)
                if other.takes_value != flag.takes_value or other.takes != flag.takes:
                    raise ValueError(f"{spelling} of {' '.join(place.path)!r} takes another value than elsewhere")
    return found


def options(there: Sequence[CommandEntry]) -> list[tuple[Flag, Sequence[str]]]:
    """Every option once, group by group, with the built-in commands that alone have it: none for an operation's."""
    homes: dict[Flag, list[str]] = {flag: [] for flag in FLAGS}
    for place in there:
        for flag in place.flags:
            if flag not in FLAGS:
                homes.setdefault(flag, []).append(" ".join(place.path))
    groups = list(dict.fromkeys(flag.group for flag in homes))
    return sorted(homes.items(), key=lambda item: groups.index(item[0].group))
