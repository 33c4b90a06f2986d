"""`unified mcp`: the group of its commands."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from unified_cli.cli import help_page, tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.command_stub import CommandStub

_ABOUT: Mapping[str, tuple[str, str]] = {
    "serve": ("serve_mcp", "Serve four tools to an agent over standard input and output"),
    "config": ("client_config", "Print the configuration that makes an agent start the server"),
}


def command(context: CommandContext) -> Any:
    """The group of commands."""
    entries = {
        name: CommandStub(about, partial(_build, module, about, context)) for name, (module, about) in _ABOUT.items()
    }
    return tree.group(
        "mcp",
        "command",
        entries,
        lambda: help_page.for_group(
            "Offer the operations to coding agents over the Model Context Protocol.",
            "unified mcp config -p sandbox",
            entries,
        ),
    )


def _build(module: str, about: str, context: CommandContext) -> Any:
    make: Callable[[str, CommandContext], Any] = import_module(f"unified_cli.commands.mcp.{module}").command
    return make(about, context)
