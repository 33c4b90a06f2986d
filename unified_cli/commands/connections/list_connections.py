"""`unified connections list`: which connections the token can see, and which profiles lead to them."""

from typing import Any

from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.help_page import EXAMPLE, HelpPage
from unified_cli.cli.result_table import TableOutput, show
from unified_cli.commands.connections import listed_connections
from unified_cli.commands.connections.known_profiles import profiles_by_account
from unified_cli.commands.connections.listed_connections import ListedConnectionsOptions
from unified_cli.plural import counted

VERSION = 1
_HEADS = ("id", "product", "tenant", "status", "sandbox", "created", "profile")


class ListConnectionsOptions(ListedConnectionsOptions):
    """Which connections to list, and how to print them."""

    output: TableOutput = None


def list_command(about: str, context: CommandContext) -> Any:
    """The command."""
    return tree.leaf(
        tree.CommandSpec(
            "list",
            ListConnectionsOptions,
            lambda options: _list(context, context.complete(options)),
            lambda: HelpPage(
                "[options]",
                [
                    f"{about}, and the profiles that lead to them.",
                    "Their credentials, which the service sends too, are neither shown nor kept.",
                ],
                [(EXAMPLE, "unified -p sandbox connections list --where '.status != \"active\"'")],
            ),
        )
    )


def _list(context: CommandContext, options: ListConnectionsOptions) -> None:
    settings = listed_connections.settings(context, options)
    found = [*listed_connections.listed(context, settings, options)]
    listed_connections.keep(context.runtime, settings, found)
    known = profiles_by_account(context.runtime, settings)
    shown = listed_connections.chosen(found, options.where)
    rows = [
        (
            one.id,
            one.product,
            one.tenant,
            one.status,
            "yes" if one.sandbox else "no",
            # The date; -o json has the time.
            one.created[:10],
            ", ".join(known[one.id]),
        )
        for one in shown
    ]
    if not rows:
        context.runtime.stderr.note(
            "no connections" if not found else f"none of {counted(len(found), 'connection')} matches"
        )
    value = {
        "version": VERSION,
        "connections": [{**one.facts, "profiles": known[one.id]} for one in shown],
    }
    show(context.runtime, options.output, _HEADS, rows, value, apart=0)
