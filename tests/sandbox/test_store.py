import contextlib
import shutil
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from front_door import Unified

from unified_cli.catalogue import Catalogue
from unified_cli.errors import StateError, StorageError
from unified_cli.runtime import Runtime
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.in_process import InProcess
from unified_cli.sandbox.store import SandboxStore, own_store
from unified_cli.stderr import Stderr

TICKETS = "/unified/ticketing/tickets"


Opener = Callable[..., SandboxStore]


@pytest.fixture
def opened() -> Iterator[Opener]:
    """Opens stores and closes them when the test is over."""
    with contextlib.ExitStack() as stack:

        def open_(path: Path, seed: str | None = None) -> SandboxStore:
            return stack.enter_context(contextlib.closing(SandboxStore.open(path, seed)))

        yield open_


def client_of(catalogue: Catalogue, store: SandboxStore) -> httpx.Client:
    params = {"integrated_account_id": "full"}
    return httpx.Client(
        transport=InProcess(Sandbox(catalogue, store)), base_url="http://sandbox", params=params
    )


def test_writes_are_there_after_a_reopening(
    opened: Opener, catalogue: Catalogue, tmp_path: Path
) -> None:
    path = tmp_path / "data" / "sandbox.db"
    first = opened(path)
    made = client_of(catalogue, first).post(TICKETS, json={"name": "kept"}).json()
    first.close()
    assert client_of(catalogue, opened(path)).get(f"{TICKETS}/{made['id']}").json() == made


def test_no_other_user_can_read_the_state(opened: Opener, tmp_path: Path) -> None:
    path = tmp_path / "data" / "sandbox.db"
    store = opened(path)
    store.reset()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}


def test_two_stores_of_one_file_see_each_other_s_changes(
    opened: Opener, catalogue: Catalogue, tmp_path: Path
) -> None:
    one, two = (client_of(catalogue, opened(tmp_path / "sandbox.db")) for _ in range(2))
    one.delete(f"{TICKETS}/tickets-1")
    assert two.get(f"{TICKETS}/tickets-1").status_code == 404
    made = two.post(TICKETS, json={"name": "x"}, headers={"idempotency-key": "k"}).json()
    assert one.post(TICKETS, json={"name": "x"}, headers={"idempotency-key": "k"}).json() == made


def test_a_reset_brings_the_seed_back_in_every_process(
    opened: Opener, catalogue: Catalogue, tmp_path: Path
) -> None:
    one, two = (opened(tmp_path / "sandbox.db") for _ in range(2))
    client = client_of(catalogue, two)
    before = client.get(TICKETS, params={"limit": 500}).json()["result"]
    client.delete(f"{TICKETS}/tickets-1")
    client.patch(f"{TICKETS}/tickets-2", json={"name": "x"})
    client.post(TICKETS, json={"name": "x"})
    assert one.sizes() == [("full", "ticketing", "tickets", 3)]
    one.reset()
    assert client.get(TICKETS, params={"limit": 500}).json()["result"] == before
    assert two.sizes() == []


def test_a_file_keeps_its_seed(opened: Opener, catalogue: Catalogue, tmp_path: Path) -> None:
    path = tmp_path / "sandbox.db"
    opened(path, "7").close()
    store = opened(path)
    assert store.seed == "7"
    assert opened(path, "8").seed == "8"
    client_of(catalogue, opened(path)).post(TICKETS, json={})
    with pytest.raises(StateError, match="'8'"):
        opened(path, "9")
    store.reset("9")
    assert opened(path).seed == "9"


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough to be taken for one" * 40, b""]
)
def test_a_file_that_is_not_a_state_file_is_left_alone(
    opened: Opener, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "sandbox.db"
    path.write_bytes(content)
    with pytest.raises(StateError, match=r"sandbox\.db"):
        opened(path)
    assert path.read_bytes() == content


def test_a_folder_that_cannot_be_made_is_reported(opened: Opener, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot make"):
        opened(tmp_path / "file" / "sandbox.db")


@pytest.mark.parametrize(
    "folders", [{}, {"data": Path("/dev/null/x")}], ids=["no home", "not writable"]
)
def test_a_sandbox_without_a_writable_folder_is_in_memory(folders: Any, tmp_path: Path) -> None:
    said = tmp_path / "said"
    with said.open("wb") as stream:
        runtime = Runtime(
            stdin=None, stdout=None, stderr=Stderr(stream), environ={}, folders=folders
        )
        with contextlib.closing(own_store(runtime)) as store:
            assert store.effects() == []
    assert said.read_text().startswith("the sandbox forgets its records when this ends: ")


def test_a_write_to_a_forgetful_sandbox_is_reported_even_when_quiet(unified: Unified) -> None:
    read = unified("-p sandbox ticketing tickets get tickets-1 --quiet", folders={})
    assert (read.code, read.stderr) == (0, "")
    said = (
        "the sandbox forgets its records when this ends: there is no home folder to keep them in\n"
    )
    assert unified("-p sandbox ticketing tickets get tickets-1", folders={}).stderr == said
    for quiet in ("", " --quiet"):
        written = unified(
            f"-p sandbox ticketing tickets update tickets-1 -f name=x{quiet}", folders={}
        )
        assert (written.code, written.stderr) == (0, said)


def test_a_copy_without_the_file_beside_it_is_reported(unified: Unified, tmp_path: Path) -> None:
    data = tmp_path / "live"
    folders = {"data": data}
    update = "-p sandbox ticketing tickets update tickets-1 -f name="
    assert unified(f"{update}one", folders=folders).code == 0
    in_use = SandboxStore.open(data / "sandbox.db")
    assert not in_use.lost
    # While one is open, the changes of others stay in the file beside it.
    assert unified(f"{update}two", folders=folders).stderr == ""
    for name, files in (("whole", ("sandbox.db", "sandbox.db-wal")), ("half", ("sandbox.db",))):
        (tmp_path / name).mkdir(mode=0o700)
        for file in files:
            shutil.copy(data / file, tmp_path / name / file)
    in_use.close()
    for name, said in (("live", ""), ("whole", ""), ("half", LOST.format(tmp_path / "half"))):
        for told in (said, ""):
            read = unified(
                "-p sandbox ticketing tickets get tickets-1", folders={"data": tmp_path / name}
            )
            assert (read.code, read.stderr) == (0, told)


LOST = (
    "the latest changes to the sandbox are missing: they were in {}/sandbox.db-wal, which is not"
    " there\n"
)
_WRITER = """
import sys
from pathlib import Path
from unified_cli.catalogue import load
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.messages import SandboxRequest as Request
from unified_cli.sandbox.store import SandboxStore as Store
sandbox = Sandbox(load(), Store.open(Path(sys.argv[1])), keep_ids=True)
for number in range(int(sys.argv[3])):
    body = b'{"id":"%s-%d"}' % (sys.argv[2].encode(), number)
    target = "/unified/ticketing/tickets?integrated_account_id=full"
    answer = sandbox.answer(Request.from_target("POST", target, {}, body))
    assert answer.status == 201, answer.body
    sys.stdout.write("%d\\n" % number)
    sys.stdout.flush()
"""


def writer(path: Path, name: str, count: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(path), name, str(count)], stdout=subprocess.PIPE
    )


def test_a_killed_process_takes_nothing_with_it(
    opened: Opener, catalogue: Catalogue, tmp_path: Path
) -> None:
    path = tmp_path / "sandbox.db"
    for turn in range(3):
        process = writer(path, f"t{turn}", 100_000)
        assert process.stdout is not None
        seen = [process.stdout.readline() for _ in range(40 * turn + 20)]
        process.send_signal(signal.SIGKILL)
        seen += process.stdout.read().splitlines()
        process.wait()
        process.stdout.close()
        client = client_of(catalogue, opened(path))
        for number in range(len(seen)):
            assert client.get(f"{TICKETS}/t{turn}-{number}").status_code == 200


def test_processes_write_one_new_file_at_once(opened: Opener, tmp_path: Path) -> None:
    path = tmp_path / "new" / "sandbox.db"
    processes = [writer(path, f"p{number}", 25) for number in range(4)]
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    store = opened(path)
    assert store.sizes() == [("full", "ticketing", "tickets", 100)]


def test_threads_share_a_store(sandbox: Sandbox, store: SandboxStore) -> None:
    failed: list[Any] = []

    def work(name: int) -> None:
        params = {"integrated_account_id": "full"}
        with httpx.Client(
            transport=InProcess(sandbox), base_url="http://sandbox", params=params
        ) as client:
            for turn in range(20):
                key = {"idempotency-key": f"same-{turn}"}
                answers = [
                    client.post(TICKETS, json={"name": f"{name}"}, headers=key),
                    client.patch(f"{TICKETS}/tickets-1", json={f"by{name}": turn}),
                    client.get(TICKETS),
                ]
                failed.extend(one.text for one in answers if one.status_code >= 300)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    counts = {row[3]: row[4] for row in store.effects() if row[1] == "POST"}
    assert counts == {f"same-{turn}": 1 for turn in range(20)}


def test_a_store_of_many_changes_is_large() -> None:
    with contextlib.closing(SandboxStore.open(None)) as store:
        for first in (0, 3000):
            assert not store.large
            with store.transaction():
                for at in range(first, first + 3000):
                    store.put(("full", "ticketing", "tags"), at, f"{at}", "{}")
        assert store.large
