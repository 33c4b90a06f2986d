"""`unified mcp`: its commands."""

from unified_cli.cli.command import Command, Entry, Group, Later
from unified_cli.commands.mcp.options import ClientConfigOptions, ServeMcpOptions

_SERVE = Command(
    ServeMcpOptions,
    Later("unified_cli.commands.mcp.run:serve"),
    text=(
        "{about}: search, describe, read and, where it is allowed, write.",
        "-p selects what it reaches: names, globs and tags; without it, every profile can be read.",
    ),
    examples="unified mcp serve -p 'prod-*'",
)
_CONFIG = Command(
    ClientConfigOptions,
    Later("unified_cli.commands.mcp.client_config:config"),
    text=("{about}; its other options are those of the server.",),
    examples="unified mcp config --client vscode -p sandbox",
)

MCP = Group(
    "Offer the operations to coding agents over the Model Context Protocol.",
    "unified mcp config -p sandbox",
    {
        "serve": Entry("Serve four tools to an agent over standard input and output", _SERVE),
        "config": Entry("Print the configuration that makes an agent start the server", _CONFIG),
    },
)
