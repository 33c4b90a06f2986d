"""A killed export, run again, gives byte for byte what an undisturbed one gives:
nothing lost, nothing twice.
"""

import json
import os
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from campaigns import dice, size
from pages import cursor_of, served, tickets
from server import Reply, Seen, Service

PAGES, SIZE = 4, 25
CONFIG = """
[profiles.one]
account_id = "acct-1"
[profiles.two]
account_id = "acct-2"
"""


def serve_connections(service: Service) -> None:
    """Lists of several pages, different for each path and connection; each cursor is
    long, as they are.
    """

    def reply(seen: Seen) -> Reply:
        query = dict(seen.query)
        at = int((cursor_of(seen) or "0").split(".")[0])
        whose = f"{query['integrated_account_id']}-{seen.segments[-1]}"
        records = [{**one, "of": whose} for one in tickets(SIZE, at * SIZE)]
        return served(
            {"result": records, "next_cursor": f"{at + 1}.{'x' * 60}" if at + 1 < PAGES else None}
        )

    service.reply = reply


def crash(
    service: Service, home: Path, argv: list[str], target: Path, most: int, *, again: bool = False
) -> dict[str, Any]:
    if not again:
        serve_connections(service)
    (home / "config.toml").write_text(CONFIG)
    (home / "config.toml").chmod(0o600)
    target.parent.mkdir()
    spec = {
        "argv": argv,
        "environ": service.environ,
        "home": str(home),
        "target": str(target),
        "most": most,
    }
    spec["share"] = size(0, dice(target.name).randrange(100)) / 100
    spec["again"] = again
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore",
            str(Path(__file__).with_name("kill_export.py")),
            json.dumps(spec),
        ],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)},
        timeout=3400,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def judge(found: dict[str, Any], record_property: Any, what: str) -> None:
    survived = found["tried"] - len(found["wrong"])
    said = (
        f"crash points survived / tried, {what}: {survived} / {found['tried']} of {found['points']}"
    )
    record_property("crash points", said)
    sys.stdout.write(f"{said}\n")
    assert found["wrong"] == []
    assert found["tried"] > 10


# All of them go through the same files, so some calls are tried for one format only.
ONE = [("ndjson", []), ("json", []), ("csv", []), ("ndjson", ["--force"])]
KINDS = ["ndjson", "json", "csv", "force"]
SOME = [pytest.param(*ONE[at], 16, id=f"some calls-{KINDS[at]}") for at in (0, 3)]
EVERY = [
    pytest.param(
        *one, size(100_000, 100), id=f"every call-{kind}", marks=pytest.mark.long(seconds=10)
    )
    for one, kind in zip(ONE, KINDS, strict=True)
]


@pytest.mark.parametrize(("form", "more", "most"), SOME + EVERY)
def test_one_list_survives_a_kill_at_any_call(
    form: str, more: list[str], most: int, tmp_path: Path, service: Service, record_property: Any
) -> None:
    target = tmp_path / "out" / "tickets"
    argv = [
        "ticketing",
        "tickets",
        "list",
        "--all",
        "-o",
        form,
        "--rate",
        "0",
        "--out",
        str(target),
        *more,
    ]
    judge(
        crash(service, tmp_path, argv, target, most),
        record_property,
        f"one list as {form}, {most} calls",
    )


def test_an_export_of_several_connections_survives_a_kill_at_some_calls(
    tmp_path: Path, service: Service, record_property: Any
) -> None:
    judge(
        crash(service, tmp_path, *several(tmp_path, 1), most=12),
        record_property,
        "several connections",
    )


@pytest.mark.long(seconds=14)
@pytest.mark.parametrize("workers", [1, 4])
def test_an_export_of_several_connections_survives_a_kill_at_any_call(
    workers: int, tmp_path: Path, service: Service, record_property: Any
) -> None:
    found = crash(service, tmp_path, *several(tmp_path, workers), most=size(100_000, 30))
    found["wrong"] = [said for said in found["wrong"] if workers == 1 or "not killed" not in said]
    judge(found, record_property, f"several connections, {workers} workers")


def serve_changes(service: Service, changed: int) -> None:
    """A list that is read whole first, and then has changed in some of its records."""

    def reply(seen: Seen) -> Reply:
        at = int(cursor_of(seen) or 0)
        since = dict(seen.query).get("updated_at[gt]")
        stamp, count = ("2026-01-02T00:00:00Z", changed) if since else ("2026-01-01T00:00:00Z", 4)
        records = [{**one, "updated_at": stamp} for one in tickets(count)][at * 2 : at * 2 + 2]
        return served(
            {"result": records, "next_cursor": str(at + 1) if at * 2 + 2 < count else None}
        )

    service.reply = reply


@pytest.mark.parametrize("changed", [4, 0])
@pytest.mark.parametrize(
    ("form", "most"),
    [
        pytest.param("ndjson", 16, id="ndjson, some calls"),
        pytest.param("ndjson", size(400, 40), id="ndjson", marks=pytest.mark.long(seconds=10)),
        pytest.param(
            "parquet",
            size(400, 40),
            id="parquet",
            marks=[pytest.mark.extra, pytest.mark.long(seconds=20)],
        ),
        pytest.param("delta", 15, id="delta", marks=pytest.mark.extra),
    ],
)
def test_an_increment_survives_a_kill_at_any_call(
    form: str, most: int, changed: int, tmp_path: Path, service: Service, record_property: Any
) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    if form == "delta":
        pytest.importorskip("deltalake", reason="needs the extra delta")
    target = tmp_path / "out" / "dump"
    argv = [
        "export",
        "ticketing/tickets",
        "-p",
        "one",
        "--incremental",
        "--to",
        str(target),
        "-o",
        form,
        "--rate",
        "0",
    ]
    serve_changes(service, changed)
    found = crash(service, tmp_path, argv, target, most, again=True)
    judge(found, record_property, f"an increment of {changed} records as {form}")


@pytest.mark.parametrize(
    "form",
    [
        "ndjson",
        pytest.param("parquet", marks=[pytest.mark.extra, pytest.mark.long(seconds=20)]),
        pytest.param("delta", marks=pytest.mark.extra),
    ],
)
def test_gone_ids_are_reported_after_a_kill_at_any_call(
    form: str, tmp_path: Path, service: Service, record_property: Any
) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    if form == "delta":
        pytest.importorskip("deltalake", reason="needs the extra delta")
    target = tmp_path / "out" / "dump"
    argv = [
        "export",
        "ticketing/tickets",
        "-p",
        "one",
        "--restart",
        "--to",
        str(target),
        "-o",
        form,
        "--rate",
        "0",
    ]
    reads = 0

    def reply(seen: Seen) -> Reply:
        nonlocal reads
        at = int(cursor_of(seen) or 0)
        reads += at == 0
        # Each read after the first finds half of the records.
        found = tickets(8)[:: 1 if reads == 1 else 2]
        return served(
            {
                "result": found[at : at + 2],
                "next_cursor": str(at + 2) if at + 2 < len(found) else None,
            }
        )

    service.reply = reply
    found = crash(
        service, tmp_path, argv, target, size(400, 30) if form == "parquet" else 12, again=True
    )
    judge(found, record_property, f"what is gone, as {form}")
    lines = (target / "one/ticketing/gone.tickets.ndjson").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == [one["id"] for one in tickets(8)[1::2]]


def several(tmp_path: Path, workers: int) -> tuple[list[str], Path]:
    target = tmp_path / "out" / "dump"
    what = [
        "ticketing/tickets",
        "ticketing/users",
        "ticketing/t*s",
        "-p",
        "*",
        "--workers",
        str(workers),
    ]
    return ["export", *what, "--to", str(target), "--rate", "0"], target


CALLS = ("write", "fsync", "rename", "linkat", "unlink", "openat", "ftruncate")
# A link that fails is no failure: there are file systems without links.
INJECTED = [
    (call, fault)
    for call in CALLS
    for fault in ("signal=KILL", "error=EIO", "error=ENOSPC")
    if call != "linkat" or fault == "signal=KILL"
]


@pytest.mark.long(seconds=8)
@pytest.mark.needs("strace")
@pytest.mark.parametrize(("call", "fault"), INJECTED)
def test_one_list_survives_what_strace_does_to_it(
    call: str, fault: str, tmp_path: Path, service: Service, record_property: Any
) -> None:
    serve_connections(service)
    target = tmp_path / "out" / "tickets"
    argv = [
        "ticketing",
        "tickets",
        "list",
        "--all",
        "-o",
        "ndjson",
        "--rate",
        "0",
        "--out",
        str(target),
    ]
    program = [sys.executable, "-c", EVERY_PAGE_SAFE, *argv]
    path = os.pathsep.join(entry for entry in sys.path if entry)
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": path,
        **service.environ,
    }

    def run(*before: str) -> int:
        return subprocess.run(
            [*before, *program], check=False, capture_output=True, env=environ, timeout=60
        ).returncode

    target.parent.mkdir()
    assert run() == 0
    expected = target.read_bytes()
    tried, survived, step = 0, 0, size(1, 6)
    for when in count(size(1, dice(f"{call} {fault}").randint(1, step)), step):
        shutil.rmtree(target.parent)
        target.parent.mkdir()
        # The path filter leaves the interpreter's own files alone.
        watched = [
            f"--trace-path={target}{end}" for end in ("", ".part", ".ckpt", ".ckpt.tmp", ".lock")
        ]
        watched.append(f"--trace-path={target.parent}")
        code = run(
            "strace",
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            *watched,
            f"--inject={call}:{fault}:when={when}",
        )
        if code == 0:
            break
        tried += 1
        early = target.read_bytes() if target.exists() else expected
        again = run()
        survived += early == expected and again in {0, 11} and target.read_bytes() == expected
    judge_count(record_property, f"{call} with {fault}", survived, tried, fewest=size(1, 0))


EVERY_PAGE_SAFE = """
from unified_cli.exported import partial_file as part
part._SECONDS = 0
from unified_cli.__main__ import run
run()
"""


def judge_count(record_property: Any, what: str, survived: int, tried: int, *, fewest: int) -> None:
    said = f"crash points survived / tried, {what}: {survived} / {tried}"
    record_property("crash points", said)
    sys.stdout.write(f"{said}\n")
    assert (survived, tried >= fewest) == (tried, True)
