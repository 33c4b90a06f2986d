"""A built-in group of commands, each of which is imported when it is chosen."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from unified_cli.cli import help_page, tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.command_stub import CommandStub


class SubcommandGroup(NamedTuple):
    """A group: `commands` has the module and the purpose of each of its commands.

    The modules are in the package of the group's name; `NAME_command` there makes the command NAME.
    """

    name: str
    about: str
    example: str
    commands: Mapping[str, tuple[str, str]]

    def command(self, context: CommandContext) -> Any:
        """The group as a command."""
        entries = {
            name: CommandStub(about, partial(self._build, module, name, context))
            for name, (module, about) in self.commands.items()
        }
        return tree.group(self.name, "command", entries, lambda: help_page.for_group(self.about, self.example, entries))

    def _build(self, module: str, name: str, context: CommandContext) -> Any:
        found = import_module(f"{__package__}.{self.name}.{module}")
        make: Callable[[str, CommandContext], Any] = getattr(found, f"{name}_command")
        return make(self.commands[name][1], context)
