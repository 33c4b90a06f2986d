"""An export on a Dask cluster: a scheduler, workers and a service with limits, as
processes of this machine.
"""

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import trustme

pytestmark = [pytest.mark.extra, pytest.mark.xdist_group("dask")]
pytest.importorskip("distributed", reason="needs the extra dask")
pytest.importorskip("obstore", reason="needs the extra cloud")

from cluster import Cluster, Started, cluster, records_of, stop, wait_until  # noqa: E402  needs the extra
from front_door import Result, Unified  # noqa: E402  as above

from unified_cli import __version__  # noqa: E402  as above

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
    (shared.home / "odd").unlink(missing_ok=True)
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
        (
            f"wrote 8 files with {number} records to file://{tmp_path}/dump,"
            " 0 already complete; 8 of 8 lists done\n"
        ),
    )
    found = records_of(tmp_path / "dump")
    assert (len(found), set(found)) == (number, expected())
    counts = dask.counts()
    assert (counts["refused"], set(counts["asked"].values())) == (0, {1})
    before = asked_by(dask)
    code, stderr = export(dask, tmp_path / "dump")
    assert (code, "8 already complete" in stderr, asked_by(dask) - before) == (0, True, 0)
    assert unified(f"export --verify file://{tmp_path}/dump").stderr.endswith(
        ": the manifest matches 8 files; 8 of 8 lists done\n"
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


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (
            "account",
            (
                "the task of acme is for the account of-acme, but on this machine the profile has"
                " of-other"
            ),
        ),
        ("no token", 'the task of acme cannot be done here: profile "acme" has no token'),
    ],
)
def test_a_worker_that_resolves_a_profile_otherwise_ends_its_task_before_anything_is_sent(
    how: str, said: str, dask: Cluster, driven: Callable[[str], Result]
) -> None:
    path = dask.home / ".config" / "unified" / "config.toml"
    text = path.read_text()
    if how == "account":
        path.write_text(text.replace('"of-acme"', '"of-other"'))
    else:
        path.write_text(text.replace(f'token_file = "{dask.home}/one"\n', "", 1))
    before = asked_by(dask)
    result = driven(f"export {' '.join(LISTS)} -p *")
    assert (result.code, said in result.stderr, "worker tcp://127.0.0.1:" in result.stderr) == (
        12,
        True,
        True,
    ), result.stderr
    assert "; 6 of 8 lists done\n" in result.stderr
    assert asked_by(dask) - before == 6 * PAGES


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ("disk", "the worker cannot read what the driver wrote to file://{to} (use a destination"),
        ("version", f"it runs version 0.0.9, and the driver {__version__}"),
    ],
)
def test_a_worker_with_another_disk_or_version_ends_it_before_anything_is_sent(
    odd: str, said: str, dask: Cluster, driven: Callable[[str], Result], tmp_path: Path
) -> None:
    before, registered = asked_by(dask), dask.registered()
    worker = dask.start_worker(ODD=odd)
    try:
        wait_until(lambda: dask.registered() > registered)
        result = driven(f"export {' '.join(LISTS)} -p *")
    finally:
        stop(worker)
        dask.workers.remove(worker)
    to = tmp_path / "dump"
    end = f" cannot do the export: {said.format(to=to)}"
    assert (result.code, result.stdout, end in result.stderr) == (12, "", True), result.stderr
    assert "0 of 8 lists done" in result.stderr
    assert asked_by(dask) == before
    assert [*to.rglob("*")] == []


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
    (dask.home / "odd").write_text("hang")
    process = dask.unified(
        "export", *LISTS, "-p", "*", "--engine", dask.engine, "--to", f"file://{tmp_path}/dump"
    )
    killed = dask.workers[-1]
    wait_until((dask.home / f"hanging-{killed.pid}").exists)
    dask.replace(killed)
    (dask.home / "odd").unlink()
    assert (process.wait(60), "\nwrote 8 files" in f"\n{process.communicate()[1].decode()}") == (
        0,
        True,
    )
    found = records_of(tmp_path / "dump")
    assert (len(found), set(found)) == (len(expected()), expected())


def test_tables_are_made_and_written_by_several_workers(
    dask: Cluster, unified: Unified, tmp_path: Path
) -> None:
    """Whatever a worker that is killed left, and in whatever order they commit to the
    same tables.
    """
    deltalake = pytest.importorskip("deltalake", reason="needs the extra delta")
    format_ = ("--incremental", "--format", "delta")
    (dask.home / "odd").write_text("hang")
    to = f"file://{tmp_path}/dump"
    process = dask.unified(
        "export", *LISTS, "-p", "*", "--engine", dask.engine, "--to", to, *format_
    )
    killed = dask.workers[-1]
    wait_until((dask.home / f"hanging-{killed.pid}").exists)
    dask.replace(killed)
    (dask.home / "odd").unlink()
    assert (process.wait(60), "\nwrote 8 lists" in f"\n{process.communicate()[1].decode()}") == (
        0,
        True,
    )

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
    assert unified(f"export --verify {to}").stderr.endswith(
        ": the manifest matches 8 files; 8 of 8 lists done\n"
    )


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster of its own, with one worker that hangs."""
    with cluster(tmp_path / "home", pages=PAGES, records=RECORDS, workers=1) as made:
        made.config(PROFILES)
        (made.home / "odd").write_text("hang")
        yield made


def lose_the_worker(dask: Cluster, to: Path, *more: str) -> tuple[Started, float]:
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
    line = process.stderr.readline().decode()
    assert re.fullmatch(r"there is no worker yet; waiting \d+ s \(dask worker tcp://\S+\)\n", line)
    return process, time.monotonic() - began


@pytest.mark.long(seconds=12)
def test_an_export_without_workers_left_ends_with_an_error(alone: Cluster, tmp_path: Path) -> None:
    process, seconds = lose_the_worker(alone, tmp_path / "dump", "--wait-timeout", "2")
    assert seconds < 60
    assert process.wait(30) == 6
    ended = r"error: no worker came in {} s \(dask worker tcp://\S+; \d of 8 lists done\)\n"
    again = r"  unified export .* --engine dask://\S+ .*--wait-timeout {}\n"
    said = process.communicate()[1].decode()
    assert re.fullmatch(f"{ended}{again}".format(2, 2), said), said
    # At the beginning, too.
    code, stderr = export(alone, tmp_path / "dump", "--wait-timeout", "1")
    assert code == 6
    first, _, rest = stderr.partition("\n")
    assert first.startswith("there is no worker yet; waiting 1 s (dask worker tcp://")
    assert re.fullmatch(f"{ended}{again}".format(1, 1), rest), rest


@pytest.mark.long(seconds=12)
def test_a_worker_that_comes_is_waited_for(alone: Cluster, tmp_path: Path) -> None:
    process, _ = lose_the_worker(alone, tmp_path / "dump")
    (alone.home / "odd").unlink()
    alone.start_worker()
    assert (process.wait(60), "\nwrote 8 files" in f"\n{process.communicate()[1].decode()}") == (
        0,
        True,
    )
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
