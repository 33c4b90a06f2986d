"""`unified connections list --health`: ask for each connection whether the service takes calls to it."""

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace

from unified_cli.call.offers import connection_health
from unified_cli.call.offers.connection_record import ConnectionRecord
from unified_cli.catalogue import Catalogue
from unified_cli.config.settings import Settings
from unified_cli.errors import UnifiedError
from unified_cli.fleet.read import FairReaders
from unified_cli.http.rate_limit import Patience
from unified_cli.output.progress import progress
from unified_cli.output.progress_line import Work
from unified_cli.runtime import Runtime

_WORKERS = 8

Asked = tuple[ConnectionRecord, UnifiedError | None]
"""A connection with its state as it is now, or with what kept it from being asked."""


def ask(runtime: Runtime, catalogue: Catalogue, settings: Settings, found: Sequence[ConnectionRecord]) -> list[Asked]:
    """The connections with what the service says of each, in their order."""
    work = Work(part="connection", parts=len(found))
    with progress(runtime, work) as shown, FairReaders(runtime, catalogue, _WORKERS) as readers:

        def one(record: ConnectionRecord) -> Generator[Asked]:
            mine = replace(settings, account_id=record.id)
            try:
                with closing(readers.clients.open(mine, name=record.id, patience=Patience.ENDLESS)) as client:
                    state = connection_health.with_blocked(record.state, client, mine, catalogue)
                    yield record._replace(state=state), None
            except UnifiedError as error:
                yield record, error

        asked: dict[str, Asked] = {}
        with closing(readers.read(found, one)) as results:
            for record, error in results:
                asked[record.id] = (record, error)
                shown.add(parts=1, failed=error is not None)
    return [asked[record.id] for record in found]
