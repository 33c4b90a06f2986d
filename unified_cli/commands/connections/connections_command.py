"""`unified connections`: the connections that a token can see, as the service lists them."""

from unified_cli.commands.subcommands import SubcommandGroup

_GROUP = SubcommandGroup(
    "connections",
    "Ask the service which connections a token can see, and make profiles of them.",
    "unified -p sandbox connections list",
    {
        "list": ("list_connections", "List the connections that the token can see"),
        "add": ("add_connections", "Add a profile for each connection"),
    },
)
command = _GROUP.command
