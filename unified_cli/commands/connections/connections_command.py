"""`unified connections`: the connections that a token can see, as the service lists them."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from unified_cli.cli import help_page, tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.command_stub import CommandStub

_ABOUT: Mapping[str, tuple[str, str]] = {
    "list": ("list_connections", "List the connections that the token can see"),
    "add": ("add_connections", "Add a profile for each connection"),
}


def command(context: CommandContext) -> Any:
    """The group of commands."""
    entries = {
        name: CommandStub(about, partial(_build, module, about, context)) for name, (module, about) in _ABOUT.items()
    }
    return tree.group(
        "connections",
        "command",
        entries,
        lambda: help_page.for_group(
            "Ask the service which connections a token can see, and make profiles of them.",
            "unified -p sandbox connections list",
            entries,
        ),
    )


def _build(module: str, about: str, context: CommandContext) -> Any:
    make: Callable[[str, CommandContext], Any] = import_module(f"unified_cli.commands.connections.{module}").command
    return make(about, context)
