"""`unified connections refresh`: let the service renew credentials."""

import uuid

from unified_cli.call import Call, Mode, ModeKind, builder, dry_run, many_calls, single
from unified_cli.catalogue import Catalogue
from unified_cli.cli import prompt
from unified_cli.cli.command import CommandContext
from unified_cli.cli.options import overrides
from unified_cli.commands.connections import owner
from unified_cli.commands.connections.command import RefreshOptions
from unified_cli.config import file
from unified_cli.config.profiles import is_several
from unified_cli.fleet import selection
from unified_cli.http.request import Content, Request
from unified_cli.runtime import Runtime
from unified_cli.writes import renewal, stop_rules
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.entry import RunCall

_WHAT = "refresh the credentials"


def run(context: CommandContext, options: RefreshOptions) -> None:
    """Renew the credentials of the selected connections, in a run if there are several.

    Raises UsageError if no profile is given, UnsafeError if the command is forbidden,
    and the errors of the requests.
    """
    runtime, catalogue = context.runtime, context.catalogue
    owner.check(runtime, options)
    stop_rules.parse(options, 1)
    if is_several(options.profile):
        _refresh_several(runtime, catalogue, options)
        return
    mode = Mode(shown=options.shown)
    call = builder.resolve(runtime, catalogue, options, mode, None, method="POST")
    request = _request(call, renewal.call(call.settings.profile, call.settings), _new_key())
    builder.check_writable(call.settings, request)
    if not options.shown:
        names = [call.settings.profile or ""]
        prompt.confirm_several(runtime, call.settings, _WHAT, names, yes=options.yes)
    single.send(call, request)


def _refresh_several(runtime: Runtime, catalogue: Catalogue, options: RefreshOptions) -> None:
    config, operation = file.read(runtime), renewal.operation(catalogue.service)
    mode = Mode(ModeKind.WRITES, several=True, shown=options.shown)
    common = builder.common_call(runtime, catalogue, config, options, mode, operation)
    selected = selection.for_writes(runtime, config, options)
    rules = stop_rules.parse(options, len(selected))
    calls = [renewal.call(name, settings) for name, settings in selected.items()]
    if options.shown:
        for refreshed in calls:
            call = common._replace(settings=selected[refreshed.profile or ""])
            dry_run.show(call, _request(call, refreshed, _new_key()))
        return
    prompt.confirm_several(runtime, common.settings, _WHAT, [*selected], yes=options.yes)
    connections = RunConnections(runtime, catalogue, config, overrides(options))
    many_calls.send(common, operation, calls, connections, rules, new_key=_new_key)


def _request(call: Call, planned: RunCall, key: str) -> Request:
    content = Content(body=(planned.body or "").encode(), key=key)
    return renewal.request(call.settings, call.catalogue.service, content)


def _new_key() -> str:
    return str(uuid.uuid4())
