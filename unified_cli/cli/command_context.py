"""What commands are listed and run with: what stands for one that is not built, and the context of one that runs."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from unified_cli.catalogue import Catalogue
from unified_cli.config.keys import KEYS
from unified_cli.errors import ConfigError
from unified_cli.runtime import Runtime

APIS = "APIs"
"""The section of the first page with the commands that are APIs."""
EXAMPLE = "Example"
EXAMPLES = "Examples"
"""The headings of a page above one command line, and above several."""


class CommandStub(NamedTuple):
    """A command of the tree that is not built yet: what it is for, and the function that builds it."""

    about: str
    build: Callable[[], Any]
    section: str = ""


class CommandContext:
    """The runtime, the catalogue and the rest of the program, for one command.

    `program` builds the whole tree of commands for a catalogue; `built_in` names the commands beside the APIs. What the
    options make of the `runtime` is known when the command line is read.
    """

    def __init__(
        self, runtime: Runtime, catalogue: Catalogue, program: Callable[[Catalogue], Any], built_in: Sequence[str]
    ) -> None:
        self.runtime = runtime
        self.catalogue = catalogue
        self.program = program
        self.built_in = built_in

    @property
    def first_words(self) -> Sequence[str]:
        """The APIs and the commands beside them: what a command line may begin with."""
        return (*self.catalogue.apis, *self.built_in)


def yes_or_no(runtime: Runtime, given: bool, name: str) -> bool:
    """A setting from the flag or the environment, for what must work without the config file. Raises ConfigError."""
    key = KEYS[name]
    value = runtime.environ.get(key.variable)
    if given or not value:
        return given
    try:
        return bool(key.parse(value))
    except ValueError as error:
        raise ConfigError(f"the environment: {key.variable} {error}, not {value!r}") from None
