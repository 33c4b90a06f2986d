"""What the driver makes of the workers' answers: the sum of them, and nothing that is none."""

import io
from collections.abc import Iterator

import msgspec
import pytest

from unified_cli import __version__
from unified_cli.bulk.engines.engine import EngineTask, TaskEnd, TaskNews
from unified_cli.commands.export_lists import worker_messages
from unified_cli.commands.export_lists.connection_task import ConnectionTask, TaskOptions
from unified_cli.commands.export_lists.engine_results import EngineResults
from unified_cli.commands.export_lists.worker_messages import Failure, TaskNumbers, TaskOrder, TaskOutcome, WorkerReport
from unified_cli.errors import NetworkError, StateError, UnifiedError, UnsafeError
from unified_cli.output.progress import Progress
from unified_cli.output.progress_line import Work
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

LISTS = ("ticketing/tickets", "ticketing/tags")
TASK = ConnectionTask(__version__, "acme", "https://x", "a", "file:///x", LISTS, (), TaskOptions())
ORDER = EngineTask("acme", msgspec.json.encode(TaskOrder("1", b"key", "", "", TASK)))
FINE = TaskOutcome(written=2, unchanged=0, records=7, not_offered=0, sent=4, partial=(), failed={}, without_lists=None)


@pytest.fixture
def shown() -> Iterator[Progress]:
    made = Progress(Runtime(None, None, Stderr(io.BytesIO()), {}), Work(part="list", parts=4), draws=False)
    yield made
    made.close()


@pytest.fixture
def results() -> EngineResults:
    return EngineResults({"acme": TASK}, "ndjson")


def answer(**changed: object) -> TaskEnd:
    report = WorkerReport(worker_messages.digest(ORDER.payload), outcome=msgspec.structs.replace(FINE, **changed))
    return TaskEnd(ORDER, "tcp://w:1", msgspec.json.encode(report))


def failure(results: EngineResults) -> UnifiedError:
    assert results.summary.failed.keys() == {"acme/ticketing/tickets.ndjson", "acme/ticketing/tags.ndjson"}
    return results.summary.failed["acme/ticketing/tags.ndjson"]


def test_a_result_is_added(results: EngineResults, shown: Progress) -> None:
    assert results.note(answer(), shown) == 4
    assert (results.summary.written, results.summary.records, results.summary.failed) == (2, 7, {})
    assert shown.so_far() == "2 of 4 lists, 7 records"


def test_what_a_worker_says_of_stamps_to_come_is_cut(results: EngineResults, shown: Progress) -> None:
    results.note(answer(ahead=("2 records in acme/ticketing/tickets", "x\x1b" * 9999, "of no list")), shown)
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
        msgspec.json.encode(WorkerReport(worker_messages.digest(ORDER.payload))),
        answer(partial=("a", "b", "c")).result,
        msgspec.json.encode({"order": worker_messages.digest(ORDER.payload), "more": 1}),
    ],
)
def test_what_is_no_result_of_the_task_is_named_and_not_used(
    data: bytes, results: EngineResults, shown: Progress
) -> None:
    results.note(TaskEnd(ORDER, "tcp://w:1", data), shown)
    error = failure(results)
    assert isinstance(error, UnsafeError)
    assert error.reason == (
        "the worker tcp://w:1 answered the task of acme with what is no result of it; nothing of it was used"
    )
    assert (results.summary.written, shown.so_far()) == (0, "2 of 4 lists, 0 records")


def test_an_error_keeps_its_exit_code(results: EngineResults, shown: Progress) -> None:
    report = WorkerReport(worker_messages.digest(ORDER.payload), error=Failure.of(StateError("in use")))
    results.note(TaskEnd(ORDER, "tcp://w:1", msgspec.json.encode(report)), shown)
    assert (type(failure(results)), failure(results).message) == (StateError, "in use")


def test_a_lost_worker_is_a_failure_of_its_task(results: EngineResults, shown: Progress) -> None:
    results.note(TaskEnd(ORDER, "", why="several workers were lost while they did it"), shown)
    assert isinstance(failure(results), NetworkError)


def test_news_of_a_task_that_is_run_again_count_once(results: EngineResults, shown: Progress) -> None:
    for numbers in (TaskNumbers(5, 1), TaskNumbers(7, 2, 1), TaskNumbers(2, 1), TaskNumbers(6, 1, 1)):
        assert results.note(TaskNews(ORDER, msgspec.json.encode(numbers)), shown) is None
    assert shown.so_far() == "1 of 4 lists, 7 records"
    for data in (b"", b'{"records": -1}', b'{"records": 1e300}', b'{"other": 1}'):
        results.note(TaskNews(ORDER, data), shown)
    assert shown.so_far() == "1 of 4 lists, 7 records"
