"""The sandbox's state where the disk takes no more, and where something else than a
file has its name.
"""

import os
import resource
import sqlite3
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from front_door import Process, Unified

from unified_cli.errors import StateError, StorageError
from unified_cli.sandbox.pytest_plugin import UnifiedSandbox
from unified_cli.sandbox.store import SandboxStore

CREATE = "-p sandbox ticketing tags create -o ids -F name=@big"


def limited(size: int) -> Callable[[], None]:
    """For a child: files have at most this many bytes, as where the disk is full."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("kibibytes", [40, 64, 90])
def test_a_full_disk_is_the_machines_failure_and_loses_nothing(
    kibibytes: int,
    process: Process,
    unified: Unified,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    environ = {"XDG_DATA_HOME": str(tmp_path / "data")}
    (tmp_path / "big").write_text("x")
    assert process(CREATE, environ=environ).stdout == b"tags-new-1\n"
    (tmp_path / "big").write_text("x" * 100_000)
    done = process(CREATE, environ=environ, preexec_fn=limited(kibibytes * 1024))
    assert done.returncode == 11, done.stderr
    assert b"cannot use the sandbox's state " in done.stderr
    own = {"folders": {"config": tmp_path, "data": tmp_path / "data" / "unified"}}
    assert (
        unified("-p sandbox ticketing tags get tags-new-1 -o ids", **own).stdout == "tags-new-1\n"
    )
    assert unified(CREATE, **own).stdout == "tags-new-2\n"


def test_a_server_on_a_full_disk_answers_and_keeps_serving(unified_sandbox: UnifiedSandbox) -> None:
    unified_sandbox._store._database.execute("PRAGMA max_page_count = 12")
    headers = {"Authorization": f"Bearer {unified_sandbox.token}"}
    query = {"integrated_account_id": "full"}
    with httpx.Client(
        base_url=unified_sandbox.url, headers=headers, params=query, timeout=20
    ) as client:
        refused = client.post("/unified/ticketing/tags", json={"name": "x" * 100_000})
        assert (refused.status_code, "database or disk is full" in refused.json()["message"]) == (
            500,
            True,
        )
        assert client.get("/unified/ticketing/tags").status_code == 200


def test_a_pipe_in_the_place_of_the_state_is_refused(unified: Unified, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    os.mkfifo(tmp_path / "data" / "sandbox.db")
    result = unified("-p sandbox ticketing tags list")
    assert result.code == 12
    assert (
        "sandbox.db is not a regular file (move the file away to start with a new sandbox)"
        in result.stderr
    )


def test_a_state_that_is_damaged_later_is_reported(tmp_path: Path) -> None:
    store = SandboxStore.open(tmp_path / "sandbox.db")
    store._database.close()
    store._database = sqlite3.connect(":memory:")
    with pytest.raises(StorageError, match="no such table"):
        store.effects()
    store._database.close()
    (tmp_path / "sandbox.db").write_bytes(b"\0" * 5000)
    with pytest.raises(StateError, match="move the file away"):
        SandboxStore.open(tmp_path / "sandbox.db")
