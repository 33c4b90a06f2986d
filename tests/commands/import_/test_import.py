"""Imports: the outcome of each line, its messages, and failures."""

import errno
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Clock, Process, Unified
from hypothesis import given, settings, strategies as st
from server import Reply, Seen, Service

from unified_cli.catalogue import load
from unified_cli.errors import ExitCode
from unified_cli.sandbox.pytest_plugin import UnifiedSandbox

TAGS = "import ticketing/tags"
Records = Callable[..., Path]


@pytest.fixture
def records(tmp_path: Path) -> Records:
    """Write the input; texts and bytes are lines, anything else is one as JSON."""

    def write(*lines: Any, name: str = "in.ndjson") -> Path:
        path = tmp_path / name
        as_bytes = (
            (
                line
                if isinstance(line, bytes)
                else (line if isinstance(line, str) else json.dumps(line)).encode()
            )
            for line in lines
        )
        path.write_bytes(b"".join(line + b"\n" for line in as_bytes))
        return path

    return write


def created(service: Service) -> list[Any]:
    return [seen.json for seen in service.seen]


def outcome(path: Path, name: str) -> list[dict[str, Any]]:
    """The records of a result file, or nothing without a file."""
    found = path.with_name(f"{path.name}.unified-{name}.ndjson")
    return [json.loads(line) for line in found.read_text().splitlines()] if found.exists() else []


def echo(seen: Seen) -> Reply:
    return Reply(201, json.dumps({"id": f"id-{json.loads(seen.body).get('name')}"}).encode())


def summary(**counts: int) -> list[tuple[str, int]]:
    names = ("done", "failed", "in doubt", "not tried")
    return [(name, counts.get(name.replace(" ", "_"), 0)) for name in names]


def told(result: Any) -> list[tuple[str, int]]:
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    return [(row[0], int(row[1])) for row in rows]


def test_every_line_becomes_a_record_with_a_key_of_its_own(
    unified: Unified, service: Service, records: Records
) -> None:
    service.reply = echo
    path = records('{"name": "a", "price": 1.10}', {"name": "b"}, {"name": "b"})
    result = unified(f"{TAGS} {path} --workers 1", environ=service.environ)
    assert (result.code, result.notes, told(result)) == (0, "", summary(done=3))
    assert [seen.body for seen in service.seen] == [
        b'{"name": "a", "price": 1.10}',
        b'{"name": "b"}',
        b'{"name": "b"}',
    ]
    assert {(seen.method, seen.path) for seen in service.seen} == {
        ("POST", "/unified/ticketing/tags")
    }
    keys = [seen.headers["idempotency-key"] for seen in service.seen]
    assert [len(key) for key in keys] == [40, 40, 40]
    assert len({*keys}) == 3
    assert outcome(path, "done")[0] == {
        "_import": {"line": 1, "id": "id-a", "status": 201},
        "name": "a",
        "price": 1.1,
    }
    assert path.with_name("in.ndjson.unified-journal").stat().st_mode & 0o777 == 0o600


def test_done_records_are_not_sent_again(
    unified: Unified, service: Service, records: Records
) -> None:
    path = records({"name": "a"})
    unified(f"{TAGS} {path}", environ=service.environ)
    again = unified(f"{TAGS} {path}", environ=service.environ)
    assert (again.code, told(again), len(service.seen)) == (0, summary(done=1), 1)
    assert (
        again.notes
        == f"already imported, according to {path}.unified-journal (--restart sends everything"
        " again)\n"
    )
    assert "already imported" in unified(f"{TAGS} {path} --quiet", environ=service.environ).stderr
    assert unified(f"{TAGS} {path} --restart", environ=service.environ).code == 0
    first, second = (seen.headers["idempotency-key"] for seen in service.seen)
    assert first != second


def test_another_body_on_the_same_line_has_another_key(
    unified: Unified, service: Service, records: Records
) -> None:
    path = records({"name": "a"})
    unified(f"{TAGS} {path}", environ=service.environ)
    path = records({"name": "b"})
    changed = unified(f"{TAGS} {path}", environ=service.environ)
    assert (changed.code, len(service.seen)) == (12, 1)
    assert (
        changed.stderr
        == f"error: the input file has changed since the journal {path}.unified-journal was written"
        " (--restart begins a new import)\n"
    )


@pytest.mark.parametrize("more", ["-a other", "-q x=1"])
def test_a_journal_is_for_one_place_and_one_shape(
    more: str, unified: Unified, service: Service, records: Records
) -> None:
    path = records({"name": "a"})
    unified(f"{TAGS} {path}", environ=service.environ)
    result = unified(f"{TAGS} {path} {more}", environ=service.environ)
    assert (result.code, len(service.seen)) == (12, 1)
    assert (
        result.stderr
        == f"error: {path}.unified-journal belongs to an import with another operation, connection,"
        " query or --map (the same command as before resumes that import; --restart"
        " discards its journal, and"
        " sends everything again)\n"
    )


def test_a_lost_reply_is_settled_with_the_same_key(
    unified: Unified, unified_sandbox: UnifiedSandbox, served: dict[str, str], records: Records
) -> None:
    unified_sandbox.faults("lose-reply=2")
    result = unified(f"{TAGS} {records(*({'name': n} for n in 'abc'))} --workers 1", environ=served)
    assert (result.code, told(result)) == (0, summary(done=3))
    page = unified("ticketing tags list", environ=served).json
    assert sorted(record["name"] for record in page["result"]) == ["a", "b", "c"]


def test_a_remaining_doubt_is_reported_and_settled_by_the_next_run(
    unified: Unified, unified_sandbox: UnifiedSandbox, served: dict[str, str], records: Records
) -> None:
    path = records({"name": "a"}, {"name": "b"})
    unified_sandbox.faults("lose-reply")
    result = unified(f"{TAGS} {path}", environ=served)
    assert (result.code, told(result)) == (10, summary(in_doubt=2))
    assert (
        result.stderr.splitlines()[-2]
        == f"error: 2 of 2 records may or may not be done, see {path}.unified-in-doubt.ndjson (the"
        " same command repeats what is safe to repeat; --retry-in-doubt repeats all of them)"
    )
    unified_sandbox.faults()
    assert told(unified(f"{TAGS} {path}", environ=served)) == summary(done=2)
    page = unified("ticketing tags list", environ=served).json
    assert sorted(record["name"] for record in page["result"]) == ["a", "b"]


def test_without_keys_nothing_is_said_to_be_safe(
    unified: Unified,
    unified_sandbox: UnifiedSandbox,
    served: dict[str, str],
    records: Records,
    config: Any,
) -> None:
    config("idempotency_window = 0\n")
    path = records({"name": "a"})
    unified_sandbox.faults("lose-reply")
    result = unified(f"{TAGS} {path}", environ=served)
    run = result.stderr.splitlines()[0].removeprefix("run ")
    advice = (
        f"check first: only unified runs resume {run} --retry-in-doubt sends them again, which may"
        " do them twice"
    )
    assert result.stderr.splitlines()[-2].endswith(f".unified-in-doubt.ndjson ({advice})")
    assert result.stderr.splitlines()[-1] == "  unified ticketing tags list --since 1d"
    assert result.code == 10


def test_the_run_is_named_when_it_starts(
    unified: Unified, service: Service, records: Records
) -> None:
    path = records({"name": "a"})
    service.reply = lambda _: Reply(400)
    first = unified(f"{TAGS} {path} -o json", environ=service.environ)
    (listed,) = unified("runs list -o json").json["runs"]
    told_first, last = first.stderr.splitlines()[0], first.stderr.splitlines()[-1]
    assert (told_first, json.loads(last)["error"]["run"]) == (f"run {listed['id']}", listed["id"])
    assert unified(f"{TAGS} {path}", environ=service.environ).stderr.startswith(
        f"run {listed['id']}\n"
    )


def test_a_file_of_doubts_is_fed_back_with_its_keys(
    unified: Unified, unified_sandbox: UnifiedSandbox, served: dict[str, str], records: Records
) -> None:
    path = records({"name": "a"})
    unified_sandbox.faults("lose-reply")
    unified(f"{TAGS} {path}", environ=served)
    unified_sandbox.faults()
    assert unified(f"{TAGS} {path}.unified-in-doubt.ndjson", environ=served).code == 0
    assert len(unified("ticketing tags list", environ=served).json["result"]) == 1


def test_a_doubt_older_than_the_keys_is_left_alone(
    unified: Unified, unified_sandbox: UnifiedSandbox, served: dict[str, str], records: Records
) -> None:
    path = records({"name": "a"})
    unified_sandbox.faults("lose-reply")
    unified(f"{TAGS} {path}", environ=served, wall=lambda: 1_000_000.0)
    unified_sandbox.faults()
    asked = unified_sandbox.requests()
    for now in (1_000_000.0 + 86_400, 999_999.0):
        late = unified(f"{TAGS} {path}", environ=served, wall=lambda now=now: now)
        assert (late.code, told(late)) == (10, summary(in_doubt=1))
    assert unified_sandbox.requests() == asked
    sent = unified(
        f"{TAGS} {path} --retry-in-doubt", environ=served, wall=lambda: 1_000_000.0 + 86_400
    )
    assert (sent.code, told(sent)) == (0, summary(done=1))


def test_a_doubt_is_not_settled_by_a_failure(
    unified: Unified, service: Service, records: Records
) -> None:
    path = records({"name": "a"})
    service.reply = lambda _: Reply(200, b"{", {"Content-Type": "application/json"})
    unified(f"{TAGS} {path} --retries 0", environ=service.environ, wall=lambda: 1_000_000.0)
    service.reply = lambda _: Reply(500)
    again = unified(f"{TAGS} {path} --retries 0", environ=service.environ, wall=lambda: 1_000_000.0)
    assert (again.code, told(again), len(service.seen)) == (10, summary(in_doubt=1), 2)
    late = unified(f"{TAGS} {path}", environ=service.environ, wall=lambda: 1_000_000.0 + 86_400)
    assert (late.code, told(late), len(service.seen)) == (10, summary(in_doubt=1), 2)


def test_a_408_is_tried_again_by_the_next_run(
    unified: Unified, service: Service, records: Records
) -> None:
    path = records({"name": "a"})
    service.reply = lambda _: Reply(408)
    assert told(unified(f"{TAGS} {path}", environ=service.environ)) == summary(failed=1)
    service.reply = echo
    assert told(unified(f"{TAGS} {path}", environ=service.environ)) == summary(done=1)


def test_half_a_surrogate_pair_arrives_as_it_is(
    unified: Unified, service: Service, records: Records
) -> None:
    path = records(b'{"id":"1","name":"\\ud83d","x":1.10}')
    assert unified(f"{TAGS} {path}", environ=service.environ).code == 0
    assert unified(f"{TAGS} {path} --operation update --restart", environ=service.environ).code == 0
    assert [seen.body for seen in service.seen] == [
        b'{"id":"1","name":"\\ud83d","x":1.10}',
        b'{"name":"\\ud83d","x":1.10}',
    ]


@pytest.mark.parametrize("action", ["send", "reply", "forward"])
def test_an_outward_action_is_never_repeated(
    action: str, unified: Unified, service: Service, records: Records
) -> None:
    service.reply = lambda _: Reply(200, b"{", {"Content-Type": "application/json"})
    path = records({"to": []})
    for _ in range(2):
        result = unified(
            f"import emails/emails {path} --operation {action}", environ=service.environ
        )
        assert (result.code, told(result), len(service.seen)) == (10, summary(in_doubt=1), 1)


def test_a_500_kept_for_a_key_is_reported_and_the_key_stays(
    unified: Unified, service: Service, records: Records
) -> None:
    service.reply = lambda _: Reply(500, b'{"statusCode":500,"error":"x","message":"boom"}')
    path = records({"name": "a"})
    result = unified(f"{TAGS} {path}", environ=service.environ, wall=lambda: 1_000_000.0)
    assert (result.code, told(result)) == (10, summary(in_doubt=1))
    assert outcome(path, "in-doubt")[0]["_import"] == {
        "line": 1,
        "status": 500,
        "why": (
            "the service answered 500 to POST /unified/ticketing/tags: boom; "
            "POST /unified/ticketing/tags may or may not have been done"
        ),
        "key": service.seen[0].headers["idempotency-key"],
        "sent": 1_000_000.0,
    }
    assert len(service.seen) == 5
    service.reply = echo
    assert unified(f"{TAGS} {path}", environ=service.environ, wall=lambda: 1_000_001.0).code == 0
    assert len({seen.headers["idempotency-key"] for seen in service.seen}) == 1


def refusing(seen: Seen) -> Reply:
    if seen.json["name"] == "7":
        return Reply(422, b'{"statusCode":422,"error":"x","message":"no sevens"}')
    return echo(seen)


def test_a_refused_line_fails_alone(
    unified: Unified, service: Service, records: Records, tmp_path: Path
) -> None:
    service.reply = refusing
    path = records(
        *({"name": str(n)} for n in range(1, 7)),
        {"name": "7"},
        "{broken",
        {"name": "9"},
        b'{"n":"\xff"}',
    )
    result = unified(
        f"{TAGS} {path} --workers 1 --report {tmp_path / 'report'}", environ=service.environ
    )
    assert (result.code, told(result), len(service.seen)) == (9, summary(done=7, failed=3), 8)
    refused = "the service answered 422 to POST /unified/ticketing/tags: no sevens"
    assert {line: mark["why"] for record in outcome(path, "failed") for mark in [record["_import"]]
            for line in [mark["line"]]} == {
        7: refused, 8: "is not JSON: expected '\"' (byte 1)", 10: "is not UTF-8 at byte 6",
    }  # fmt: skip
    report = [json.loads(line) for line in (tmp_path / "report").read_text().splitlines()]
    assert [row["line"] for row in report] == [*range(1, 11)]
    assert report[5:8] == [
        {"line": 6, "outcome": "done", "id": "id-6", "status": 201, "reason": None},
        {"line": 7, "outcome": "failed", "id": None, "status": 422, "reason": refused},
        {
            "line": 8,
            "outcome": "failed",
            "id": None,
            "status": None,
            "reason": "is not JSON: expected '\"' (byte 1)",
        },
    ]
    assert result.stderr.endswith(
        f"error: 3 of 10 records failed, see {path}.unified-failed.ndjson (correct the records in"
        " that file)\n"
        f"  unified import ticketing/tags {path}.unified-failed.ndjson --workers 1\n"
    )


def test_a_token_that_the_service_repeats_is_in_no_file(
    unified: Unified, service: Service, records: Records, tmp_path: Path
) -> None:
    token = service.environ["UNIFIED_TOKEN"]
    service.reply = lambda _: Reply(
        422, json.dumps({"statusCode": 422, "error": "x", "message": token}).encode()
    )
    path = records({"id": "a"})
    assert (
        unified(f"{TAGS} {path} --report {tmp_path / 'report'}", environ=service.environ).code == 9
    )
    out = f"--out {tmp_path / 'out'}"
    assert (
        unified(f"ticketing attachments download --from {path} {out}", environ=service.environ).code
        == 9
    )
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(service.seen) == 2
    assert len(files) == 6
    assert not [file for file in files if token in file.read_text()]


def test_fail_fast_stops_at_the_first_refusal(
    unified: Unified, service: Service, records: Records
) -> None:
    service.reply = refusing
    path = records(*({"name": str(n)} for n in range(1, 11)))
    result = unified(f"{TAGS} {path} --workers 1 --fail-fast", environ=service.environ)
    assert (result.code, told(result), len(service.seen)) == (
        4,
        summary(done=6, failed=1, not_tried=3),
        7,
    )
    assert [record["name"] for record in outcome(path, "not-tried")] == ["8", "9", "10"]
    run = result.stderr.splitlines()[0].removeprefix("run ")
    assert result.stderr.endswith(
        "error: stopped with 3 of 10 records not tried: the service answered 422 to POST"
        f" /unified/ticketing/tags: no sevens\n  unified runs resume {run}\n"
    )


def test_failed_and_untried_records_can_be_imported_again(
    unified: Unified, service: Service, records: Records
) -> None:
    service.reply = refusing
    path = records(*({"name": str(n)} for n in (7, 8)))
    unified(f"{TAGS} {path} --workers 1 --fail-fast", environ=service.environ)
    service.reply = echo
    for name in ("failed", "not-tried"):
        assert unified(f"{TAGS} {path}.unified-{name}.ndjson", environ=service.environ).code == 0
    assert created(service) == [{"name": "7"}, {"name": "7"}, {"name": "8"}]


def test_a_line_that_was_no_record_stays_none(
    unified: Unified, service: Service, records: Records
) -> None:
    path = records("{broken")
    unified(f"{TAGS} {path}", environ=service.environ)
    again = unified(f"{TAGS} {path}.unified-failed.ndjson", environ=service.environ)
    assert (again.code, service.seen) == (9, [])
    assert again.notes.startswith(
        "line 1 failed: cannot be used: the line was not a record in the first place\n"
    )


@pytest.mark.parametrize("key", ["k\u00e9y", "a b", "a\r\nX: y", "k" * 256])
def test_a_key_that_is_not_a_valid_header_is_reported(
    key: str, unified: Unified, service: Service, records: Records
) -> None:
    service.reply = echo
    path = records({"_import": {"line": 1, "key": key}, "name": "a"}, {"name": "b"})
    result = unified(f"{TAGS} {path}", environ=service.environ)
    assert (result.code, told(result), created(service)) == (
        9,
        summary(done=1, failed=1),
        [{"name": "b"}],
    )
    assert result.notes.startswith(
        "line 1 failed: cannot be used: its _import has a key that cannot be sent\n"
    )


@pytest.mark.parametrize(
    ("status", "code"), [(401, ExitCode.ACCESS), (503, ExitCode.ACCESS)]
)  # fmt: skip
def test_an_authorisation_failure_stops_the_run(
    status: int, code: int, unified: Unified, service: Service, records: Records
) -> None:
    envelope = json.dumps({"statusCode": status, "error": "x", "message": "no"}).encode()
    service.reply = lambda _: Reply(status, envelope)
    path = records(*({"name": str(n)} for n in range(100)))
    result = unified(f"{TAGS} {path} --workers 1", environ=service.environ)
    assert (result.code, told(result), len(service.seen)) == (
        code,
        summary(failed=1, not_tried=99),
        1,
    )


def test_a_service_that_is_not_there_stops_the_run(
    unified: Unified, service: Service, records: Records
) -> None:
    path = records(*({"name": str(n)} for n in range(100)))
    environ = {**service.environ, "UNIFIED_BASE_URL": "http://127.0.0.1:9"}
    result = unified(f"{TAGS} {path} --workers 2", environ=environ)
    assert result.code == 6
    assert told(result) in ([*summary(failed=n, not_tried=100 - n)] for n in (1, 2))


def test_a_service_that_always_fails_is_given_up(
    unified: Unified, service: Service, records: Records
) -> None:
    service.reply = lambda _: Reply(500)
    path = records(*({"name": str(n)} for n in range(100)))
    result = unified(f"{TAGS} {path} --workers 1 --retries 0", environ=service.environ)
    assert (result.code, told(result), len(service.seen)) == (
        10,
        summary(in_doubt=10, not_tried=90),
        10,
    )
    assert ".unified-not-tried.ndjson: the service answered 500" in result.stderr


@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        (b'\xef\xbb\xbf{"name":"a"}\r\n\r\n  \n{"name":"b"}', [1, 4]),
        (b'[{"name":"a"},\n {"name": "b"}]', [1, 2]),
        (b'\n [\n{"name":"a"}\n,{"name":"b"}\n]\n', [1, 2]),
    ],
    ids=["a mark, blank lines, CRLF, no last newline", "an array", "an array over lines"],
)
def test_records_are_read_however_they_are_laid_out(
    content: bytes, numbers: list[int], unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = echo
    path = tmp_path / "in"
    path.write_bytes(content)
    assert unified(f"{TAGS} {path} --workers 1", environ=service.environ).code == 0
    assert created(service) == [{"name": "a"}, {"name": "b"}]
    assert [record["_import"]["line"] for record in outcome(path, "done")] == numbers


def test_a_page_as_it_was_served_is_its_records(
    unified: Unified, service: Service, records: Records
) -> None:
    path = records(
        {"result": [{"name": "a"}, {"name": "b"}], "next_cursor": None}, name="page.json"
    )
    assert unified(f"{TAGS} {path} --workers 1", environ=service.environ).code == 0
    assert created(service) == [{"name": "a"}, {"name": "b"}]
    path = records({"result": [{"name": "a"}], "next_cursor": None})
    result = unified(f"{TAGS} {path}", environ=service.environ)
    assert (result.code, len(service.seen)) == (9, 2)
    assert result.notes.startswith("line 1 failed: is a page, not a record (list with -o ndjson)\n")


def test_a_line_of_20_megabytes_is_a_line(
    unified: Unified, service: Service, records: Records
) -> None:
    path = records({"name": "a", "data": "x" * 20_000_000})
    assert unified(f"{TAGS} {path}", environ=service.environ).code == 0
    assert len(service.seen[0].body) > 20_000_000


def test_csv_rows_are_records_of_text(unified: Unified, service: Service, records: Records) -> None:
    path = records(
        b"\xef\xbb\xbfname,note,price\r", b'a,"x\ny, ""z""",1.10\r', b"b,,\r", name="in.csv"
    )
    assert unified(f"{TAGS} {path} --workers 1", environ=service.environ).code == 0
    assert created(service) == [{"name": "a", "note": 'x\ny, "z"', "price": "1.10"}, {"name": "b"}]
    assert [record["_import"]["line"] for record in outcome(path, "done")] == [2, 4]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["a,b,a", "1,2,3"], ", line 1: 2 columns have the name 'a'"),
        (["a,,b", "1,2,3"], ", line 1: a column has no name"),
        (["a,b", "1,2", "1,2,3"], ", line 3: 3 cells under 2 columns"),
        (["a,b", '"x', 'y",2', "1"], ", line 4: 1 cell under 2 columns"),
        (["a,b", '1,"2'], ", line 2: unexpected end of data"),
        (["a", b"\xff"], " is not UTF-8 after line 0"),
        (
            ["a;b", "1;2"],
            (
                ", line 1: there is only one column, and its name contains ';' (import"
                " takes --delimiter ';')"
            ),
        ),
        (
            ["sep=;", "a;b", "1;2"],
            (
                ", line 1: there is only one column, and its name contains ';' (import"
                " takes --delimiter ';')"
            ),
        ),
        (
            ["a\tb", "1\t2"],
            (
                ", line 1: there is only one column, and its name contains '\\t' (import"
                " takes --delimiter tab)"
            ),
        ),
        (["a,b"], " holds no records (was it written? ls -l shows its size)"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_broken_csv_is_refused_before_anything_is_sent(
    lines: list[Any], message: str, unified: Unified, service: Service, records: Records
) -> None:
    path = records(*lines, name="in.csv")
    result = unified(f"{TAGS} {path}", environ=service.environ)
    assert (result.code, result.stderr, service.seen) == (2, f"error: {path}{message}\n", [])
    assert not path.with_name("in.csv.unified-journal").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", " holds no records (was it written? ls -l shows its size)"),
        (b"\n \n", " holds no records (was it written? ls -l shows its size)"),
        (b"[]", " holds no records (was it written? ls -l shows its size)"),
        (b"[{]", " is not JSON: expecting property name enclosed in double quotes (byte 2)"),
        (b"[{}, {} {}]", " is not JSON: expected ',' (byte 8)"),
        (b"[{}", " is not JSON: expected ',' (byte 3)"),
        (b"[{}]]", " is not JSON: there is text after the JSON value"),
        (b'["\xff"]', " is not UTF-8 at byte 2"),
        (b"[NaN]", " is not JSON: NaN is not JSON (byte 1)"),
        (b"[" * 100_000, " is nested too deeply"),
    ],
)
def test_a_file_without_records_is_refused(
    content: bytes, message: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "in"
    path.write_bytes(content)
    result = unified(f"{TAGS} {path}", environ=service.environ)
    assert (result.code, result.stderr, service.seen) == (2, f"error: {path}{message}\n", [])


def test_standard_input_must_be_a_pipe_with_records(unified: Unified, service: Service) -> None:
    terminal = unified(f"{TAGS} -", environ=service.environ, tty=True)
    assert (terminal.code, terminal.stderr) == (
        2,
        (
            "error: standard input is a terminal (name a file, or use a pipe: … |"
            " unified import API/RESOURCE"
            " -)\n"
        ),
    )
    closed = unified(f"{TAGS} -", environ=service.environ, stdin=None)
    assert (closed.code, closed.stderr) == (
        2,
        "error: standard input is closed, so there is nothing to import\n",
    )
    token = unified(f"{TAGS} - --token-stdin", environ=service.environ, stdin=b"{}")
    assert (token.code, token.stderr) == (
        2,
        (
            "error: standard input holds the records, so no token can be read from it (--token-file"
            " FILE)\n"
        ),
    )
    empty = unified(f"{TAGS} -", environ=service.environ)
    assert empty.code == 2
    assert empty.stderr.endswith("holds no records (was it written? ls -l shows its size)\n")
    assert service.seen == []


def test_piped_records_are_kept_with_their_journal(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = refusing
    content = b'{"name":"7"}\n{"name":"8"}\n'
    first = unified(f"{TAGS} - --fail-fast --workers 1", environ=service.environ, stdin=content)
    assert first.code == 4
    [kept] = [path for path in (tmp_path / "data" / "imports").iterdir() if path.suffix == ".ndjson"
              and ".unified-" not in path.name]  # fmt: skip
    assert kept.read_bytes() == content
    assert kept.stat().st_mode & 0o777 == 0o600
    assert first.stderr.startswith(f"standard input is saved as {kept}\n")
    second = unified(f"{TAGS} -", environ=service.environ, stdin=content)
    assert (told(second), [seen.json["name"] for seen in service.seen]) == (
        summary(done=1, failed=1),
        ["7", "8"],
    )
    other = unified(f"{TAGS} - -a acct-2", environ=service.environ, stdin=content)
    assert told(other) == summary(done=1, failed=1)


def test_a_file_is_imported_by_one_at_a_time(
    unified: Unified, process: Process, service: Service, records: Records
) -> None:
    path = records({"name": "a"})
    begun, go_on = threading.Event(), threading.Event()

    def slowly(_: Seen) -> Reply:
        begun.set()
        go_on.wait(60)
        return Reply()

    service.reply = slowly
    first = threading.Thread(target=lambda: unified(f"{TAGS} {path}", environ=service.environ))
    first.start()
    begun.wait(60)
    # Two runs in one process would share the redirected stdout; people have another
    # process.
    second = process(f"{TAGS} {path}", environ=service.environ)
    go_on.set()
    first.join()
    assert (second.returncode, second.stdout, len(service.seen)) == (12, b"", 1)
    assert (
        second.stderr.decode()
        == f"error: {path}.unified-journal is in use by process {os.getpid()}\n"
    )


@pytest.mark.parametrize(
    ("damage", "code", "sent"),
    [
        (lambda lines: [*lines[:2], b"rubbish", *lines[3:]], 12, 2),
        (lambda lines: [*lines[:2], b'{"s":"nonsense","n":1}', *lines[3:]], 12, 2),
        (lambda lines: [b"rubbish", *lines[1:]], 12, 2),
        (lambda lines: [lines[0].replace(b'"v":1', b'"v":2'), *lines[1:]], 12, 2),
        (lambda lines: [*lines[:-2], lines[-2][:9]], 0, 3),
    ],
    ids=["a broken line", "an unknown state", "no header", "another version", "a torn last line"],
)
def test_a_damaged_journal_is_not_guessed_at(
    damage: Callable[[list[bytes]], list[bytes]],
    code: int,
    sent: int,
    unified: Unified,
    service: Service,
    records: Records,
) -> None:
    path = records({"name": "a"}, {"name": "b"})
    journal = path.with_name(path.name + ".unified-journal")
    unified(f"{TAGS} {path} --workers 1", environ=service.environ)
    journal.write_bytes(b"\n".join(damage(journal.read_bytes().split(b"\n"))))
    assert (unified(f"{TAGS} {path}", environ=service.environ).code, len(service.seen)) == (
        code,
        sent,
    )


@pytest.mark.parametrize(("name", "code"), [("in.ndjson.unified-done.ndjson", 12), ("report", 11)])
def test_results_that_could_not_be_written_are_noticed_first(
    name: str, code: int, unified: Unified, service: Service, records: Records, tmp_path: Path
) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / name).symlink_to(tmp_path / "mine")
    result = unified(
        f"{TAGS} {records({})} --report {tmp_path / 'report'}", environ=service.environ
    )
    assert (result.code, service.seen, (tmp_path / "mine").read_text()) == (code, [], "mine")
    why = (
        "is a symbolic link; name the file itself"
        if code == 11
        else "is not a regular file (move it away)"
    )
    assert result.stderr == f"error: {tmp_path / name} {why}\n"


@pytest.mark.parametrize(("call", "number"), [("fsync", errno.EIO), ("write", errno.ENOSPC)])
def test_nothing_is_sent_that_the_journal_could_not_take(
    call: str,
    number: int,
    unified: Unified,
    service: Service,
    records: Records,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = records({"name": "a"})
    journal = path.with_name("in.ndjson.unified-journal")
    real = getattr(os, call)

    def failing(*args: Any) -> Any:
        # The lock, and the journal's first line, are still let through.
        there = os.fstat(args[0])
        if journal.exists() and os.path.samestat(there, journal.stat()) and there.st_size > 200:
            raise OSError(number, os.strerror(number))
        return real(*args)

    monkeypatch.setattr(os, call, failing)
    result = unified(f"{TAGS} {path}", environ=service.environ)
    assert (result.code, service.seen) == (11, [])
    assert (
        result.stderr.splitlines()[-1]
        == f"error: cannot write the journal {journal}: {os.strerror(number)}"
    )
    monkeypatch.undo()
    assert unified(f"{TAGS} {path}", environ=service.environ).code == 0
    assert len(service.seen) == 1


def test_updates_and_deletes_take_the_id_from_the_record(
    unified: Unified, service: Service, records: Records
) -> None:
    path = records(
        {"id": "a/b", "name": "x"}, {"id": 7, "name": "y"}, {"name": "z"}, {"id": ".."}, {"id": ""}
    )
    result = unified(f"{TAGS} {path} --operation update --workers 1", environ=service.environ)
    assert (result.code, told(result)) == (9, summary(done=2, failed=3))
    assert [(seen.method, seen.segments[-1], seen.json) for seen in service.seen] == [
        ("PATCH", "a/b", {"name": "x"}),
        ("PATCH", "7", {"name": "y"}),
    ]
    assert [record["_import"]["why"] for record in outcome(path, "failed")] == [
        "has no id", "the id '..' would look like a folder", "has no id",
    ]  # fmt: skip


def test_deletes_take_bare_ids_and_need_a_yes(
    unified: Unified, service: Service, records: Records
) -> None:
    path = records("a b", "7", name="ids.txt")
    command = f"{TAGS} {path} --operation delete --workers 1"
    refused = unified(command, environ=service.environ)
    assert (refused.code, service.seen) == (2, [])
    assert (
        refused.stderr
        == "error: not deleted: cannot ask whether to delete 2 records of ticketing tags in account"
        " acct-1 (add --yes)\n"
    )
    assert unified(command, environ=service.environ, tty=True, stdin=b"n\n").code == 2
    assert service.seen == []
    assert unified(f"{command} -y", environ=service.environ).code == 0
    assert [(seen.method, seen.segments[-1], seen.body) for seen in service.seen] == [
        ("DELETE", "a b", b""),
        ("DELETE", "7", b""),
    ]


@pytest.mark.unified_sandbox(keep_ids=True)
def test_a_delete_in_doubt_that_is_gone_is_done(
    unified: Unified, unified_sandbox: UnifiedSandbox, served: dict[str, str], records: Records
) -> None:
    unified(f"{TAGS} {records({'id': 'x', 'name': 'a'}, name='make')}", environ=served)
    path = records({"id": "x"})
    unified_sandbox.faults("lose-reply")
    assert unified(f"{TAGS} {path} --operation delete -y --retries 0", environ=served).code == 10
    unified_sandbox.faults()
    result = unified(f"{TAGS} {path} --operation delete -y", environ=served)
    assert (result.code, told(result)) == (0, summary(done=1))
    assert result.notes == "already gone: an earlier attempt deleted it\n"
    assert outcome(path, "done")[0]["_import"] == {"line": 1, "id": "x", "status": 204}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("in.ndjson", '{"id":"a","\\ud83d":"x\\ud83d"}'),
        ("in.json", '[{"id":"a","\\ud83d":"x\\ud83d"}]'),
    ],
)
def test_half_a_surrogate_pair_is_sent_as_it_was(
    name: str, text: str, unified: Unified, service: Service, records: Records
) -> None:
    result = unified(
        f"{TAGS} {records(text, name=name)} --operation update", environ=service.environ
    )
    assert (result.code, [seen.body for seen in service.seen]) == (0, [b'{"\\ud83d":"x\\ud83d"}'])


def test_a_map_reshapes_leaves_out_and_fails_line_by_line(
    unified: Unified, service: Service, records: Records
) -> None:
    path = records(
        {"name": "a", "x": 1},
        {"name": "b", "skip": True},
        {"x": "text"},
        [1],
        {"name": "c", "two": True},
    )
    program = "if .skip then empty elif .two then (., .) else {name, y: (.x + 1)} end"
    result = unified(
        [*TAGS.split(), str(path), "--map", program, "--workers", "1"], environ=service.environ
    )
    assert (result.code, created(service)) == (9, [{"name": "a", "y": 2}])
    assert told(result) == [*summary(done=1, failed=3), ("left out by --map", 1)]
    wrong, indexed, two = [record["_import"]["why"] for record in outcome(path, "failed")]
    assert wrong == 'cannot be used: string ("text") and number (1) cannot be added'
    # Versions of jq say it with or without parentheses.
    assert indexed.startswith("cannot be used: Cannot index array with string")
    assert two == "became 2 records by --map, but must remain one"


@pytest.mark.parametrize("number", ["12345678901234567890", "1.10", "1E-400"])
def test_a_map_changes_no_digits_of_its_own(
    number: str, unified: Unified, service: Service, records: Records
) -> None:
    path = records(f'{{"n":{number}}}')
    result = unified(f"{TAGS} {path} --map .", environ=service.environ)
    assert (result.notes, service.seen[0].body) == ("", f'{{"n":{number}}}'.encode())


def test_a_map_that_computes_says_so_once(
    unified: Unified, service: Service, records: Records
) -> None:
    path = records('{"n": 10158500000000001}', '{"n": 10158500000000003}')
    result = unified([*TAGS.split(), str(path), "--map", "{n: (.n + 1)}"], environ=service.environ)
    assert result.notes == "--map computed 10158500000000000 in doubles, which keep 15 digits\n"


def test_a_map_that_is_not_a_jq_program_is_refused(
    unified: Unified, service: Service, records: Records
) -> None:
    result = unified([*TAGS.split(), str(records({})), "--map", ".["], environ=service.environ)
    assert (result.code, service.seen) == (2, [])
    assert result.stderr.startswith("error: --map: syntax error")


def test_a_dry_run_shows_every_request_and_begins_nothing(
    unified: Unified, service: Service, records: Records, tmp_path: Path
) -> None:
    path = records({"id": "a", "name": "x"}, "{broken", {"id": "b"})
    result = unified(f"{TAGS} {path} --operation update --dry-run", environ=service.environ)
    shown = [json.loads(line) for line in result.stdout.splitlines()]
    assert (result.code, service.seen, [one["body"] for one in shown]) == (
        0,
        [],
        [{"name": "x"}, {}],
    )
    assert [path.name for path in tmp_path.iterdir()] == ["in.ndjson"]


INVALID = "unified import: invalid value for {} (unified import --help)"


@pytest.mark.parametrize(
    ("argv", "code", "message"),
    [
        (
            "import ticketing/nothing in",
            2,
            "no resource ticketing/nothing (unified operations lists them)",
        ),
        (
            "import ticketing/tags in --operation list",
            2,
            (
                "ticketing/tags has no operation 'list' to import with (choose from: create,"
                " update, delete)"
            ),
        ),
        (
            "import ticketing/tags in --format xml",
            2,
            INVALID.format(
                "'--format': 'xml' is not one of 'ndjson', 'json', 'csv', 'tsv', 'ids'; did"
                ' you mean "json"?'
            ),
        ),
        (
            "import ticketing/tags none",
            11,
            "cannot read none: No such file or directory (the program looked in HERE)",
        ),
    ],
)
def test_input_that_cannot_be_imported_is_refused(
    argv: str, code: int, message: str, unified: Unified, service: Service
) -> None:
    result = unified(argv, environ=service.environ)
    message = message.replace("HERE", str(Path.cwd()))
    assert (result.code, result.stderr, service.seen) == (code, f"error: {message}\n", [])


def test_a_resource_is_found_with_the_other_dash(
    unified: Unified, service: Service, records: Records
) -> None:
    assert unified(f"import ticketing/task-lists {records({})}", environ=service.environ).code == 0
    assert service.seen[0].path == "/unified/ticketing/task_lists"


def test_a_read_only_profile_imports_nothing(
    unified: Unified, service: Service, records: Records, config: Callable[[str], Path]
) -> None:
    config("read_only = true")
    path = records({"name": "a"})
    assert unified(f"{TAGS} {path}", environ=service.environ).code == 13
    assert service.seen == []
    assert not path.with_name("in.ndjson.unified-journal").exists()


def test_the_summary_is_json_where_it_is_asked_for(
    unified: Unified, service: Service, records: Records
) -> None:
    path = records({})
    result = unified(f"{TAGS} {path} -o json", environ=service.environ)
    assert result.json[0] == {
        "outcome": "done",
        "records": 1,
        "file": f"{path}.unified-done.ndjson",
    }


@pytest.mark.parametrize(("rate", "lines"), [("0", 500), ("45", 200)])
def test_a_429_holds_all_workers_and_no_window_has_too_many_sends(
    rate: str, lines: int, unified: Unified, service: Service, records: Records
) -> None:
    clock, stamps = Clock(), [-1.0]

    def stamped(_: Seen) -> Reply:
        stamps.append(clock.now())
        asked = {"Retry-After": "7", "Content-Type": "application/json"}
        return Reply(429, b"{}", asked) if len(stamps) == lines // 2 else Reply()

    service.reply = stamped
    path = records(*({"name": str(n)} for n in range(lines)))
    environ = {**service.environ, "UNIFIED_RATE": rate}
    # A clock that jumps for all threads when one sleeps stamps the sends of the others
    # late, but for one.
    workers = 8 if rate == "0" else 1
    result = unified(
        f"{TAGS} {path} --workers {workers}",
        environ=environ,
        monotonic=clock.now,
        sleep=clock.sleep,
    )
    assert (result.code, told(result)) == (0, summary(done=lines))
    limited, sends = stamps[lines // 2 - 1], stamps[1:]
    if rate == "0":
        assert not [stamp for stamp in sends if limited < stamp < limited + 7]
    else:
        assert max(sum(start <= stamp < start + 10 for stamp in sends) for start in sends) <= 45


def test_waiting_for_a_turn_is_not_taken_from_the_timeout(
    unified: Unified, service: Service, records: Records
) -> None:
    clock = Clock()
    service.reply = lambda _: Reply()
    path = records(*({"name": str(n)} for n in range(8)))
    environ = {**service.environ, "UNIFIED_RATE": "2"}
    result = unified(
        f"{TAGS} {path} --timeout 5 --workers 1",
        environ=environ,
        monotonic=clock.now,
        sleep=clock.sleep,
    )
    assert (result.code, told(result)) == (0, summary(done=8))


@pytest.mark.parametrize("lines", [400, pytest.param(2000, marks=pytest.mark.long(seconds=5))])
def test_many_lines_take_effect_once_each(
    lines: int,
    unified: Unified,
    unified_sandbox: UnifiedSandbox,
    served: dict[str, str],
    records: Records,
) -> None:
    unified_sandbox.faults(f"429={lines // 2},lose-reply={lines // 4},reset={lines * 3 // 4}")
    path = records(*({"name": str(n)} for n in range(lines)))
    result = unified(f"{TAGS} {path}", environ=served)
    assert (result.code, told(result)) == (0, summary(done=lines))
    assert sorted(count for *_, count in unified_sandbox._store.effects()) == [1] * lines


# Of another type than the API knows, they would be refused.
_TYPED = {field.name for field in load().apis["ticketing"].resources["tags"].facts.fields}
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]))
)
SHALLOW = (
    LEAVES | st.lists(LEAVES, max_size=3) | st.dictionaries(st.text(max_size=5), LEAVES, max_size=3)
)
JSON = (
    SHALLOW
    | st.lists(SHALLOW, max_size=3)
    | st.dictionaries(st.text(max_size=5), SHALLOW, max_size=3)
)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(
    lambda name: (
        name
        not in {
            "id",
            "created_at",
            "updated_at",
            "_import",
            "_profile",
            "result",
            "n",
            *_TYPED,
        }
    )
)


@settings(max_examples=20)
@given(st.lists(st.dictionaries(NAMES, JSON, max_size=4), min_size=20, max_size=30), st.booleans())
def test_imported_records_come_back_equal(
    unified: Unified,
    unified_sandbox: UnifiedSandbox,
    served: dict[str, str],
    tmp_path: Path,
    given_records: list[dict[str, Any]],
    ascii_only: bool,
) -> None:
    unified_sandbox.reset()
    path = tmp_path / "in"
    numbered = [{**record, "n": n} for n, record in enumerate(given_records)]
    path.write_text(
        "".join(json.dumps(record, ensure_ascii=ascii_only) + "\n" for record in numbered), "utf-8"
    )
    assert unified(f"{TAGS} {path} --restart", environ=served).code == 0
    page = unified("ticketing tags list -q limit=200", environ=served).json["result"]
    found = [
        {name: record[name] for name in record if name not in {"id", "created_at", "updated_at"}}
        for record in page
    ]
    assert sorted(found, key=lambda record: record["n"]) == numbered


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b'{"id": "a\\u00e9"}', "a\u00e9"),
        (b'{"id": 5}', "5"),
        (b'{"result": {"id": "x"}}', "x"),
        (b'{"id": 1.5}', ""),
        (b'{"id": null, "result": {"id": "x"}}', ""),
        (b'{"id": {"id": 1}}', ""),
        (b'{"result": [{"id": "x"}]}', ""),
        (b"[]", ""),
        (b'{"id": "x", "more": [%b1]}' % (b"{}," * 1_000_000), "x"),
    ],
    ids=range(9),
)
def test_the_id_of_an_answer_is_noted_and_nothing_else_decoded(
    answer: bytes, told: str, unified: Unified, service: Service, records: Records
) -> None:
    service.reply = lambda _: Reply(201, answer)
    path = records({"name": "a"})
    assert unified(f"{TAGS} {path}", environ=service.environ).code == 0
    journal = path.with_name(f"{path.name}.unified-journal").read_text()
    assert [
        entry.get("id", "")
        for entry in map(json.loads, journal.splitlines())
        if entry.get("s") == "ok"
    ] == [told]
