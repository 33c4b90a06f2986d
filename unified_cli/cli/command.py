"""Commands as values: their options, help page, function and context."""

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
"""In the text of a command: its line in the list of commands."""

APIS = "APIs"
"""The section of the first page with the commands that are APIs."""
EXAMPLE = "Example"
EXAMPLES = "Examples"
"""The headings of a page above one command line, and above several."""


class CommandContext(NamedTuple):
    """The runtime, the catalogue and the rest of the program, for one command.

    `program` builds the whole tree of commands for a catalogue; `first_words` are the
    APIs and the commands beside them, with which a command line may begin. `again` runs
    another command of the program.
    """

    runtime: Runtime
    catalogue: Catalogue
    program: Callable[[Catalogue], Any]
    first_words: Sequence[str]
    again: Callable[[Sequence[str]], None] = lambda _: None


class Later(NamedTuple):
    """An object in a module, as `MODULE:NAME`; the module is imported when it is
    needed.
    """

    where: str

    def load(self) -> Any:
        """Import the module, and return the object."""
        module, _, name = self.where.partition(":")
        return getattr(import_module(module), name)


class Command(NamedTuple, Generic[OptionsT]):
    """A command: the class of its options, the function that runs it, and what its page
    says.

    `examples` are command lines, one a line; `sections` follow them, or hold them, as
    in `HelpPage`. `flags` and `arguments` select some of the class's, None takes all;
    `takes` says what the arguments are if this depends on the whole program. `commands`
    are for lines that begin with their names.
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
    """A group of commands, each a `kind` of thing, with what its page says."""

    text: str
    example: str
    commands: "Mapping[str, Entry]"
    kind: str = "command"


class Entry(NamedTuple):
    """A command or a group in a list of commands, with its line there; without one it
    is not listed.
    """

    about: str
    command: Command[Any] | Group | Later
    brief: str = ""
    """The line in a few words, for the first page."""


class CommandStub(NamedTuple):
    """A command of the tree that is not built yet: its purpose, and the function that
    builds it.
    """

    about: str
    build: Callable[[], Any]
    section: str = ""
    brief: str = ""


def yes_or_no(runtime: Runtime, given: bool, name: str) -> bool:
    """Return a setting from the flag or the environment alone.

    It must work without the config file. Raises ConfigError.
    """
    key = KEYS[name]
    value = runtime.environ.get(key.variable)
    if given or not value:
        return given
    try:
        return bool(key.parse(value))
    except ValueError as error:
        raise ConfigError(f"the environment: {key.variable} {error}, not {value!r}") from None
