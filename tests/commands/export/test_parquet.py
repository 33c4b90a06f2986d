"""Exports as Parquet: each record as exactly the text that NDJSON has, whatever ends
the process.
"""

import io
import json
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from pages import serve
from server import Reply, Service

from unified_cli.exported import parquet_file
from unified_cli.storage import atomic_file

pytestmark = pytest.mark.extra
pytest.importorskip("pyarrow", reason="needs the extra parquet")

TICKETS = "ticketing/tickets.parquet"
RECORDS = [
    '{"id":"a","created_at":"2026-01-01T00:00:00Z","updated_at":null,"price":1.10}',
    '{"id":12345678901234567890123,"created_at":1,"big":123456789012345678901234567890,"small":1e-400}',
    '{"id":"\\ud800","name":"half a pair \\udc00"}',
    '{"id":"\\u00e9\\n","name":"Größe 👩‍👩‍👧","nested":{"id":1,"list":[1.0,{"x":null}]}}',
    '{"name":"no id","updated_at":{"at":1}}',
    "{}",
]
PAGES = [RECORDS[:4], RECORDS[4:]]


def replies(service: Service, *, at: str = "") -> None:
    """Serve the records as they are written here, in two pages."""

    def reply(seen: Any) -> Reply:
        cursor = dict(seen.query).get("next_cursor")
        if cursor == at:
            return Reply(403, b"{}")
        page, onward = (PAGES[1], "null") if cursor else (PAGES[0], '"2"')
        return Reply(200, f'{{"result":[{",".join(page)}],"next_cursor":{onward}}}'.encode())

    service.reply = reply


def rows(path: Path) -> list[dict[str, Any]]:
    from pyarrow import parquet  # noqa: PLC0415  see above

    found: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return found


def the_export(unified: Unified, service: Service, folder: Path, more: str = "") -> Any:
    return unified(
        f"export ticketing/tickets --to {folder} --format parquet {more}", environ=service.environ
    )


def test_two_ids_never_become_equal(unified: Unified, service: Service, tmp_path: Path) -> None:
    texts = {
        r"\ud800": r"\ud800",
        r"\ud801": r"\ud801",
        "?": "?",
        r"\ufffd": "\ufffd",
        r"\\ud800": r"\\ud800",
        r"\\\ud800": r"\\\ud800",
        r"\\\\ud800": r"\\\\ud800",
        r"a\\n": r"a\n",
        r"\ud83d\ude00": "\U0001f600",
        r"\u007fud800": "\x7fud800",
    }
    page = ",".join(f'{{"id":"{one}"}}' for one in texts)
    service.reply = lambda _: Reply(200, f'{{"result":[{page}]}}'.encode())
    assert the_export(unified, service, tmp_path / "dump").code == 0
    found = [row["id"] for row in rows(tmp_path / "dump" / "acct-1" / TICKETS)]
    assert (found, len({*found})) == ([*texts.values()], len(texts))


def test_a_row_has_the_text_of_its_record(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    replies(service)
    result = the_export(unified, service, tmp_path / "dump")
    assert (result.code, result.stderr) == (
        0,
        f"wrote 1 file with 6 records to {tmp_path}/dump, 0 already complete; 1 of 1 list done\n",
    )
    found = rows(tmp_path / "dump" / "acct-1" / TICKETS)
    assert [row["record"] for row in found] == RECORDS
    assert {row["_profile"] for row in found} == {"acct-1"}
    assert [row["id"] for row in found] == [
        "a",
        "12345678901234567890123",
        r"\ud800",
        "é\n",
        None,
        None,
    ]
    assert [row["created_at"] for row in found] == [datetime(2026, 1, 1, tzinfo=UTC), *[None] * 5]
    assert [row["updated_at"] for row in found] == [None] * 6
    assert unified(f"export --verify {tmp_path / 'dump'}").code == 0
    assert sorted(path.name for path in (tmp_path / "dump").rglob("*") if path.is_file()) == [
        "manifest.json",
        "tickets.parquet",
    ]


NASTY = [
    r'{"id":1,"status":{"name":"Open"},"tags":[{"name":"a"},{"name":"\u00e9"}],"n":1.10,"id2":"x"}',
    r'{"id":2,"status":{"name":"\ud800"},"tags":[],"n":123456789012345678901234567890}',
    r'{"id":3,"status":{"name":{"half":"\udc00"}},"tags":null,"n":null}',
    r'{"id":4,"status":"Open","n":"","tags":[{"name":1},{}]}',
]


@pytest.mark.parametrize("to", ["folder", "store"])
def test_columns_are_added_as_text(
    unified: Unified, service: Service, tmp_path: Path, to: str
) -> None:
    duckdb = pytest.importorskip("duckdb", reason="needs the extra test-all")
    polars = pytest.importorskip("polars", reason="needs the extra test-all")
    pytest.importorskip("obstore", reason="needs the extra cloud")
    service.reply = lambda _: Reply(200, f'{{"result":[{",".join(NASTY)}]}}'.encode())
    place: Any = tmp_path / "dump" if to == "folder" else f"file://{tmp_path}/dump"
    result = the_export(unified, service, place, "--columns status.name,tags.name,id,n,statsu,n")
    said = 'no record that was written has the column "statsu"\n'
    assert (result.code, result.stderr) == (
        0,
        f"wrote 1 file with 4 records to {place}, 0 already complete; 1 of 1 list done\n{said}",
    )
    (path,) = (tmp_path / "dump").rglob("*.parquet")
    names = ["status.name", "tags.name", "n", "statsu"]
    assert schema_of(path) == {**SCHEMA, **dict.fromkeys(names, "string")}
    expected = [
        ("Open", '["a","\\u00e9"]', "1.10", None),
        (r"\ud800", "[]", "123456789012345678901234567890", None),
        (r'{"half":"\udc00"}', None, None, None),
        (None, "[1,null]", "", None),
    ]
    assert [tuple(row[name] for name in names) for row in rows(path)] == expected
    assert (
        duckdb.sql(
            f"SELECT COLUMNS(['status.name', 'tags.name', 'n', 'statsu']) FROM '{path}'"
        ).fetchall()
        == expected
    )
    assert polars.read_parquet(path).select(names).rows() == expected
    assert [row["record"] for row in rows(path)] == NASTY


def test_other_columns_are_another_export(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    replies(service)
    assert the_export(unified, service, tmp_path / "dump", "--columns name").code == 0
    for other in ("", "--columns name,nested.id"):
        refused = the_export(unified, service, tmp_path / "dump", other)
        assert (
            refused.code,
            "was exported with another --columns (--restart replaces it)" in refused.stderr,
        ) == (
            12,
            True,
        )
    assert (
        the_export(unified, service, tmp_path / "dump", "--columns name,nested.id --restart").code
        == 0
    )
    assert [row["nested.id"] for row in rows(tmp_path / "dump" / "acct-1" / TICKETS)] == [
        None
    ] * 3 + ["1", None, None]
    refused = unified(
        f"export ticketing/tickets --to {tmp_path}/other --columns name", environ=service.environ
    )
    assert (
        refused.stderr == "error: --columns adds columns, but ndjson has none"
        " (--format csv, tsv, parquet or delta)\n"
    )
    assert refused.code == 2


def test_other_readers_find_the_same(unified: Unified, service: Service, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="needs the extra test-all")
    polars = pytest.importorskip("polars", reason="needs the extra test-all")
    replies(service)
    assert the_export(unified, service, tmp_path / "dump").code == 0
    path = tmp_path / "dump" / "acct-1" / TICKETS
    assert [row for (row,) in duckdb.sql(f"SELECT record FROM '{path}'").fetchall()] == RECORDS
    assert polars.read_parquet(path)["record"].to_list() == RECORDS


TIMES = {
    "2026-02-03T04:05:06Z": datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC),
    "2026-02-03t04:05:06.123456z": datetime(2026, 2, 3, 4, 5, 6, 123456, tzinfo=UTC),
    "2026-02-03T04:05:06.1234560+02:00": datetime(2026, 2, 3, 2, 5, 6, 123456, tzinfo=UTC),
    "2026-02-03 04:05:06": datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC),
    "0001-01-01T00:00:00Z": datetime(1, 1, 1, tzinfo=UTC),
    "9999-12-31T23:59:59.999999Z": datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    # More digits than a microsecond has, a time before the first, a leap second, and no
    # times at all.
    "2026-02-03T04:05:06.1234567Z": None,
    "0001-01-01T00:00:00+01:00": None,
    "2026-12-31T23:59:60Z": None,
    "yesterday": None,
    "": None,
}


def test_times_are_timestamps_where_they_fit(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    duckdb = pytest.importorskip("duckdb", reason="needs the extra test-all")
    polars = pytest.importorskip("polars", reason="needs the extra test-all")
    records = [{"id": at, "created_at": text, "updated_at": text} for at, text in enumerate(TIMES)]
    records += [{"id": at, "created_at": at, "updated_at": [at]} for at in range(3)]
    serve(service, [records])
    assert the_export(unified, service, tmp_path / "dump").code == 0
    path = tmp_path / "dump" / "acct-1" / TICKETS
    expected = [*TIMES.values(), None, None, None]
    for column in ("created_at", "updated_at"):
        assert [row[column] for row in rows(path)] == expected
        assert polars.read_parquet(path)[column].to_list() == expected
        held = duckdb.sql(f"SELECT epoch_us({column}), typeof({column}) FROM '{path}'").fetchall()
        epoch = datetime(1970, 1, 1, tzinfo=UTC)
        microseconds = [
            at and (at - epoch).days * 86_400_000_000 + (at - epoch).seconds * 10**6
            for at in expected
        ]
        assert held == [
            (at and micro and micro + at.microsecond, "TIMESTAMP WITH TIME ZONE")
            for at, micro in zip(expected, microseconds, strict=True)
        ]
    assert [json.loads(row["record"])["created_at"] for row in rows(path)] == [*TIMES, 0, 1, 2]


SCHEMA = {
    "_profile": "string",
    "id": "string",
    "created_at": "timestamp[us, tz=UTC]",
    "updated_at": "timestamp[us, tz=UTC]",
    "record": "string",
}


def schema_of(path: Path) -> dict[str, str]:
    from pyarrow import parquet  # noqa: PLC0415  see above

    return {field.name: str(field.type) for field in parquet.read_schema(path)}


def test_all_files_of_a_list_have_the_same_schema(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    pages: list[list[dict[str, Any]]] = [
        [],
        [{"id": 1, "updated_at": "2026-01-01T00:00:00Z"}],
        [{"id": None, "created_at": 7, "updated_at": "2026-01-02T00:00:00Z"}],
        [{"updated_at": "2026-01-03T00:00:00Z", "name": "x"}],
    ]
    for page in pages:
        serve(service, [page])
        assert the_export(unified, service, tmp_path / "dump", "--incremental").code == 0
    files = sorted((tmp_path / "dump").rglob("*.parquet"))
    assert [path.name for path in files] == [
        f"tickets{number}.parquet" for number in (".2", ".3", ".4", "")
    ]
    assert [schema_of(path) for path in files] == [SCHEMA] * 4
    assert rows(files[-1]) == []


def test_a_run_that_was_broken_off_is_resumed_at_its_page(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    replies(service, at="2")
    assert the_export(unified, service, tmp_path / "dump").code == 7
    replies(service)
    service.seen.clear()
    assert the_export(unified, service, tmp_path / "dump").code == 0
    assert [dict(seen.query).get("next_cursor") for seen in service.seen] == ["2"]
    assert [row["record"] for row in rows(tmp_path / "dump" / "acct-1" / TICKETS)] == RECORDS


def test_a_restart_removes_everything_of_a_killed_run(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    replies(service, at="2")
    assert the_export(unified, service, tmp_path / "dump").code == 7
    folder = (tmp_path / "dump" / "acct-1" / TICKETS).parent
    # As a run leaves it that is killed while it makes the Parquet file.
    (folder / ".tickets.parquet.0123456789ab.part").write_bytes(b"PAR1")
    replies(service)
    assert the_export(unified, service, tmp_path / "dump", "--restart").code == 0
    assert [path.name for path in folder.iterdir()] == ["tickets.parquet"]


@pytest.mark.parametrize("after", [False, True], ids=["before the name", "after the name"])
def test_a_run_that_ends_around_the_naming_of_the_file_is_resumed(
    unified: Unified,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    after: bool,
) -> None:
    replies(service)
    name: Callable[..., None] = atomic_file.give_name

    def stop(temporary: Path, path: Path, *, replace: bool) -> None:
        if path.suffix == ".parquet":
            if after:
                name(temporary, path, replace=replace)
            raise KeyboardInterrupt
        name(temporary, path, replace=replace)

    with monkeypatch.context() as patch:
        patch.setattr(atomic_file, "give_name", stop)
        assert the_export(unified, service, tmp_path / "dump").code == 130
    service.seen.clear()
    assert the_export(unified, service, tmp_path / "dump").code == 0
    assert service.seen == []
    assert [row["record"] for row in rows(tmp_path / "dump" / "acct-1" / TICKETS)] == RECORDS
    assert unified(f"export --verify {tmp_path / 'dump'}").code == 0


def test_many_records_are_many_row_groups(
    unified: Unified, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyarrow import parquet  # noqa: PLC0415  see above

    monkeypatch.setattr(parquet_file, "_ROWS", 2)
    replies(service)
    assert the_export(unified, service, tmp_path / "dump").code == 0
    path = tmp_path / "dump" / "acct-1" / TICKETS
    assert parquet.ParquetFile(path).num_row_groups == 3
    assert [row["record"] for row in rows(path)] == RECORDS


def test_doubles_are_left_out(unified: Unified, service: Service, tmp_path: Path) -> None:
    serve(service, [[{"id": 1}, {"id": 2}], [{"id": 2}, {"id": 3}]])
    assert the_export(unified, service, tmp_path / "dump", "--dedupe id").code == 0
    found = [
        json.loads(row["record"])["id"] for row in rows(tmp_path / "dump" / "acct-1" / TICKETS)
    ]
    assert found == [1, 2, 3]


def test_reading_keeps_few_records_in_memory() -> None:
    lines = b"".join(b'{"id":"%d","text":"%s"}\n' % (at, b"x" * 500) for at in range(30_000))
    file = io.BytesIO()
    parquet_file.write(io.BytesIO(lines), file.write, parquet_file.ParquetColumns("acme"))
    tracemalloc.start()
    try:
        assert sum(1 for _ in parquet_file.records(file)) == 30_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000
