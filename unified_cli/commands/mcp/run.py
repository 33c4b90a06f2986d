"""`unified mcp serve`: an MCP server on standard input and output, until the agent closes it."""

from importlib.util import find_spec

from unified_cli.cli.command_context import CommandContext
from unified_cli.commands.mcp.options import PER_MINUTE, ServeMcpOptions
from unified_cli.errors import ConfigError


def serve(context: CommandContext, options: ServeMcpOptions) -> None:
    """Serve until the agent closes its end. Raises ConfigError where the package mcp is missing."""
    options.check()
    if find_spec("mcp") is None:
        raise ConfigError("mcp serve needs the package mcp", hint="pip install 'mcp>=2.3,<3'")
    # An extra, and slow to import.
    from unified_cli.commands.mcp import tool_server  # noqa: PLC0415

    tool_server.run(context, options, PER_MINUTE if options.per_minute is None else options.per_minute)
