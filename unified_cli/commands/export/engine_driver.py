"""`export --engine`: have the workers of a cluster do the tasks of an export, within
the limits of their tokens.
"""

import hmac
import math
import secrets
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from unified_cli import signals
from unified_cli.cli.command import CommandContext
from unified_cli.cli.flags import by_name
from unified_cli.commands.export import (
    connection_task as tasks,
    engine as engines,
    engine_messages,
    engine_worker,
    plan,
    report,
    run as runs,
    store_folder,
)
from unified_cli.commands.export.connection_task import ConnectionTask
from unified_cli.commands.export.engine import Engine, EngineTask, TaskEnd
from unified_cli.commands.export.engine_messages import CheckOrder, TaskOrder
from unified_cli.commands.export.engine_results import EngineResults
from unified_cli.commands.export.options import ExportOptions
from unified_cli.commands.export.shared_place import SharedPlace
from unified_cli.errors import NetworkError, StateError, UnifiedError, UsageError
from unified_cli.exported.manifest import NAME
from unified_cli.fleet.read import FairReaders
from unified_cli.http.rate import WINDOW
from unified_cli.output import formats
from unified_cli.output.progress import Progress, Work, progress
from unified_cli.runtime import Runtime


class PacedTask(NamedTuple):
    """A task, and the `group` of those with the same token.

    `pace` is how many sends in a window the task may make, and `limit` how many the
    group; 0 is no bound.
    """

    name: str
    group: str
    pace: float
    limit: float


@dataclass(slots=True)
class _Group:
    """The tasks of a token. Each that runs holds its pace, and each that ended what it
    sent until that is past.
    """

    limit: float
    waiting: deque[str] = field(default_factory=deque)
    running: dict[str, float] = field(default_factory=dict)
    past: list[tuple[float, float]] = field(default_factory=list)

    def has_room(self, pace: float, now: float, most: int) -> bool:
        if not self.limit:
            return len(self.running) < most
        self.past = [(until, sent) for until, sent in self.past if until > now]
        taken = sum(self.running.values()) + sum(sent for _, sent in self.past)
        # Shares of a limit add up to it but for rounding.
        return taken + pace <= self.limit * (1 + 1e-9)


class TokenSlots:
    """Which tasks may begin.

    Some more tasks than fit at their full pace run all at once, each a little slower: a
    second round for a few of them would take longer than that.
    """

    def __init__(self, tasks: Iterable[PacedTask], window: float, most: int) -> None:
        """A send counts for `window` seconds.

        At most `most` tasks of a group without a limit run at a time.
        """
        self._window = window
        self._most = most
        self._groups: dict[str, _Group] = {}
        self._paces: dict[str, float] = {}
        self._group_of: dict[str, _Group] = {}
        members: dict[str, list[PacedTask]] = {}
        for task in tasks:
            members.setdefault(task.group, []).append(task)
        for name, found in members.items():
            limit = min((task.limit for task in found if task.limit), default=0.0)
            group = self._groups[name] = _Group(limit, deque(task.name for task in found))
            for task in found:
                self._group_of[task.name] = group
                self._paces[task.name] = _share(
                    task.pace, limit, min(len(found), most) if not task.pace else len(found)
                )

    def pace(self, name: str) -> float:
        """Return how many sends in a window the task may make. 0 is no bound."""
        return self._paces[name]

    def begin(self, now: float) -> Iterator[str]:
        """Yield the tasks that may begin now, which then count as running."""
        for group in self._groups.values():
            while group.waiting and group.has_room(self._paces[group.waiting[0]], now, self._most):
                name = group.waiting.popleft()
                group.running[name] = self._paces[name]
                yield name

    def end(self, name: str, now: float, sent: float) -> None:
        """Note that a task came to its end, and how many sends it made in the last
        window.
        """
        group = self._group_of[name]
        pace = group.running.pop(name)
        group.past.append((now + self._window, min(pace, sent)))


def _share(pace: float, limit: float, tasks: int) -> float:
    """Return the pace of each of this many tasks that keep together to a limit."""
    if not limit:
        return pace
    at_once = max(1, int(limit // pace)) if pace else tasks
    if tasks > at_once:
        # As many rounds as are full, and the rest of the tasks spread over them.
        at_once = math.ceil(tasks / (tasks // at_once))
    return min(pace or limit, limit / at_once)


_POLL_SECONDS = 0.5
# Seconds to wait for a worker, at the beginning and after all are lost, unless
# --wait-timeout says otherwise.
_FIRST_SECONDS, _NEXT_SECONDS = 10.0, 600.0
# As many tasks of a token without a limit run at a time.
_MOST = 10
_TOKENS = "they have tokens in their own configuration"
_OF_THIS_MACHINE = {
    "token_file": _TOKENS,
    "token_stdin": _TOKENS,
    "ca_bundle": "UNIFIED_CA_BUNDLE on each worker names a file there",
    "record": "export --task, or without --engine",
    "replay": "export --task, or without --engine",
}


@dataclass(frozen=True, slots=True)
class _Job:
    """The tasks of an export by name, with the hash of each one's token where this
    machine has it.
    """

    tasks: Mapping[str, ConnectionTask]
    hashes: Mapping[str, str]
    key: bytes
    paces: Sequence[PacedTask]


def run(context: CommandContext, options: ExportOptions, engine: str) -> None:
    """Do the export on the engine at this address.

    Raises the error that names the missing part, or the problem.
    """
    runtime = context.runtime
    address = engines.parse_address(engine)
    _check(options)
    objects = store_folder.objects(runtime, options.to or "", make=True)
    job = _job(context, options)
    # It takes a third of a second to import.
    from unified_cli.commands.export.dask_engine import DaskEngine  # noqa: PLC0415  see above, and it is an extra

    form = plan.file_format(options)
    destination = runs.destination_of(
        runtime, options.to or "", make=False, tables=form is formats.DELTA
    )
    runs.check_names(destination, NAME, [task.name for task in job.tasks.values()])
    results = EngineResults(job.tasks, form, destination)
    lists = sum(len(task.lists) for task in job.tasks.values())
    with progress(runtime, Work(part="list", parts=lists)) as shown:
        try:
            with (
                DaskEngine(address, engine_worker.work, runtime.monotonic) as cluster,
                SharedPlace(runtime, objects) as place,
            ):
                watch = WorkerWatch(runtime, cluster, options.wait_timeout)
                watch.wait_for_first()
                check_workers(cluster, job.tasks.values(), job.hashes, job.key, place)
                names = {name for task in job.tasks.values() for name in task.lists}
                runs.make_tables(destination, names, plan.more_columns(options))
                _run(job, place.word, watch, results, shown)
        except KeyboardInterrupt as stop:
            signals.say_how_to_continue(stop, shown.so_far(), signals.RUN_AGAIN)
            raise
    report.report(runtime, str(objects.url), lists, results.summary, options)


def _check(options: ExportOptions) -> None:
    """Raise UsageError for options that cannot hold on other machines."""
    flags = by_name(ExportOptions)
    for name, hint in _OF_THIS_MACHINE.items():
        if getattr(options, name):
            raise UsageError(
                f"{flags[name].spellings[-1]} is for this machine, and workers send the requests",
                hint=hint,
            )


def _job(context: CommandContext, options: ExportOptions) -> _Job:
    """Return the tasks to do. Raises as `task.all_tasks` does."""
    found = [*tasks.all_tasks(context, options)]
    readers = FairReaders(context.runtime, context.catalogue, options.workers)
    paces, key = list[PacedTask](), secrets.token_bytes(32)
    # A token that only the workers have: all such tasks are paced as if they had the
    # same.
    hashes = {
        name: "" if isinstance(token, UnifiedError) else engine_worker.token_hash(token, key)
        for name, token in readers.tokens({task.name: one for task, one in found}).items()
    }
    # Two profiles of one connection share what it may send.
    sharing = Counter((task.base_url, task.account) for task, _ in found)
    for task, resolved in found:
        local = resolved.address is not None and resolved.address.is_sandbox
        pace = 0.0 if local else resolved.rate / sharing[task.base_url, task.account]
        paces.append(
            PacedTask(task.name, hashes[task.name], pace, 0.0 if local else resolved.token_rate)
        )
    return _Job({task.name: task for task, _ in found}, hashes, key, paces)


class WorkerWatch:
    """Tells when there is no worker, and ends the export where none comes."""

    def __init__(self, runtime: Runtime, engine: Engine, seconds: float | None) -> None:
        """A worker is waited for this many `seconds`, if that is given."""
        self.runtime = runtime
        self.engine = engine
        self._seconds = seconds
        self._since: float | None = None

    def wait_for_first(self) -> None:
        """Wait until there is a worker: the cluster may have been started just now.
        Raises NetworkError.
        """
        while not self.engine.workers:
            self._check(
                "no worker is there; waiting for one",
                "the scheduler has no workers",
                _FIRST_SECONDS,
            )
            self.engine.wait(_POLL_SECONDS)
        self._since = None

    def check(self) -> None:
        """Raise NetworkError if there has been no worker for too long."""
        if self.engine.workers:
            self._since = None
        else:
            self._check(
                "no worker is left; waiting for one", "all workers were lost", _NEXT_SECONDS
            )

    def _check(self, waiting: str, ended: str, seconds: float) -> None:
        now = self.runtime.monotonic()
        if self._since is None:
            self._since = now
            self.runtime.stderr.note(waiting)
        elif now - self._since >= (seconds if self._seconds is None else self._seconds):
            raise NetworkError(ended, hint="start some: dask worker HOST:PORT")


def _run(
    job: _Job, place: str, watch: WorkerWatch, results: EngineResults, shown: Progress
) -> None:
    runtime, engine = watch.runtime, watch.engine
    slots = TokenSlots(job.paces, WINDOW, _MOST)
    left = len(job.tasks)
    while left:
        for name in slots.begin(runtime.monotonic()):
            results.begin(name)
            task = _paced(job.tasks[name], slots.pace(name))
            order = TaskOrder(secrets.token_hex(16), job.key, place, job.hashes[name], task)
            engine.submit(EngineTask(name, msgspec.json.encode(order)))
        for event in engine.wait(_POLL_SECONDS):
            ended = results.note(event, shown)
            if ended is not None:
                slots.end(event.task.name, runtime.monotonic(), ended)
                left -= 1
        if left:
            watch.check()


def _paced(task: ConnectionTask, pace: float) -> ConnectionTask:
    options = msgspec.structs.replace(task.options, rate=pace, token_rate=pace)
    return msgspec.structs.replace(task, options=options)


def check_workers(
    engine: Engine,
    tasks: Iterable[ConnectionTask],
    hashes: Mapping[str, str],
    key: bytes,
    place: SharedPlace,
) -> None:
    """Ask every worker, before anything is sent, whether it can do every task.

    Raises StateError that names the first one that cannot, NetworkError without any,
    StorageError where the place of the export cannot be read.
    """
    order = EngineTask(
        "unified-check", msgspec.json.encode(CheckOrder(key, place.word, tuple(_brief(tasks))))
    )
    left = engine.submit(order, everywhere=True)
    answered = 0
    while left:
        for event in engine.wait(_POLL_SECONDS):
            if isinstance(event, TaskEnd):
                left -= 1
                # One that was lost in the meantime does nothing, and one that takes its
                # place checks the same.
                if event.result is not None or event.refused:
                    _check_answer(event, hashes, place)
                    answered += 1
    if not answered:
        raise NetworkError(
            "all workers were lost before they could be asked", hint="run the same command again"
        )


def _brief(tasks: Iterable[ConnectionTask]) -> Iterable[ConnectionTask]:
    """Yield the tasks, each list of which is in one of them only."""
    seen: set[str] = set()
    for task in tasks:
        yield msgspec.structs.replace(
            task, lists=tuple(name for name in task.lists if name not in seen), required=()
        )
        seen.update(task.lists)


def _check_answer(end: TaskEnd, hashes: Mapping[str, str], place: SharedPlace) -> None:
    where = f"the worker {end.where}"
    if end.result is None:
        raise StateError(f"{where} cannot do the export: {end.why}", hint=end.hint)
    report = engine_messages.read_report(end.result, end.task.payload)
    if report is None:
        raise StateError(f"{where} answered the check with something else; nothing of it was used")
    if report.error:
        raise StateError(f"{where} cannot do the export: {report.error.error().message}")
    for name, expected in hashes.items():
        found = report.tokens.get(name, "")
        if not found:
            raise StateError(
                f"{where} has no token for {name}", hint="it has to be configured there"
            )
        if expected and not hmac.compare_digest(found.encode(), expected.encode()):
            raise StateError(
                f"{where} has another token for {name}",
                hint="it has to be the same on each machine",
            )
    place.check_answer(where, report.place)
