"""Built-in commands as values: what each takes, what its page says, and the function that runs it."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Generic, NamedTuple, TypeVar

from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.flags import Argument, Flag, Options

OptionsT = TypeVar("OptionsT", bound=Options)
ABOUT = "{about}"
"""In the text of a command: its line in the list of commands."""


class Later(NamedTuple):
    """What a module holds under a name, `MODULE:NAME`; the module is imported when it is needed."""

    where: str

    def load(self) -> Any:
        """What it is."""
        module, _, name = self.where.partition(":")
        return getattr(import_module(module), name)


class Command(NamedTuple, Generic[OptionsT]):
    """A command: the class of its options, the function that runs it, and what its page says.

    `examples` are command lines, one a line; `sections` follow them, or hold them, as in `HelpPage`. `flags` and
    `arguments` select some of the class's, None takes all; `takes` says what the arguments are where that depends on
    the whole program.
    """

    options: type[OptionsT]
    run: Callable[[CommandContext, OptionsT], None] | Later
    usage: str = "[options]"
    text: Sequence[str] = (f"{ABOUT}.",)
    examples: str = ""
    sections: Sequence[tuple[str, Sequence[tuple[str, str]] | str]] = ()
    flags: Sequence[Flag] | None = None
    arguments: Sequence[Argument] | None = None
    takes: Callable[[CommandContext], Sequence[str]] | None = None


class Group(NamedTuple):
    """A group of commands, each a `kind` of thing, with what its page says."""

    text: str
    example: str
    commands: "Mapping[str, Entry]"
    kind: str = "command"


class Entry(NamedTuple):
    """A command or a group in a list of commands, with its line there."""

    about: str
    command: Command[Any] | Group | Later
