"""Run `export --engine`: run the tasks of an export on the workers of a Dask cluster.

The workers are trusted like this machine.
"""

import itertools
import math
import re
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from typing import Any

import msgspec

from unified_cli import __version__
from unified_cli.cli.command import CommandContext
from unified_cli.cli.flags import by_name
from unified_cli.commands.export import (
    connection_task,
    plan,
    report,
    run as runs,
    store_folder,
)
from unified_cli.commands.export.connection_task import ConnectionTask, TaskResult
from unified_cli.commands.export.engine_slots import TokenSlots
from unified_cli.commands.export.options import ExportOptions
from unified_cli.commands.export.report import ExportSummary
from unified_cli.config import address
from unified_cli.config.settings import Settings
from unified_cli.errors import (
    ConfigError,
    NetworkError,
    StateError,
    StorageError,
    UnifiedError,
    UnsafeError,
    UsageError,
)
from unified_cli.exported import export_state
from unified_cli.exported.manifest import NAME, manifest_of
from unified_cli.fleet.read import FairReaders
from unified_cli.http.rate import WINDOW
from unified_cli.installation import command_to_add
from unified_cli.output.progress import Progress, Work, progress

_ADDRESS = re.compile(
    r"(?P<scheme>dask|tls)://(?P<host>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(?P<port>[1-9]\d{0,4})/?"
)
_OF_THIS_MACHINE = {
    **dict.fromkeys(
        ("token_file", "token_stdin"), "set the tokens in the configuration of each worker"
    ),
    **dict.fromkeys(("record", "replay"), "use it with export --task, or leave --engine out"),
    "ca_bundle": "set UNIFIED_CA_BUNDLE on each worker to a file on that worker",
}
_POLL_SECONDS = 0.5
# Seconds to wait for a worker unless --wait-timeout says otherwise.
_WAIT_SECONDS = 600.0


def parse_address(text: str) -> str:
    """Return the address of a scheduler for Dask.

    Raises UsageError if the text is not such an address, UnsafeError if the connection
    to another machine would be in clear text, and ConfigError if the extra is not
    installed.
    """
    found = _ADDRESS.fullmatch(text)
    if not found or int(found["port"]) > 65535:
        meant = f"dask://{text.removeprefix('tcp://')}" if text.startswith("tcp://") else None
        message = "--engine takes dask://HOST:PORT, or tls://HOST:PORT on another machine"
        raise UsageError(message, hint=meant)
    place = f"{found['host']}:{found['port']}"
    if found["scheme"] == "dask" and not address.is_loopback(found["host"].strip("[]")):
        # A person who can change a task in transit can run programs on the workers.
        raise UnsafeError(
            f"the scheduler at {found['host']} would be reached in clear text",
            hint=f"use tls://{place}",
        )
    if find_spec("distributed") is None:
        raise ConfigError(
            "--engine needs the packages dask and obstore",
            hint=command_to_add("dask[distributed]", "obstore"),
        )
    return f"{'tls' if found['scheme'] == 'tls' else 'tcp'}://{place}"


def run(context: CommandContext, options: ExportOptions, engine: str) -> None:
    """Run the export on the cluster at this address. Raises the same errors as
    `report`.
    """
    scheduler = parse_address(engine)
    # Imported late: this optional extra takes a third of a second to import.
    from unified_cli.commands.export import engine_worker as cluster  # noqa: PLC0415

    for name, hint in _OF_THIS_MACHINE.items():
        if getattr(options, name):
            message = f"{by_name(ExportOptions)[name].spellings[-1]} only works on this machine"
            raise UsageError(f"{message}, but the workers send the requests", hint=hint)
    runtime, to = context.runtime, options.to or ""
    objects = store_folder.objects(runtime, to, make=True)
    found = [*connection_task.all_tasks(context, options)]
    driver = _Driver(context, options, scheduler, {task.name: task for task, _ in found})
    slots = _slots(context, options, {task.name: resolved for task, resolved in found})
    # Workers check that they have the same version, and access the same destination.
    marker = f".driver-{secrets.token_hex(8)}"
    place = (__version__, to, marker)
    with (
        progress(runtime, Work(part="list", parts=driver.total)) as shown,
        report.ending(options, driver.total, driver.done),
        cluster.connected(scheduler) as client,
    ):
        objects.put(marker, b"")
        try:
            driver.check(client, cluster.check, place)
            driver.run(client, cluster.work, place, slots, shown)
        finally:
            with suppress(StorageError):
                objects.remove([marker])
    report.report(runtime, str(objects.url), driver.total, driver.summary, options)


def _slots(
    context: CommandContext, options: ExportOptions, found: Mapping[str, Settings]
) -> list[TokenSlots]:
    tokens = FairReaders(context.runtime, context.catalogue, options.workers).tokens(found)
    paces: dict[str, dict[str, float]] = {}
    limits: dict[str, float] = {}
    for name, resolved in found.items():
        token = tokens[name]
        # If only the workers have the tokens, assume that all connections share one
        # token.
        group = "" if isinstance(token, UnifiedError) else token
        is_local = resolved.address is not None and resolved.address.is_sandbox
        paces.setdefault(group, {})[name] = 0 if is_local else resolved.rate
        if not is_local and resolved.token_rate:
            limits[group] = min(resolved.token_rate, limits.get(group, math.inf))
    return [TokenSlots(rates, limits.get(group, 0), WINDOW) for group, rates in paces.items()]


class _Driver:
    """Runs tasks on the cluster. A list is done if its manifest at the destination says
    so.
    """

    def __init__(
        self,
        context: CommandContext,
        options: ExportOptions,
        scheduler: str,
        tasks: Mapping[str, ConnectionTask],
    ) -> None:
        form = plan.file_format(options)
        self._runtime, self._scheduler, self._tasks = context.runtime, scheduler, tasks
        self._wait = _WAIT_SECONDS if options.wait_timeout is None else options.wait_timeout
        self._destination = runs.destination_of(context.runtime, options.to or "", form, make=False)
        runs.check_names(self._destination, NAME, tasks)
        self._files = {
            name: {plan.file_for(name, operation, form) for operation in task.lists}
            for name, task in tasks.items()
        }
        self._alone_since: float | None = None
        self._all = {*itertools.chain(*self._files.values())}
        self.total = len(self._all)
        self._read_before = self._read_at() if options.incremental else {}
        self.summary = ExportSummary()

    def done(self) -> int:
        """Return how many lists are done. Raises StorageError."""
        read = self._read_at()
        return sum(read[file] != self._read_before.get(file) for file in read)

    def check(self, client: Any, check: Any, place: Sequence[str]) -> None:
        """Wait for a worker, and raise StateError if a worker cannot run the export."""
        while not self._has_workers(client):
            self._runtime.sleep(_POLL_SECONDS)
        for worker, error in client.run(check, *place, on_error="return").items():
            if error is not None:
                raise _worker_error(f"the worker {worker} cannot do the export", error)

    def run(
        self, client: Any, work: Any, place: Sequence[str], slots: list[TokenSlots], shown: Progress
    ) -> None:
        # An event has a time and the number of records that a worker wrote.
        client.subscribe_topic(place[-1], lambda event: shown.add(event[1]))
        ended: SimpleQueue[Any] = SimpleQueue()
        running: dict[str, tuple[str, TokenSlots, Any]] = {}
        left = len(self._tasks)
        while left:
            for token_slots in slots:
                for name in token_slots.begin(self._runtime.monotonic()):
                    text = msgspec.json.encode(
                        self._tasks[name].paced(token_slots.paces[name])
                    ).decode()
                    key = f"unified-{name}-{secrets.token_hex(8)}"
                    future = client.submit(work, *place, text, key=key, pure=False, retries=2)
                    future.add_done_callback(ended.put)
                    running[key] = (name, token_slots, future)
            try:
                future = ended.get(timeout=_POLL_SECONDS)
            except Empty:
                self._has_workers(client)
                continue
            if future.status == "pending":
                # The worker was lost with the result. The scheduler runs the task
                # again.
                future.add_done_callback(ended.put)
                continue
            if future.status not in {"finished", "error"}:
                raise self._lost()
            name, one, _ = running.pop(future.key)
            error = future.exception()
            result = TaskResult("", ExportSummary(), error=error) if error else future.result()
            one.end(name, self._runtime.monotonic(), result.sent)
            shown.add(parts=len(self._files[name]), failed=self._count_result(name, result))
            left -= 1

    def _has_workers(self, client: Any) -> bool:
        try:
            number = len(client.nthreads())
        except OSError:
            raise self._lost() from None
        now, start = self._runtime.monotonic(), f"dask worker {self._scheduler}"
        if number:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = now
            self._runtime.stderr.note(
                f"there is no worker yet; waiting {self._wait:.0f} s ({start})"
            )
        elif now - self._alone_since >= self._wait:
            raise NetworkError(f"no worker came in {self._wait:.0f} s", hint=start)
        return number > 0

    def _lost(self) -> NetworkError:
        return NetworkError(f"the scheduler at {self._scheduler} was lost, or cancelled the tasks")

    def _count_result(self, name: str, result: TaskResult) -> int:
        found = result.summary
        if result.error:
            what = f"the worker {result.worker}".rstrip() + f" did not do the task of {name}"
            found.failed |= dict.fromkeys(self._files[name], _worker_error(what, result.error))
        reported = found.partial.keys() | found.failed.keys()
        manifest = export_state.manifest_at(self._destination, manifest_of(name))
        done = export_state.read_times(manifest.entries if manifest else {}, self._files[name])
        for file in sorted(self._files[name] - done.keys() - reported):
            found.failed[file] = StateError(f"{file} is not complete at {self._destination}")
        self.summary.add(found)
        return len(found.failed)

    def _read_at(self) -> dict[str, str]:
        found = export_state.manifests(self._destination, damaged=True)
        return export_state.read_times(export_state.latest(found.values()), self._all)


def _worker_error(what: str, error: BaseException) -> UnifiedError:
    if isinstance(error, UnifiedError):
        return error.reworded(f"{what}: {error.message}")
    if type(error).__name__ == "KilledWorker":
        return NetworkError(f"{what}: several workers were lost while they ran it")
    why = f"{type(error).__name__}: {error}"
    return StateError(f"{what}: {why} (each worker needs the same version of unified)")
