"""`unified mcp serve`: an MCP server on standard input and output, until the agent closes it."""

from importlib.util import find_spec
from typing import Any

from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.help_page import EXAMPLE, HelpPage
from unified_cli.commands.mcp.mcp_options import PER_MINUTE, ServeMcpOptions
from unified_cli.errors import ConfigError


def serve_command(about: str, context: CommandContext) -> Any:
    """The command."""
    return tree.leaf(
        tree.CommandSpec(
            "serve",
            ServeMcpOptions,
            lambda options: _serve(context, context.complete(options)),
            lambda: HelpPage(
                "[options]",
                [
                    f"{about}: search, describe, read and, where it is allowed, write.",
                    "-p selects what it reaches: names, globs and tags; without it, every profile can be read.",
                ],
                [(EXAMPLE, "unified mcp serve -p 'prod-*'")],
            ),
        )
    )


def _serve(context: CommandContext, options: ServeMcpOptions) -> None:
    options.check()
    if find_spec("mcp") is None:
        raise ConfigError("mcp serve needs the package mcp", hint="pip install 'mcp>=2.3,<3'")
    # An extra, and slow to import.
    from unified_cli.commands.mcp import tool_server  # noqa: PLC0415

    tool_server.run(context, options, PER_MINUTE if options.per_minute is None else options.per_minute)
