"""What a worker makes of an order, whoever gives it."""

import io
import itertools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from front_door import ROOT
from pages import cursor_of, serve, served, tickets
from server import Service

from unified_cli import __version__
from unified_cli.catalogue import load
from unified_cli.cli.command import CommandContext
from unified_cli.commands.export import engine_messages, engine_worker, shared_place, store_folder
from unified_cli.commands.export.connection_task import ConnectionTask, TaskOptions
from unified_cli.commands.export.engine_messages import CheckOrder, TaskOrder, WorkerReport
from unified_cli.commands.export.shared_place import SharedPlace
from unified_cli.config import file
from unified_cli.errors import StateError
from unified_cli.exported.list_export import TakenOverError
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

pytestmark = pytest.mark.extra
pytest.importorskip("obstore", reason="needs the extra cloud")


@pytest.fixture
def order(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[bytes]:
    """An order for a worker that resolves everything from its environment, and whose
    seconds pass quickly.
    """
    seconds = itertools.count(0, 0.25).__next__
    runtime = Runtime(
        None,
        None,
        Stderr(io.BytesIO()),
        service.environ,
        folders={},
        monotonic=seconds,
        sleep=lambda _: None,
    )
    context = CommandContext(runtime, load(), lambda _: None, ())
    monkeypatch.setattr(engine_worker, "_context", lambda: context)
    options = TaskOptions(rate=0, token_rate=0)
    to, lists = f"file://{tmp_path}/dump", ("ticketing/tickets",)
    task = ConnectionTask(__version__, None, service.url, "acct-1", to, lists, lists, options)
    with SharedPlace(runtime, store_folder.objects(runtime, to, make=True)) as place:
        yield msgspec.json.encode(TaskOrder("1", b"key", place.word, "", task))


def report(order: bytes, answer: bytes) -> WorkerReport:
    found = engine_messages.read_report(answer, order)
    assert found is not None
    return found


def test_a_task_that_nobody_wants_any_more_ends_after_its_page_and_keeps_it(
    order: bytes, service: Service
) -> None:
    serve(service, [tickets(1, number) for number in range(20)])

    def tell(_news: bytes) -> None:
        raise StateError("the driver of this task wants it no more")

    outcome = report(order, engine_worker.work(order, tell)).outcome
    assert outcome is not None
    (failure,) = outcome.failed.values()
    assert failure.message.startswith(
        "the driver of this task wants it no more; run the same command to resume at"
    )
    before = [cursor_of(seen) for seen in service.seen]
    assert len(before) < 20
    news: list[bytes] = []
    outcome = report(order, engine_worker.work(order, news.append)).outcome
    assert outcome is not None
    assert outcome.failed == {}
    assert [cursor_of(seen) for seen in service.seen] == [
        None,
        *(f"c{number}" for number in range(1, 20)),
    ]
    numbers = [engine_messages.read_numbers(one) for one in news if one]
    assert numbers
    assert numbers[-1] is not None
    # It asks more often whether the task is wanted than it says how far it is.
    assert len(news) > len(numbers) > 1


def test_when_one_list_was_taken_over_the_others_end_as_well(
    order: bytes, service: Service
) -> None:
    service.reply = lambda _: served({"result": tickets(1), "next_cursor": f"c{len(service.seen)}"})
    found = msgspec.json.decode(order, type=TaskOrder)
    both = ("ticketing/tickets", "ticketing/contacts")
    order = msgspec.json.encode(
        msgspec.structs.replace(found, task=msgspec.structs.replace(found.task, lists=both))
    )
    told = threading.Lock()

    def tell(_news: bytes) -> None:
        if len({seen.path for seen in service.seen}) == 2 and told.acquire(blocking=False):
            raise TakenOverError("the list")

    error = report(order, engine_worker.work(order, tell)).error
    assert error is not None
    assert error.message == "another run writes to the list, and has taken over from this one"
    # The page that was under way may still come.
    time.sleep(0.2)
    asked = len(service.seen)
    time.sleep(0.2)
    assert len(service.seen) == asked


@pytest.mark.parametrize("payload", [b"", b"{}", b"\xff", b'{"type": "other"}'])
def test_an_order_of_another_version_is_refused(payload: bytes) -> None:
    found = report(payload, engine_worker.work(payload, lambda _: None))
    assert found.error is not None
    assert (found.error.exit, found.error.message) == (
        12,
        "the order is of another version (install the same version on each machine)",
    )


def test_a_worker_that_checks_many_tasks_reads_the_config_as_toml_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"c{number}" for number in range(20)]
    profiles = "".join(
        f'[profiles.{name}]\naccount_id = "of-{name}"\ntoken = "t"\n' for name in names
    )
    path = tmp_path / "config.toml"
    path.write_text(f'base_url = "http://127.0.0.1:9"\n{profiles}')
    path.chmod(0o600)
    runtime = Runtime(None, None, Stderr(io.BytesIO()), {"UNIFIED_CONFIG": str(path)}, folders={})
    context = CommandContext(runtime, load(), lambda _: None, ())
    monkeypatch.setattr(engine_worker, "_context", lambda: context)
    read, parsed = file.load, []
    monkeypatch.setattr(file, "load", lambda *given: parsed.append(given) or read(*given))
    lists = ("ticketing/tickets",)
    tasks = [
        ConnectionTask(
            __version__,
            name,
            "http://127.0.0.1:9",
            f"of-{name}",
            f"file://{tmp_path}/dump",
            lists,
            lists,
            TaskOptions(),
        )
        for name in names
    ]
    with SharedPlace(
        runtime, store_folder.objects(runtime, f"file://{tmp_path}/dump", make=True)
    ) as place:
        payload = msgspec.json.encode(CheckOrder(b"key", place.word, tuple(tasks)))
        found = report(payload, engine_worker.work(payload, lambda _: None))
        assert (found.error, [*found.tokens]) == (None, names)
        assert len(parsed) == 1
        # What is changed meanwhile is seen.
        path.write_text(path.read_text().replace("of-c19", "of-another"))
        error = report(payload, engine_worker.work(payload, lambda _: None)).error
    assert error is not None
    assert "is for the account of-c19, and here it leads to of-another" in error.message


# In a process of its own, as a worker is: the first orders come to several threads at
# once.
FIRST_ORDERS = """
import sys, threading, time
from unified_cli.commands.export import engine_worker
from unified_cli.errors import ConfigError
made = engine_worker.own_catalogue
broken = sys.argv[1:] == ["broken"]

def slow(*given):
    global broken
    time.sleep(0.1)
    if broken:
        broken = False
        raise ConfigError("catalogue.d is damaged")
    return made(*given)

engine_worker.own_catalogue = slow
answers = []
order = sys.stdin.buffer.read()
work = lambda: answers.append(engine_worker.work(order, print))
threads = [threading.Thread(target=work) for _ in range(8)]
for one in threads:
    one.start()
for one in threads:
    one.join()
answers.append(engine_worker.work(order, print))
for one in answers:
    print(one.decode())
"""


@pytest.mark.parametrize("more", [[], ["broken"]], ids=["at once", "after a failure"])
def test_each_of_the_first_orders_finds_the_token_of_the_environment(
    more: list[str], tmp_path: Path
) -> None:
    lists = ("ticketing/tickets",)
    to = f"file://{tmp_path}/dump"
    task = ConnectionTask(
        __version__, None, "http://127.0.0.1:9", "acct-1", to, lists, lists, TaskOptions()
    )
    environ = {
        "PYTHONPATH": str(ROOT),
        "HOME": str(tmp_path),
        "UNIFIED_BASE_URL": "http://127.0.0.1:9",
        "UNIFIED_ACCOUNT_ID": "acct-1",
        "UNIFIED_TOKEN": "t-0123456789",
    }
    words = [sys.executable, "-c", FIRST_ORDERS, *more]
    runtime = Runtime(None, None, Stderr(io.BytesIO()), {}, folders={})
    with SharedPlace(runtime, store_folder.objects(runtime, to, make=True)) as place:
        order = msgspec.json.encode(CheckOrder(b"key", place.word, (task,)))
        done = subprocess.run(
            words, input=order, capture_output=True, check=True, timeout=60, env=environ
        )
    reports = [report(order, line) for line in done.stdout.splitlines()]
    said = [one.error.message for one in reports if one.error]
    assert (len(reports), said) == (9, ["catalogue.d is damaged"] if more else [])
    assert {one.tokens.get("acct-1") for one in reports if not one.error} == {
        engine_worker.token_hash("t-0123456789", b"key")
    }


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"place": "0123456789abcdef"},
            "what the driver wrote to file://{tmp}/dump is not seen there (all machines ",
        ),
        (
            {"place": "../other"},
            "what the driver wrote to file://{tmp}/dump is not seen there (all machines ",
        ),
        (
            {"token": "another"},
            "there is another token for acct-1 (it has to be the same on each machine)",
        ),
    ],
)
def test_a_worker_that_was_not_there_for_the_check_does_it_before_its_task(
    changed: dict[str, str], said: str, order: bytes, service: Service, tmp_path: Path
) -> None:
    order = msgspec.json.encode(
        msgspec.structs.replace(msgspec.json.decode(order, type=TaskOrder), **changed)
    )
    found = report(order, engine_worker.work(order, lambda _: None))
    assert found.error
    assert (found.error.exit, found.error.message.startswith(said.format(tmp=tmp_path))) == (
        12,
        True,
    ), found.error
    assert service.seen == []


def test_what_a_killed_driver_left_at_the_place_is_removed_by_the_next(tmp_path: Path) -> None:
    seconds = itertools.count(0, 0.25).__next__
    runtime = Runtime(
        None, None, Stderr(io.BytesIO()), {}, folders={}, monotonic=seconds, sleep=lambda _: None
    )
    objects = store_folder.objects(runtime, f"file://{tmp_path}/dump", make=True)
    killed = "import test_export_worker; test_export_worker.left()"
    environ = {**os.environ, "LEFT": f"file://{tmp_path}/dump"}
    words = [sys.executable, "-c", killed]
    path = os.pathsep.join(
        (
            str(ROOT / "tests"),
            str(ROOT),
            *(entry for entry in sys.path if entry),
            str(Path(__file__).parent),
        )
    )
    subprocess.run(words, check=True, timeout=60, env={**environ, "PYTHONPATH": path})
    old = "f" * 16
    sign = (
        b'{"writer": "%s", "process": 1, "host": "elsewhere", "machine": "elsewhere"}'
        % old.encode()
    )
    objects.put(f".probe/{old}", sign)
    long_ago = time.time() - 3600
    os.utime(tmp_path / "dump" / ".probe" / old, (long_ago, long_ago))
    other = "e" * 16
    objects.put(f".probe/{other}", sign.replace(b"f" * 16, other.encode()))
    assert len(objects.listed(".probe")) == 4
    with SharedPlace(runtime, objects) as place:
        assert {*objects.listed(".probe")} == {place.word, other}
    # Whoever wrote it lately on another machine may be at work.
    assert {*objects.listed(".probe")} == {other}


def left() -> None:
    """Leave what a driver and one of its workers wrote, as if both had been killed."""
    runtime = Runtime(None, None, Stderr(io.BytesIO()), {}, folders={})
    objects = store_folder.objects(runtime, os.environ["LEFT"], make=True)
    place = SharedPlace(runtime, objects).__enter__()
    shared_place.answer(objects, place.word)
    os._exit(0)
