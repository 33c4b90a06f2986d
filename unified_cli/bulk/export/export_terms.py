"""What an export is to do: its tasks, and the terms on which workers do them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from unified_cli.bulk.export import selection
from unified_cli.bulk.export.destinations.destination import Destination
from unified_cli.bulk.export.list_export import ListExportOptions
from unified_cli.catalogue import Operation
from unified_cli.errors import UnifiedError
from unified_cli.fleet.read import FairReaders
from unified_cli.http.client import Client
from unified_cli.http.request import Request
from unified_cli.output.progress import Progress


@dataclass(frozen=True, slots=True)
class Connection:
    """One connection of an export: the `request` for a list, and a way to `open` a client."""

    profile: str
    request: Callable[[Operation], Request]
    open: Callable[[], Client]


@dataclass(frozen=True, slots=True)
class ExportTask:
    """One list of one connection. `exact` says that it was named, so that its absence is a failure."""

    name: str
    operation: Operation
    file: str
    exact: bool


@dataclass(frozen=True, slots=True)
class ExportTerms:
    """How an export goes to its destination. `connect` gives a connection by its name, or raises why there is none.

    `options` gives those for a list of this operation; `progress` counts the pages. `stop` gives an error when nothing
    more is to be read: each list ends with it after its page, all of whose pages are kept.
    """

    destination: Destination
    connect: Callable[[str], Connection]
    options: Callable[[Operation], ListExportOptions]
    readers: FairReaders
    allow_partial: bool
    progress: Progress
    stop: Callable[[], UnifiedError | None] = lambda: None


def tasks_for(
    names: Sequence[str], operations: Mapping[Operation, bool], form: str, shard: tuple[int, int] | None
) -> list[ExportTask]:
    """The tasks of an export, or of this shard of it, in an order in which neighbours are of different connections."""
    return [
        ExportTask(name, operation, selection.file_for(name, operation, form), operations[operation])
        for name, operation in selection.interleaved(names, operations)
        if selection.in_shard(name, operation, shard)
    ]
