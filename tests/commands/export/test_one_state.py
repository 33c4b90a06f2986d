"""Runs of every kind continue what any other kind left: plain ones, tasks and shards,
in folders and in object stores.
"""

import itertools
import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import owned
import pytest
import stores
from changes import START, World, records_of
from front_door import Clock, Result, Unified
from many_connections import Config
from pages import served
from server import Service

from unified_cli.storage.file_lock import HeldLock

LIST = "ticketing/tickets"
FORMS = [
    "ndjson",
    pytest.param("parquet", marks=pytest.mark.extra),
    pytest.param("delta", marks=pytest.mark.extra),
]
HOUR = 3600


class Exports:
    """Exports of one list by a plain run, a task or a shard, an hour apart."""

    def __init__(
        self, unified: Unified, service: Service, folder: Path, form: str, place: str
    ) -> None:
        self.world = World(service)
        self.folder = folder / "dump"
        self.form = form
        self.to = f"{'file://' if place == 'file' else ''}{self.folder}"
        self.hours = 0
        self.profile = "p0"
        self._unified = unified
        self._environ = {**service.environ, "UNIFIED_RATE": "0"}
        del self._environ["UNIFIED_ACCOUNT_ID"]

    def call(self, words: list[str]) -> Result:
        wall, clock = START.timestamp() + self.hours * HOUR, Clock()
        return self._unified(
            words,
            environ=self._environ,
            wall=lambda: wall,
            monotonic=clock.now,
            sleep=clock.sleep,
        )

    def words(self, more: str = "") -> list[str]:
        return f"export {LIST} -p {self.profile} --to {self.to} --format {self.form} {more}".split()

    def run(self, kind: str, more: str = "") -> Result:
        """Export in the next hour."""
        self.hours += 1
        self.world.now(self.hours * HOUR)
        if kind == "task":
            (task,) = self.call(self.words(f"{more} --tasks")).stdout.splitlines()
            return self.call(["export", "--task", task])
        return self.call(self.words(f"{more} {'--shard 1/1' if kind == 'shard' else ''}"))

    def change(self, identifier: str) -> None:
        """Change a record now."""
        self.world.change(identifier, self.hours * HOUR + 100, hour=self.hours)

    def verify(self) -> Result:
        return self.call(["export", "--verify", self.to])

    def newest(self) -> dict[str, Any]:
        """The last state of each record, in the order of the files."""
        return {one["id"]: one for one in map(json.loads, records_of(self.folder, LIST, self.form))}


def import_for(form: str) -> None:
    for module in {"parquet": ["pyarrow"], "delta": ["deltalake"]}.get(form, []):
        pytest.importorskip(module, reason=f"needs the extra {form}")


@pytest.fixture(params=["folder", pytest.param("file", marks=pytest.mark.extra)])
def exports(
    request: pytest.FixtureRequest,
    unified: Unified,
    service: Service,
    config: Config,
    tmp_path: Path,
) -> Iterator[Callable[[str], Exports]]:
    config(f'base_url = "{service.url}"\n[profiles.p0]\naccount_id = "of-p0"\n')
    if request.param == "file":
        pytest.importorskip("obstore", reason="needs the extra cloud")
    before = os.umask(0o077)

    def of(form: str) -> Exports:
        import_for(form)
        return Exports(unified, service, tmp_path, form, request.param)

    yield of
    os.umask(before)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["task", "shard"])
def test_a_restart_replaces_the_state_of_every_kind(
    exports: Callable[[str], Exports], kind: str, form: str
) -> None:
    export = exports(form)
    for number in range(5):
        export.change(f"t{number}")
    assert export.run(kind, "--incremental").code == 0
    export.change("t1")
    assert export.run(kind, "--incremental").code == 0
    del export.world.records["t2"]
    export.change("t3")
    assert export.run("plain", "--restart").code == 0
    verified = export.verify()
    assert (verified.code, "matches 1 file" in verified.stderr) == (0, True), verified.stderr
    assert export.newest() == export.world.records
    for later in (kind, "plain", kind):
        export.change("t4")
        result = export.run(later, "--incremental")
        assert result.code == 0, result.stderr
        assert export.newest() == export.world.records
    assert export.verify().code == 0


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("first", ["plain", "task", "shard"])
def test_each_kind_continues_what_another_left(
    exports: Callable[[str], Exports], first: str, form: str
) -> None:
    export = exports(form)
    kinds = ["plain", "task", "shard"]
    kinds = kinds[kinds.index(first) :] + kinds[: kinds.index(first)]
    export.change("t0")
    assert export.run(first).code == 0
    for round_, kind in enumerate([*kinds[1:], *kinds, first]):
        export.change(f"t{round_}")
        export.world.asked.clear()
        result = export.run(kind, "--incremental")
        assert result.code == 0, result.stderr
        assert export.newest() == export.world.records
        # Only what changed is asked for.
        assert None not in export.world.asked
    assert export.verify().code == 0


def files_of(export: Exports) -> list[Path]:
    """The files of the list, the newest last."""
    suffix = "parquet" if export.form == "parquet" else "ndjson"
    return sorted(
        (export.folder / "p0").rglob(f"*.{suffix}"), key=lambda one: (len(one.name), one.name)
    )


@pytest.mark.parametrize("form", FORMS[:2])
@pytest.mark.parametrize("left_by", ["task", "shard"])
def test_a_damaged_file_stays_named_until_a_restart(
    exports: Callable[[str], Exports], left_by: str, form: str
) -> None:
    export = exports(form)
    for _ in range(2):
        export.change("t0")
        assert export.run(left_by, "--incremental").code == 0
    path = files_of(export)[-1]
    data = path.read_bytes()
    path.write_bytes(data[:-3] + bytes([data[-3] ^ 1]) + data[-2:])
    for kind in ("plain", "task", "plain"):
        export.change("t1")
        assert export.run(kind, "--incremental").code == 12
        assert export.verify().code == 12
    assert export.run("plain", "--restart").code == 0
    assert export.verify().code == 0
    assert export.newest() == export.world.records


def test_a_damaged_manifest_stays_named_until_a_restart(exports: Callable[[str], Exports]) -> None:
    export = exports("ndjson")
    export.change("t0")
    assert export.run("task").code == 0
    (export.folder / "manifest-of-p0.json").write_text("{")
    for command in (lambda: export.run("plain"), lambda: export.run("task"), export.verify):
        result = command()
        assert (result.code, "manifest-of-p0.json is damaged" in result.stderr) == (12, True)
    assert export.run("plain", "--restart").code == 0
    assert export.verify().code == 0


@pytest.mark.parametrize("exports", ["folder"], indirect=True)
@pytest.mark.parametrize(
    ("theirs", "more"),
    [
        ("manifest.json", "--incremental"),
        ("manifest-of-p0.json", "--incremental"),
        ("manifest-of-p0.json", "--restart --format csv"),
    ],
)
@pytest.mark.parametrize("same", [True, False], ids=["the same list", "another"])
def test_two_runs_never_read_one_list_at_once(
    exports: Callable[[str], Exports], theirs: str, more: str, *, same: bool
) -> None:
    export = exports("ndjson")
    export.change("t0")
    assert export.run("plain").code == 0
    text = (export.folder / "manifest.json").read_text()
    other = json.loads(text) | {
        "ended": None,
        "running": ["p0/ticketing/tickets.ndjson" if same else "p1/ticketing/tickets.ndjson"],
    }
    if theirs != "manifest.json":
        other["files"] = []
    (export.folder / theirs).write_text(json.dumps(other))
    lock = HeldLock(export.folder / f"{theirs}.lock")
    lock.take("the test")
    export.change("t1")
    try:
        result = export.run("task" if theirs == "manifest.json" else "plain", more)
    finally:
        lock.release()
    if same:
        assert (result.code, "another run reads p0/ticketing/tickets.ndjson" in result.stderr) == (
            12,
            True,
        )
    else:
        assert result.code == 0, result.stderr
        assert json.loads((export.folder / theirs).read_text()) == other


@pytest.mark.parametrize("form", [*FORMS, "csv"])
@pytest.mark.parametrize("more", ["-q status=Open", "--since 1h"])
def test_a_filtered_restart_replaces_nothing_that_it_did_not_ask_for(
    exports: Callable[[str], Exports], more: str, form: str
) -> None:
    export = exports(form)
    if form == "csv" and "://" in export.to:
        form = export.form = "ndjson"
    export.change("t0")
    assert export.run("plain").code == 0
    before = {
        path: path.read_bytes()
        for path in export.folder.rglob("*")
        if path.is_file() and "tickets" in str(path)
    }
    export.world.asked.clear()
    result = export.run("plain", f"--restart {more}")
    assert (result.code, export.world.asked) == (2, [])
    assert "was exported with another filter" in result.stderr
    assert export.verify().code == 0
    assert before == {path: path.read_bytes() for path in before}
    # One of the same filter is read again.
    export.to += "-filtered"
    assert export.run("plain", more).code == 0
    export.change("t1")
    assert export.run("plain", f"--restart {more}").code == 0


@pytest.mark.parametrize("exports", ["folder"], indirect=True)
@pytest.mark.parametrize("name", ["manifest.json", "p0/ticketing/tickets.ndjson.ckpt"])
@pytest.mark.parametrize("spoil", owned.SPOILS)
def test_state_that_others_can_write_is_not_obeyed(
    exports: Callable[[str], Exports], name: str, spoil: Callable[[Path], str]
) -> None:
    export = exports("ndjson")
    for number in range(4):
        export.change(f"t{number}")
    if name.endswith("ckpt"):
        replies = iter(range(1))
        export.world.broken = lambda _: None if next(replies, None) == 0 else served({}, 403)
        assert export.run("plain").code == 7
        export.world.broken = lambda _: None
    else:
        assert export.run("plain").code == 0
    path = export.folder / name
    said = spoil(path)
    export.world.asked.clear()
    result = export.run("plain", "--incremental")
    assert (result.code, export.world.asked) == (3, []), result.stderr
    assert said in result.stderr
    # A colleague's export can be read.
    assert export.verify().code == (9 if name.endswith("ckpt") else 0)


def test_two_profiles_of_one_connection_are_read_once(
    exports: Callable[[str], Exports], config: Config, service: Service
) -> None:
    export = exports("ndjson")
    both = "".join(f'[profiles.{name}]\naccount_id = "of-p0"\n' for name in ("p0", "p1"))
    config(f'base_url = "{service.url}"\n{both}')
    export.change("t0")
    result = export.run("plain", "-p p1")
    assert (result.code, len(export.world.asked)) == (0, 1)
    assert result.stderr.startswith(
        "p0, p1 are the same connection, which is read once, as p0\nwrote 1 file with 1 record to "
    )


@pytest.mark.parametrize("form", ["csv", "tsv"])
@pytest.mark.parametrize("exports", ["folder"], indirect=True)
def test_an_empty_list_has_the_columns_that_were_named(
    exports: Callable[[str], Exports], form: str
) -> None:
    export = exports(form)
    assert export.run("plain", "--columns id,name").code == 0
    text = (export.folder / f"p0/ticketing/tickets.{form}").read_text()
    assert text == {"csv": "id,name\n", "tsv": "id\tname\n"}[form]


def profiles(config: Config, service: Service, **accounts: str) -> None:
    """Have these profiles lead to these accounts."""
    config(
        f'base_url = "{service.url}"\n'
        + "".join(f'[profiles.{name}]\naccount_id = "{of}"\n' for name, of in accounts.items())
    )


@pytest.mark.parametrize("form", [*FORMS, "csv"])
@pytest.mark.parametrize("kind", ["plain", "task"])
def test_a_renamed_profile_continues_in_its_folder(
    exports: Callable[[str], Exports], config: Config, service: Service, kind: str, form: str
) -> None:
    export = exports(form)
    if form == "csv" and "://" in export.to:
        export.form = "ndjson"
    export.change("t0")
    assert export.run(kind).code == 0
    export.change("t1")
    profiles(config, service, new="of-p0")
    export.profile = "new"
    result = export.run(kind, "" if export.form == "csv" else "--incremental")
    assert result.code == 0, result.stderr
    assert f"profile new was renamed, and continues in {export.to}/p0\n" in result.stderr
    assert not (export.folder / "new").exists()
    if form != "csv":
        assert export.newest() == export.world.records
    assert export.verify().code == 0


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("more", ["--incremental", "", "--restart"])
def test_profiles_that_exchanged_names_are_named(
    exports: Callable[[str], Exports], config: Config, service: Service, more: str, form: str
) -> None:
    export = exports(form)
    profiles(config, service, p0="of-p0", p1="of-p1")
    export.change("t0")
    assert export.run("plain", "-p p1").code == 0
    profiles(config, service, p0="of-p1", p1="of-p0")
    export.world.asked.clear()
    for both in ("-p p1", ""):
        result = export.run("plain", f"{both} {more}")
        assert (result.code, export.world.asked) == (12, [])
        assert (
            f"p0 is now the connection that was exported to {export.to} as p1 (give the profiles"
            " their old names, or choose another folder with --to)"
        ) in result.stderr
    assert export.verify().code == 0


FOREIGN = ("tickets.txt", "tickets.csv.mine", "users.ndjson", "users.csv")
FORMATS = {"folder": ["ndjson", "csv", "parquet", "delta"], "file": ["ndjson", "parquet", "delta"]}
PAIRS = pytest.mark.parametrize(
    ("exports", "first", "later"),
    [
        pytest.param(
            place,
            first,
            later,
            marks=[] if {place, first, later} <= {"folder", "ndjson", "csv"} else pytest.mark.extra,
        )
        for place, formats in FORMATS.items()
        for first, later in itertools.permutations(formats, 2)
    ],
    indirect=["exports"],
)
# Killed once the new manifest is there, before anything is removed.
KILLED = """
import os, signal
from unified_cli.exported import export_state
export_state.removable = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
from unified_cli.__main__ import run
run()
"""


def files_in(export: Exports) -> set[str]:
    """The files of the connection's lists, without locks."""
    found = (path.relative_to(export.folder) for path in export.folder.rglob("*") if path.is_file())
    return {str(path) for path in found if path.parts[0] == "p0" and path.suffix != ".lock"}


def rows_in_table(export: Exports) -> list[str]:
    there = (export.folder / LIST).exists()
    return [*records_of(export.folder, LIST, "delta")] if there else []


def begin_in(export: Exports, form: str) -> None:
    """Export in a format, with changes where it has them, beside files of others."""
    export.form = form
    for number in range(3):
        export.change(f"t{number}")
    more = "" if form == "csv" else "--incremental"
    assert export.run("plain", more).code == 0
    export.change("t1")
    assert export.run("task", more).code == 0
    for name in FOREIGN:
        (export.folder / "p0/ticketing").mkdir(parents=True, exist_ok=True)
        (export.folder / "p0/ticketing" / name).write_text("foreign")


def check_only(export: Exports, form: str) -> None:
    """There is this format, what others put there, and nothing else."""
    verified = export.verify()
    assert (verified.code, "matches 1 file" in verified.stderr) == (0, True), verified.stderr
    foreign = {f"p0/ticketing/{name}" for name in FOREIGN}
    there = files_in(export)
    assert foreign <= there
    if "://" in export.to:
        assert {Path(name).suffix for name in there - foreign} == {f".{form}"} - {".delta"}
    else:
        own = set() if form == "delta" else {f"p0/ticketing/tickets.{form}"}
        assert there - foreign == own
    if form != "csv":
        assert export.newest() == export.world.records
    assert form == "delta" or rows_in_table(export) == []


@PAIRS
@pytest.mark.parametrize(
    "kind", ["plain", pytest.param("shard", marks=pytest.mark.long(seconds=1))]
)
def test_a_restart_in_another_format_leaves_only_that(
    exports: Callable[[str], Exports], kind: str, first: str, later: str
) -> None:
    export = exports(first)
    import_for(later)
    begin_in(export, first)
    export.form = later
    result = export.run("plain")
    assert (result.code, "in another format" in result.stderr) == (12, True), result.stderr
    result = export.run(kind, "--restart")
    assert result.code == 0, result.stderr
    check_only(export, later)
    if later != "csv":
        export.change("t0")
        assert export.run("plain", "--incremental").code == 0
        assert export.newest() == export.world.records
    assert export.verify().code == 0


@PAIRS
def test_leftovers_of_a_killed_restart_in_another_format_are_removed(
    exports: Callable[[str], Exports],
    service: Service,
    tmp_path: Path,
    first: str,
    later: str,
) -> None:
    export = exports(first)
    import_for(later)
    begin_in(export, first)
    export.form = later
    environ = {**service.environ, "UNIFIED_CONFIG": str(tmp_path / "config/config.toml")}
    started = stores.start([*export.words("--restart")], tmp_path / "home", environ, program=KILLED)
    assert stores.ended(started)[0] == -signal.SIGKILL
    assert export.verify().code == 0
    assert export.run("plain").code == 0
    check_only(export, later)


@pytest.mark.parametrize("exports", ["folder"], indirect=True)
def test_a_restart_in_another_format_that_fails_removes_nothing(
    exports: Callable[[str], Exports],
) -> None:
    export = exports("ndjson")
    begin_in(export, "ndjson")
    before = files_in(export)
    export.form = "csv"
    export.world.broken = lambda _: served({}, 403)
    assert export.run("plain", "--restart").code == 7
    assert before <= files_in(export)
    export.world.broken = lambda _: None
    assert export.run("plain").code == 0
    check_only(export, "csv")


@pytest.mark.extra
@pytest.mark.parametrize("exports", ["folder"], indirect=True)
@pytest.mark.parametrize(("first", "later"), [("parquet", "ndjson"), ("ndjson", "delta")])
def test_ids_that_are_gone_are_reported_across_formats(
    exports: Callable[[str], Exports], first: str, later: str
) -> None:
    export = exports(first)
    import_for(later)
    for number in range(3):
        export.change(f"t{number}")
    assert export.run("plain").code == 0
    del export.world.records["t1"]
    export.form = later
    result = export.run("plain", "--restart")
    gone = export.folder / "p0/ticketing/gone.tickets.ndjson"
    assert (result.code, json.loads(gone.read_text())["id"]) == (0, "t1")
    # A CSV file is not read, so it has no such ids.
    export.form = "csv"
    assert export.run("plain", "--restart").code == 0
    assert not gone.exists()
