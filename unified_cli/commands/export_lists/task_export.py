"""`export --tasks` and `export --task`: print the tasks of an export, one for each connection, and do one of them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from urllib.parse import quote

from unified_cli.bulk.export import selection
from unified_cli.bulk.export.export_terms import Connection
from unified_cli.cli.command_context import CommandContext
from unified_cli.commands.export_lists import connection_task, export_connections, export_format
from unified_cli.commands.export_lists.connection_task import ConnectionTask
from unified_cli.commands.export_lists.export_connections import ExportConnections
from unified_cli.commands.export_lists.export_options import ExportOptions
from unified_cli.errors import ConfigError, StateError, UsageError
from unified_cli.fleet.read import FairReaders
from unified_cli.http.client import Client
from unified_cli.http.pacing.token_pace import WINDOW
from unified_cli.output import stdout
from unified_cli.runtime import Runtime
from unified_cli.storage import input_bounds


def all_tasks(context: CommandContext, options: ExportOptions) -> Iterator[ConnectionTask]:
    """The tasks of an export, one for each connection. Raises ConfigError, UsageError."""
    if options.restart:
        raise UsageError("--restart is not for tasks: one that is run again would start over (choose another folder)")
    if options.shard:
        raise UsageError("--shard is not for tasks: each is a part of its own (leave it out)")
    export_format.of(options)
    operations = selection.lists(context.catalogue, options.what)
    found = export_connections.selected(context, options)
    for name in found.names:
        resolved = found.resolve(name)
        yield connection_task.make(resolved.profile, resolved, operations, options)


def show(context: CommandContext, options: ExportOptions) -> None:
    """Print the tasks of an export as NDJSON. Raises as `all_tasks` does."""
    stdout.check(context.runtime)
    # All are made before the first is printed: one that cannot be made leaves nothing behind.
    stdout.write(context.runtime, [b"".join(connection_task.lines(all_tasks(context, options)))])


def read(runtime: Runtime, text: str) -> ConnectionTask:
    """The task in the text, or on standard input for `-`. Raises UsageError."""
    if text != "-":
        return connection_task.read(text.encode())
    if runtime.stdin is None:
        raise UsageError("--task - needs a task on standard input, which is closed")
    return connection_task.read(input_bounds.whole(runtime.stdin, "standard input"))


def checked(
    context: CommandContext, task: ConnectionTask, options: ExportOptions, readers: FairReaders
) -> ExportConnections:
    """The connection of the task, with the options of the command that does it.

    Raises StateError where the task leads elsewhere than where it was made, or has no token here; UsageError.
    """
    try:
        found = export_connections.selected(context, options)
        resolved = found.resolve(found.names[0])
        task.check(resolved)
        readers.clients.token(resolved)
    except ConfigError as error:
        raise StateError(f"the task of {task.name} cannot be done here: {error.reason}", hint=error.hint) from None
    return found


def manifest_name(name: str) -> str:
    """The name of the manifest of a connection's task: no two tasks of an export write the same file."""
    return f"manifest-of-{quote(name, safe='')}.json"


def after_pause(connect: Callable[[str], Connection], runtime: Runtime) -> Callable[[str], Connection]:
    """The same, but nothing is sent before what another run sent has left the limits' window.

    A task may be run again elsewhere right after its process was killed.
    """
    until = runtime.monotonic() + WINDOW

    def open_late(open_now: Callable[[], Client]) -> Client:
        if (seconds := until - runtime.monotonic()) > 0:
            runtime.sleep(seconds)
        return open_now()

    def connect_late(name: str) -> Connection:
        connection = connect(name)
        return replace(connection, open=partial(open_late, connection.open))

    return connect_late
