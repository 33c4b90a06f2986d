"""Define commands: their options, help page, function and context."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from unified_cli.catalogue import Catalogue
from unified_cli.cli.flags import Argument, Flag, Options
from unified_cli.config.keys import KEYS
from unified_cli.errors import ConfigError
from unified_cli.runtime import Runtime

OptionsT = TypeVar("OptionsT", bound=Options)
ABOUT = "{about}"
"""The placeholder for the line of a command in the list of commands."""

APIS = "APIs"
"""The heading of the APIs on the first page."""
EXAMPLE = "Example"
EXAMPLES = "Examples"
"""The headings above one example and above several."""


class CommandContext(NamedTuple):
    """The runtime, the catalogue and the program for a command.

    `program` builds the tree of commands for a catalogue. `first_words` are the names
    of the APIs and commands. `again` runs another command line.
    """

    runtime: Runtime
    catalogue: Catalogue
    program: Callable[[Catalogue], Any]
    first_words: Sequence[str]
    again: Callable[[Sequence[str]], None] = lambda _: None


class Later(NamedTuple):
    """An object as `MODULE:NAME`. The module is imported when the object is needed."""

    where: str

    def load(self) -> Any:
        """Import the module, and return the object."""
        module, _, name = self.where.partition(":")
        return getattr(import_module(module), name)


class Command(NamedTuple, Generic[OptionsT]):
    """A command: the class of its options, the function that runs it, and its help
    page.

    `examples` has a command on each line. `sections` are as in `HelpPage`, and may
    contain the examples. `flags` and `arguments` select some of the options of the
    class; None means all. `takes` describes the arguments if they depend on the other
    commands. `commands` are subcommands.
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
    commands: "Mapping[str, Entry]" = MappingProxyType({})


class Group(NamedTuple):
    """A group of commands of one `kind`, and its help page."""

    text: str
    example: str
    commands: "Mapping[str, Entry]"
    kind: str = "command"


class Entry(NamedTuple):
    """A command or a group, and its line in the list of commands. An entry without a
    line is not listed.
    """

    about: str
    command: Command[Any] | Group | Later
    brief: str = ""
    """A short line for the first page."""


class CommandStub(NamedTuple):
    """A command that is not built yet: its purpose, and the function that builds it."""

    about: str
    build: Callable[[], Any]
    section: str = ""
    brief: str = ""


def yes_or_no(runtime: Runtime, given: bool, name: str) -> bool:
    """Return a setting from the flag or the environment, without reading the config
    file. Raises ConfigError.
    """
    key = KEYS[name]
    value = runtime.environ.get(key.variable)
    if given or not value:
        return given
    try:
        return bool(key.parse(value))
    except ValueError as error:
        raise ConfigError(f"the environment: {key.variable} {error}, not {value!r}") from None
