"""Print the next steps after a call in doubt, if the operation affects people."""

from unified_cli.call import Call, builder
from unified_cli.catalogue import Operation
from unified_cli.config import profiles
from unified_cli.errors import UnknownError
from unified_cli.http.request import Request
from unified_cli.writes import doubt
from unified_cli.writes.doubt import DoubtfulCall
from unified_cli.writes.entry import RunCall


def add(error: UnknownError, call: Call, request: Request, operation: Operation) -> None:
    """Add the next steps to the error of a write in doubt.

    They say why it was not retried, how to check whether it was done, and how to send
    it again with its idempotency key.
    """
    options, runtime = call.options, call.runtime
    selection = doubt.profile_option(profiles.single_name(options.profile))
    for flag, value in (("-a", options.account_id), ("--base-url", options.base_url)):
        selection += [flag, value] if value else []
    made = RunCall(
        None, "", "", operation.command, builder.identifier(options), tuple(request.own_query)
    )
    doubtful = DoubtfulCall(made, request.body, request.key or "")
    error.add_hint(doubt.rule(operation, call.settings.idempotency_window))
    if again := doubt.repeat_command(doubtful, selection):
        runtime.stderr.line("if the write was not done, repeat it with its key:")
        runtime.stderr.line(f"  {again}")
    error.next_command = doubt.check_command(call.catalogue, doubtful, selection)
