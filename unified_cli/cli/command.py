"""Built-in commands as values: what each takes, what its page says, and the function that runs it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Generic, NamedTuple, TypeVar

from unified_cli.cli import tree
from unified_cli.cli.command_context import EXAMPLE, EXAMPLES, CommandContext, CommandStub
from unified_cli.cli.flags import Argument, Flag, Options, arguments_of, flags_of

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


def stubs(commands: Mapping[str, Entry], context: CommandContext) -> dict[str, CommandStub]:
    """The commands of the tree; each is imported and built when it is chosen."""
    return {name: CommandStub(one.about, partial(_built, name, one, context)) for name, one in commands.items()}


def _built(name: str, entry: Entry, context: CommandContext) -> Any:
    command = entry.command.load() if isinstance(entry.command, Later) else entry.command
    if isinstance(command, Group):
        return _group(name, command, stubs(command.commands, context))
    return _leaf(name, entry.about, command, context)


def _group(name: str, group: Group, entries: Mapping[str, CommandStub]) -> Any:
    from unified_cli.cli import help_page  # noqa: PLC0415  only help needs pages

    return tree.group(name, group.kind, entries, lambda: help_page.for_group(group.text, group.example, entries))


def _leaf(name: str, about: str, command: Command[OptionsT], context: CommandContext) -> Any:
    def page() -> Any:
        from unified_cli.cli.help_page import HelpPage  # noqa: PLC0415  only help needs pages

        heading = EXAMPLES if "\n" in command.examples else EXAMPLE
        examples = [(heading, command.examples)] if command.examples else []
        text = [paragraph.replace(ABOUT, about) for paragraph in command.text]
        return HelpPage(command.usage, text, [*examples, *command.sections])

    flags = flags_of(command.options) if command.flags is None else command.flags
    arguments = arguments_of(command.options) if command.arguments is None else command.arguments
    if command.takes is not None:
        arguments = [one._replace(takes=tuple(command.takes(context))) for one in arguments]
    return tree.leaf(name, command.run, page, command.options, flags, arguments)
