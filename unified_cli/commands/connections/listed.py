"""Ask the service for the connections that a token can see; the credentials in the answer are dropped at once."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace

from unified_cli.call import builder
from unified_cli.call.connection_record import ConnectionRecord
from unified_cli.catalogue import Service
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.options import overrides
from unified_cli.commands.connections.command import ListedConnectionsOptions
from unified_cli.config import connection_facts, file, resolution
from unified_cli.config.keys import Overrides
from unified_cli.config.settings import Settings
from unified_cli.errors import ServiceError, UnifiedError, UsageError
from unified_cli.fleet.read import FairReaders
from unified_cli.http import pagination, request as requests
from unified_cli.http.pagination import Span
from unified_cli.http.rate_limit import Patience
from unified_cli.json_text.values import Json
from unified_cli.output.jq_program import JqProgram
from unified_cli.output.progress import Work, progress
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

# A service that has thousands lists 5,000 on a page.
_MOST, _MOST_PAGES, _LARGEST = 50_000, 5_000, 32 * 1024 * 1024


def settings(context: CommandContext, options: ListedConnectionsOptions) -> Settings:
    """The settings for a request that is for no connection. Raises ConfigError where there is no base URL."""
    runtime = context.runtime
    flags = overrides(options, builder.one_profile(options.profile))
    resolved = replace(resolution.resolve(flags._replace(output=None), runtime, file.read(runtime)), account_id="")
    runtime.stderr.quiet = resolved.quiet
    resolved.reachable()
    return resolved


def listed(
    context: CommandContext, resolved: Settings, options: ListedConnectionsOptions
) -> Iterator[ConnectionRecord]:
    """All connections that the token can see, page by page. Raises what a list raises."""
    service = context.catalogue.service
    query = builder.with_page_size(builder.pairs(options.query), resolved, service)
    address, _ = resolved.reachable()
    request = requests.for_service(address, service.accounts, query)
    with (
        FairReaders(context.runtime, context.catalogue, 1) as readers,
        progress(context.runtime, Work("connection")) as shown,
        closing(readers.clients.open(resolved, patience=Patience.ENDLESS)) as client,
    ):
        number = size = 0
        for page in pagination.pages(client.send, request, service, Span()):
            shown.add(len(page.records), pages=1)
            for one in (ConnectionRecord.of(record, service) for record in page.records):
                number, size = number + 1, size + one.size
                _check_bounds(service, page.number, number, size)
                yield one


def _check_bounds(service: Service, pages: int, number: int, size: int) -> None:
    """Raise ServiceError for a list that goes on and on: all of it is held in memory."""
    if pages > _MOST_PAGES or number > _MOST or size > _LARGEST:
        words = service.connections
        bounds = f"{_MOST} connections, {_MOST_PAGES} pages and {_LARGEST >> 20} MiB of facts about them"
        raise ServiceError(
            f"the list of connections goes on after {number - 1} on {counted(pages, 'page')}, and at most {bounds} are "
            f"read (GET {service.accounts})",
            hint=f"ask for less: -q {words.status}={words.healthy}, -q {words.tenant}=ID",
            retryable=False,
        )


def keep(runtime: Runtime, resolved: Settings, found: Iterable[ConnectionRecord], service: Service) -> None:
    """Keep what other commands tell of the connections."""
    address, _ = resolved.reachable()
    told = ((one.id, one.product, one.state.in_words(service)) for one in found)
    connection_facts.keep(runtime, address.origin, told)


def chosen(found: list[ConnectionRecord], where: str | None, service: Service) -> list[ConnectionRecord]:
    """The connections for which the program gives true alone. Raises UsageError for one that is wrong."""
    if where is None:
        return found
    from unified_cli.json_text.json_codec import dump  # noqa: PLC0415  only where there is a program

    program = JqProgram(where, "--where")
    return [one for one in found if _is_true(program.run(dump(one.facts(service)).encode()))]


def _is_true(results: list[Json]) -> bool:
    for result in results:
        if result is not None and not isinstance(result, bool):
            raise UsageError("--where gives neither true nor false", hint="== compares")
    return results == [True]


def profiles_by_account(runtime: Runtime, service: Settings) -> defaultdict[str, list[str]]:
    """The names of the profiles by account id, of those with the origin of these settings."""
    config = file.read(runtime)
    # The process's environment decodes a variable at each access.
    runtime = runtime._replace(environ={**runtime.environ})
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in config.profiles:
        try:
            one = resolution.resolve(Overrides(name), runtime, config)
        except UnifiedError:
            # `profile list` says what is wrong with it; it leads nowhere.
            continue
        if one.account_id and one.address and service.address and one.address.origin == service.address.origin:
            found[one.account_id].append(name)
    return found
