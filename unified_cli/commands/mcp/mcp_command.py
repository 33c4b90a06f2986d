"""`unified mcp`: the group of its commands."""

from unified_cli.commands.subcommands import SubcommandGroup

_GROUP = SubcommandGroup(
    "mcp",
    "Offer the operations to coding agents over the Model Context Protocol.",
    "unified mcp config -p sandbox",
    {
        "serve": ("serve_mcp", "Serve four tools to an agent over standard input and output"),
        "config": ("client_config", "Print the configuration that makes an agent start the server"),
    },
)
command = _GROUP.command
