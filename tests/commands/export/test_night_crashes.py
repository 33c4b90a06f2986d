"""The export of a night, killed at each point and run again: each record once, and no
reader ever sees half a night.
"""

import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import stores
from campaigns import dice, size
from front_door import Unified
from nights import LISTS, Place, Provider, State, as_read
from server import Service

pytestmark = pytest.mark.extra
pytest.importorskip("obstore", reason="needs the extra cloud")
pytest.importorskip("moto.server", reason="needs the extra test-all")
pytest.importorskip("duckdb", reason="needs the extra test-all")
pytest.importorskip("polars", reason="needs the extra test-all")

HERE = Path(__file__).parent
FORMS = ["ndjson", "delta"]
CONFIG_WORDS = ("--rate", "0", "--workers", "2", "--no-input")
SYSTEM_CALLS = [
    "fsync,fdatasync",
    "rename,renameat,renameat2",
    "link,linkat",
    "unlink,unlinkat",
    "connect",
    "write",
]
Crash = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def proxy(s3: str) -> Iterator[str]:
    with stores.killing_at_writes(s3) as url:
        yield url


@pytest.fixture
def crash(
    request: pytest.FixtureRequest,
    service: Service,
    unified: Unified,
    config: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Crash]:
    """Kill an export of what changed in a night: where to, in which format, and at
    which calls.
    """
    umask = os.umask(0o077)

    def crash_run(
        kind: str,
        where: str,
        form: str,
        *,
        connections: int = 2,
        lists: tuple[str, ...] = LISTS,
        run: str = "--incremental",
        before_it: str | None = "--incremental",
        **more: Any,
    ) -> Any:
        provider = Provider(service, connections, 25, lists)
        proxy = request.getfixturevalue("proxy") if where == "s3" else ""
        bucket = stores.Bucket(proxy, f"b{secrets.token_hex(8)}") if proxy else None
        place = bucket.place if bucket else Place.of(where, tmp_path)
        environ = {
            **place.environ,
            **service.environ,
            "UNIFIED_CONFIG": str(config(provider.config)),
        }
        del environ["UNIFIED_ACCOUNT_ID"]
        argv = [
            "export",
            *provider.lists,
            "-p",
            "*",
            "--format",
            form,
            *CONFIG_WORDS,
            "--to",
        ]
        for name, value in place.environ.items():
            monkeypatch.setenv(name, value)
        before = rows(provider, form)
        if before_it is None:
            if not bucket:
                Path(place.root).mkdir()
        else:
            line = [*argv, place.to, *before_it.split()]
            result = unified(line, environ={**os.environ, **environ})
            assert result.code == 0, result.stderr
            provider.pass_a_night()
        if run == "--restart":
            provider.forget_the_gone()
        (tmp_path / "home").mkdir()
        job = {
            "argv": [*argv, "{to}", *run.split()],
            "environ": environ,
            "home": str(tmp_path / "home"),
            "form": form,
            "kept": place.root,
            "is_file": where == "file",
            "before": before,
            "after": rows(provider, form),
            "kind": kind,
            "proxy": proxy,
            "begun": before_it is not None,
            **more,
        }
        (tmp_path / "job").write_bytes(msgspec.json.encode(job))
        done = subprocess.run(
            [sys.executable, "-W", "ignore", str(HERE / "kill_night.py"), str(tmp_path / "job")],
            check=False,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)},
            timeout=3400,
        )
        assert done.returncode == 0, done.stderr.decode()
        return [json.loads(line) for line in done.stdout.splitlines()]

    yield crash_run
    os.umask(umask)


def rows(provider: Provider, form: str) -> dict[str, list[list[str]]]:
    """The states of all lists, as a job has them."""

    def of(state: State) -> list[list[str]]:
        return [[*key, text] for key, text in as_read(state, form).items()]

    return {name: of(provider.state(name)) for name in provider.lists}


def judge(found: list[dict[str, Any]], record_property: Any, what: str, *, fewest: int) -> None:
    killed = [one for one in found if one["killed"]]
    wrong = [one for one in found if one["wrong"]]
    said = (
        f"crash points survived / tried, {what}: {len(killed) - len(wrong)} / {len(killed)}, "
        f"lists read meanwhile: {sum(one['reads'] for one in found)}"
    )
    record_property("crash points", said)
    sys.stdout.write(f"{said}\n")
    assert wrong == []
    assert len(killed) >= fewest


@pytest.mark.parametrize(
    "form", ["delta", pytest.param("ndjson", marks=pytest.mark.long(seconds=10))]
)
def test_a_night_to_a_folder_survives_some_kills(
    crash: Crash, form: str, record_property: Any
) -> None:
    found = crash("calls", "folder", form, connections=1, first=5, step=40)
    judge(found, record_property, f"a night to a folder as {form}, some calls", fewest=2)


@pytest.mark.long(seconds=20)
@pytest.mark.parametrize("form", FORMS)
def test_a_night_to_a_folder_survives_a_kill_at_any_call(
    crash: Crash, form: str, record_property: Any
) -> None:
    step = size(1, 30)
    found = crash("calls", "folder", form, first=size(1, dice("calls").randint(1, step)), step=step)
    judge(found, record_property, f"a night to a folder as {form}, every call", fewest=size(100, 2))


@pytest.mark.long(seconds=20)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call", SYSTEM_CALLS)
@pytest.mark.parametrize("where", ["folder", "file"])
def test_a_night_to_a_folder_survives_a_kill_at_any_system_call(
    crash: Crash, where: str, call: str, form: str, record_property: Any
) -> None:
    step = size(1, 5)
    found = crash(
        call, where, form, first=size(1, dice(call).randint(1, step)), step=step, until=60
    )
    judge(found, record_property, f"a night to a {where} as {form}, {call}", fewest=0)


@pytest.mark.long(seconds=20)
@pytest.mark.parametrize("form", FORMS)
def test_a_night_to_a_store_survives_a_kill_at_any_write(
    crash: Crash, form: str, record_property: Any
) -> None:
    step = size(1, 10)
    found = crash("puts", "s3", form, first=size(1, dice("puts").randint(1, step)), step=step)
    judge(found, record_property, f"a night to S3 as {form}, every write", fewest=size(30, 1))


@pytest.mark.long(seconds=20)
@pytest.mark.parametrize(("kind", "where"), [("calls", "folder"), ("puts", "s3")])
def test_a_table_that_is_read_anew_survives_a_kill_at_any_point(
    crash: Crash, kind: str, where: str, record_property: Any
) -> None:
    """At a store of one table, since each of its points takes seconds."""
    step = size(1, 30)
    found = crash(
        kind,
        where,
        "delta",
        lists=LISTS if where == "folder" else LISTS[:1],
        run="--restart",
        first=size(1, dice(kind).randint(1, step)),
        step=step,
    )
    judge(
        found,
        record_property,
        f"a full read to {where} as delta, every one of the {kind}",
        fewest=size(50, 1),
    )


SIGNALS = [signal.SIGKILL, signal.SIGINT, signal.SIGTERM]
RUNS = {
    "first run": (None, ""),
    "night": ("--incremental", "--incremental"),
    "night after a plain run": ("", "--incremental"),
    "restart": ("--incremental", "--restart"),
    "restart after a plain run": ("", "--restart"),
}
# A CSV is one file, to which no changes are added and of which stores have no parts.
CELLS = [
    (where, what, form)
    for where in ("folder", "file", "s3")
    for what, runs in RUNS.items()
    for form in ("ndjson", "csv", "parquet", "delta")
    if form != "csv" or (where == "folder" and "--incremental" not in runs)
]


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        pytest.param(signal.SIGINT, marks=pytest.mark.long(seconds=10)),
        pytest.param(signal.SIGKILL, marks=pytest.mark.long(seconds=10)),
    ],
    ids=lambda one: one.name,
)
def test_a_night_after_a_plain_run_survives_some_signals(
    crash: Crash, number: int, record_property: Any
) -> None:
    more: dict[str, Any] = {"signal": int(number), "before_it": "", "connections": 1}
    found = crash("calls", "folder", "delta", first=9, step=60, **more)
    judge(found, record_property, "a night after a plain run as delta, some calls", fewest=1)


@pytest.mark.long(seconds=15)
@pytest.mark.parametrize(("where", "what", "form"), CELLS)
@pytest.mark.parametrize("number", SIGNALS, ids=lambda one: one.name)
def test_a_run_survives_a_signal_at_any_point(
    crash: Crash, where: str, what: str, number: int, form: str, record_property: Any
) -> None:
    before_it, run = RUNS[what]
    step = size(1, 20)
    found = crash(
        "puts" if where == "s3" else "commits",
        where,
        form,
        run=run,
        before_it=before_it,
        signal=int(number),
        connections=1,
        lists=LISTS[1:],
        watched=False,
        first=size(1, dice(what).randint(1, step)),
        step=step,
    )
    said = f"a {what} to {where} as {form}, {signal.Signals(number).name}"
    judge(found, record_property, said, fewest=size(20, 0))


@pytest.mark.long(seconds=15)
@pytest.mark.parametrize("what", RUNS)
@pytest.mark.parametrize("form", ["ndjson", "parquet", "delta"])
def test_a_run_survives_ctrl_c_at_any_line(
    crash: Crash, form: str, what: str, record_property: Any
) -> None:
    before_it, run = RUNS[what]
    # The lines of a loop are many points.
    step = size(97, 3000)
    found = crash(
        "lines",
        "folder",
        form,
        run=run,
        before_it=before_it,
        signal=int(signal.SIGINT),
        connections=1,
        lists=LISTS[1:],
        watched=False,
        first=size(1, dice(what).randint(1, step)),
        step=step,
    )
    judge(found, record_property, f"a {what} as {form}, every line", fewest=size(40, 1))
