"""The context that built-in commands are built with."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from unified_cli.catalogue import Catalogue
from unified_cli.cli.flags import Options
from unified_cli.cli.options import EarlyOptions, completed
from unified_cli.config.keys import KEYS
from unified_cli.errors import ConfigError
from unified_cli.runtime import Runtime

OptionsT = TypeVar("OptionsT", bound=Options)


class CommandContext:
    """The runtime, the catalogue and the rest of the program, for one built-in command.

    `program` builds the whole tree of commands for a catalogue; `built_in` names the commands beside the APIs.
    `selected` replaces what the `-p` of a command says of runs. Two things are known when the command line is read:
    `early`, the options right after the program's name, and what the others make of the `runtime`.
    """

    def __init__(
        self,
        runtime: Runtime,
        catalogue: Catalogue,
        program: Callable[[Catalogue], Any],
        built_in: Sequence[str],
        selected: Callable[[Options, tuple[str, ...]], tuple[str, ...]] = lambda _, patterns: patterns,
    ) -> None:
        self.runtime = runtime
        self.catalogue = catalogue
        self.early = EarlyOptions()
        self.program = program
        self.built_in = built_in
        self._selected = selected

    @property
    def first_words(self) -> Sequence[str]:
        """The APIs and the commands beside them: what a command line may begin with."""
        return (*self.catalogue.apis, *self.built_in)

    def remember(self, early: EarlyOptions) -> None:
        """Take the options right after the program's name."""
        self.early = early

    def complete(self, options: OptionsT) -> OptionsT:
        """The options of a command merged with those right after the program's name; sets the verbosity."""
        found = completed(options, self.early)
        self.runtime.stderr.verbosity = getattr(found, "verbose", self.early.verbose)
        patterns: tuple[str, ...] = getattr(found, "profile", ())
        return found.replaced(profile=self._selected(found, patterns)) if any(map(_names_a_run, patterns)) else found


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


def _names_a_run(pattern: str) -> bool:
    return pattern.startswith(("run:", "!run:"))
