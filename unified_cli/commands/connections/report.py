"""`unified connections list`: which connections the token can see, and which profiles lead to them."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace

from unified_cli import signals
from unified_cli.call import introspection
from unified_cli.call.connection_record import AccountState, ConnectionRecord
from unified_cli.catalogue import Service
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.result_table import show
from unified_cli.commands.connections import listed, screen
from unified_cli.commands.connections.command import ListConnectionsOptions
from unified_cli.config.settings import Settings
from unified_cli.errors import UnifiedError
from unified_cli.fleet.conclude import Ending, conclude
from unified_cli.fleet.read import FairReaders
from unified_cli.json_text.values import JsonObject
from unified_cli.output.progress import Work, progress
from unified_cli.plural import counted

VERSION = 1
_WORKERS = 8
_HEADS = ("id", "product", "tenant", "status", "sandbox", "created", "profile")


def run(context: CommandContext, options: ListConnectionsOptions) -> None:
    """List the connections. Raises IncompleteError where some could not be asked how they are."""
    runtime, service = context.runtime, context.catalogue.service
    settings = listed.settings(context, options)
    found = listed.listed(context, settings, options)
    listed.keep(runtime, settings, found, service)
    failed = _ask_health(context, settings, found) if options.health else {}
    known = listed.profiles_by_account(runtime, settings)
    shown = listed.chosen(found, options.where, service)
    troubles = {one.id: _trouble(one, failed, service) for one in shown} if options.health else {}
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
            *([troubles[one.id]] if options.health else ()),
        )
        for one in shown
    ]
    if not rows:
        runtime.stderr.note("no connections" if not found else f"none of {counted(len(found), 'connection')} matches")
    value = {
        "version": VERSION,
        "connections": [{**one.facts(service), "profiles": known[one.id], **_error(one, failed)} for one in shown],
    }
    heads = (*_HEADS, *(["trouble"] if options.health else ()))
    show(
        runtime,
        options.output,
        heads,
        rows,
        value,
        drawn=lambda: screen.listed(runtime, service, shown, known, troubles),
    )
    conclude(Ending("connection", len(found), failed))


def _ask_health(context: CommandContext, settings: Settings, found: list[ConnectionRecord]) -> dict[str, UnifiedError]:
    """Put into the connections how they are now; gives what kept any from being asked."""
    asked = _asked(context, settings, {one.id: one for one in found if one.id})
    failed = {account: answer for account, answer in asked.items() if isinstance(answer, UnifiedError)}
    states = {account: answer for account, answer in asked.items() if not isinstance(answer, UnifiedError)}
    found[:] = [one._replace(state=states.get(one.id, one.state)) for one in found]
    return failed


def _trouble(one: ConnectionRecord, failed: dict[str, UnifiedError], service: Service) -> str:
    if one.id in failed:
        return f"not asked: {failed[one.id].reason}"
    return one.state.remark(service)


def _error(one: ConnectionRecord, failed: dict[str, UnifiedError]) -> JsonObject:
    return {"error": failed[one.id].facts()} if one.id in failed else {}


def _asked(
    context: CommandContext, settings: Settings, found: Mapping[str, ConnectionRecord]
) -> Mapping[str, AccountState | UnifiedError]:
    """What the service says of each connection now, or what kept it from being asked, in their order."""
    runtime, catalogue = context.runtime, context.catalogue
    work = Work(part="connection", parts=len(found))
    asked: dict[str, AccountState | UnifiedError] = {}
    with (
        progress(runtime, work) as shown,
        FairReaders(runtime, catalogue, _WORKERS) as readers,
        signals.told_with(lambda: f"{len(asked)} of {counted(len(found), 'connection')}, nothing printed"),
        closing(
            readers.ask(
                {account: replace(settings, account_id=account) for account in found},
                lambda name, mine, client: introspection.with_blocked(found[name].state, client, mine, catalogue),
            )
        ) as answers,
    ):
        for account, answer in answers:
            asked[account] = answer
            shown.add(parts=1, failed=isinstance(answer, UnifiedError))
    return {account: asked[account] for account in found}
