"""The check, before anything is sent, that every worker of an engine can do every task of an export."""

import hmac
from collections.abc import Iterable, Mapping

import msgspec

from unified_cli.bulk.engines.engine import Engine, EngineTask, TaskEnd
from unified_cli.bulk.export.destinations.shared_place import SharedPlace
from unified_cli.commands.export_lists import worker_messages
from unified_cli.commands.export_lists.connection_task import ConnectionTask
from unified_cli.commands.export_lists.worker_messages import CheckOrder
from unified_cli.errors import NetworkError, StateError

_POLL_SECONDS = 0.5


def check(
    engine: Engine, tasks: Iterable[ConnectionTask], hashes: Mapping[str, str], key: bytes, place: SharedPlace
) -> None:
    """Ask every worker. Raises StateError that names the first one that cannot do a task, NetworkError without any.

    Raises StorageError where the place of the export cannot be read.
    """
    order = EngineTask("unified-check", msgspec.json.encode(CheckOrder(key, place.word, tuple(_brief(tasks)))))
    left = engine.submit(order, everywhere=True)
    if not left:
        raise NetworkError("the scheduler has no workers", hint="start some: dask worker HOST:PORT")
    answered = 0
    while left:
        for event in engine.wait(_POLL_SECONDS):
            if isinstance(event, TaskEnd):
                left -= 1
                # One that was lost meanwhile does nothing, and one that takes its place checks the same.
                if event.result is not None or event.refused:
                    _check_answer(event, hashes, place)
                    answered += 1
    if not answered:
        raise NetworkError("all workers were lost before they could be asked", hint="run the same command again")


def _brief(tasks: Iterable[ConnectionTask]) -> Iterable[ConnectionTask]:
    """The tasks, each list of which stands in one of them only."""
    seen: set[str] = set()
    for task in tasks:
        yield msgspec.structs.replace(task, lists=tuple(name for name in task.lists if name not in seen), required=())
        seen.update(task.lists)


def _check_answer(end: TaskEnd, hashes: Mapping[str, str], place: SharedPlace) -> None:
    where = f"the worker {end.where}"
    if end.result is None:
        raise StateError(f"{where} cannot do the export: {end.why}", hint=end.hint)
    report = worker_messages.read_report(end.result, end.task.payload)
    if report is None:
        raise StateError(f"{where} answered the check with what is no answer to it; nothing of it was used")
    if report.error:
        raise StateError(f"{where} cannot do the export: {report.error.error().message}")
    for name, expected in hashes.items():
        found = report.tokens.get(name, "")
        if not found:
            raise StateError(f"{where} has no token for {name}", hint="it has to be configured there")
        if expected and not hmac.compare_digest(found.encode(), expected.encode()):
            raise StateError(f"{where} has another token for {name}", hint="it has to be the same on each machine")
    place.check_answer(where, report.place)
