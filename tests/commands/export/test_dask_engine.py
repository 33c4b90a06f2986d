"""An export on a Dask cluster: a scheduler, workers and a service with limits, as
processes of this machine.
"""

import os
import pickle
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import trustme

pytestmark = [pytest.mark.extra, pytest.mark.xdist_group("dask")]
pytest.importorskip("distributed", reason="needs the extra dask")
pytest.importorskip("obstore", reason="needs the extra cloud")

import hostile_worker  # noqa: E402  needs the extra
from cluster import HERE, Cluster, cluster, records_of, stop, wait_until  # noqa: E402  as above
from front_door import ROOT, Result, Unified  # noqa: E402  as above

from unified_cli import __version__  # noqa: E402  as above
from unified_cli.commands.export.engine import EngineTask, TaskEnd  # noqa: E402  as above

PROFILES = {"acme": "one", "globex": "one", "initech": "two", "hooli": "two"}
LISTS = ("ticketing/tickets", "ticketing/contacts")
PAGES, RECORDS = 6, 5


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    home = tmp_path_factory.mktemp("dask")
    with cluster(home, pages=PAGES, records=RECORDS) as made:
        yield made


@pytest.fixture
def dask(shared: Cluster) -> Cluster:
    """The cluster with its usual configuration, and workers that do what they
    should.
    """
    (shared.home / "hostile").unlink(missing_ok=True)
    shared.config(PROFILES)
    return shared


def export(dask: Cluster, to: Path, *more: str) -> tuple[int, str]:
    words = ("export", *LISTS, "-p", "*", "--engine", dask.engine, "--to", f"file://{to}", *more)
    process = dask.unified(*words)
    stdout, stderr = process.communicate(timeout=60)
    assert stdout == b""
    return process.returncode, stderr.decode()


def asked_by(dask: Cluster) -> int:
    return sum(dask.counts()["asked"].values())


def expected() -> set[str]:
    return {
        f"of-{name}/{one}/{number}"
        for name in PROFILES
        for one in LISTS
        for number in range(PAGES * RECORDS)
    }


def test_each_record_of_every_connection_is_exported_once(
    dask: Cluster, unified: Unified, tmp_path: Path
) -> None:
    code, stderr = export(dask, tmp_path / "dump")
    number = len(expected())
    assert (code, stderr) == (
        0,
        f"wrote 8 files with {number} records to file://{tmp_path}/dump, 0 already complete\n",
    )
    found = records_of(tmp_path / "dump")
    assert (len(found), set(found)) == (number, expected())
    counts = dask.counts()
    assert (counts["refused"], set(counts["asked"].values())) == (0, {1})
    before = asked_by(dask)
    code, stderr = export(dask, tmp_path / "dump")
    assert (code, "8 already complete" in stderr, asked_by(dask) - before) == (0, True, 0)
    assert unified(f"export --verify file://{tmp_path}/dump").stderr.endswith(
        ": the manifest matches 8 files\n"
    )


@pytest.fixture
def driven(dask: Cluster, unified: Unified, tmp_path: Path) -> Callable[[str], Result]:
    """Run the program in this process, with the driver's configuration, and time as it
    is.
    """
    folders = {
        "config": dask.driver / ".config" / "unified",
        "data": tmp_path / "data",
        "cache": tmp_path / "cache",
    }

    def run(command: str) -> Result:
        line = f"{command} --engine {dask.engine} --to file://{tmp_path}/dump"
        return unified(line, folders=folders, monotonic=time.monotonic, sleep=time.sleep)

    return run


@pytest.mark.parametrize("mode", ["check pickled", "pickle", "other"])
def test_what_a_hostile_worker_answers_is_refused_and_not_run(
    mode: str, dask: Cluster, driven: Callable[[str], Result]
) -> None:
    (dask.home / "hostile").write_text(mode)
    before = asked_by(dask)
    result = driven(f"export {LISTS[0]} -p acme")
    if mode == "check pickled":
        end = " answered the check with something else; nothing of it was used\n"
    elif mode == "pickle":
        end = " did not do the task of acme: its result is no bytes, and was not read\n"
    else:
        end = (
            " answered the task of acme with something else than a result; nothing of it was used"
            " (is the worker yours?)\n"
        )
    assert (result.code, result.stderr.endswith(end)) == (
        12 if mode == "check pickled" else 13,
        True,
    ), result.stderr
    assert "the worker tcp://127.0.0.1:" in result.stderr
    assert asked_by(dask) == before
    assert not (dask.home / f"unpickled-by-{os.getpid()}").exists()


def test_a_result_is_bytes_or_is_not_read(dask: Cluster, capfd: pytest.CaptureFixture[str]) -> None:
    from unified_cli.commands.export.dask_engine import DaskEngine  # noqa: PLC0415  needs the extra

    kinds = ["text", "pickle", "pickled in a list", "nothing", "number", "raise", "news", "bytes"]
    ends: dict[str, TaskEnd] = {}
    news = []
    with DaskEngine(
        f"tcp://127.0.0.1:{dask.port}", hostile_worker.answer, time.monotonic
    ) as engine:
        for kind in kinds:
            assert engine.submit(EngineTask(kind, kind.encode())) == 1
        while len(ends) < len(kinds):
            for event in engine.wait(1):
                if isinstance(event, TaskEnd):
                    ends[event.task.name] = event
                else:
                    news.append((event.task.name, event.data))
    assert {kind: end.result for kind, end in ends.items() if end.result is not None} == {
        "news": b"news",
        "bytes": b"bytes",
    }
    assert {kind for kind, end in ends.items() if end.refused} == {*kinds} - {"news", "bytes"}
    assert news == [("news", b"{}"), ("news", b"\xff")]
    assert capfd.readouterr() == ("", "")
    assert not (dask.home / f"unpickled-by-{os.getpid()}").exists()
    # Outside of an engine pickles are read as ever.
    assert pickle.loads(pickle.dumps(Path("x"))) == Path("x")


# In a process of its own: the library's client cannot be closed any more.
MESSAGES = """
import os, sys, time
import hostile_worker
from unified_cli.commands.export import dask_engine
from unified_cli.commands.export.engine import EngineTask
from unified_cli.errors import UnsafeError
dask_engine._PING_SECONDS, dask_engine._LOST_SECONDS = 0.2, 1.0
with dask_engine.DaskEngine(sys.argv[1], hostile_worker.answer, time.monotonic) as engine:
    engine.submit(EngineTask("stream", b"stream"))
    try:
        while True:
            engine.wait(0.1)
    except UnsafeError as error:
        sys.stdout.write(f"{os.getpid()} {error}")
        sys.stdout.flush()
os._exit(0)
"""


def test_a_pickle_among_the_messages_of_the_scheduler_ends_it(dask: Cluster) -> None:
    words = [sys.executable, "-c", MESSAGES, f"tcp://127.0.0.1:{dask.port}"]
    environ = {**os.environ, "PYTHONPATH": f"{ROOT}:{HERE}"}
    done = subprocess.run(words, check=True, capture_output=True, timeout=60, env=environ)
    process, _, said = done.stdout.decode().partition(" ")
    why = "some worker sent a pickle, which was refused"
    assert said == f"no message from tcp://127.0.0.1:{dask.port} can be read any more: {why}"
    assert done.stderr == b""
    assert not (dask.home / f"unpickled-by-{process}").exists()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("account", "the task of acme is for the account of-acme, and here it leads to of-other"),
        ("token", "has another token for acme"),
        ("no token", 'the task of acme cannot be done here: profile "acme" has no token'),
        ("version", f"the task of acme is of version {__version__}, and this is 0.0.9"),
    ],
)
def test_a_worker_that_resolves_a_profile_otherwise_ends_it_before_anything_is_sent(
    how: str, said: str, dask: Cluster, driven: Callable[[str], Result]
) -> None:
    path = dask.home / ".config" / "unified" / "config.toml"
    text = path.read_text()
    if how == "account":
        path.write_text(text.replace('"of-acme"', '"of-other"'))
    elif how == "token":
        dask.config({**PROFILES, "acme": "two"}, dask.home)
    elif how == "no token":
        path.write_text("\n".join(line for line in text.splitlines() if "token_file" not in line))
    else:
        (dask.home / "hostile").write_text("version")
    before = asked_by(dask)
    result = driven(f"export {LISTS[0]} -p *")
    found = said in result.stderr, "the worker tcp://127.0.0.1:" in result.stderr
    assert (result.code, found) == (12, (True, True)), result.stderr
    assert asked_by(dask) == before


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        (
            "disk",
            (
                " cannot do the export: what the driver wrote to file://{to} is not seen there (all"
                " machines have to "
            ),
        ),
        (
            "writes nowhere",
            (
                " wrote to file://{to} is not seen here (all machines have to see the same place: a"
                " shared"
            ),
        ),
    ],
)
def test_a_worker_that_sees_another_disk_ends_it_before_anything_is_sent(
    mode: str, said: str, dask: Cluster, driven: Callable[[str], Result], tmp_path: Path
) -> None:
    before, registered = asked_by(dask), dask.registered()
    odd = dask.start_worker(HOSTILE=mode)
    try:
        wait_until(lambda: dask.registered() > registered)
        result = driven(f"export {' '.join(LISTS)} -p *")
    finally:
        stop(odd)
        dask.workers.remove(odd)
    to = tmp_path / "dump"
    assert (result.code, result.stdout, said.format(to=to) in result.stderr) == (
        12,
        "",
        True,
    ), result.stderr
    assert result.stderr.count("\n") == 1
    assert asked_by(dask) == before
    assert [path for path in to.rglob("*") if path.is_file()] == []


SAID = "the worker WORKER said that it has done acme/{}.ndjson, which is not complete at file://TO"
LONG = "{}… (97952 more characters)"
CANNOT = f"the worker WORKER did not do the task of acme: {LONG.format('y' * 2048)}"


@pytest.mark.parametrize(
    ("mode", "code", "said"),
    [
        (
            "says done",
            12,
            [f"acme/{LISTS[0]}.ndjson: {SAID.format(LISTS[0])}", f"error: {SAID.format(LISTS[1])}"],
        ),
        (
            "says so in the manifest",
            12,
            [f"acme/{LISTS[0]}.ndjson: {SAID.format(LISTS[0])}", f"error: {SAID.format(LISTS[1])}"],
        ),
        (
            "says that all failed",
            5,
            [
                f"acme: 2 lists failed, the first with: {LONG.format('x' * 2048)}",
                "error: all 2 lists failed",
            ],
        ),
        (
            "says that it cannot",
            5,
            [f"acme: 2 lists failed, the first with: {CANNOT}", "error: all 2 lists failed"],
        ),
    ],
)
def test_a_worker_that_lies_is_not_believed(
    mode: str,
    code: int,
    said: list[str],
    dask: Cluster,
    driven: Callable[[str], Result],
    tmp_path: Path,
) -> None:
    (dask.home / "hostile").write_text(mode)
    result = driven(f"export {' '.join(LISTS)} -p acme")
    stderr = re.sub(r"tcp://[0-9.:]+", "WORKER", result.stderr).replace(
        str(tmp_path / "dump"), "TO"
    )
    first = "wrote 0 files with 0 records to file://TO, 0 already complete"
    assert (
        result.code,
        sorted(stderr.replace(" (run the same command again)", "").splitlines()),
    ) == (
        code,
        sorted([first, *said]),
    )


def test_a_token_that_only_the_workers_have_is_used_there(
    dask: Cluster, driven: Callable[[str], Result], tmp_path: Path
) -> None:
    path = dask.driver / ".config" / "unified" / "config.toml"
    path.write_text(
        "\n".join(line for line in path.read_text().splitlines() if "token_file" not in line)
    )
    assert driven(f"export {' '.join(LISTS)} -p *").code == 0
    assert set(records_of(tmp_path / "dump")) == expected()


def test_the_tasks_of_a_killed_worker_are_done_by_another(dask: Cluster, tmp_path: Path) -> None:
    (dask.home / "hostile").write_text("hang")
    process = dask.unified(
        "export", *LISTS, "-p", "*", "--engine", dask.engine, "--to", f"file://{tmp_path}/dump"
    )
    killed = dask.workers[-1]
    wait_until((dask.home / f"hanging-{killed.pid}").exists)
    dask.replace(killed)
    (dask.home / "hostile").unlink()
    assert (process.wait(60), process.communicate()[1].decode()[:13]) == (0, "wrote 8 files")
    found = records_of(tmp_path / "dump")
    assert (len(found), set(found)) == (len(expected()), expected())


def test_tables_are_made_before_and_written_by_several_workers(
    dask: Cluster, unified: Unified, tmp_path: Path
) -> None:
    """Whatever a worker that is killed left, and in whatever order they commit to the
    same tables.
    """
    deltalake = pytest.importorskip("deltalake", reason="needs the extra delta")
    format_ = ("--incremental", "--format", "delta")
    (dask.home / "hostile").write_text("hang")
    to = f"file://{tmp_path}/dump"
    process = dask.unified(
        "export", *LISTS, "-p", "*", "--engine", dask.engine, "--to", to, *format_
    )
    killed = dask.workers[-1]
    wait_until((dask.home / f"hanging-{killed.pid}").exists)
    made = {name: deltalake.DeltaTable(tmp_path / "dump" / name).version() for name in LISTS}
    assert made.keys() == {*LISTS}
    dask.replace(killed)
    (dask.home / "hostile").unlink()
    assert (process.wait(60), process.communicate()[1].decode()[:13]) == (0, "wrote 8 lists")

    def found() -> list[str]:
        tables = [
            deltalake.DeltaTable(tmp_path / "dump" / name).to_pyarrow_table() for name in LISTS
        ]
        return [one for table in tables for one in table.column("id").to_pylist()]

    assert (len(found()), {*found()}) == (len(expected()), expected())
    code, stderr = export(dask, tmp_path / "dump", *format_)
    assert (code, len(found()), {*found()}) == (0, len(expected()), expected()), stderr
    code, stderr = export(dask, tmp_path / "dump", "--format", "delta")
    assert (code, "8 already complete" in stderr) == (0, True), stderr
    assert unified(f"export --verify {to}").stderr.endswith(": the manifest matches 8 files\n")


LEFT = "no worker is left; waiting for one\n"


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster of its own, with one worker that hangs."""
    with cluster(tmp_path / "home", pages=PAGES, records=RECORDS, workers=1) as made:
        made.config(PROFILES)
        (made.home / "hostile").write_text("hang")
        yield made


def lose_the_worker(dask: Cluster, to: Path, *more: str) -> tuple[subprocess.Popen[bytes], float]:
    """An export whose only worker is killed in the middle, and how long it takes until
    that is said.
    """
    process = dask.unified(
        "export", *LISTS, "-p", "*", "--engine", dask.engine, "--to", f"file://{to}", *more
    )
    (killed,) = dask.workers
    wait_until((dask.home / f"hanging-{killed.pid}").exists)
    killed.kill()
    began = time.monotonic()
    assert process.stderr is not None
    assert process.stderr.readline().decode() == LEFT
    return process, time.monotonic() - began


@pytest.mark.long(seconds=12)
def test_where_no_worker_is_left_it_says_so_and_ends(alone: Cluster, tmp_path: Path) -> None:
    process, seconds = lose_the_worker(alone, tmp_path / "dump", "--wait-timeout", "2")
    assert seconds < 5
    assert process.wait(30) == 6
    assert (
        process.communicate()[1].decode()
        == "error: all workers were lost (start some: dask worker HOST:PORT)\n"
    )
    # At the beginning, too.
    code, stderr = export(alone, tmp_path / "dump", "--wait-timeout", "1")
    assert code == 6
    assert stderr.splitlines() == [
        "no worker is there; waiting for one",
        "error: the scheduler has no workers (start some: dask worker HOST:PORT)",
    ]


@pytest.mark.long(seconds=12)
def test_a_worker_that_comes_is_waited_for(alone: Cluster, tmp_path: Path) -> None:
    process, _ = lose_the_worker(alone, tmp_path / "dump")
    (alone.home / "hostile").unlink()
    alone.start_worker()
    assert (process.wait(60), process.communicate()[1].decode()[:13]) == (0, "wrote 8 files")
    assert set(records_of(tmp_path / "dump")) == expected()


@pytest.mark.long(seconds=5)
def test_tls_is_spoken_with_the_certificates_of_dasks_configuration(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(
        str(tmp_path / "cert.pem")
    )
    prefix = "DASK_DISTRIBUTED__COMM__TLS__"
    settings = {f"{prefix}CA_FILE": str(tmp_path / "ca.pem")}
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        settings |= {
            f"{prefix}{role}__{what}": str(tmp_path / "cert.pem") for what in ("CERT", "KEY")
        }
    with cluster(tmp_path / "home", pages=1, records=5, **settings) as dask:
        dask.config(PROFILES)
        code, stderr = export(dask, tmp_path / "dump")
        assert (code, len(records_of(tmp_path / "dump"))) == (0, 40), stderr
        dask.scheme = "tcp"
        code, stderr = export(dask, tmp_path / "dump")
        assert (code, "no Dask scheduler answers" in stderr) == (6, True), stderr
