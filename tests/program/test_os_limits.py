"""Where the operating system refuses threads or files, the end says so; no bug is
claimed and no module is blamed.
"""

import re
import resource
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from front_door import Process, Unified
from pages import serve, tickets
from server import Service

from unified_cli import os_limits
from unified_cli.config.settings import Settings
from unified_cli.fleet.clients import Clients
from unified_cli.fleet.pool import WorkerPool
from unified_cli.http.client import Client

Config = Callable[[str], Path]
FOUR = "".join(f'[profiles.a{number}]\naccount_id = "{number}"\n' for number in range(4))
COMMANDS = (
    "ticketing tickets list --all",
    "-p a* ticketing tickets list -o ndjson",
    "-p a* export ticketing/tickets --to dump",
    "-p a1 import ticketing/tickets in.ndjson",
)


@pytest.fixture
def four(config: Config, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four connections to a service of several pages, and a file to import."""
    config(f'base_url = "{service.url}"\ntoken = "t-0123456789"\naccount_id = "1"\n{FOUR}')
    serve(service, [tickets(2), tickets(2, 2), tickets(2, 4)])
    (tmp_path / "in.ndjson").write_text('{"name": "x"}\n')
    monkeypatch.chdir(tmp_path)


def at_most(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the program start this many threads, then refuse as `ulimit -u` does."""
    left = [None] * threads

    class Limited(threading.Thread):
        def start(self) -> None:
            if not left:
                raise RuntimeError("can't start new thread")
            left.pop()
            super().start()

    monkeypatch.setattr(os_limits, "Thread", Limited)


@pytest.mark.usefixtures("four")
@pytest.mark.parametrize("command", COMMANDS)
def test_no_thread_at_all_is_the_machines_failure(
    command: str, unified: Unified, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_most(0, monkeypatch)
    result = unified(command)
    assert result.code == 11
    assert "the operating system allows no more threads" in result.stderr
    assert "a bug" not in result.stderr


def test_work_continues_with_the_threads_that_are_available(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_most(2, monkeypatch)

    def work(job: int) -> Generator[int]:
        yield job

    with WorkerPool(8, work) as pool:
        assert sorted(pool.results(range(20))) == [*range(20)]


def home_of(tmp_path: Path) -> dict[str, str]:
    return {"UNIFIED_CONFIG": str(tmp_path / "config" / "config.toml")}


@pytest.mark.usefixtures("four")
@pytest.mark.parametrize("limit", [5, 8, 11, 16, 20, 24])
@pytest.mark.parametrize("command", COMMANDS[1:3])
def test_too_many_open_files_is_reported_as_such(
    command: str, limit: int, process: Process, tmp_path: Path
) -> None:
    done = process(
        f"{command} --workers 8",
        environ=home_of(tmp_path),
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)),
    )
    said = done.stderr.decode()
    assert done.returncode in {0, 11}, said
    assert ".py" not in said
    # An export adds how many lists are done.
    hint = r"\(ulimit -n shows the limit, --workers 1 needs fewer(; \d of 4 lists done)?\)$"
    assert done.returncode == 0 or re.search(hint, said, re.MULTILINE), said


def test_more_lists_are_exported_than_files_may_be_open(
    process: Process, config: Config, service: Service, tmp_path: Path
) -> None:
    tables = "".join(f'[profiles.a{number}]\naccount_id = "{number}"\n' for number in range(60))
    config(f'base_url = "{service.url}"\nrate = 0\n{tables}')
    serve(service, [tickets(2)])
    done = process(
        "-p a* export ticketing/tickets ticketing/users --to dump --workers 2",
        environ={**home_of(tmp_path), "UNIFIED_TOKEN": "t-0123456789"},
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)),
    )
    assert done.returncode == 0, done.stderr
    assert len([*(tmp_path / "dump").rglob("*.ndjson")]) == 120


@pytest.mark.usefixtures("four")
def test_a_local_failure_of_one_connection_decides_the_exit_code(
    unified: Unified, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Clients.open

    def refuse(self: Clients, resolved: Settings, *rest: Any, **more: Any) -> Client:
        if resolved.profile == "a2":
            raise os_limits.no_descriptor()
        return opened(self, resolved, *rest, **more)

    monkeypatch.setattr(Clients, "open", refuse)
    result = unified("-p a* ticketing tickets list -o csv --all")
    assert result.code == 11
    assert result.stderr.endswith(f"error: {os_limits.no_descriptor().message}\n")
