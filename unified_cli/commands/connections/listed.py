"""List connections: the settings of the request, the filter, and the profiles of each
connection.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from unified_cli.call import builder, introspection
from unified_cli.call.connection_record import ConnectionRecord
from unified_cli.cli.command import CommandContext
from unified_cli.cli.options import overrides
from unified_cli.commands.connections.command import ListedConnectionsOptions
from unified_cli.config import connection_facts, file, profiles, resolution
from unified_cli.config.keys import Overrides
from unified_cli.config.settings import Settings
from unified_cli.errors import UnifiedError, UsageError
from unified_cli.fleet.read import FairReaders
from unified_cli.json_text.json_codec import encoded
from unified_cli.json_text.members import Record
from unified_cli.output.jq_program import JqProgram
from unified_cli.output.progress import Work, progress
from unified_cli.runtime import Runtime


def settings(
    context: CommandContext, options: ListedConnectionsOptions, *, may_be_new: bool = False
) -> Settings:
    """Return the settings for a request without a connection.

    Raises ConfigError if there is no base URL.
    """
    runtime = context.runtime
    resolved = _resolved(context, options, may_be_new=may_be_new)._replace(account_id="")
    runtime.stderr.quiet = resolved.quiet
    resolved.reachable()
    return resolved


def _resolved(
    context: CommandContext, options: ListedConnectionsOptions, *, may_be_new: bool = False
) -> Settings:
    flags = overrides(options, profiles.single_name(options.profile))
    return resolution.resolve(
        flags._replace(output=None),
        context.runtime,
        file.read(context.runtime, may_be_new=may_be_new),
    )


def note_missing(
    context: CommandContext,
    options: ListedConnectionsOptions,
    connections: Sequence[ConnectionRecord],
) -> None:
    """Print a note if the list lacks the profile's own connection.

    Prints nothing for an empty list, or one that is filtered at the service.
    """
    if not (options.profile and connections) or options.query:
        return
    resolved = _resolved(context, options)
    account = resolved.account_id
    if (
        account
        and not resolved.is_own
        and account not in {connection.id for connection in connections}
    ):
        context.runtime.stderr.note(
            f'the connection of profile "{resolved.profile}" ({account}) is not in this list: -p'
            " only selects the token"
        )


def list_connections(
    context: CommandContext, resolved: Settings, options: ListedConnectionsOptions
) -> list[ConnectionRecord]:
    """Return all connections that the token can see. Raises the errors of a list
    call.
    """
    service = context.catalogue.service
    query = builder.with_page_size(builder.pairs(options.query), resolved, service)
    result: list[ConnectionRecord] = []
    with (
        FairReaders(context.runtime, context.catalogue, 1) as readers,
        progress(context.runtime, Work("connection")) as shown,
        readers.client(resolved) as client,
    ):
        for page in introspection.listed(client, resolved, service, query):
            shown.add(len(page), pages=1)
            result += page
    return result


def save_facts(
    context: CommandContext, resolved: Settings, connections: Iterable[ConnectionRecord]
) -> None:
    """Cache the product and status of each connection for other commands."""
    address, _ = resolved.reachable()
    facts = (
        (connection.id, connection.product, connection.state.in_words(context.catalogue.service))
        for connection in connections
    )
    connection_facts.keep(context.runtime, address.origin, facts)


def filter_with_jq(
    context: CommandContext, connections: list[ConnectionRecord], where: str | None
) -> tuple[list[ConnectionRecord], Sequence[str]]:
    """Return the connections for which the jq program is true.

    Also returns sentences about connections that jq cannot represent. Raises UsageError
    if the program is invalid.
    """
    if where is None:
        return connections, ()

    program, service = JqProgram(where, "--where"), context.catalogue.service
    records = (
        (connection, Record(encoded(connection.facts(service)))) for connection in connections
    )
    selected = [
        connection for connection, record in records if _is_true(program.run_each([record]))
    ]
    return selected, program.missing_parts()


def _is_true(results: Sequence[Record]) -> bool:
    texts = [bytes(result) for result in results]
    if not {*texts} <= {b"true", b"false", b"null"}:
        raise UsageError("--where gives neither true nor false", hint="== compares")
    return texts == [b"true"]


def profiles_by_account(
    runtime: Runtime, service: Settings, *, same_token: bool = False, may_be_new: bool = False
) -> defaultdict[str, list[str]]:
    """Return the profile names by account id. Leaves out profiles with another origin
    and, with `same_token`, those with another token.
    """
    config = file.read(runtime, may_be_new=may_be_new)
    # Copy the environment, because each access to a variable decodes it again.
    runtime = runtime._replace(environ={**runtime.environ})
    result: defaultdict[str, list[str]] = defaultdict(list)
    for name in config.profiles:
        try:
            resolved = resolution.resolve(Overrides(name), runtime, config)
        except UnifiedError:
            # Ignore profiles without a valid connection. `profile list` reports the
            # problem.
            continue
        if (
            resolved.account_id
            and resolved.address
            and service.address
            and resolved.address.origin == service.address.origin
            and not (same_token and (resolved.is_own or _token(resolved) != _token(service)))
        ):
            result[resolved.account_id].append(name)
    return result


def _token(one: Settings) -> tuple[str, object] | None:
    """Return the token, or its source if reading it would run a program."""
    found = one.token
    return found and ("" if found.kind in ("environment", "token") else found.kind, found.detail)
