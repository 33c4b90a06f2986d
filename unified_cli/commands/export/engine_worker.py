"""The part of an export that runs on the workers of an engine."""

import hmac
import threading
from collections.abc import Callable, Sequence
from functools import cache

import msgspec

from unified_cli.cli.command import CommandContext
from unified_cli.commands.export import run, shared_place, store_folder
from unified_cli.commands.export.connection_task import ConnectionTask, plan_of
from unified_cli.commands.export.engine_messages import (
    ORDERS,
    CheckOrder,
    Failure,
    TaskNumbers,
    TaskOutcome,
    WorkerReport,
    digest,
)
from unified_cli.commands.export.options import ExportOptions
from unified_cli.config.user_catalogue import own_catalogue
from unified_cli.errors import ConfigError, StateError, UnifiedError, bug_message
from unified_cli.exported.list_export import TakenOverError
from unified_cli.fleet.read import FairReaders
from unified_cli.masking import hide
from unified_cli.output import formats
from unified_cli.output.progress import Progress, Work
from unified_cli.runtime import TOKEN_VARIABLE, Runtime
from unified_cli.storage.object_store import StoredObjects

# Whether the task is still wanted is known to this process; news wake the worker, the
# scheduler and the driver.
_ASK_SECONDS, _NEWS_SECONDS = 1.0, 10.0
# A cache alone does not keep two threads from making the same thing.
_MAKING = threading.Lock()


def work(payload: bytes, tell: Callable[[bytes], None]) -> bytes:
    """Carry out an order, with the configuration of this machine.

    Whatever fails is reported in the report.
    """
    order = digest(payload)
    try:
        return msgspec.json.encode(_report(payload, order, tell))
    except UnifiedError as error:
        return msgspec.json.encode(WorkerReport(order, error=Failure.of(error)))
    except Exception as error:  # noqa: BLE001  the driver reads no exception
        bug = UnifiedError(bug_message(f"a bug, sorry: {type(error).__name__}: {error}"))
        return msgspec.json.encode(WorkerReport(order, error=Failure.of(bug)))


def _report(payload: bytes, order: str, tell: Callable[[bytes], None]) -> WorkerReport:
    try:
        found = ORDERS.decode(payload)
    except msgspec.MsgspecError:
        raise StateError(
            "the order is of another version", hint="install the same version on each machine"
        ) from None
    context = _context()
    if isinstance(found, CheckOrder):
        tokens, objects = _checked(context, found.tasks, found.key, found.place)
        return WorkerReport(order, tokens=tokens, place=shared_place.answer(objects, found.place))
    task = found.task
    tokens, _ = _checked(context, (task,), found.key, found.place)
    if found.token and not hmac.compare_digest(found.token.encode(), tokens[task.name].encode()):
        raise StateError(
            f"there is another token for {task.name}", hint="it has to be the same on each machine"
        )
    return WorkerReport(order, outcome=_done(context, task, tell))


def _context() -> CommandContext:
    """Return what commands run with in this process.

    Made once, whichever of its threads come first.
    """
    with _MAKING:
        return _made_context()


@cache
def _made_context() -> CommandContext:
    runtime = _made_runtime()
    return CommandContext(runtime, own_catalogue(runtime, ()), lambda _: None, ())


@cache
def _made_runtime() -> Runtime:
    """Return the runtime of this process, whose environment loses the token: there is
    no second one with it.

    Apart from the context, which may fail for a catalogue that is mended later.
    """
    runtime = Runtime.system()._replace(stdin=None, stdout=None)
    # Many tasks print to the same place, and the driver tells what there is to tell.
    runtime.stderr.quiet = True
    hide(runtime.environ.get(TOKEN_VARIABLE, ""))
    return runtime


def _checked(
    context: CommandContext, tasks: Sequence[ConnectionTask], key: bytes, place: str
) -> tuple[dict[str, str], StoredObjects]:
    """Return a keyed hash of the token of each task, and the objects at the
    destination, which is the driver's.

    Raises StateError where one of the tasks cannot be done here, StorageError.
    """
    found = {}
    readers = FairReaders(context.runtime, context.catalogue, ExportOptions.workers)
    try:
        for task in tasks:
            connections = plan_of(context, task, ExportOptions(), readers).connections
            token = readers.clients.token(connections.resolve(connections.names[0]))
            found[task.name] = token_hash(token, key)
        # A folder that is not there is not the one that the driver made.
        objects = store_folder.objects(context.runtime, tasks[0].to, make=False)
    except ConfigError as error:
        raise StateError(
            f"the export cannot be done here: {error.reason}", hint=error.hint
        ) from None
    shared_place.check(context.runtime, objects, place)
    return found, objects


def token_hash(token: str, key: bytes) -> str:
    """Return what two machines compare to know whether they have the same token."""
    return hmac.new(key, token.encode(), "sha256").hexdigest()


def _done(
    context: CommandContext, task: ConnectionTask, tell: Callable[[bytes], None]
) -> TaskOutcome:
    plan = plan_of(context, task, ExportOptions())
    destination = run.destination_of(
        context.runtime, plan.options.to or "", make=False, tables=plan.form is formats.DELTA
    )

    def tell_as_owner(news: bytes) -> None:
        try:
            tell(news)
        except StateError:
            # Who woke up late and was replaced in the meantime must not write any more.
            destination.check_held()
            raise

    shown = WorkerProgress(context.runtime, Work(part="list", parts=len(plan.lists)), tell_as_owner)
    summary = run.carry_out(plan, destination, shown, lambda: shown.unwanted)
    failed = {name: Failure.of(error) for name, error in summary.failed.items()}
    return TaskOutcome(plan.readers.clients.recent_sends(), failed, tuple(summary.ahead))


class WorkerProgress(Progress):
    """Tells the driver how far a task is, and notes when no one wants it any more."""

    def __init__(self, runtime: Runtime, work: Work, tell: Callable[[bytes], None]) -> None:
        super().__init__(runtime, work, draws=False)
        self._tell = tell
        self._asked = self._told = float("-inf")
        self.unwanted: UnifiedError | None = None
        """Why the task is to end, if no one wants it any more."""

    def show(self) -> None:
        """Tell it, if it is time to.

        Raises TakenOverError if another run does the task.
        """
        with self._lock:
            now = self._runtime.monotonic()
            if now - self._asked < _ASK_SECONDS:
                return
            self._asked = now
            news = self._news(now)
        try:
            self._tell(news)
        except TakenOverError:
            raise
        except StateError as error:
            self.unwanted = error

    def _news(self, now: float) -> bytes:
        """Return how far the task is, or nothing where the driver was reported
        lately.
        """
        if now - self._told < _NEWS_SECONDS:
            return b""
        self._told = now
        tally = self._tally
        lists = tally.parts_before + tally.parts
        return msgspec.json.encode(TaskNumbers(tally.units, tally.pages, lists, tally.failed))
