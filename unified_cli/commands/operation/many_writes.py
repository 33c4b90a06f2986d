"""Run a write on several connections.

All calls are checked and confirmed together, then sent as a run with a journal.
"""

import uuid
from collections.abc import Sequence
from functools import partial

from unified_cli.call import (
    Call,
    Mode,
    body_check,
    builder,
    dry_run,
    file_download,
    many_calls,
    run_output,
)
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli import prompt
from unified_cli.cli.flags import part
from unified_cli.cli.option_parts import StopOptions
from unified_cli.cli.options import (
    ConfirmOptions,
    DownloadModeOptions,
    OperationOptions,
    SendOptions,
    overrides,
)
from unified_cli.commands.operation import record_names
from unified_cli.config import file
from unified_cli.errors import UsageError
from unified_cli.fleet import selection
from unified_cli.http import request_body
from unified_cli.http.request import Content
from unified_cli.runtime import Runtime
from unified_cli.writes import stop_rules
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.entry import RunCall


def run(
    runtime: Runtime,
    catalogue: Catalogue,
    operation: Operation,
    options: OperationOptions,
    mode: Mode,
) -> None:
    """Send the operation to the selected connections.

    Raises the errors of `RunSender.send` and, before anything is sent, UsageError,
    UnsafeError and ConfigError.
    """
    config = file.read(runtime)
    common = builder.common_call(runtime, catalogue, config, options, mode, operation)
    _check(options)
    run_output.check_columns(options)
    select = selection.for_writes if operation.changes else selection.for_reads
    names = [*select(runtime, config, options)]
    rules = stop_rules.parse(part(options, StopOptions), len(names))
    content = builder.operation_content(common, operation)
    _check_body(runtime, options, operation, content.body)
    connections = RunConnections(runtime, catalogue, config, overrides(options))
    calls = [
        _call(connections, operation, name, content, builder.identifier(options)) for name in names
    ]
    if mode.shown:
        for planned in calls:
            call = common._replace(settings=connections.settings(planned.profile))
            dry_run.show(call, connections.request(planned, content.body, _new_key(operation)))
        return
    if operation.changes:
        _confirm(common, operation, connections, names, content.body)
    many_calls.send(
        common,
        operation,
        calls,
        connections,
        rules,
        new_key=partial(_new_key, operation),
        body=content.body,
    )


def _check_body(
    runtime: Runtime, options: OperationOptions, operation: Operation, body: bytes | None
) -> None:
    if isinstance(options, DownloadModeOptions):
        file_download.check_fields(operation, body)
    else:
        body_check.check(runtime, options, operation, body)


def _confirm(
    common: Call,
    operation: Operation,
    connections: RunConnections,
    names: Sequence[str],
    body: bytes | None,
) -> None:
    runtime, options, sent = common.runtime, common.options, part(common.options, SendOptions)
    piped = request_body.reads_stdin(sent.data, request_body.fields(sent.raw_field, sent.field))
    data = bool(piped) or options.token_stdin
    yes = part(options, ConfirmOptions).yes
    if not yes and prompt.at_terminal(runtime, no_input=common.settings.no_input or data):
        record_names.tell(
            runtime,
            common.catalogue,
            operation,
            builder.identifier(options),
            body,
            {name: connections.settings(name) for name in names},
        )
    what = f"run {operation.command}"
    prompt.confirm_several(runtime, common.settings, what, names, yes=yes, stdin_holds_data=data)


def _check(options: OperationOptions) -> None:
    if part(options, SendOptions).idempotency_key is not None:
        raise UsageError(
            "--idempotency-key is for one connection (each of several requests gets its own key)"
        )


def _call(
    connections: RunConnections,
    operation: Operation,
    name: str,
    content: Content,
    identifier: str | None,
) -> RunCall:
    """Return a call to a connection, ready to be sent.

    Raises UsageError and ConfigError.
    """
    call = connections.call(name, operation, identifier)
    call.query = tuple(content.query)
    connections.request(call, content.body, "k" if operation.method != "DELETE" else "")
    return call


def _new_key(operation: Operation) -> str:
    return str(uuid.uuid4()) if operation.method in {"POST", "PATCH"} else ""
