"""Exports as Delta tables: always the current state, each record as exactly the text
that was served.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import stores
from changes import World
from front_door import ROOT, Result, Unified
from server import Reply, Seen, Service

from unified_cli.installation import command_to_add

pytestmark = pytest.mark.extra
deltalake = pytest.importorskip("deltalake", reason="needs the extra delta")
pytest.importorskip("pyarrow", reason="needs the extra delta")
pytest.importorskip("obstore", reason="needs the extra cloud")

Export = Callable[..., Result]
LONG = pytest.mark.long(seconds=2)


def places(*normal: str) -> Any:
    """Run a test in these places; in the others it is a campaign."""
    every = ("folder", "file", "s3")
    found = [pytest.param(one, marks=[] if one in normal else [LONG]) for one in every]
    return pytest.mark.parametrize("place", found, indirect=True)


class Place:
    """Where an export goes, and its tables, read without the program."""

    def __init__(self, url: str, environ: dict[str, str]) -> None:
        self.url = url
        self.environ = environ

    def table(self, name: str = "ticketing/tickets") -> Any:
        settings = (
            {"allow_http": "true", "aws_conditional_put": "etag", **self.environ}
            if "s3:" in self.url
            else {}
        )
        return deltalake.DeltaTable(
            f"{self.url.removeprefix('file://')}/{name}", storage_options=settings
        )

    def rows(
        self, name: str = "ticketing/tickets", version: int | None = None
    ) -> list[dict[str, Any]]:
        table = self.table(name)
        if version is not None:
            table.load_as_version(version)
        found: list[dict[str, Any]] = table.to_pyarrow_table().to_pylist()
        return sorted(found, key=lambda row: (row["_profile"], row["id"]))

    def records(self, version: int | None = None) -> dict[str, Any]:
        found = self.rows(version=version)
        assert len({(row["_profile"], row["id"]) for row in found}) == len(found)
        return {row["id"]: json.loads(row["record"]) for row in found}


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    if request.param == "s3":
        bucket = stores.Bucket(request.getfixturevalue("s3"), f"b{abs(hash(request.node.nodeid))}")
        for name, value in bucket.environ.items():
            monkeypatch.setenv(name, value)
        return Place(f"{bucket.url}/dump", bucket.environ)
    return Place(f"{'file://' if request.param == 'file' else ''}{tmp_path}/dump", {})


@pytest.fixture
def folder(tmp_path: Path) -> Place:
    return Place(f"{tmp_path}/dump", {})


@pytest.fixture
def world(service: Service) -> World:
    return World(service)


@pytest.fixture
def run(unified: Unified, service: Service) -> Export:
    def run(place: Place, more: str = "", what: str = "ticketing/tickets") -> Result:
        environ = {**os.environ, **service.environ, "UNIFIED_RATE": "0"}
        return unified(f"export {what} --to {place.url} --format delta {more}", environ=environ)

    return run


def serve_texts(service: Service, records: list[str]) -> None:
    """Serve these records as they are written here, in pages of two."""

    def reply(seen: Seen) -> Reply:
        at = int(dict(seen.query).get("next_cursor") or 0)
        onward = f'"{at + 2}"' if at + 2 < len(records) else "null"
        return Reply(
            200, f'{{"result":[{",".join(records[at : at + 2])}],"next_cursor":{onward}}}'.encode()
        )

    service.reply = reply


@places("folder", "file", "s3")
def test_the_table_is_the_state_after_each_run(
    run: Export, unified: Unified, world: World, place: Place
) -> None:
    for number in range(5):
        world.change(f"t{number}", number * 1000)
    result = run(place, "--incremental")
    assert (result.code, result.stderr) == (
        0,
        f"wrote 1 list with 5 records to {place.url}, 0 already complete; 1 of 1 list done\n",
    )
    assert place.records() == world.records
    first = dict(world.records)
    world.change("t0", 6000, name="changed")
    world.change("t9", 6001)
    assert run(place, "--incremental").stderr.startswith("wrote 1 list with 2 records")
    assert place.records() == world.records
    assert run(place, "--incremental").stderr.startswith("wrote 0 lists with 0 records")
    # A full read sees deletions.
    del world.records["t1"]
    world.change("t2", 7000)
    assert run(place, "--incremental").code == 0
    assert place.records() == {**world.records, "t1": first["t1"]}
    before = place.table().version()
    assert unified(f"export --verify {place.url}", environ={**os.environ}).code == 0
    result = run(place, "--restart")
    assert "no longer found: 1 id of earlier reads" in result.stderr
    assert place.records() == world.records
    assert unified(f"export --verify {place.url}", environ={**os.environ}).code == 0
    # Whatever was, can be read again.
    assert place.records(version=before) == {**world.records, "t1": first["t1"]}
    assert place.records(version=1) == first
    assert run(place).stderr.startswith("wrote 0 lists with 0 records")
    assert [since is None for since in world.asked] == [True, False, False, False, True]


NASTY = [
    r'{"id":"a","created_at":"2026-01-01T00:00:00Z","updated_at":null,"price":1.10}',
    (
        r'{"id":12345678901234567890123,"created_at":1,"updated_at":"2026-01-01'
        r' 00:00:00.123456+02:00","big":1e-400}'
    ),
    r'{"id":"\ud800","name":"half a pair \udc00","updated_at":"2026-01-01T00:00:00.1234567Z"}',
    r'{"id":"\u0000x","name":"nul \u0000","updated_at":"yesterday"}',
    (
        '{"id":"é\\n","name":"Größe'
        ' 👩‍👩‍👧","nested":{"id":1,"list":[1.0,{"x":null}]},"updated_at":"2026-01-01"}'
    ),
    '{"id":"it\'s","updated_at":"20260101T000000Z"}',
    '{"id":"long","text":"' + "x" * 2_000_000 + '"}',
]


@places("folder")
def test_a_row_has_the_text_of_its_record(
    run: Export, unified: Unified, service: Service, place: Place
) -> None:
    for mode in ("--incremental", "--incremental", "--restart"):
        serve_texts(service, NASTY)
        assert run(place, f"{mode} --columns name,nested.list").code == 0
        rows = place.rows()
        assert {row["record"] for row in rows} == {*NASTY}
        assert len(rows) == len(NASTY)
        assert {row["id"] for row in rows} == {
            "a", "12345678901234567890123", r"\ud800", "\0x", "é\n", "it's", "long",
        }  # fmt: skip
        of = {row["id"]: row for row in rows}
        assert of["a"]["created_at"] == datetime(2026, 1, 1, tzinfo=UTC)
        assert of["12345678901234567890123"]["updated_at"] == datetime(
            2025, 12, 31, 22, 0, 0, 123456, tzinfo=UTC
        )
        nulls = ["a", r"\ud800", "\0x", "long"]
        assert {row["id"] for row in rows if row["updated_at"] is None} == {*nulls}
        assert of[r"\ud800"]["name"] == r"half a pair \udc00"
        assert of["é\n"]["nested.list"] == '[1.0,{"x":null}]'
    assert unified(f"export --verify {place.url}", environ={**os.environ}).code == 0


def test_an_id_is_of_one_kind_and_once(run: Export, service: Service, folder: Place) -> None:
    texts = [
        '{"id":1,"n":1}',
        '{"id":"1","n":2}',
        '{"id":"b","n":1}',
        '{"n":3}',
        '{"id":null}',
        '{"id":"b","n":2}',
    ]
    serve_texts(service, [*texts, '{"id":1,"n":5}', '{"id":"1","n":7}'])
    result = run(folder)
    assert result.code == 9
    assert (
        result.stderr.splitlines()[1]
        == "acct-1/ticketing/tickets.delta: 2 records without an id left out (--allow-partial"
        " accepts that); left out, because the table has the same id as a value of another type:"
        ' "1"'
        " (--allow-partial accepts that)"
    )
    assert [row["record"] for row in folder.rows()] == ['{"id":1,"n":5}', '{"id":"b","n":2}']
    # The next one reads the list again, as nothing says that it is there.
    assert run(folder, "--incremental").code == 9
    assert run(folder, "--allow-partial").code == 0
    assert run(folder, "--allow-partial").stderr.startswith("wrote 0 lists")
    assert [row["record"] for row in folder.rows()] == ['{"id":1,"n":5}', '{"id":"b","n":2}']


def test_an_id_of_another_kind_replaces_no_record(
    run: Export, unified: Unified, service: Service, folder: Place
) -> None:
    serve_texts(
        service, ['{"id":1,"updated_at":"2026-01-01"}', '{"id":"a","updated_at":"2026-01-01"}']
    )
    assert run(folder, "--incremental").code == 0
    serve_texts(
        service, ['{"id":"1","updated_at":"2026-01-02"}', '{"id":"a","updated_at":"2026-01-03"}']
    )
    result = run(folder, "--incremental --allow-partial")
    assert (result.code, [row["record"] for row in folder.rows()]) == (
        0,
        ['{"id":1,"updated_at":"2026-01-01"}', '{"id":"a","updated_at":"2026-01-03"}'],
    )
    assert unified(f"export --verify {folder.url}").code == 0


@places("folder")
def test_another_connection_under_the_same_name_is_refused(
    run: Export, config: Callable[[str], Path], world: World, service: Service, place: Place
) -> None:
    """Nothing is asked then."""
    world.change("t0", 0)
    origin = service.environ["UNIFIED_BASE_URL"]
    profile = f'[profiles.acme]\nbase_url = "{origin}"\naccount_id = '
    config(f'{profile}"first"\n')
    assert run(place, "-p acme").code == 0
    before = place.table().version()
    config(f'{profile}"second"\n')
    asked = len(service.seen)
    for more in ("", "--incremental", "--restart"):
        result = run(place, f"-p acme {more}")
        assert (result.code, len(service.seen)) == (12, asked), result.stderr
    assert "account first" in result.stderr
    assert place.table().version() == before
    # A second name is a part of its own.
    config(f'{profile}"second"\n' + profile.replace("acme", "globex") + '"second"\n')
    assert run(place, "-p globex --restart").code == 0
    assert [row["_profile"] for row in place.rows()] == ["acme", "globex"]


@places("folder")
@pytest.mark.parametrize("whose", ["its own", "another", "renamed", "tidied"])
def test_a_table_says_whose_a_part_is_without_a_manifest(
    run: Export,
    config: Callable[[str], Path],
    world: World,
    service: Service,
    place: Place,
    whose: str,
) -> None:
    def profiles(**accounts: str) -> None:
        config(
            "".join(
                f'[profiles.{name}]\nbase_url = "{service.url}"\naccount_id = "{account}"\n'
                for name, account in accounts.items()
            )
        )

    world.change("t0", 0)
    profiles(acme="one", globex="two")
    assert run(place, "-p * --incremental").code == 0
    world.change("t1", 1000)
    assert run(place, "-p * --incremental").code == 0
    _remove(place, "manifest.json")
    asked, before = len(service.seen), place.rows()
    if whose == "tidied":
        place.table().optimize.compact()
    if whose in {"its own", "tidied"}:
        world.change("t1", 2000)
        for more in ("--incremental", "", "--restart"):
            assert run(place, f"-p * {more}").code == 0
            rows = [(row["_profile"], json.loads(row["record"])) for row in place.rows()]
            assert rows == [
                (name, record) for name in ("acme", "globex") for record in world.records.values()
            ]
        return
    said = "has rows of another connection or program as acme, but no manifest lists that name"
    if whose == "another":
        profiles(acme="three")
    else:
        profiles(acme="two")
    for more in ("", "--incremental", "--restart"):
        result = run(place, f"-p acme {more}")
        assert (result.code, said in result.stderr) == (12, True), result.stderr
    if whose == "renamed":
        profiles(new="two")
        result = run(place, "-p new")
        said = "has the rows of new as globex, but no manifest lists that name"
        assert (result.code, said in result.stderr) == (12, True), result.stderr
    assert (place.rows(), len(service.seen)) == (before, asked)


def test_two_names_of_one_connection_are_one_part(
    run: Export, config: Callable[[str], Path], world: World, service: Service, folder: Place
) -> None:
    for number in range(3):
        world.change(f"t{number}", number)
    origin, names = service.environ["UNIFIED_BASE_URL"], ["acme", "globex"]
    config(
        "".join(f'[profiles.{name}]\nbase_url = "{origin}"\naccount_id = "one"\n' for name in names)
    )
    result = run(folder, "-p * --incremental")
    assert (result.code, "which is read once, as acme" in result.stderr) == (0, True)
    world.change("t0", 100, name="changed")
    assert run(folder, "-p * --incremental").code == 0
    assert {row["_profile"] for row in folder.rows()} == {"acme"}
    assert folder.records() == world.records


def test_a_renamed_profile_continues_its_part(
    run: Export,
    unified: Unified,
    config: Callable[[str], Path],
    world: World,
    service: Service,
    folder: Place,
) -> None:
    origin = service.environ["UNIFIED_BASE_URL"]

    def profiles(**accounts: str) -> None:
        config(
            "".join(
                f'[profiles.{name}]\nbase_url = "{origin}"\naccount_id = "{account}"\n'
                for name, account in accounts.items()
            )
        )

    for number, name in enumerate(["acme", "globex", "initech"]):
        world.change(f"t{number}", number * 1000)
        profiles(**{name: "one"})
        for _ in range(2):
            result = run(folder, f"-p {name} --incremental")
            assert result.code == 0, result.stderr
    assert {row["_profile"] for row in folder.rows()} == {"acme"}
    assert folder.records() == world.records
    assert run(folder, "-p initech --restart").code == 0
    assert {row["_profile"] for row in folder.rows()} == {"acme"}
    assert unified(f"export --verify {folder.url}").code == 0
    # Names that are exchanged are refused.
    profiles(initech="one", other="two")
    assert run(folder, "-p other").code == 0
    profiles(acme="two", other="one")
    before, asked = folder.table().version(), len(service.seen)
    for more in ("", "--incremental", "--restart"):
        result = run(folder, f"-p * {more}")
        assert (result.code, len(service.seen)) == (12, asked), result.stderr
    assert folder.table().version() == before


ODD = ["it's", "a/b %41", "Größe 👩", "' OR 1=1 --", "a=b,c", "NULL"]


@pytest.mark.parametrize(
    ("place", "accounts"), [("folder", ODD), ("s3", ODD[1:2])], indirect=["place"], ids=str
)
def test_a_part_has_any_name(
    accounts: list[str], unified: Unified, world: World, place: Place
) -> None:
    names = sorted([*accounts, "other"])
    words = ["export", "ticketing/tickets", "--to", place.url, "--format", "delta", "--rate", "0"]
    world.change("t0", 0)
    world.change("t1", 1)
    for mode in ("--incremental", "--incremental", "--restart"):
        for name in names:
            environ = {**os.environ, **world.service.environ, "UNIFIED_ACCOUNT_ID": name}
            result = unified([*words, mode], environ=environ)
            assert result.code == 0, result.stderr
        found = [(row["_profile"], row["id"], json.loads(row["record"])) for row in place.rows()]
        expected = [(name, one, world.records[one]) for name in names for one in ("t0", "t1")]
        assert found == expected
        world.change("t0", 100, name="changed")
    assert unified(f"export --verify {place.url}", environ={**os.environ}).code == 0


@places("folder")
@pytest.mark.parametrize("there", ["another table", "files", "other columns", "another partition"])
def test_a_folder_that_is_not_an_exported_table_is_left_alone(
    there: str, run: Export, world: World, service: Service, place: Place
) -> None:
    import pyarrow as pa  # noqa: PLC0415  an extra

    world.change("t0", 0)
    settings = {"allow_http": "true", **place.environ}
    uri = f"{place.url.removeprefix('file://')}/ticketing/tickets"
    if there == "files":
        if "s3:" in place.url:
            stores.Bucket._store(_bucket(place)).put("dump/ticketing/tickets/some.parquet", b"PAR1")
        else:
            Path(uri).mkdir(parents=True)
            (Path(uri) / "some.parquet").write_bytes(b"PAR1")
    elif there == "other columns":
        assert run(place, "--columns name").code == 0
        # Only the table tells.
        _remove(place, "manifest.json")
    else:
        schema = pa.schema(
            [
                (name, pa.string())
                for name in ("_profile", "id", "created_at", "updated_at", "record")
            ]
        )
        more = {"partition_by": ["_profile"]} if there == "another table" else {}
        deltalake.DeltaTable.create(uri, schema, storage_options=settings, **more)
    asked = len(service.seen)
    result = run(place)
    assert (result.code, len(service.seen)) == (12, asked), result.stderr
    assert "choose another folder with --to" in result.stderr


def _bucket(place: Place) -> Any:
    made = object.__new__(stores.Bucket)
    made.name, made.environ = place.url.split("/")[2], place.environ
    return made


def _remove(place: Place, name: str) -> None:
    if "s3:" in place.url:
        _bucket(place).delete(f"dump/{name}")
    else:
        (Path(place.url.removeprefix("file://")) / name).unlink()


@pytest.mark.parametrize("at_once", [0, 4_000, 1 << 30])
def test_a_part_is_of_any_number_of_files(
    at_once: int,
    run: Export,
    unified: Unified,
    world: World,
    folder: Place,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of those only the ones are written again that hold an id that changed."""
    monkeypatch.setattr("unified_cli.commands.export.delta_rows._GROUP_BYTES", at_once)
    monkeypatch.setattr("unified_cli.commands.export.delta_rows._FILE_BYTES", 0)
    monkeypatch.setattr("unified_cli.exported.parquet_file._ROWS", 2)
    monkeypatch.setattr("unified_cli.commands.export.delta_rows._ROWS_AT_ONCE", 3)
    for number in range(40):
        world.change(f"t{number:02}", number * 1000, text="x" * 500)
    assert run(folder, "--incremental --columns n").code == 0
    before = {*folder.table().file_uris()}
    for number in range(35, 50):
        world.change(f"t{number}", 50_000 + number * 1000, n=number)
    assert run(folder, "--incremental --columns n").stderr.startswith(
        "wrote 1 list with 15 records"
    )
    assert folder.records() == world.records
    assert {row["id"]: row["n"] for row in folder.rows()}["t49"] == "49"
    assert unified(f"export --verify {folder.url}").code == 0
    stay = before & {*folder.table().file_uris()}
    assert (len(before), len(stay)) == {0: (20, 17), 4_000: (5, 4), 1 << 30: (1, 0)}[at_once]


def _row(place: Place, identifier: str) -> Any:
    """A row as another program may write it."""
    record = f'{{"id":"{identifier}"}}'
    return _rows([{**place.rows()[0], "id": identifier, "record": record}], place.table())


def _vacuum(table: Any) -> None:
    table.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False, full=True)


def _without_log(table: Any) -> None:
    """Only the checkpoint of the newest version remains."""
    table.create_checkpoint()
    for log in sorted(
        (Path(table.table_uri.removeprefix("file://")) / "_delta_log").glob("*.json")
    )[:-1]:
        log.unlink()


def _of_another(table: Any) -> None:
    """Another part comes and goes."""
    row = {**table.to_pyarrow_table().to_pylist()[0], "_profile": "other"}
    deltalake.write_deltalake(table, _rows([row], table), mode="append")
    table.update_incremental()
    table.delete("_profile = 'other'")


HARMLESS: dict[str, Callable[[Any], object]] = {
    "OPTIMIZE": lambda table: table.optimize.compact(),
    "OPTIMIZE by order": lambda table: table.optimize.z_order(["id"]),
    "VACUUM": _vacuum,
    "CHECKPOINT": lambda table: (table.create_checkpoint(), table.cleanup_metadata()),
    "no log": _without_log,
    "properties": lambda table: table.alter.set_table_properties(
        {"delta.logRetentionDuration": "interval 1 days"}
    ),
    "another part": _of_another,
    "another part, OPTIMIZE": lambda table: (_of_another(table), table.optimize.z_order(["id"])),
}


@pytest.mark.parametrize("what", HARMLESS)
def test_commits_that_change_no_record_pass(
    what: str, run: Export, unified: Unified, world: World, folder: Place
) -> None:
    for number in range(2):
        world.change(f"t{number}", number * 1000)
        assert run(folder, "--incremental").code == 0
    HARMLESS[what](folder.table())
    assert unified(f"export --verify {folder.url}").code == 0
    assert run(folder).stderr.startswith("wrote 0 lists")
    for number in range(1, 3):
        world.change(f"t{number}", 3000 + number, name="changed")
        assert run(folder, "--incremental").code == 0
    assert folder.records() == world.records
    assert unified(f"export --verify {folder.url}").code == 0


FOREIGN: dict[str, Callable[[Place, Any], object]] = {
    "RESTORE": lambda _, table: table.restore(1),
    "DELETE": lambda _, table: table.delete("id = 't1'"),
    "UPDATE": lambda _, table: table.update(predicate="id = 't1'", new_values={"record": "'x'"}),
    "WRITE": lambda place, table: deltalake.write_deltalake(
        table, _row(place, "theirs"), mode="append"
    ),
    "WRITE of all": lambda place, table: deltalake.write_deltalake(
        table, _row(place, "theirs"), mode="overwrite"
    ),
    "MERGE": lambda place, table: (
        table.merge(_row(place, "theirs"), "t.id = s.id", source_alias="s", target_alias="t")
        .when_not_matched_insert_all()
        .execute()
    ),
    "DELETE and OPTIMIZE": lambda _, table: (table.delete("id = 't1'"), table.optimize.compact()),
}


@pytest.mark.parametrize(
    ("what", "place"),
    [
        pytest.param(what, place, marks=[] if place == "folder" or what == normal else [LONG])
        for place, normal in {"folder": "", "file": "RESTORE", "s3": "DELETE"}.items()
        for what in FOREIGN
    ],
    indirect=["place"],
)
def test_a_table_that_another_program_changed_is_refused_until_a_restart(
    what: str, run: Export, unified: Unified, world: World, place: Place
) -> None:
    for number in range(3):
        world.change(f"t{number}", number * 1000)
        assert run(place, "--incremental").code == 0
    FOREIGN[what](place, place.table())
    version, asked = place.table().version(), len(world.asked)
    world.change("t3", 3000)
    for more in ("", "--incremental"):
        result = run(place, more)
        assert (result.code, len(world.asked)) == (12, asked), result.stderr
        assert f"is a {what.split(maxsplit=1)[0]}" in result.stderr
        assert "unified export … --restart" in result.stderr
    assert place.table().version() == version
    assert unified(f"export --verify {place.url}", environ={**os.environ}).code == 12
    assert run(place, "--restart").code == 0
    assert place.records() == world.records
    world.change("t1", 4000, name="changed")
    assert run(place, "--incremental").code == 0
    assert place.records() == world.records
    assert unified(f"export --verify {place.url}", environ={**os.environ}).code == 0


def test_a_table_without_its_log_is_refused(run: Export, world: World, folder: Place) -> None:
    """If a part has other files, and nothing tells why."""
    for number in range(2):
        world.change(f"t{number}", number * 1000)
        assert run(folder, "--incremental").code == 0
    folder.table().delete("id = 't1'")
    _without_log(folder.table())
    (log,) = Path(folder.url, "ticketing/tickets/_delta_log").glob("*.json")
    log.unlink()
    result = run(folder, "--incremental")
    assert (result.code, "the files of its table were replaced" in result.stderr) == (12, True), (
        result.stderr
    )


def test_a_table_that_was_removed_is_made_again(run: Export, world: World, folder: Place) -> None:
    for number in range(2):
        world.change(f"t{number}", number * 1000)
        assert run(folder, "--incremental").code == 0
    shutil.rmtree(f"{folder.url}/ticketing/tickets")
    assert run(folder, "--incremental").code == 0
    assert folder.records() == world.records


def test_a_commit_of_another_program_is_not_mistaken_for_ours(
    run: Export, unified: Unified, world: World, folder: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from unified_cli.commands.export.delta_table import ListTable  # noqa: PLC0415  an extra

    world.change("t0", 0)
    assert run(folder, "--incremental").code == 0
    write = ListTable._write_log

    def write_after_others(*given: Any) -> None:
        deltalake.write_deltalake(folder.table(), _row(folder, "theirs"), mode="append")
        write(*given)

    monkeypatch.setattr(ListTable, "_write_log", write_after_others)
    world.change("t0", 1000)
    result = run(folder, "--incremental")
    assert (result.code, "version 2 is a WRITE" in result.stderr) == (12, True), result.stderr
    monkeypatch.undo()
    assert unified(f"export --verify {folder.url}").code == 12


def _rows(rows: list[dict[str, Any]], table: Any) -> Any:
    import pyarrow as pa  # noqa: PLC0415  an extra

    return pa.Table.from_pylist(rows, schema=pa.schema(table.schema().to_arrow()))


@pytest.mark.parametrize("part", ["ours", "another"])
def test_a_conflict_is_tried_again(
    part: str, run: Export, world: World, folder: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time this program is about to commit, another writer is quicker."""
    from unified_cli.commands.export.delta_table import ListTable  # noqa: PLC0415  an extra

    world.change("t0", 0)
    assert run(folder, "--incremental").code == 0
    write, times = ListTable._write_log, []

    def write_after_others(*given: Any) -> None:
        times.append(len(times))
        if len(times) < 4:
            (_of_another if part == "another" else _twice)(folder.table())
        write(*given)

    def _twice(table: Any) -> None:
        table.optimize.z_order(["id"])

    monkeypatch.setattr(ListTable, "_write_log", write_after_others)
    world.change("t0", 1000, name="changed")
    world.change("t1", 1000)
    assert run(folder, "--incremental").code == 0
    assert len(times) == 4
    assert folder.records() == world.records
    world.change("t0", 2000)

    def always(*_: Any) -> None:
        raise deltalake.exceptions.CommitFailedError("a conflict")

    monkeypatch.setattr(ListTable, "_write_log", always)
    result = run(folder, "--incremental")
    assert (result.code, "keep changing" in result.stderr) == (12, True)
    monkeypatch.setattr(ListTable, "_write_log", write)
    # All that was read is kept for the next run, which asks for newer records.
    asked = len(world.asked)
    assert run(folder, "--incremental").code == 0
    assert (len(world.asked), folder.records()["t0"]) == (asked + 1, world.records["t0"])
    # Nothing is left of what could not be put in.
    parts = Path(folder.url, "ticketing/tickets/_profile=acct-1")
    numbers = [path.name.split("-")[1] for path in parts.iterdir()]
    assert numbers.count("3") == 1


@pytest.mark.parametrize(
    ("place", "lost", "mode"),
    [
        pytest.param(place, lost, mode, marks=[] if lost == normal else [LONG])
        for place, normal in {"folder": "before", "file": "", "s3": "after"}.items()
        for lost in ("before", "after")
        for mode in ("--incremental", "--restart")
    ],
    indirect=["place"],
)
def test_a_commit_whose_answer_is_lost_is_in_once(
    lost: str,
    mode: str,
    run: Export,
    unified: Unified,
    world: World,
    place: Place,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from unified_cli.commands.export.delta_table import ListTable  # noqa: PLC0415  an extra

    world.change("t0", 0)
    world.change("t1", 0)
    assert run(place, "--incremental").code == 0
    world.change("t0", 1000, name="changed")
    world.change("t2", 1000)
    before, fails = place.table().version(), [True]

    def losing(real: Any) -> Any:
        def lose(*given: Any) -> None:
            if lost == "after":
                real(*given)
            if fails.pop():
                raise OSError("Generic S3 error: the connection was reset")

        return lose

    monkeypatch.setattr(ListTable, "_write_log", losing(ListTable._write_log))
    result = run(place, mode)
    assert (result.code in {6, 11}, place.records() == world.records) == (
        True,
        lost == "after",
    ), result.stderr
    monkeypatch.undo()
    if "s3:" in place.url:
        for name, value in place.environ.items():
            monkeypatch.setenv(name, value)
    asked = len(world.asked)
    result = run(place, mode.replace("--restart", ""))
    assert (result.code, world.records) == (0, place.records()), result.stderr
    # An increment is brought up to date by one more question.
    assert len(world.asked) - asked == (mode == "--incremental")
    assert (place.records(), place.table().version()) == (world.records, before + 1)
    assert unified(f"export --verify {place.url}", environ={**os.environ}).code == 0


def test_a_missing_or_old_library_is_named(
    run: Export, world: World, folder: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import metadata  # noqa: PLC0415  what is patched

    world.change("t0", 0)
    hint = f"({command_to_add('deltalake>=1.6', 'pyarrow')})"
    versions: dict[str, str | None] = {"pyarrow": "26.0", "deltalake": "1.5.9"}
    real = metadata.version

    def version(name: str) -> str:
        found = versions.get(name, "") or (None if name in versions else real(name))
        if found is None:
            raise metadata.PackageNotFoundError(name)
        return found

    monkeypatch.setattr(metadata, "version", version)
    result = run(folder)
    said = "error: --format delta needs deltalake 1.6 or newer, but 1.5.9 is installed"
    assert (result.code, result.stderr) == (3, f"{said} {hint}\n")
    for name in versions:
        versions[name] = None
        result = run(folder)
        said = "error: --format delta needs the packages deltalake and pyarrow"
        assert (result.code, result.stderr) == (3, f"{said} {hint}\n")
    assert world.asked == []


def test_a_table_of_a_newer_protocol_is_refused(run: Export, world: World, folder: Place) -> None:
    world.change("t0", 0)
    assert run(folder, "--incremental").code == 0
    log = Path(folder.url) / "ticketing/tickets/_delta_log/00000000000000000000.json"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        if "protocol" in line:
            line["protocol"] = {
                "minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["ofTomorrow"],
                "writerFeatures": ["ofTomorrow"],
            }  # fmt: skip
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = run(folder, "--incremental")
    assert (result.code, "newer features of Delta" in result.stderr) == (12, True), result.stderr


SAME_COLUMN = (
    "the table already has a column with this name (upper and lower case are not distinguished)"
)


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        ("--columns 'a b'", 2, "--columns a b: a column name of a table cannot contain ' '"),
        (
            "--columns name,Name",
            2,
            f"--columns Name: {SAME_COLUMN}",
        ),
        (
            "--columns ID",
            2,
            f"--columns ID: {SAME_COLUMN}",
        ),
        ("--dedupe id", 2, "--dedupe id needs -o ndjson or parquet"),
    ],
)
def test_options_that_a_table_cannot_have_are_refused(
    more: str, code: int, said: str, run: Export, world: World, folder: Place
) -> None:
    result = run(folder, more)
    assert (result.code, result.stderr, world.asked) == (code, f"error: {said}\n", [])


@pytest.mark.parametrize("to", ["a%25b", "file:///tmp/a%2525b", "s3://bucket/a%41", "%41/b"])
def test_a_folder_that_the_library_mistakes_is_refused(
    to: str, unified: Unified, world: World
) -> None:
    result = unified(f"-p acme export ticketing/tickets -o delta --to '{to}'")
    assert (result.code, world.asked) == (2, []), result.stderr
    assert f"--to {to}: Delta tables cannot be in a folder with %" in result.stderr


@places("folder", "file")
def test_pages_are_kept_and_continued(
    run: Export, unified: Unified, world: World, place: Place
) -> None:
    """Of a first read, of an increment and of a full read."""

    def broken(seen: Seen) -> Reply | None:
        return Reply(403, b"{}") if dict(seen.query).get("next_cursor") == "4" else None

    for number, mode in enumerate(["--incremental", "--incremental", "--restart"]):
        for one in range(8):
            world.change(f"t{one}", number * 1000 + one, n=number)
        if number == 2:
            del world.records["t7"]
        before = place.records() if number else {}
        world.broken = broken
        result = run(place, mode)
        assert (result.code, "resume at page 3" in result.stderr) == (7, True), result.stderr
        assert number == 0 or place.records() == before
        world.broken = lambda _: None
        asked = len(world.service.seen)
        assert run(place, mode.replace("--restart", "")).code == 0
        assert len(world.service.seen) - asked == 2
        assert place.records() == world.records
    assert unified(f"export --verify {place.url}", environ={**os.environ}).code == 0


@places("file")
def test_tasks_merge_into_their_parts(
    unified: Unified, config: Callable[[str], Path], world: World, service: Service, place: Place
) -> None:
    origin, names = service.environ["UNIFIED_BASE_URL"], ["acme", "globex"]
    config(
        "".join(
            f'[profiles.{name}]\nbase_url = "{origin}"\naccount_id = "of {name}"\n'
            for name in names
        )
    )
    environ = {**os.environ, **service.environ, "UNIFIED_RATE": "0"}
    for number in range(2):
        world.change("t0", number * 1000, n=number)
        world.change(f"t{number + 1}", number * 1000)
        line = (
            f"export ticketing/tickets -p * --to {place.url} --incremental --format delta --tasks"
        )
        for task in unified(line, environ=environ).stdout.splitlines():
            result = unified(["export", "--task", task], environ=environ)
            assert result.code == 0, result.stderr
        found = [(row["_profile"], json.loads(row["record"])) for row in place.rows()]
        assert found == [
            (name, world.records[one]) for name in names for one in sorted(world.records)
        ]
    assert unified(f"export --verify {place.url}", environ=environ).code == 0


def test_a_list_without_times_is_read_whole_and_is_what_it_is(
    run: Export, unified: Unified, service: Service, folder: Place
) -> None:
    for texts in (
        ['{"id":"a"}', '{"id":"b"}', '{"id":"c"}'],
        ['{"id":"a","n":1}', '{"id":"d"}'],
        [],
    ):
        serve_texts(service, texts)
        assert run(folder, "--incremental").code == 0
        assert [row["record"] for row in folder.rows()] == texts
    assert unified(f"export --verify {folder.url}").code == 0


def test_records_that_the_provider_left_out_are_not_removed(
    run: Export, service: Service, folder: Place
) -> None:
    serve_texts(service, ['{"id":"a"}', '{"id":"b"}'])
    assert run(folder).code == 0
    partial = b'{"result":[{"id":"a","n":1}],"next_cursor":null,"is_partial_response":true}'
    service.reply = lambda _: Reply(200, partial)
    assert run(folder, "--restart").code == 9
    assert [row["record"] for row in folder.rows()] == ['{"id":"a","n":1}', '{"id":"b"}']


@pytest.mark.parametrize("form", ["delta", "ndjson"])
def test_a_folder_holds_one_format(
    form: str, unified: Unified, world: World, folder: Place
) -> None:
    world.change("t0", 0)
    environ = world.service.environ
    other = {"delta": "ndjson", "ndjson": "delta"}[form]
    lines = [f"export ticketing/tickets --to {folder.url} --format {one}" for one in (form, other)]
    assert unified(lines[0], environ=environ).code == 0
    result = unified(lines[1], environ=environ)
    assert (
        result.code,
        f"holds an export in another format: {form}, not {other}" in result.stderr,
    ) == (12, True)


def test_a_tidied_table_is_known_again(
    run: Export, unified: Unified, world: World, folder: Place
) -> None:
    """The owners stay when the library removes files outside of the table."""
    world.change("t0", 0)
    assert run(folder, "--incremental").code == 0
    world.change("t0", 1000)
    assert run(folder, "--incremental").code == 0
    table = folder.table()
    table.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False, full=True)
    table.create_checkpoint()
    assert unified(f"export --verify {folder.url}").code == 0
    world.change("t1", 2000)
    assert run(folder, "--incremental").code == 0
    assert folder.records() == world.records
    if os.name == "posix":
        kinds = {path: path.stat().st_mode & 0o077 for path in Path(folder.url).rglob("*")}
        assert {*kinds.values()} == {0}, kinds


def test_a_link_in_the_place_of_a_table_is_not_followed(
    run: Export, world: World, folder: Place, tmp_path: Path
) -> None:
    world.change("t0", 0)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "dump").mkdir()
    (tmp_path / "dump/ticketing").symlink_to(tmp_path / "elsewhere")
    result = run(folder)
    assert (result.code, world.asked, [*(tmp_path / "elsewhere").iterdir()]) == (13, [], [])


def test_cron_does_the_nightly_job_on_a_fresh_machine(s3: str, tmp_path: Path) -> None:
    """The lines of the help as they are printed, with the bucket of the tests."""
    text = (ROOT / "unified_cli/commands/topics/engines.toml").read_text("utf-8")
    lines = (
        tomllib.loads(text)["engines"]["code"]["A nightly job, as lines of cron"]
        .strip()
        .splitlines()
    )
    assert len(lines) == 4
    environ = dict(line.split("=", 1) for line in lines[:-1])
    *times, command = lines[-1].split(None, 5)
    assert all(re.fullmatch(r"[0-9*/,-]+", field) for field in times)
    bucket = stores.Bucket(s3, "bucket")
    config = tmp_path / ".config/unified/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(
        'base_url = "sandbox:"\n'
        + "".join(
            f'[profiles.{name}]\naccount_id = "full:{name}"\ntags = ["prod"]\n'
            for name in ("one", "two")
        )
    )
    environ = {**environ, **bucket.environ, "HOME": str(tmp_path)}
    environ["PATH"] = f"{Path(sys.executable).parent}:{environ['PATH']}"
    environ["WHAT"] = environ["WHAT"].replace("ticketing ", "ticketing/tickets ")
    for _ in range(2):
        words = ["/bin/sh", "-c", command]
        done = subprocess.run(
            words, check=False, env=environ, cwd=tmp_path, capture_output=True, timeout=120
        )
        # Cron mails what a job prints.
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    found = [row["_profile"] for row in Place("s3://bucket/dump", bucket.environ).rows()]
    assert {name: found.count(name) for name in found} == {"one": 120, "two": 120}


def test_a_reader_can_filter_by_id(run: Export, world: World, folder: Place) -> None:
    """The library's statistics of a file serve readers that open the table as a
    dataset.
    """
    duckdb = pytest.importorskip("duckdb", reason="needs the extra test-all")
    polars = pytest.importorskip("polars", reason="needs the extra test-all")
    for number in range(3):
        world.change(f"t{number}", number, n=number)
    assert run(folder, "--incremental --columns n").code == 0
    world.change("t1", 100, n=7)
    assert run(folder, "--incremental --columns n").code == 0
    where = "WHERE id = 't1' AND n = '7' AND _profile = 'acct-1' AND updated_at IS NOT NULL"
    stats = folder.table().get_add_actions(flatten=True)
    assert {name for name in stats.schema.names if name.startswith("min.")} == {
        "min.created_at",
        "min.updated_at",
    }
    tickets = folder.table().to_pyarrow_dataset()
    connection = duckdb.connect()
    connection.register("tickets", tickets)
    assert connection.sql(f"SELECT id, n FROM tickets {where}").fetchall() == [("t1", "7")]
    frame = polars.scan_delta(f"{folder.url}/ticketing/tickets")
    assert frame.sql(f"SELECT id, n FROM self {where}").collect().rows() == [("t1", "7")]


@places("folder", "file")
def test_pages_of_a_store_leave_little_behind(run: Export, world: World, place: Place) -> None:
    for number in range(5):
        world.change("t0", number * 1000)
        assert run(place, "--incremental").code == 0
    if "s3:" in place.url:
        left = [name for name in _bucket(place).names("dump") if "/.pages" in name]
    else:
        left = [
            str(path)
            for path in Path(place.url.removeprefix("file://")).rglob("*")
            if ".pages" in path.parts
        ]
        left = [name for name in left if Path(name).is_file()]
    assert len(left) == (0 if place.url.startswith("/") else 1), left


@pytest.mark.parametrize("place", ["s3"], indirect=True)
def test_a_store_that_replaces_what_it_should_create_is_refused(
    run: Export, world: World, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from unified_cli.storage.object_store import StoredObjects  # noqa: PLC0415  an extra

    def create(self: StoredObjects, path: str, data: bytes) -> bool:
        self.put(path, data)
        return True

    monkeypatch.setattr(StoredObjects, "create", create)
    world.change("t0", 0)
    result = run(place)
    assert (
        result.code,
        "use a store that supports If-None-Match" in result.stderr,
        world.asked,
    ) == (
        11,
        True,
        [],
    )


@pytest.mark.parametrize("place", ["s3"], indirect=True)
def test_an_export_continues_after_a_store_is_lost_behind_the_last_page(
    run: Export, world: World, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table library's errors about a store read like the object library's."""
    from unified_cli.commands.export.delta_table import ListTable  # noqa: PLC0415  an extra

    for number in range(3):
        world.change(f"t{number}", number)
    write = ListTable._write_log
    lost = {
        **place.environ,
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "allow_http": "true",
        "retry_timeout": "1s",
    }

    def lose(*_: Any) -> None:
        deltalake.DeltaTable("s3://bucket/none", storage_options={**lost, "max_retries": "0"})

    monkeypatch.setattr(ListTable, "_write_log", lose)
    result = run(place)
    assert (result.code, "the store does not answer" in result.stderr) == (6, True), result.stderr

    def deny(*_: Any) -> None:
        raise OSError(
            "Kernel error -> Generic S3 error\n  \x1b[31m↳\x1b[0m Error performing GET http://x/ in"
            " 1ms - Server returned non-2xx status code\n   \x1b[31m↳\x1b[0m 403 Forbidden\n"
        )

    monkeypatch.setattr(ListTable, "_write_log", deny)
    result = run(place)
    assert (result.code, "access is denied" in result.stderr) == (3, True), result.stderr
    monkeypatch.setattr(ListTable, "_write_log", write)
    asked = len(world.asked)
    assert run(place).code == 0
    assert (len(world.asked), place.records()) == (asked, world.records)


@places("folder", "s3")
def test_a_table_that_another_run_has_just_made_is_used(
    run: Export, world: World, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from unified_cli.commands.export.store_folder import StoreFolder  # noqa: PLC0415  an extra
    from unified_cli.exported.local_folder import LocalFolder  # noqa: PLC0415  beside the other

    world.change("t0", 0)
    assert run(place, "--incremental").code == 0
    schema = place.table().schema()
    made: list[str] = []

    def made_meanwhile(real: Any) -> Any:
        def listed(files: Any, folder: str) -> list[str]:
            if not made:
                made.append(folder)
                uri = f"{place.url.removeprefix('file://')}/{folder}"
                settings = {"allow_http": "true", **place.environ}
                deltalake.DeltaTable.create(
                    uri, schema, partition_by=["_profile"], storage_options=settings
                )
            found: list[str] = real(files, folder)
            return found

        return listed

    for kind in (LocalFolder, StoreFolder):
        monkeypatch.setattr(kind, "listed", made_meanwhile(kind.listed))
    result = run(place, "--incremental", "ticketing/tags")
    assert (result.code, made) == (0, ["ticketing/tags"]), result.stderr
    assert [row["id"] for row in place.rows("ticketing/tags")] == ["t0"]
