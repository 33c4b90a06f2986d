"""List all groups and commands with their options and arguments."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from unified_cli.cli.flags import Flag
from unified_cli.cli.help_page import HelpPage
from unified_cli.cli.operation_options import operation_flags
from unified_cli.cli.tree import CommandGroup


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A group or command.

    `path` is empty for the program itself. `words` has the subcommands with their
    purposes. `takes` describes the arguments, as in `tree.LeafCommand`.
    """

    path: tuple[str, ...]
    words: Sequence[tuple[str, str]]
    takes: Sequence[str]
    page: HelpPage

    @property
    def flags(self) -> Sequence[Flag]:
        """The options of the command, without --help."""
        return self.page.flags


def command_entries(program: Any) -> list[CommandEntry]:
    """Return all groups and commands of the program, parents first."""
    return [*_walk(program, ())]


def _walk(command: Any, path: tuple[str, ...]) -> Iterator[CommandEntry]:
    takes = () if isinstance(command, CommandGroup) else command.takes
    words = [(name, stub.about) for name, stub in command.listed.items()]
    yield CommandEntry(path, words, takes, command.page())
    for name, stub in command.listed.items():
        yield from _walk(stub.build(), (*path, name))


def all_flags(entries: Sequence[CommandEntry]) -> dict[str, Flag]:
    """Return all options by spelling. Raises ValueError if two options have the same
    spelling.
    """
    result: dict[str, Flag] = {}
    for entry in entries:
        for flag in entry.flags:
            for spelling in flag.spellings:
                other = result.setdefault(spelling, flag)
                if other.takes_value != flag.takes_value or other.takes != flag.takes:
                    raise ValueError(
                        f"{spelling} of {' '.join(entry.path)!r} takes another value than elsewhere"
                    )
    return result


def options(entries: Sequence[CommandEntry]) -> list[tuple[Flag, Sequence[str]]]:
    """Return every option once, by group, with the built-in commands that take it.

    An option of operations has no commands.
    """
    commands: dict[Flag, list[str]] = {flag: [] for flag in operation_flags()}
    for entry in entries:
        for flag in entry.flags:
            if flag not in operation_flags():
                commands.setdefault(flag, []).append(" ".join(entry.path))
    groups = list(dict.fromkeys(flag.group for flag in commands))
    return sorted(commands.items(), key=lambda item: groups.index(item[0].group))
