"""The context that built-in commands are built with."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from unified_cli.catalogue import Catalogue
from unified_cli.cli.flags import Options
from unified_cli.cli.options import EarlyOptions, completed
from unified_cli.config.keys import KEYS
from unified_cli.errors import ConfigError
from unified_cli.runtime import Runtime

OptionsT = TypeVar("OptionsT", bound=Options)


class CommandContext(NamedTuple):
    """The runtime, the catalogue and the rest of the program, for one built-in command.

    `early` returns the options right after the program's name, `program` builds the whole tree of commands for a
    catalogue; `built_in` names the commands beside the APIs. `selected` replaces what the `-p` of a
    command says of runs.
    """

    runtime: Runtime
    catalogue: Catalogue
    early: Callable[[], EarlyOptions]
    program: Callable[[Catalogue], Any]
    built_in: Sequence[str]
    selected: Callable[[Options, tuple[str, ...]], tuple[str, ...]] = lambda _, patterns: patterns

    def complete(self, options: OptionsT) -> OptionsT:
        """The options of a command merged with those right after the program's name; sets the verbosity."""
        early = self.early()
        found = completed(options, early)
        self.runtime.stderr.verbosity = getattr(found, "verbose", early.verbose)
        patterns: tuple[str, ...] = getattr(found, "profile", ())
        return found.replaced(profile=self.selected(found, patterns)) if any(map(_names_a_run, patterns)) else found


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
