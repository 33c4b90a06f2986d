"""`unified connections`: the connections that a token can see, as the service lists them."""

from unified_cli.cli.command import Command, Entry, Group, Later
from unified_cli.commands.connections.options import AddConnectionsOptions, ListConnectionsOptions

_LIST = Command(
    ListConnectionsOptions,
    Later("unified_cli.commands.connections.report:run"),
    text=(
        "{about}, and the profiles that lead to them.",
        "Their credentials, which the service sends too, are neither shown nor kept.",
        "-q filters at the service, --where here, by what -o json shows.",
    ),
    examples="unified -p sandbox connections list --where '.status != \"active\"'",
)
_ADD = Command(
    AddConnectionsOptions,
    Later("unified_cli.commands.connections.add:run"),
    text=(
        "{about} of the token that has none, named after its tenant and product.",
        "Run again, it adds what is new, and names the profiles whose connection is gone.",
    ),
    examples="unified -p sandbox connections add --prefix demo- --tag demo --dry-run",
)

CONNECTIONS = Group(
    "Ask the service which connections a token can see, and make profiles of them.",
    "unified -p sandbox connections list",
    {
        "list": Entry("List the connections that the token can see", _LIST),
        "add": Entry("Add a profile for each connection", _ADD),
    },
)
