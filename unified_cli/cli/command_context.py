"""The context that built-in commands are built with."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from unified_cli.catalogue import Catalogue
from unified_cli.cli.flags import Options, by_name
from unified_cli.cli.shared_options import EarlyOptions, MessageOptions
from unified_cli.config.keys import KEYS
from unified_cli.errors import ConfigError, UsageError
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
        found = _merged(options, self.early)
        self.runtime.stderr.verbosity = getattr(found, "verbose", self.early.verbose)
        patterns: tuple[str, ...] = getattr(found, "profile", ())
        return found.replaced(profile=self._selected(found, patterns)) if any(map(_names_a_run, patterns)) else found


def _merged(options: OptionsT, early: EarlyOptions) -> OptionsT:
    """The options of a command, with those right after the program's name where it has them and they are not given.

    `-p` selects connections wherever it stands, so all of them count. Raises UsageError for an option of a connection
    that the command does not take, but for -p and -o, which may stand in a shell's alias.
    """
    nothing: tuple[object, ...] = ((), None, False)
    given = {name: value for name, value in early.given() if name not in MessageOptions.field_names}
    found = {name: value for name, value in given.items() if getattr(options, name, "") in nothing}
    if early.profile and (own := getattr(options, "profile", ())):
        found["profile"] = (*early.profile, *own)
    for name in given.keys() - {"profile", "output"}:
        if not hasattr(options, name):
            raise UsageError(f"this command takes no {by_name(EarlyOptions)[name].spellings[-1]}")
    if hasattr(options, "verbose"):
        found["verbose"] = options.verbose + early.verbose
    return options.replaced(**found)


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
