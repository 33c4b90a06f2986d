"""Exports to a server of S3 and to a shared folder: each record once, whatever is
killed, frozen or refused.
"""

import json
import os
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import stores
from campaigns import size
from changes import World, five_rounds
from forking import Forked
from front_door import Result, Unified, interrupt_beside
from pages import cursor_of, served
from server import Reply, Seen, Service
from stores import Bucket, ended, serve_lists, start, wait_for

from unified_cli.commands.export.chunk_log import ChunkLog, LogEntry
from unified_cli.commands.export.chunked_list import ChunkedList
from unified_cli.exported.checkpoint import Checkpoint
from unified_cli.exported.list_export import TakenOverError
from unified_cli.storage import object_store
from unified_cli.storage.object_store import StoredObjects

pytestmark = pytest.mark.extra
pytest.importorskip("obstore", reason="needs the extra cloud")
pytest.importorskip("moto.server", reason="needs the extra test-all")

TICKETS = "dump/acct-1/ticketing/tickets"
LOG = "dump/.log/acct-1/ticketing/tickets/0001"


@pytest.fixture
def bucket(s3: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    made = Bucket(s3, f"b{abs(hash(request.node.nodeid))}")
    for name, value in made.environ.items():
        monkeypatch.setenv(name, value)
    return made


Export = Callable[..., Result]


@pytest.fixture
def export(unified: Unified, service: Service, bucket: Bucket) -> Export:
    def run(more: str = "", to: str = f"s3://{bucket.name}/dump") -> Result:
        environ = {**os.environ, **service.environ, "UNIFIED_RATE": "0"}
        return unified(f"export ticketing/tickets --to {to} {more}", environ=environ)

    return run


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unified_cli.commands.export.chunked_list.BYTES", 1000)


@pytest.mark.usefixtures("_small")
def test_a_list_is_chunks_that_a_glob_reads_and_a_log_that_it_does_not(
    export: Export, service: Service, bucket: Bucket, unified: Unified
) -> None:
    serve_lists(service, pages=8)
    to = f"s3://{bucket.name}/dump"
    result = export()
    assert (result.code, result.stdout) == (0, "")
    assert (
        result.stderr
        == f"wrote 1 file with 80 records to {to}, 0 already complete; 1 of 1 list done\n"
    )
    names = bucket.names("dump")
    chunks = [name for name in names if name.endswith(".ndjson")]
    assert all(name.startswith(f"{TICKETS}/0001-00000") for name in chunks)
    assert len(chunks) == 4
    assert [name for name in names if name not in chunks] == [
        *(f"{LOG}/{number:06}.json" for number in range(1, 6)),
        "dump/manifest.json",
    ]
    assert stores.lines(bucket.content(TICKETS)) == [f"t-{number}" for number in range(80)]
    asked = len(service.seen)
    assert export().stderr.startswith(
        f"wrote 0 files with 0 records to {to},"
        " 1 already complete; 1 of 1 list done\nnot read again: "
    )
    assert len(service.seen) == asked
    verified = unified(f"export --verify {to}", environ=dict(os.environ))
    assert (verified.code, verified.stderr) == (
        0,
        f"{to}: the manifest matches 1 file; 1 of 1 list done\n",
    )


@pytest.mark.usefixtures("_small")
def test_files_that_a_user_changed_are_found(
    export: Export, service: Service, bucket: Bucket, unified: Unified
) -> None:
    serve_lists(service, pages=8)
    to = f"s3://{bucket.name}/dump"
    export()
    first, second, third, _ = bucket.chunks(TICKETS)
    bucket.put(first, bucket.get(first).replace(b"t-1", b"t-7"))
    bucket.delete(second)
    bucket.put(f"{TICKETS}/0001-000009-stranger.ndjson", b"{}\n")
    verified = unified(f"export --verify {to}", environ=dict(os.environ))
    assert verified.code == 12
    names = [Path(name).name for name in (first, second)]
    assert verified.stderr.splitlines() == [
        f"acct-1/ticketing/tickets.ndjson: {names[0]}: not the bytes that were written",
        f"acct-1/ticketing/tickets.ndjson: {names[1]} is gone",
        "acct-1/ticketing/tickets.ndjson: 0001-000009-stranger.ndjson is not part of the list",
        f"error: {to} does not match its manifest: 3 differences (--restart starts again)",
    ]
    again = export()
    assert again.code == 12
    assert again.stderr.endswith(
        f"error: {to}/acct-1/ticketing/tickets is not the list that was exported (--restart"
        " replaces it)\n"
    )
    assert export("--restart").code == 0
    assert stores.lines(bucket.content(TICKETS)) == [f"t-{number}" for number in range(80)]
    assert unified(f"export --verify {to}", environ=dict(os.environ)).code == 0
    assert third not in bucket.names("dump")


def test_a_failed_export_resumes_at_its_page_from_any_machine(
    export: Export, service: Service, bucket: Bucket
) -> None:
    serve_lists(service, pages=5)
    whole = service.reply
    service.reply = lambda seen: served({}, 403) if "next_cursor=3" in seen.target else whole(seen)
    result = export()
    assert result.code == 7
    assert len(bucket.chunks(TICKETS)) == 1
    service.reply, asked = whole, len(service.seen)
    assert export().code == 0
    assert [dict(seen.query).get("next_cursor") for seen in service.seen[asked:]] == ["3", "4"]
    assert stores.lines(bucket.content(TICKETS)) == [f"t-{number}" for number in range(50)]


def test_an_earlier_list_with_other_options_is_left_alone(
    export: Export, service: Service, bucket: Bucket
) -> None:
    serve_lists(service, pages=2)
    assert export().code == 0
    result = export("-q a=b")
    assert result.code == 12
    assert (
        "was exported with another -q or --page-size (choose another folder with --to, or"
        in result.stderr
    )
    # The log knows it too, where the manifest is lost.
    bucket.delete("dump/manifest.json")
    result = export("-q a=b")
    assert result.code == 12
    assert (
        f"{TICKETS} belongs to an export with another -q or --page-size (--restart starts again)"
        in result.stderr
    )


@pytest.mark.usefixtures("_small")
def test_repeated_records_are_left_out_also_of_later_chunks(
    export: Export, service: Service, bucket: Bucket
) -> None:
    serve_lists(service, pages=8)
    assert export().code == 0
    assert export("--restart --dedupe id").code == 0
    assert stores.lines(bucket.content(TICKETS)) == [f"t-{number}" for number in range(80)]


def test_changed_records_are_added(
    export: Export, service: Service, bucket: Bucket, unified: Unified
) -> None:
    records = [
        {"id": f"t{number}", "updated_at": f"2026-01-0{number + 1}T00:00:00Z"}
        for number in range(3)
    ]
    service.reply = lambda _: served({"result": records, "next_cursor": None})
    for form in (
        ("ndjson", "parquet")
        if pytest.importorskip("pyarrow", reason="needs the extra parquet")
        else ()
    ):
        to = f"s3://{bucket.name}/{form}"
        folder = f"{form}/acct-1/ticketing/tickets"
        more = f"--incremental --format {form}"
        assert "1 file with 3 records" in export(more, to).stderr
        assert "0 files with 0 records" in export(more, to).stderr
        records.append({"id": f"new {form}", "updated_at": "2026-02-01T00:00:00Z"})
        assert "1 file with 1 record" in export(more, to).stderr
        assert ("updated_at[gt]", "2026-01-02T23:59:00.000000Z") in service.seen[-1].query
        assert "0 files with 0 records" in export(more, to).stderr
        assert [Path(name).name[:4] for name in bucket.chunks(folder)] == ["0001", "0002"]
        assert unified(f"export --verify {to}", environ=dict(os.environ)).code == 0
        # Starting anew removes what was added.
        assert export(f"--restart --format {form}", to).code == 0
        assert [Path(name).name[:4] for name in bucket.chunks(folder)] == ["0001"]
        records.pop()


def test_five_rounds_of_changes_under_faults_miss_nothing(
    export: Export, service: Service, bucket: Bucket, unified: Unified, record_property: Any
) -> None:
    world = World(service)

    def union() -> dict[str, Any]:
        found = [json.loads(line) for line in bucket.content(TICKETS).splitlines()]
        return {
            record["id"]: record for record in sorted(found, key=lambda one: str(one["updated_at"]))
        }

    five_rounds(world, lambda: export("--incremental"), union, record_property)
    assert unified(f"export --verify s3://{bucket.name}/dump", environ=dict(os.environ)).code == 0


@pytest.mark.usefixtures("_small")
def test_readers_find_the_text_that_ndjson_has(
    export: Export, service: Service, bucket: Bucket, tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    duckdb = pytest.importorskip("duckdb", reason="needs the extra test-all")
    polars = pytest.importorskip("polars", reason="needs the extra test-all")
    dice = random.Random(4)

    def number() -> str:
        digits = "".join(dice.choices("0123456789", k=dice.randrange(1, 40)))
        return f"1{digits}{dice.choice(['', '.0', '.10', f'.{digits}', 'e5', 'E-400'])}"

    texts = [
        f'{{"id":{number()},"price":{number()},"n":[{number()}],"name":"é\\u00e9 {at}"}}'
        for at in range(300)
    ]

    def reply(seen: Seen) -> Reply:
        at = int(cursor_of(seen) or 0)
        onward = f'"{at + 10}"' if at + 10 < len(texts) else "null"
        return served(
            f'{{"result":[{",".join(texts[at : at + 10])}],"next_cursor":{onward}}}'.encode()
        )

    service.reply = reply
    folders = {form: f"file://{tmp_path}/{form}" for form in ("ndjson", "parquet")}
    for form, folder in folders.items():
        assert export(f"--format {form}", folder).code == 0
        assert export(f"--format {form}", f"s3://{bucket.name}/{form}").code == 0
    under = "acct-1/ticketing/tickets/*"
    content = b"".join(
        path.read_bytes() for path in sorted((tmp_path / "ndjson").glob(f"{under}.ndjson"))
    )
    assert content.decode().split("\n")[:-1] == texts
    files = f"{tmp_path}/parquet/{under}.parquet"
    assert len([*(tmp_path / "parquet").glob(f"{under}.parquet")]) > 3
    rows = duckdb.sql(
        f"SELECT record, id FROM read_parquet('{files}', filename=true) ORDER BY filename,"
        " file_row_number"
    )
    assert [row[0] for row in rows.fetchall()] == texts
    assert polars.read_parquet(files)["record"].to_list() == texts
    lines_of_json = duckdb.sql(
        f"SELECT json FROM read_ndjson_objects('{tmp_path}/ndjson/{under}.ndjson')"
    ).fetchall()
    assert sorted(row[0] for row in lines_of_json) == sorted(texts)
    options = {name.lower(): value for name, value in bucket.environ.items()}
    there = polars.read_parquet(
        f"s3://{bucket.name}/parquet/{under}.parquet", storage_options=options
    )
    assert there["record"].to_list() == texts


def test_changes_after_a_killed_run_are_read_by_the_next_run(
    export: Export, service: Service, bucket: Bucket, unified: Unified
) -> None:
    world = World(service)
    for number in range(4):
        world.change(f"t{number}", number * 1000)
        assert export("--incremental").code == 0
        assert stores.lines(bucket.content(TICKETS)) == [f"t{one}" for one in range(number + 1)]
        assert (
            unified(f"export --verify s3://{bucket.name}/dump", environ=dict(os.environ)).code == 0
        )
        # As if it had been killed when its lists were complete and the manifest was not
        # yet written.
        bucket.delete("dump/manifest.json")


def test_a_chunk_that_no_entry_knows_is_removed_and_its_frozen_writer_stops(
    service: Service, bucket: Bucket, tmp_path: Path
) -> None:
    serve_lists(service, pages=20, seconds=0.1)
    argv = ["export", "ticketing/tickets", "--to", f"s3://{bucket.name}/dump", "--rate", "0"]
    environ = {**bucket.environ, **service.environ}
    frozen = start(argv, tmp_path / "one", environ)
    wait_for(frozen, lambda: bucket.chunks(TICKETS))
    frozen.send_signal(signal.SIGSTOP)
    bucket.put(f"{TICKETS}/0001-000099-lost.ndjson", b"{}\n")
    # As if it had been on another machine, and died there.
    for name in bucket.names("dump/.lease"):
        bucket.delete(name)
    code, stderr = ended(start(argv, tmp_path / "two", environ))
    assert code == 0, stderr
    frozen.send_signal(signal.SIGCONT)
    code, stderr = ended(frozen)
    assert code == 12
    assert "has taken over from this run" in stderr
    assert stores.lines(bucket.content(TICKETS)) == [f"t-{number}" for number in range(200)]


def test_a_writer_whose_chunk_was_removed_before_its_entry_cannot_make_the_entry(
    export: Export, service: Service, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve_lists(service, pages=1)
    add, other = ChunkLog.add, []

    def late(log: ChunkLog, entry: LogEntry) -> bool:
        if entry.chunk and not other:
            other.append(None)
            good = service.reply
            service.reply = lambda _: served({}, 403)
            # It begins, finds a chunk without an entry, and comes no further.
            other.append(export())
            service.reply = good
        return add(log, entry)

    monkeypatch.setattr(ChunkLog, "add", late)
    result = export()
    assert other[1].code == 7
    assert result.code == 12
    assert result.stderr.endswith("has taken over from this run\n")
    assert export().code == 0
    assert stores.lines(bucket.content(TICKETS)) == [f"t-{number}" for number in range(10)]


@pytest.mark.usefixtures("_small")
def test_a_frozen_writer_that_wakes_adds_nothing_to_a_list_that_was_taken_over(
    export: Export, service: Service, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve_lists(service, pages=8)
    write, good = ChunkedList._write, service.reply
    refused: list[TakenOverError | None] = []
    other = []

    def frozen(part: ChunkedList, state: Checkpoint) -> None:
        if other or part._known.number != 1:
            write(part, state)
            return

        def awake(seen: Seen) -> Reply:
            if not refused:
                # The other run has opened the list and written nothing.
                try:
                    write(part, state)
                    refused.append(None)
                except TakenOverError as error:
                    refused.append(error)
            return good(seen)

        sign = {
            "writer": "w",
            "process": 1,
            "host": "elsewhere",
            "machine": "elsewhere",
            "beats": 3,
        }
        bucket.put("dump/.lease/manifest.json/000001", json.dumps(sign).encode())
        other.append(None)
        service.reply = awake
        other[0] = export()
        assert refused[0]
        raise refused[0]

    monkeypatch.setattr(ChunkedList, "_write", frozen)
    result = export()
    assert (other[0].code, result.code) == (0, 12), other[0].stderr
    assert result.stderr.endswith("has taken over from this run\n")
    assert stores.lines(bucket.content(TICKETS)) == [f"t-{number}" for number in range(80)]
    assert len(service.seen) == 8 + 2


def is_stopped(process: Forked) -> bool:
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize(
    ("form", "at"),
    [
        ("ndjson", 1),
        *(
            pytest.param(*one, marks=pytest.mark.long(seconds=12))
            for one in (("parquet", 1), ("parquet", 3), ("ndjson", 2), ("ndjson", 3))
        ),
    ],
)
def test_a_frozen_writer_that_dies_when_it_wakes_leaves_nothing_that_readers_count(
    form: str, at: int, service: Service, bucket: Bucket, tmp_path: Path, unified: Unified
) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    duckdb = pytest.importorskip("duckdb", reason="needs the extra test-all")
    serve_lists(service, pages=8)
    environ = {**bucket.environ, **service.environ}
    for to in (f"s3://{bucket.name}/dump", f"file://{tmp_path}/dump"):
        argv = ["export", "ticketing/tickets", "--to", to, "--rate", "0", "--format", form]
        frozen = start(argv, tmp_path / "one", {**environ, "FREEZE": str(at)}, stores.FROZEN)
        wait_for(frozen, lambda frozen=frozen: is_stopped(frozen))
        code, stderr = ended(start(argv, tmp_path / "two", environ, stores.FROZEN))
        assert (code, "waiting 2 s to see whether" in stderr) == (0, True), stderr
        frozen.send_signal(signal.SIGCONT)
        assert ended(frozen) == (9, "")
        verified = unified(f"export --verify {to}", environ=dict(os.environ))
        assert (verified.code, verified.stderr) == (
            0,
            f"{to}: the manifest matches 1 file; 1 of 1 list done\n",
        )
        code, stderr = ended(start(argv, tmp_path / "two", environ))
        assert (code, stderr.splitlines()[0]) == (
            0,
            f"wrote 0 files with 0 records to {to}, 1 already complete; 1 of 1 list done",
        )
    # Readers that know the names only.
    under = "dump/acct-1/ticketing/tickets"
    reader = "read_parquet" if form == "parquet" else "read_ndjson_objects"
    for name in bucket.chunks(under):
        (tmp_path / "there").mkdir(exist_ok=True)
        (tmp_path / "there" / Path(name).name).write_bytes(bucket.get(name))
    for place in (tmp_path / under, tmp_path / "there"):
        assert duckdb.sql(f"SELECT count(*) FROM {reader}('{place}/*.{form}')").fetchall() == [
            (80,)
        ]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize(
    ("scheme", "form", "when"),
    [
        ("s3", "ndjson", "after"),
        *(
            pytest.param(*one, marks=pytest.mark.long(seconds=8))
            for one in (
                ("file", "ndjson", "after"),
                ("s3", "ndjson", "before"),
                ("file", "ndjson", "before"),
                ("s3", "parquet", "after"),
                ("file", "parquet", "after"),
                ("s3", "parquet", "before"),
                ("file", "parquet", "before"),
            )
        ),
    ],
)
def test_a_frozen_writer_that_learns_that_another_has_taken_over_writes_nothing_more(
    scheme: str, form: str, when: str, service: Service, bucket: Bucket, tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    serve_lists(service, pages=8)
    to = f"s3://{bucket.name}/dump" if scheme == "s3" else f"file://{tmp_path}/dump"
    argv = ["export", "ticketing/tickets", "--to", to, "--rate", "0", "--format", form]
    environ = {**bucket.environ, **service.environ, "NOTES": str(tmp_path / "notes")}
    frozen = start(argv, tmp_path / "one", {**environ, "FREEZE": "3", "WAKES": when}, stores.FROZEN)
    wait_for(frozen, lambda: is_stopped(frozen))
    code, stderr = ended(start(argv, tmp_path / "two", environ, stores.FROZEN))
    assert code == 0, stderr
    there = {path: path.read_bytes() for path in (tmp_path / "dump").rglob("*") if path.is_file()}
    named = bucket.names()
    frozen.send_signal(signal.SIGCONT)
    code, stderr = ended(frozen)
    assert (code, "has taken over from this run" in stderr) == (12, True), stderr
    assert "resume" not in stderr
    found = {path: path.read_bytes() for path in (tmp_path / "dump").rglob("*") if path.is_file()}
    assert (found, bucket.names()) == (there, named)
    assert not (tmp_path / "notes").exists(), (tmp_path / "notes").read_text()


@pytest.fixture
def late(bucket: Bucket, s3: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The same store, whose lists show what was written after some time."""
    with stores.slow_to_list(s3, 3600) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        bucket.environ["AWS_ENDPOINT_URL"] = url
        yield


@pytest.mark.usefixtures("late", "_small")
def test_a_failed_export_resumes_while_the_store_does_not_list_new_objects(
    export: Export, service: Service, bucket: Bucket, unified: Unified, s3: str
) -> None:
    serve_lists(service, pages=8)
    whole = service.reply
    service.reply = lambda seen: served({}, 403) if "next_cursor=5" in seen.target else whole(seen)
    assert export().code == 7
    service.reply, asked = whole, len(service.seen)
    result = export()
    assert (result.code, result.stderr) == (
        0,
        (
            f"wrote 1 file with 80 records to s3://{bucket.name}/dump,"
            " 0 already complete; 1 of 1 list done\n"
        ),
    )
    assert [dict(seen.query).get("next_cursor") for seen in service.seen[asked:]] == ["5", "6", "7"]
    asked = len(service.seen)
    assert ", 1 already complete; 1 of 1 list done\n" in export().stderr
    assert len(service.seen) == asked
    verified = unified(f"export --verify s3://{bucket.name}/dump", environ=dict(os.environ))
    assert (
        verified.stderr
        == f"s3://{bucket.name}/dump: the manifest matches 1 file; 1 of 1 list done\n"
    )
    bucket.environ["AWS_ENDPOINT_URL"] = s3
    assert stores.lines(bucket.content(TICKETS)) == [f"t-{number}" for number in range(80)]


@pytest.mark.usefixtures("late")
def test_a_killed_export_resumes_while_the_store_does_not_list_new_objects(
    service: Service, bucket: Bucket, tmp_path: Path, s3: str
) -> None:
    serve_lists(service, pages=8)
    argv = ["export", "ticketing/tickets", "--to", f"s3://{bucket.name}/dump", "--rate", "0"]
    environ = {**bucket.environ, **service.environ}
    # It dies with a chunk that no log names.
    killed = start(argv, tmp_path / "one", {**environ, "FREEZE": "3"}, stores.FROZEN)
    wait_for(killed, lambda: is_stopped(killed))
    killed.send_signal(signal.SIGCONT)
    assert ended(killed) == (9, "")
    code, stderr = ended(start(argv, tmp_path / "two", environ))
    assert code == 0, stderr
    bucket.environ["AWS_ENDPOINT_URL"] = s3
    assert stores.lines(bucket.content(TICKETS)) == [f"t-{number}" for number in range(80)]


def test_a_run_without_changes_that_takes_over_from_a_frozen_run_leaves_nothing(
    export: Export, service: Service, bucket: Bucket, unified: Unified
) -> None:
    record = {"id": "t", "updated_at": "2026-01-01T00:00:00Z"}
    service.reply = lambda _: served({"result": [record], "next_cursor": None})
    assert export("--incremental").code == 0
    sign = {"writer": "w", "process": 1, "host": "elsewhere", "machine": "elsewhere", "beats": 3}
    bucket.put("dump/.lease/manifest.json/000001", json.dumps(sign).encode())
    found = []
    for _ in range(4):
        assert "0 files with 0 records" in export("--incremental").stderr
        found.append((len(bucket.chunks(TICKETS)), len(bucket.names("dump/.log"))))
        assert (
            unified(f"export --verify s3://{bucket.name}/dump", environ=dict(os.environ)).code == 0
        )
        assert stores.lines(bucket.content(TICKETS)) == ["t"]
    # The empty chunk that keeps the frozen one from writing is gone with the next run,
    # and the log grows no more.
    assert [chunks for chunks, _ in found] == [2, 1, 1, 1]
    assert found[1] == found[2] == found[3]


@pytest.mark.parametrize("scheme", ["s3", "file"])
def test_a_changed_byte_is_found_by_the_next_run(
    scheme: str, export: Export, service: Service, bucket: Bucket, tmp_path: Path
) -> None:
    serve_lists(service, pages=8)
    to = f"s3://{bucket.name}/dump" if scheme == "s3" else f"file://{tmp_path}/dump"
    assert export(to=to).code == 0
    name = (
        bucket.chunks(TICKETS)[0]
        if scheme == "s3"
        else str(next((tmp_path / "dump").rglob("*.ndjson")))
    )
    before = bucket.get(name) if scheme == "s3" else Path(name).read_bytes()

    def put(data: bytes) -> None:
        if scheme == "s3":
            bucket.put(name, data)
        else:
            Path(name).unlink()
            Path(name).write_bytes(data)

    put(before.replace(b"t-1", b"t-7", 1))
    asked = len(service.seen)
    result = export(to=to)
    assert (result.code, len(service.seen) - asked) == (12, 0)
    assert result.stderr.endswith(
        f"error: {to}/acct-1/ticketing/tickets is not the list that was exported (--restart"
        " replaces it)\n"
    )
    # One that was only copied is the same; its bytes are looked at once.
    put(before)
    for _ in range(2):
        assert export(to=to).stderr.startswith(
            f"wrote 0 files with 0 records to {to},"
            " 1 already complete; 1 of 1 list done\nnot read again: "
        )


def test_the_bytes_of_a_list_that_was_copied_are_read_once(
    export: Export, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve_lists(service, pages=2)
    assert export(to=f"file://{tmp_path}/dump").code == 0
    shutil.copytree(tmp_path / "dump", tmp_path / "copy", copy_function=shutil.copyfile)
    get, read = StoredObjects.get, []

    def noted(objects: StoredObjects, path: str) -> bytes | None:
        read.append(path)
        return get(objects, path)

    monkeypatch.setattr(StoredObjects, "get", noted)
    for number in range(3):
        read.clear()
        assert (
            ", 1 already complete; 1 of 1 list done\n"
            in export(to=f"file://{tmp_path}/copy").stderr
        )
        assert [path for path in read if path.endswith(".ndjson")] == (
            [] if number else ["acct-1/ticketing/tickets/0001-000001.ndjson"]
        )


def test_files_of_earlier_versions_are_read(
    export: Export, service: Service, bucket: Bucket, unified: Unified
) -> None:
    # They took no note of tags, and each writer gave its chunks names of its own.
    serve_lists(service, pages=3)
    to = f"s3://{bucket.name}/dump"
    assert export().code == 0
    chunk, named = bucket.chunks(TICKETS)[0], f"{TICKETS}/0001-000001-0123abcd.ndjson"
    bucket.put(named, bucket.get(chunk))
    bucket.delete(chunk)
    entry = json.loads(bucket.get(f"{LOG}/000001.json"))
    for one in (entry["chunk"], *entry["chunks"]):
        one["name"] = Path(named).name
        del one["tag"]
    bucket.put(f"{LOG}/000001.json", json.dumps(entry).encode())
    manifest = json.loads(bucket.get("dump/manifest.json"))
    assert manifest["files"][0].pop("look") == ""
    bucket.put("dump/manifest.json", json.dumps(manifest).encode())
    assert export().stderr.startswith(
        f"wrote 0 files with 0 records to {to},"
        " 1 already complete; 1 of 1 list done\nnot read again: "
    )
    assert json.loads(bucket.get("dump/manifest.json"))["files"][0]["look"]
    assert unified(f"export --verify {to}", environ=dict(os.environ)).code == 0
    bucket.put(named, b"{}\n")
    assert export().code == 12


def test_tasks_of_a_process_share_the_client_of_a_bucket(bucket: Bucket) -> None:
    url = object_store.parse_url(f"s3://{bucket.name}/dump")
    assert url is not None
    first, second = (StoredObjects.at(url, bucket.environ, make=True)._store for _ in range(2))
    assert first is second
    other = StoredObjects.at(
        url, {**bucket.environ, "AWS_SECRET_ACCESS_KEY": "another"}, make=True
    )._store
    assert other is not first


def test_the_second_of_two_runs_ends(service: Service, bucket: Bucket, tmp_path: Path) -> None:
    serve_lists(service, pages=12, seconds=0.3)
    argv = ["export", "ticketing/tickets", "--to", f"s3://{bucket.name}/dump", "--rate", "0"]
    first = start(argv, tmp_path / "one", {**bucket.environ, **service.environ})
    wait_for(first, lambda: bucket.names("dump/.lease"))
    code, stderr = ended(start(argv, tmp_path / "two", {**bucket.environ, **service.environ}))
    waited, _, said = stderr.partition("\n")
    assert code == 12
    assert waited.startswith(f"waiting 20 s to see whether process {first.pid} on ")
    assert said.startswith(
        f"error: the export to s3://{bucket.name}/dump is in use by process {first.pid} on "
    )
    assert ended(first)[0] == 0
    assert stores.lines(bucket.content(TICKETS)) == [f"t-{number}" for number in range(120)]
    assert bucket.names("dump/.lease") == []


def test_a_run_of_another_machine_that_gives_no_sign_of_life_is_dead(
    export: Export, service: Service, bucket: Bucket
) -> None:
    serve_lists(service, pages=1)
    sign = {"writer": "w", "process": 1, "host": "elsewhere", "machine": "elsewhere", "beats": 3}
    for name in ("000003-late", "000007", "000007-w"):
        bucket.put(f"dump/.lease/manifest.json/{name}", json.dumps(sign).encode())
    result = export()
    assert result.code == 0
    assert result.stderr.startswith(
        "waiting 20 s to see whether process 1 on elsewhere still runs its export to"
        f" s3://{bucket.name}/dump\n"
    )
    assert bucket.names("dump/.lease") == []


def test_a_run_of_another_machine_is_not_judged_by_a_process_of_this_one(
    unified: Unified, service: Service, bucket: Bucket
) -> None:
    serve_lists(service, pages=1)
    gone = subprocess.Popen(["true"])
    gone.wait()
    place = "dump/.lease/manifest.json/000001"
    sign = {
        "writer": "w",
        "process": gone.pid,
        "host": "elsewhere",
        "machine": "elsewhere",
        "beats": 0,
    }
    bucket.put(place, json.dumps(sign).encode())

    def beat(_: float) -> None:
        sign["beats"] += 1
        bucket.put(place, json.dumps(sign).encode())

    environ = {**os.environ, **service.environ}
    result = unified(
        f"export ticketing/tickets --to s3://{bucket.name}/dump", environ=environ, sleep=beat
    )
    assert (result.code, service.seen) == (12, [])
    assert result.stderr.endswith(
        f"error: the export to s3://{bucket.name}/dump is in use by process {gone.pid} on"
        " elsewhere\n"
    )
    assert json.loads(bucket.get(place)) == sign


def test_a_run_that_was_taken_over_leaves_the_manifest_to_the_new_one(
    export: Export, service: Service, bucket: Bucket
) -> None:
    serve_lists(service, pages=3)
    whole, sign = (
        service.reply,
        {"writer": "w", "process": 1, "host": "elsewhere", "machine": "elsewhere", "beats": 0},
    )

    def reply(seen: Seen) -> Reply:
        # Another run took this one for dead.
        bucket.put("dump/.lease/manifest.json/000002", json.dumps(sign).encode())
        bucket.put("dump/manifest.json", b"the follower's")
        return whole(seen)

    service.reply = reply
    result = export()
    assert result.code == 12
    assert result.stderr.endswith("has taken over from this run\n")
    assert bucket.get("dump/manifest.json") == b"the follower's"
    assert "dump/.lease/manifest.json/000002" in bucket.names("dump/.lease")


def test_a_late_renewal_does_not_bring_back_a_lease_that_was_taken_over(
    unified: Unified, service: Service, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = {**os.environ, **service.environ}

    def export(resource: str) -> Result:
        return unified(f"export ticketing/{resource} --to s3://{bucket.name}/dump", environ=environ)

    monkeypatch.setattr("unified_cli.commands.export.store_lease._BEAT_SECONDS", 0.5)
    serve_lists(service, pages=1)
    put, good = StoredObjects.put, service.reply
    begun, follower_ended, renewed = (threading.Event() for _ in range(3))
    others = []

    def late(objects: StoredObjects, path: str, data: bytes) -> None:
        is_first = path.startswith(".lease/") and not begun.is_set()
        if is_first:
            begun.set()
            assert follower_ended.wait(60)
        put(objects, path, data)
        if is_first:
            renewed.set()

    def reply(seen: Seen) -> Reply:
        service.reply = good
        assert begun.wait(60)
        others.append(export("users"))
        while bucket.names("dump/.lease"):
            time.sleep(0.05)
        follower_ended.set()
        assert renewed.wait(60)
        return good(seen)

    monkeypatch.setattr(StoredObjects, "put", late)
    service.reply = reply
    result = export("tickets")
    assert (others[0].code, result.code) == (0, 12), result.stderr
    assert result.stderr.endswith("has taken over from this run\n")
    while bucket.names("dump/.lease"):
        time.sleep(0.05)


@pytest.mark.parametrize(
    "count", [3, pytest.param(size(50, 5), id="many", marks=pytest.mark.long(seconds=20))]
)
def test_a_killed_export_has_each_record_once_in_the_end(
    count: int, service: Service, bucket: Bucket, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    killed, again = stores.kills(count, service, bucket, tmp_path / "home")
    with capsys.disabled():
        print(f"exports to S3: {killed} kills, {again} pages asked twice")  # noqa: T201  what was measured
    assert killed >= count


def test_a_shared_folder_holds_the_same_for_this_user_only(
    export: Export, service: Service, tmp_path: Path, unified: Unified
) -> None:
    serve_lists(service, pages=3)
    place = tmp_path / "shared" / "a b"
    place.parent.mkdir()
    url = f"file://{tmp_path}/shared/a%20b"
    assert export(to=url).code == 0
    files = [path for path in place.rglob("*") if path.is_file()]
    assert len(files) == 3
    assert {path.stat().st_mode & 0o077 for path in (place, *place.rglob("*"))} == {0}
    assert stores.lines(next(place.rglob("*.ndjson")).read_bytes()) == [
        f"t-{number}" for number in range(30)
    ]
    assert unified(f"export --verify {url}").code == 0
    assert "1 already complete; 1 of 1 list done\n" in export(to=url).stderr


@pytest.mark.parametrize(
    "name", ["a b", "100%", "a%41", "a%2541", "a#b", "a?b", " a ", "é\n%", "it's"]
)
def test_a_shared_folder_has_any_name(
    name: str, export: Export, service: Service, tmp_path: Path, unified: Unified
) -> None:
    """And the printed place is that folder where it is pasted."""
    serve_lists(service, pages=1)
    url = f"file://{quote(str(tmp_path / name / 'x'))}"
    result = export("--format parquet", url)
    assert result.code == 0, result.stderr
    result = export("--format ndjson --restart", url)
    assert result.code == 0, result.stderr
    assert {path.suffix for path in (tmp_path / name / "x/acct-1/ticketing/tickets").iterdir()} == {
        ".ndjson"
    }
    assert export("--format csv", url).code == 2
    (printed,) = re.findall(r" to (file://\S+)/?,", result.stderr)
    before = len(service.seen)
    assert export("", shlex.quote(printed)).stderr.startswith(
        f"wrote 0 files with 0 records to {printed}, 1 al"
    )
    assert unified(["export", "--verify", printed]).code == 0
    shown = unified("runs show")
    (step,) = re.findall("to see the contents of the export: unified (.+)\n", shown.stderr)
    assert unified(step).code == 0
    assert len(service.seen) == before


def test_a_put_whose_answer_was_lost_meets_itself(tmp_path: Path) -> None:
    url = object_store.parse_url(f"file://{tmp_path}/made")
    assert url is not None
    objects = StoredObjects.at(url, {}, make=True)
    assert [objects.create("a/b", data) for data in (b"one", b"one", b"two")] == [True, True, False]
    assert objects.get("a/b") == b"one"


REFUSED = [
    (
        "s3://key:secret@bucket/dir",
        "",
        13,
        "error: the URL to export to holds credentials (put them into the environment)\n",
    ),
    ("s3://", "", 2, "error: s3:// needs the name of a bucket (s3://bucket/dir)\n"),
    (
        "ftp://host/dir",
        "",
        2,
        "error: cannot export to ftp:// (choose from s3://, gs://, az://, file://)\n",
    ),
    (
        "s3://bucket/dir?versionId=1",
        "",
        2,
        "error: s3://bucket must be followed by a plain path, without ?, #, . and ..\n",
    ),
    (
        "file://host/dir",
        "",
        2,
        "error: file:// needs the whole path of a folder (file:///mnt/shared/dump)\n",
    ),
    (
        "s3://bucket/dir",
        "-o csv",
        2,
        (
            "error: -o csv writes a list to one file, but an object store needs several files per"
            " list (use ndjson,"
            " parquet or delta)\n"
        ),
    ),
    (
        "s3://nobodys-bucket/dir",
        "",
        11,
        "error: cannot list s3://nobodys-bucket/dir: nobodys-bucket does not exist\n",
    ),
]


@pytest.mark.parametrize(("to", "more", "code", "said"), REFUSED)
def test_impossible_options_are_refused_before_any_request(
    export: Export, service: Service, to: str, more: str, code: int, said: str
) -> None:
    result = export(more, to)
    assert (result.code, result.stdout, result.stderr) == (code, "", said)
    assert service.seen == []


@pytest.fixture
def store(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """A store that answers everything with the same status."""
    answer = [200]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("content-length") or 0))
            self.send_response(answer[0])
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_PUT = do_GET  # noqa: N815  the name that the library calls

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    # The last one that is set holds.
    assert os.environ["AWS_ENDPOINT_URL"] == bucket.environ["AWS_ENDPOINT_URL"]
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    yield lambda status: answer.__setitem__(0, status)
    server.shutdown()
    server.server_close()


CREDENTIALS = (
    "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION in the environment, or from the role"
    " of the machine; AWS_PROFILE and ~/.aws are not read, but eval"
    ' "$(aws configure export-credentials --format env)" copies the keys from there'
)
FAILURES = [
    (403, 3, f"access is denied (credentials come from {CREDENTIALS})"),
    (401, 3, f"access is denied (credentials come from {CREDENTIALS})"),
    (400, 6, "the store answered with 400 (the same command continues where it stopped)"),
]


@pytest.mark.parametrize(("status", "code", "said"), FAILURES)
def test_a_store_that_refuses_differs_from_a_missing_one(
    store: Callable[[int], None], export: Export, status: int, code: int, said: str
) -> None:
    store(status)
    result = export(to="s3://bucket/dir")
    assert (result.code, result.stderr) == (code, f"error: cannot list s3://bucket/dir: {said}\n")


def test_a_store_that_does_not_answer(
    export: Export, monkeypatch: pytest.MonkeyPatch, service: Service
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setattr("unified_cli.storage.object_store._RETRIES", 0)
    result = export(to="s3://bucket/dir")
    assert (result.code, result.stderr) == (
        6,
        (
            "error: cannot list s3://bucket/dir: the store does not answer (the same"
            " command continues"
            " where it stopped)\n"
        ),
    )
    assert service.seen == []


def test_a_store_in_clear_text_has_to_be_allowed(
    export: Export, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ALLOW_HTTP")
    result = export(to="s3://bucket/dir")
    assert (result.code, result.stderr) == (
        3,
        "error: AWS_ENDPOINT_URL is an address without TLS (AWS_ALLOW_HTTP=true allows that)\n",
    )


def test_a_store_whose_credentials_name_clear_text_is_not_asked(
    export: Export, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, service: Service
) -> None:
    account = {
        "client_email": "a@b.c",
        "private_key": "",
        "private_key_id": "",
        "disable_oauth": True,
    }
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        (tmp_path / "account.json").write_text(json.dumps({**account, "gcs_base_url": address}))
        monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT", str(tmp_path / "account.json"))
        monkeypatch.delenv("AWS_ALLOW_HTTP")
        monkeypatch.delenv("AWS_ENDPOINT_URL")
        result = export(to="gs://bucket/dir")
        silent.settimeout(0)
        with pytest.raises(BlockingIOError):
            silent.accept()
    said = "cannot list gs://bucket/dir: its address is without TLS, so nothing was sent"
    assert (result.code, result.stderr) == (
        3,
        f"error: {said} (GOOGLE_ALLOW_HTTP=true allows that)\n",
    )
    assert service.seen == []


@pytest.mark.parametrize(
    "interrupt", [lambda process: process.send_signal(signal.SIGINT), interrupt_beside]
)
def test_ctrl_c_does_not_wait_for_a_store(
    service: Service, tmp_path: Path, interrupt: Callable[[Forked], None]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        environ = {
            **stores.CREDENTIALS,
            **service.environ,
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{silent.getsockname()[1]}",
        }
        process = start(
            ["export", "ticketing/tickets", "--to", "s3://bucket/dir"], tmp_path / "home", environ
        )
        with silent.accept()[0]:
            time.sleep(0.2)
            before = time.monotonic()
            interrupt(process)
            code, stderr = ended(process)
    assert (code, time.monotonic() - before < 25) == (130, True)
    assert stderr.startswith("error: interrupted; ")


def test_a_log_that_names_other_objects_is_not_followed(
    export: Export, service: Service, bucket: Bucket, unified: Unified
) -> None:
    serve_lists(service, pages=1)
    assert export().code == 0
    bucket.put("secret", b"{}\n")
    entry = json.loads(bucket.get(f"{LOG}/000001.json"))
    entry["chunks"][0]["name"] = "../../../../secret"
    bucket.put(f"{LOG}/000001.json", json.dumps(entry).encode())
    result = unified(f"export --verify s3://{bucket.name}/dump", environ=dict(os.environ))
    assert result.code == 12
    assert (
        f"{LOG}/000001.json is damaged, gone or of another version (--restart starts again)"
        in result.stderr
    )
    assert export("--restart").code == 0
    assert bucket.get("secret") == b"{}\n"


def test_a_manifest_that_names_strange_files_is_checked_like_any_other(
    export: Export, service: Service, bucket: Bucket, unified: Unified
) -> None:
    serve_lists(service, pages=1)
    assert export().code == 0
    manifest = json.loads(bucket.get("dump/manifest.json"))
    for file in ("a/b/x.y.ndjson", "x", ".2", "a/..2.ndjson", "a/b.999999999999999999999.ndjson"):
        manifest["files"][0]["file"] = file
        bucket.put("dump/manifest.json", json.dumps(manifest).encode())
        result = unified(f"export --verify s3://{bucket.name}/dump", environ=dict(os.environ))
        assert (result.code, result.stderr.splitlines()[0]) == (
            12,
            f"{file}: its log does not say that it is complete",
        )


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b"\xff", b'{"v":2}', b"{" * 100_000], ids=repr)
def test_a_damaged_log_is_reported(
    export: Export, service: Service, bucket: Bucket, text: bytes
) -> None:
    serve_lists(service, pages=1)
    bucket.put(f"{LOG}/000001.json", text)
    result = export()
    assert (result.code, result.stdout) == (12, "")
    assert (
        f"{LOG}/000001.json is damaged, gone or of another version (--restart starts again)"
        in result.stderr
    )
    assert service.seen == []
    assert export("--restart").code == 0
    assert stores.lines(bucket.content(TICKETS)) == [f"t-{number}" for number in range(10)]
