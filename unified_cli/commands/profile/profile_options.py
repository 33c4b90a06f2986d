"""What the `profile` commands share: arguments, help, and when they may prompt."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, TypeVar

from unified_cli.cli import prompt, tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.flags import Argument
from unified_cli.cli.help_page import EXAMPLE, HelpPage, Rows
from unified_cli.cli.shared_options import MessageOptions
from unified_cli.config.file import RESERVED
from unified_cli.config.keys import KEYS
from unified_cli.errors import ConfigError, UsageError
from unified_cli.runtime import Runtime

M = TypeVar("M", bound=MessageOptions)


Name = Annotated[str, Argument("the profile's name")]
ExistingName = Annotated[str, Argument("the profile's name", takes=("profile",))]
OptionalName = Annotated[str | None, Argument("the profile's name", takes=("profile",))]
OptionalPattern = Annotated[
    str | None,
    Argument("the profile's name, a glob or tag:NAME", metavar="[NAME|GLOB|tag:NAME]", takes=("connection",)),
]
Patterns = Annotated[tuple[str, ...], Argument(metavar="[GLOB|tag:NAME]…", takes=("connection",))]


def page(about: str, usage: str, example: str, more: Sequence[str] = (), keys: Rows = ()) -> HelpPage:
    """The help of a `profile` command."""
    sections: list[tuple[str, Rows | str]] = [(EXAMPLE, example), *([("Keys", keys)] if keys else [])]
    return HelpPage(f"{usage} [options]".strip(), [f"{about}.", *more], sections)


def build(context: CommandContext, spec: tree.CommandSpec[M]) -> Any:
    """A `profile` command.

    `-o` and `-p` right after the program's name apply only if the command has them too: they are about the call, never
    values for a profile.
    """

    def run(options: M) -> None:
        options = context.complete(options)
        context.runtime.stderr.quiet = _yes_or_no(context.runtime, options.quiet, "quiet")
        spec.run(options)

    return tree.leaf(replace(spec, run=run))


def _yes_or_no(runtime: Runtime, given: bool, name: str) -> bool:
    """A setting from the flag or the environment, for commands that must work without the config file."""
    key = KEYS[name]
    value = runtime.environ.get(key.variable)
    if given or not value:
        return given
    try:
        return bool(key.parse(value))
    except ValueError as error:
        raise ConfigError(f"the environment: {key.variable} {error}, not {value!r}") from None


def may_ask(runtime: Runtime, options: MessageOptions) -> bool:
    """Whether prompts are possible and allowed."""
    return prompt.at_terminal(runtime, no_input=_yes_or_no(runtime, options.no_input, "no_input"))


def existing(name: str) -> str:
    """The name, unless it is that of the built-in profile. Raises UsageError for that."""
    if name == RESERVED:
        raise UsageError(f'the profile "{name}" is built in and cannot be changed')
    return name
