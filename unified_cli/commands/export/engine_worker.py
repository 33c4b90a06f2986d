"""Connect to a Dask scheduler, and run tasks on a worker."""

import logging
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

from distributed import Client, get_worker, secede

from unified_cli import __version__
from unified_cli.cli.command import CommandContext
from unified_cli.commands.export import connection_task, run, store_folder
from unified_cli.commands.export.connection_task import TaskResult
from unified_cli.commands.export.options import ExportOptions
from unified_cli.commands.export.report import ExportSummary
from unified_cli.config.user_catalogue import own_catalogue
from unified_cli.errors import NetworkError, StateError, StorageError, UnifiedError
from unified_cli.masking import hide
from unified_cli.output.progress import Progress, Work
from unified_cli.runtime import TOKEN_VARIABLE, Runtime

_NEWS_SECONDS = 10.0
# A shared disk may show the writes of another machine a moment later.
_PATIENCE_SECONDS, _POLL_SECONDS = 3.0, 0.25
_MAKING = threading.Lock()


@contextmanager
def connected(scheduler: str) -> Iterator[Any]:
    """Yield a client that does not print the library's logs and warnings."""
    disabled = logging.root.manager.disable
    logging.disable()
    client: Any = None
    try:
        with warnings.catch_warnings(action="ignore"):
            client = Client(scheduler, timeout=10, set_as_default=False)
            # Otherwise the output of workers would appear on our stdout.
            client.unsubscribe_topic("print")
            yield client
    except (OSError, TypeError, ValueError, RuntimeError) as error:
        if client is not None:
            raise
        raise NetworkError(
            f"no Dask scheduler answers at {scheduler}: {error}",
            hint="check --engine, and for tls:// the certificates of Dask's own configuration",
        ) from None
    finally:
        # Ignore errors: the tasks end with this client anyway, and the scheduler may be
        # lost.
        with suppress(Exception):
            client.close()
        logging.disable(disabled)


def check(version: str, to: str, marker: str) -> None:
    """Raise StateError unless this worker has this version and can read the marker."""
    if version != __version__:
        raise StateError(
            f"it runs version {__version__}, and the driver {version}",
            hint="install the same version on each machine",
        )
    with _MAKING:
        runtime = _runtime()
    until = runtime.monotonic() + _PATIENCE_SECONDS
    try:
        objects = store_folder.objects(runtime, to, make=False)
        while objects.get(marker) is None:
            if runtime.monotonic() >= until:
                raise StateError(
                    f"the worker cannot read what the driver wrote to {to}",
                    hint="use a destination that all machines can reach: a shared disk or a bucket",
                )
            runtime.sleep(_POLL_SECONDS)
    except StorageError as error:
        raise StateError(error.reason, hint=error.hint) from None


def work(version: str, to: str, marker: str, text: str) -> TaskResult:
    """Run the task on a worker, like `export --task`.

    Raises StorageError, after which Dask retries the task.
    """
    worker = get_worker()
    key = worker.get_current_task()
    # The task mostly waits for the service, and the driver limits the number of tasks.
    # So do not occupy one of the threads that the scheduler counts.
    secede()
    try:
        check(version, to, marker)
        runtime = _runtime()
        context = CommandContext(runtime, own_catalogue(runtime, ()), lambda _: None, ())
        task = connection_task.read(runtime, text)
        plan = connection_task.plan_of(context, task, ExportOptions())
        destination = run.destination_of(runtime, to, plan.form, make=False)
        shown = Progress(runtime, Work(), draws=False, silent=True)
        reported_at, news = runtime.monotonic(), 0

        def stop() -> UnifiedError | None:
            nonlocal reported_at, news
            state = worker.state.tasks.get(key)
            if state is None or state.state not in {"executing", "long-running"}:
                # If this task was frozen and replaced, it must not write any more.
                destination.check_held()
                return StateError("the driver no longer needs this task")
            if (now := runtime.monotonic()) - reported_at >= _NEWS_SECONDS:
                reported_at, before, news = now, news, shown.counted.units
                worker.log_event(marker, news - before)
            return None

        summary = run.carry_out(plan, destination, shown, stop)
        worker.log_event(marker, shown.counted.units - news)
    except StorageError:
        raise
    except UnifiedError as error:
        return TaskResult(worker.address, ExportSummary(), error=error)
    return TaskResult(worker.address, summary, plan.readers.clients.recent_sends())


@cache
def _runtime() -> Runtime:
    # Create only one runtime, because the first one removes the token from the
    # environment. `check` is called first, and has the lock.
    runtime = Runtime.system()._replace(stdin=None, stdout=None)
    # The driver reports messages.
    runtime.stderr.quiet = True
    hide(runtime.environ.get(TOKEN_VARIABLE, ""))
    return runtime
