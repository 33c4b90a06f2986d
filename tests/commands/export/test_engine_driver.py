"""The driver of a cluster and its workers: with a client that does each task at once,
in this process.
"""

import io
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from front_door import Result, Unified
from pages import cursor_of, serve, tickets
from server import Service

pytestmark = pytest.mark.extra
pytest.importorskip("distributed", reason="needs the extra dask")
pytest.importorskip("obstore", reason="needs the extra cloud")

from distributed import KilledWorker  # noqa: E402  needs the extra

from unified_cli.commands.export import engine_worker  # noqa: E402  as above
from unified_cli.commands.export.connection_task import TaskResult  # noqa: E402  as above
from unified_cli.commands.export.report import ExportSummary  # noqa: E402  as above
from unified_cli.errors import StorageError, UnifiedError  # noqa: E402  as above
from unified_cli.runtime import Runtime  # noqa: E402  as above
from unified_cli.stderr import Stderr  # noqa: E402  as above

WHAT = "export ticketing/tickets ticketing/users --rate 0 --token-rate 0"
ENGINE = "--engine dask://127.0.0.1:1"


class Future:
    def __init__(self, key: str, result: Any, error: Exception | None) -> None:
        self.key, self._result, self._error = key, result, error
        self.status = "error" if error else "finished"

    def add_done_callback(self, call: Callable[[Any], None]) -> None:
        call(self)

    def result(self) -> Any:
        return self._result

    def exception(self) -> Exception | None:
        return self._error


class Client:
    """A cluster with these numbers of workers, look by look, and does its tasks by
    `work`, or as workers do.
    """

    def __init__(self) -> None:
        self.workers = [1]
        self.work: Callable[..., Any] | None = None
        self.before_check: Callable[[], None] = lambda: None
        self.news: list[Callable[[Any], None]] = []
        self.task = SimpleNamespace(state="long-running")

    def nthreads(self) -> range:
        number = self.workers.pop(0) if len(self.workers) > 1 else self.workers[0]
        if number < 0:
            raise OSError
        return range(number)

    def run(self, check: Any, *place: str, **_more: Any) -> dict[str, Any]:
        self.before_check()
        try:
            return {"tcp://w:1": check(*place)}
        except UnifiedError as error:
            return {"tcp://w:1": error}

    def subscribe_topic(self, _topic: str, call: Callable[[Any], None]) -> None:
        self.news.append(call)

    def submit(self, work: Any, *given: str, key: str, **_more: Any) -> Future:
        try:
            return Future(key, (self.work or work)(*given), None)
        except (UnifiedError, KilledWorker, ImportError) as error:
            return Future(key, None, error)


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch, service: Service) -> Client:
    made = Client()
    worker = SimpleNamespace(
        address="tcp://w:1",
        get_current_task=lambda: "key",
        state=SimpleNamespace(tasks={"key": made.task}),
        log_event=lambda _topic, number: [call((0, number)) for call in made.news],
    )

    @contextmanager
    def connected(_scheduler: str) -> Iterator[Client]:
        yield made

    seconds = itertools.count(0, 0.25).__next__
    stderr = Stderr(io.BytesIO())
    runtime = Runtime(
        None, None, stderr, service.environ, folders={}, monotonic=seconds, sleep=lambda _: None
    )
    monkeypatch.setattr(engine_worker, "connected", connected)
    monkeypatch.setattr(engine_worker, "get_worker", lambda: worker)
    monkeypatch.setattr(engine_worker, "secede", lambda: None)
    monkeypatch.setattr(engine_worker, "_runtime", lambda: runtime)
    return made


@pytest.fixture
def export(unified: Unified, service: Service, tmp_path: Path) -> Callable[..., Result]:
    serve(service, [tickets(1, number) for number in range(3)])

    def run(more: str = "") -> Result:
        line = f"{WHAT} {ENGINE} --to file://{tmp_path}/dump {more}"
        seconds = itertools.count().__next__
        return unified(
            line, environ=service.environ, monotonic=lambda: float(seconds()), sleep=lambda _: None
        )

    return run


def ending(result: Result, tmp_path: Path, done: int, more: str = "") -> bool:
    """Whether it names the lists that are done, and the command that continues."""
    to = f"--to file://{tmp_path}/dump {ENGINE}{more} --rate 0 --token-rate 0"
    command = f"\n  unified export ticketing/tickets ticketing/users {to}\n"
    return f"{done} of 2 lists done" in result.stderr and result.stderr.endswith(command)


@pytest.mark.usefixtures("client")
def test_all_is_there_and_nothing_else(
    export: Callable[..., Result], service: Service, tmp_path: Path
) -> None:
    said = f"wrote 2 files with 6 records to file://{tmp_path}/dump, 0 already complete;"
    result = export()
    assert (result.code, result.stderr) == (0, f"{said} 2 of 2 lists done\n")
    assert [path.name for path in (tmp_path / "dump").glob(".driver*")] == []
    asked = len(service.seen)
    assert "2 already complete; 2 of 2 lists done\n" in export().stderr
    assert len(service.seen) == asked


def test_an_export_without_workers_ends_at_once(
    client: Client, export: Callable[..., Result], service: Service, tmp_path: Path
) -> None:
    client.workers = [0]
    result = export("--wait-timeout 3")
    start = "(dask worker tcp://127.0.0.1:1"
    assert result.code == 6
    assert result.stderr.splitlines()[:2] == [
        f"there is no worker yet; waiting 3 s {start})",
        f"error: no worker came in 3 s {start}; 0 of 2 lists done)",
    ]
    assert ending(result, tmp_path, 0, " --wait-timeout 3")
    assert service.seen == []
    # Once one was there, it is waited for anew.
    client.workers = [0, 0, 1, 0, 0, 1]
    assert export("--wait-timeout 3").code == 0


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        (
            "lost",
            6,
            "the worker did not do the task of acct-1: several workers were lost while they ran it",
        ),
        ("disk", 11, "the worker did not do the task of acct-1: cannot write to file:///x"),
        ("bug", 12, "the worker did not do the task of acct-1: ImportError: no such module"),
        ("nothing", 12, "acct-1/ticketing/tickets.ndjson is not complete at file://{tmp}/dump"),
    ],
)
def test_a_task_that_is_not_done_is_a_failure_of_its_lists(
    how: str,
    code: int,
    said: str,
    client: Client,
    export: Callable[..., Result],
    tmp_path: Path,
) -> None:
    errors = {
        "lost": KilledWorker("task", SimpleNamespace(address="tcp://w:1"), 3),
        "disk": StorageError("cannot write to file:///x"),
        "bug": ImportError("no such module"),
    }

    def work(*_: str) -> TaskResult:
        if how in errors:
            raise errors[how]
        return TaskResult("tcp://w:1", ExportSummary(written=2))

    client.work = work
    result = export()
    assert (result.code, said.format(tmp=tmp_path) in result.stderr) == (code, True), result.stderr
    assert ending(result, tmp_path, 0)
    client.work = None
    assert export().code == 0


@pytest.mark.parametrize("how", ["disk", "version"])
def test_a_worker_of_another_disk_or_version_is_refused_before_anything_is_sent(
    how: str,
    client: Client,
    export: Callable[..., Result],
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if how == "version":
        monkeypatch.setattr(engine_worker, "__version__", "0.0.9")
    else:
        client.before_check = lambda: next((tmp_path / "dump").glob(".driver*")).unlink()
    result = export()
    said = "error: the worker tcp://w:1 cannot do the export: "
    assert (result.code, said in result.stderr) == (12, True), result.stderr
    assert ending(result, tmp_path, 0)
    assert (service.seen, [*(tmp_path / "dump").iterdir()]) == ([], [])


def test_a_task_that_is_not_wanted_any_more_ends_after_its_page_and_keeps_it(
    client: Client, export: Callable[..., Result], service: Service
) -> None:
    good = service.reply

    def reply(seen: Any) -> Any:
        if cursor_of(seen) == "c1":
            client.task.state = "cancelled"
        return good(seen)

    service.reply = reply
    result = export("--workers 1")
    assert "the driver no longer needs this task" in result.stderr
    assert [cursor_of(seen) for seen in service.seen] == [None, "c1"]
    client.task.state, service.reply = "long-running", good
    assert export().code == 0
    assert sorted(str(cursor_of(seen)) for seen in service.seen[2:]) == ["None", "c1", "c2", "c2"]


def test_a_lost_scheduler_is_named(
    client: Client, export: Callable[..., Result], tmp_path: Path
) -> None:
    client.workers = [-1]
    result = export()
    said = "error: the scheduler at tcp://127.0.0.1:1 was lost, or cancelled the tasks (0 of 2"
    assert (result.code, said in result.stderr) == (6, True), result.stderr
    assert ending(result, tmp_path, 0)
