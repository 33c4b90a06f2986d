"""Ask the service for the connections that a token can see; the credentials in the answer are dropped at once."""

from collections.abc import Iterator, Sequence

from unified_cli.call.connection_record import ConnectionRecord
from unified_cli.catalogue import Service
from unified_cli.config.settings import Settings
from unified_cli.errors import ServiceError
from unified_cli.http import pagination, request as requests
from unified_cli.http.client import Client
from unified_cli.http.pagination import Span
from unified_cli.plural import counted

# A service that has thousands lists 5,000 on a page.
_MOST, _MOST_PAGES, _LARGEST = 50_000, 5_000, 32 * 1024 * 1024


def pages(
    client: Client, resolved: Settings, service: Service, query: Sequence[tuple[str, str]] = ()
) -> Iterator[list[ConnectionRecord]]:
    """All connections that the token can see, a page at a time. Raises what a list raises."""
    address, _ = resolved.reachable()
    request = requests.for_service(address, service.accounts, query)
    number = size = 0
    for page in pagination.pages(client.send, request, service, Span()):
        found = []
        for one in (ConnectionRecord.of(record, service) for record in page.records):
            number, size = number + 1, size + one.size
            _check_bounds(service, page.number, number, size)
            found.append(one)
        yield found


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
