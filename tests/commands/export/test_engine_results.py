"""What the driver makes of the workers' answers: the sum of them, and nothing that is
none.
"""

import hashlib
import io
import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from unified_cli import __version__
from unified_cli.commands.export import (
    engine_driver,
    engine_messages,
    run,
    shared_place,
    store_folder,
)
from unified_cli.commands.export.chunk_log import Chunk, ChunkLog, ListPlace, LogEntry
from unified_cli.commands.export.connection_task import ConnectionTask, TaskOptions
from unified_cli.commands.export.engine import Engine, EngineTask, TaskEnd, TaskNews
from unified_cli.commands.export.engine_messages import (
    Failure,
    TaskNumbers,
    TaskOrder,
    TaskOutcome,
    WorkerReport,
)
from unified_cli.commands.export.engine_results import EngineResults
from unified_cli.commands.export.shared_place import SharedPlace
from unified_cli.errors import NetworkError, ServiceError, StateError, UnifiedError, UnsafeError
from unified_cli.exported.checkpoint import Checkpoint, ListIdentity
from unified_cli.exported.manifest import Manifest, ManifestEntry
from unified_cli.output.progress import Progress, Work
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

pytestmark = pytest.mark.extra
pytest.importorskip("obstore", reason="needs the extra cloud")

LISTS = ("ticketing/tickets", "ticketing/tags")
FILES = tuple(f"acme/{name}.ndjson" for name in LISTS)
TASK = ConnectionTask(
    __version__, "acme", "http://127.0.0.1:9", "a", "file:///x", LISTS, (), TaskOptions()
)
ORDER = EngineTask("acme", msgspec.json.encode(TaskOrder("1", b"key", "", "", TASK)))
FINE = TaskOutcome(4, {})
RUNTIME = Runtime(None, None, Stderr(io.BytesIO()), {})


@pytest.fixture
def shown() -> Iterator[Progress]:
    made = Progress(
        Runtime(None, None, Stderr(io.BytesIO()), {}), Work(part="list", parts=4), draws=False
    )
    yield made
    made.close()


@pytest.fixture
def results(tmp_path: Path) -> EngineResults:
    made = EngineResults(
        {"acme": TASK}, "ndjson", run.destination_of(RUNTIME, f"file://{tmp_path}", make=True)
    )
    made.begin("acme")
    return made


def put(folder: Path, *files: str, **changed: object) -> None:
    """Put lists of three records there, as a worker does."""
    objects = store_folder.objects(RUNTIME, f"file://{folder}", make=True)
    name, lines = "manifest-of-acme.json", b'{"id": 1}\n' * 3
    entries = {}
    for file in files:
        api, resource = file.removeprefix("acme/").removesuffix(".ndjson").split("/")
        chunk = Chunk("0001-000001.ndjson", len(lines), hashlib.sha256(lines).hexdigest())
        state = Checkpoint.begin(ListIdentity("f", {}), "2026-01-01")
        state = replace(
            state, bytes=len(lines), records=3, pages=1, complete=True, updated="2026-01-01"
        )
        place = ListPlace.of(file)
        objects.put(f"{place.folder}/{chunk.name}", lines)
        ChunkLog(objects, place.log).add(LogEntry(1, "w", 1, chunk, state, (chunk,)))
        entry = ManifestEntry(file, "acme", "a", "http://127.0.0.1:9", api, resource)
        entries[file] = replace(entry.finished(state, [], allow=False), **changed)
    objects.put(name, Manifest(name, "2026-01-01", entries=entries).text())


def answer(**changed: object) -> TaskEnd:
    report = WorkerReport(
        engine_messages.digest(ORDER.payload), outcome=msgspec.structs.replace(FINE, **changed)
    )
    return TaskEnd(ORDER, "tcp://w:1", msgspec.json.encode(report))


def failure(results: EngineResults) -> UnifiedError:
    assert results.summary.failed.keys() == {*FILES}
    return results.summary.failed[FILES[1]]


def test_what_is_there_is_added(results: EngineResults, shown: Progress, tmp_path: Path) -> None:
    put(tmp_path, *FILES)
    # Whatever it said meanwhile.
    results.note(TaskNews(ORDER, msgspec.json.encode(TaskNumbers(1 << 40, 7, 1))), shown)
    assert results.note(answer(), shown) == 4
    assert (results.summary.written, results.summary.records, results.summary.failed) == (2, 6, {})
    assert shown.so_far() == "2 of 4 lists, 6 records"


def test_what_was_there_before_is_not_written(shown: Progress, tmp_path: Path) -> None:
    put(tmp_path, FILES[0])
    results = EngineResults(
        {"acme": TASK}, "ndjson", run.destination_of(RUNTIME, f"file://{tmp_path}", make=True)
    )
    results.begin("acme")
    put(tmp_path, *FILES)
    results.note(answer(), shown)
    summary = results.summary
    assert (summary.written, summary.unchanged, summary.records, summary.failed) == (1, 1, 3, {})


@pytest.mark.parametrize(
    "changed",
    [
        {"records": 1 << 48},
        {"records": 2},
        {"bytes": 1},
        {"account_id": "other"},
        {"origin": "http://127.0.0.1:8"},
        {"complete": False, "ended": ""},
    ],
    ids=str,
)
def test_a_manifest_that_is_not_true_counts_nothing(
    changed: dict[str, object], results: EngineResults, shown: Progress, tmp_path: Path
) -> None:
    put(tmp_path, *FILES, **changed)
    results.note(answer(), shown)
    assert isinstance(failure(results), StateError)
    assert (results.summary.written, results.summary.records) == (0, 0)


def test_what_a_provider_left_out_and_what_is_not_offered_is_told(
    results: EngineResults, shown: Progress, tmp_path: Path
) -> None:
    put(tmp_path, *FILES, complete=False, why="x" * 10_000)
    results.note(answer(), shown)
    assert results.summary.partial == [
        f"{file}: {'x' * 2048}… (7952 more characters)" for file in sorted(FILES)
    ]
    put(tmp_path, *FILES, complete=False, offered=False, why="y" * 10_000)
    results.note(answer(), shown)
    assert results.summary.not_offered == 2
    assert {entry.why for entry in results.summary.without_lists["acme"]} == {
        f"{'y' * 2048}… (7952 more characters)"
    }


@pytest.mark.parametrize("number", [1, 10, 14, 130, 143, 7000])
def test_a_failure_is_one_that_a_task_can_have(
    number: int, results: EngineResults, shown: Progress
) -> None:
    results.note(answer(failed={file: Failure(number, "said") for file in FILES}), shown)
    assert (type(failure(results)), failure(results).message) == (ServiceError, "said")


def test_what_a_worker_says_of_stamps_to_come_is_cut(
    results: EngineResults, shown: Progress
) -> None:
    results.note(
        answer(ahead=("2 records in acme/ticketing/tickets", "x\x1b" * 9999, "of no list")), shown
    )
    assert results.summary.ahead[0] == "2 records in acme/ticketing/tickets"
    assert [len(line) < 400 for line in results.summary.ahead] == [True, True]
    assert "\x1b" not in results.summary.ahead[1]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x80\x04.",
        b"null",
        b"[" * 100_000,
        msgspec.json.encode(WorkerReport("of another", outcome=FINE)),
        msgspec.json.encode(WorkerReport(engine_messages.digest(ORDER.payload))),
        answer(failed={"another": Failure(5, "failed")}).result,
        msgspec.json.encode({"order": engine_messages.digest(ORDER.payload), "more": 1}),
    ],
)
def test_what_is_no_result_of_the_task_is_named_and_not_used(
    data: bytes, results: EngineResults, shown: Progress
) -> None:
    results.note(TaskEnd(ORDER, "tcp://w:1", data), shown)
    error = failure(results)
    assert isinstance(error, UnsafeError)
    assert (
        error.reason
        == "the worker tcp://w:1 answered the task of acme with something else than a result;"
        " nothing of it was used"
    )
    assert (results.summary.written, shown.so_far()) == (0, "2 of 4 lists, 0 records")


def test_an_error_keeps_its_exit_code(results: EngineResults, shown: Progress) -> None:
    report = WorkerReport(
        engine_messages.digest(ORDER.payload), error=Failure.of(StateError("in use"))
    )
    results.note(TaskEnd(ORDER, "tcp://w:1", msgspec.json.encode(report)), shown)
    assert (type(failure(results)), failure(results).message) == (
        StateError,
        "the worker tcp://w:1 did not do the task of acme: in use",
    )


def test_a_lost_worker_is_a_failure_of_its_task(results: EngineResults, shown: Progress) -> None:
    results.note(TaskEnd(ORDER, "", why="several workers were lost while they did it"), shown)
    assert isinstance(failure(results), NetworkError)


def test_news_of_a_task_that_is_run_again_count_once(
    results: EngineResults, shown: Progress
) -> None:
    for numbers in (
        TaskNumbers(5, 1),
        TaskNumbers(7, 2, 1),
        TaskNumbers(2, 1),
        TaskNumbers(6, 1, 1),
    ):
        assert results.note(TaskNews(ORDER, msgspec.json.encode(numbers)), shown) is None
    assert shown.so_far() == "1 of 4 lists, 7 records"
    for data in (
        b"",
        b'{"records": -1}',
        b'{"records": 1e300}',
        b'{"other": 1}',
        b'{"lists": 3}',
        b'{"failed": 2}',
    ):
        results.note(TaskNews(ORDER, data), shown)
    assert shown.so_far() == "1 of 4 lists, 7 records"


class Ends:
    """An engine whose tasks came to these ends."""

    workers = 1

    def __init__(self, *ends: TaskEnd | WorkerReport) -> None:
        self.ends = ends
        self.order = ORDER

    def submit(self, task: EngineTask, *, everywhere: bool = False) -> int:
        assert everywhere
        self.order = task
        return len(self.ends)

    def wait(self, _seconds: float) -> list[TaskNews | TaskEnd]:
        order = engine_messages.digest(self.order.payload)
        return [
            (
                end
                if isinstance(end, TaskEnd)
                else TaskEnd(
                    self.order, "w", msgspec.json.encode(msgspec.structs.replace(end, order=order))
                )
            )
            for end in self.ends
        ]


class Workers(Ends):
    """An engine that has so many workers, look by look."""

    def __init__(self, *counts: int) -> None:
        super().__init__()
        self.counts = [*counts]
        self.workers = self.counts.pop(0)

    def wait(self, _seconds: float) -> list[TaskNews | TaskEnd]:
        self.workers = self.counts.pop(0) if self.counts else self.workers
        return []


def watch(engine: Engine, seconds: float | None, stderr: io.BytesIO) -> engine_driver.WorkerWatch:
    """Each look at the clock is a second after the one before."""
    times = itertools.count()
    runtime = RUNTIME._replace(stderr=Stderr(stderr), monotonic=lambda: float(next(times)))
    return engine_driver.WorkerWatch(runtime, engine, seconds)


@pytest.mark.parametrize(("seconds", "looks"), [(None, 10), (3.0, 3)])
def test_the_first_worker_is_waited_for(seconds: float | None, looks: int) -> None:
    stderr = io.BytesIO()
    watch(Workers(*[0] * looks, 1), seconds, stderr).wait_for_first()
    assert stderr.getvalue() == b"no worker is there; waiting for one\n"
    with pytest.raises(NetworkError, match="the scheduler has no workers"):
        watch(Workers(*[0] * (looks + 1), 1), seconds, stderr).wait_for_first()


@pytest.mark.parametrize(("seconds", "looks"), [(None, 600), (3.0, 3)])
def test_that_no_worker_is_left_is_said_once_each_time(seconds: float | None, looks: int) -> None:
    stderr, engine = io.BytesIO(), Workers(2)
    found = watch(engine, seconds, stderr)
    for _ in range(2):
        engine.workers = 1
        found.check()
        engine.workers = 0
        for _ in range(looks):
            found.check()
    assert stderr.getvalue() == b"no worker is left; waiting for one\n" * 2
    with pytest.raises(NetworkError, match="all workers were lost"):
        found.check()


def test_a_worker_that_is_lost_while_it_is_asked_is_no_obstacle(tmp_path: Path) -> None:
    lost, hashes = TaskEnd(ORDER, "tcp://w:1", why="the worker was lost"), {"acme": "hash"}
    objects = store_folder.objects(RUNTIME, f"file://{tmp_path}", make=True)
    with SharedPlace(RUNTIME, objects) as place:
        fine = WorkerReport("", tokens=hashes, place=shared_place.answer(objects, place.word))
        engine_driver.check_workers(Ends(lost, fine, lost), [TASK], hashes, b"key", place)
        with pytest.raises(NetworkError, match="all workers were lost before they could be asked"):
            engine_driver.check_workers(Ends(lost), [TASK], hashes, b"key", place)
