"""`unified connections list`: which connections the token can see, and which profiles lead to them."""

from typing import Annotated, Any

from unified_cli.call.offers.connection_record import ConnectionRecord
from unified_cli.catalogue import Service
from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.flags import PROFILE, Flag
from unified_cli.cli.help_page import EXAMPLE, HelpPage
from unified_cli.cli.result_table import TableOutput, show
from unified_cli.commands.connections import listed_connections, listed_health
from unified_cli.commands.connections.known_profiles import profiles_by_account
from unified_cli.commands.connections.listed_connections import ListedConnectionsOptions
from unified_cli.config.settings import Settings
from unified_cli.errors import UnifiedError
from unified_cli.fleet.conclude import Ending, conclude
from unified_cli.json_text.values import JsonObject
from unified_cli.plural import counted

VERSION = 1
_HEADS = ("id", "product", "tenant", "status", "sandbox", "created", "profile")


class ListConnectionsOptions(ListedConnectionsOptions):
    """Which connections to list, and how to print them."""

    output: TableOutput = None
    health: Annotated[
        bool, Flag(("--health",), PROFILE, "also ask, for each, whether it is blocked, and say what is wrong with it")
    ] = False


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
                    "-q filters at the service, --where here, by what -o json shows.",
                ],
                [(EXAMPLE, "unified -p sandbox connections list --where '.status != \"active\"'")],
            ),
        )
    )


def _list(context: CommandContext, options: ListConnectionsOptions) -> None:
    runtime, service = context.runtime, context.catalogue.service
    settings = listed_connections.settings(context, options)
    found = [*listed_connections.listed(context, settings, options)]
    listed_connections.keep(runtime, settings, found, service)
    failed = _ask_health(context, settings, found) if options.health else {}
    known = profiles_by_account(runtime, settings)
    shown = listed_connections.chosen(found, options.where, service)
    rows = [
        (
            one.id,
            one.product,
            one.tenant,
            one.state.in_words(service),
            "yes" if one.state.sandbox else "no",
            # The date; -o json has the time.
            one.created[:10],
            ", ".join(known[one.id]),
            *([_trouble(one, failed, service)] if options.health else ()),
        )
        for one in shown
    ]
    if not rows:
        runtime.stderr.note("no connections" if not found else f"none of {counted(len(found), 'connection')} matches")
    value = {
        "version": VERSION,
        "connections": [{**one.facts(service), "profiles": known[one.id], **_error(one, failed)} for one in shown],
    }
    show(runtime, options.output, (*_HEADS, *(["trouble"] if options.health else ())), rows, value, apart=0)
    conclude(Ending("connection", len(found), failed))


def _ask_health(context: CommandContext, settings: Settings, found: list[ConnectionRecord]) -> dict[str, UnifiedError]:
    """Put into the connections how they are now; gives what kept any from being asked."""
    asked = listed_health.ask(context.runtime, context.catalogue, settings, [one for one in found if one.id])
    states = {one.id: one for one, _ in asked}
    found[:] = [states.get(one.id, one) for one in found]
    return {one.id: error for one, error in asked if error}


def _trouble(one: ConnectionRecord, failed: dict[str, UnifiedError], service: Service) -> str:
    if one.id in failed:
        return f"not asked: {failed[one.id].reason}"
    return one.state.trouble(service) or one.state.scopes_in_words


def _error(one: ConnectionRecord, failed: dict[str, UnifiedError]) -> JsonObject:
    return {"error": failed[one.id].facts()} if one.id in failed else {}
