"""The file of an import: the one that was opened is read and reported, and one that is
too large is refused in time.
"""

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import peak_memory
import pytest
from campaigns import size
from front_door import ROOT, Unified
from server import Reply, Seen, Service

from unified_cli.json_text import json_check

TAGS = "import ticketing/tags"
MIB = 1 << 20
LINES = 30


def after(sends: int, act: Callable[[], object]) -> Callable[[Seen], Reply]:
    """A service that has something done when it was asked so often."""
    asked: list[Seen] = []

    def reply(seen: Seen) -> Reply:
        asked.append(seen)
        if len(asked) == sends:
            act()
        if seen.json["name"] == "old-20":
            return Reply(422, b'{"statusCode":422,"error":"x","message":"no"}')
        return Reply(201, json.dumps({"id": seen.json["name"]}).encode())

    return reply


def written(path: Path, word: str, *, lines: int = LINES, size: int = 0) -> Path:
    path.write_text(
        "".join(json.dumps({"name": f"{word}-{n}", "x": "x" * size}) + "\n" for n in range(lines))
    )
    return path


def results(path: Path, group: str) -> list[str]:
    found = Path(f"{path}.unified-{group}.ndjson")
    return (
        [json.loads(line)["name"] for line in found.read_text().splitlines()]
        if found.exists()
        else []
    )


@pytest.mark.parametrize("becomes", ["another file", "nothing"])
def test_a_file_that_is_unlinked_is_read_to_its_end_and_reported(
    becomes: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path, other = (
        written(tmp_path / "in.ndjson", "old"),
        written(tmp_path / "other", "new", lines=7),
    )
    service.reply = after(5, path.unlink if becomes == "nothing" else lambda: other.replace(path))
    result = unified(
        f"{TAGS} {path} --workers 1 --report {tmp_path / 'report'}", environ=service.environ
    )
    assert result.code == 12
    assert result.stderr.splitlines()[-1] == (
        f"error: {path} was replaced in the meantime; the open file was read to its end"
    )
    names = [f"old-{n}" for n in range(LINES)]
    assert [seen.json["name"] for seen in service.seen] == names
    assert results(path, "failed") == ["old-20"]
    assert results(path, "done") == [name for name in names if name != "old-20"]
    assert len((tmp_path / "report").read_text().splitlines()) == LINES
    assert result.stdout.splitlines()[0].startswith(f"done\t{LINES - 1}\t")


CHANGES: dict[str, Callable[[Path], object]] = {
    "cut short": lambda path: os.truncate(path, 300),
    "emptied": lambda path: os.truncate(path, 0),
    "written over": lambda path: path.write_bytes(path.read_bytes().replace(b"old", b"new")),
    "grown": lambda path: path.write_bytes(path.read_bytes() * 2),
}


@pytest.mark.parametrize("size", [0, 100_000], ids=["read at once", "read in parts"])
@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_file_is_reported_and_resumes_once_it_is_restored(
    name: str, size: int, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = written(tmp_path / "in.ndjson", "old", size=size)
    content = path.read_bytes()
    service.reply = after(5, lambda: CHANGES[name](path))
    result = unified(f"{TAGS} {path} --workers 2 --rate 0", environ=service.environ)
    assert result.code == 12
    assert result.stderr.splitlines()[-1] == (
        f"error: {path} has changed since it was opened (restore its content, and run"
        " the same command again)"
    )
    first = [seen.json["name"] for seen in service.seen]
    assert all(name.startswith("old-") for name in first)
    path.write_bytes(content)
    service.reply = after(0, lambda: None)
    assert unified(f"{TAGS} {path} --rate 0", environ=service.environ).code == 9
    sent = [seen.json["name"] for seen in service.seen]
    assert sorted(sent) == sorted(f"old-{n}" for n in range(LINES)), (
        "each once: what was under way was written down"
    )


def test_a_file_that_is_only_touched_has_not_changed(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = written(tmp_path / "in.ndjson", "old", lines=20, size=100_000)
    service.reply = after(5, lambda: os.utime(path, (1, 1)))
    assert unified(f"{TAGS} {path} --rate 0", environ=service.environ).code == 0
    assert len(service.seen) == 20


def test_the_same_lines_piped_at_the_same_time_are_not_a_change(
    unified: Unified, service: Service
) -> None:
    lines = b'{"name":"a"}\n{"name":"b"}\n'
    codes: list[int] = []
    service.reply = after(
        1, lambda: codes.append(unified(f"{TAGS} -", environ=service.environ, stdin=lines).code)
    )
    assert unified(f"{TAGS} - --workers 1", environ=service.environ, stdin=lines).code == 0
    assert (codes, len(service.seen)) == ([12], 2), "the other one found the journal in use"


@pytest.mark.parametrize("output", ["json", "table", "tsv"])
def test_a_name_that_is_not_utf8_is_a_name(
    output: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    # As Python gives the bytes of an argument to the program.
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.ndjson")
    Path(path).write_text('{"name":"a"}\n{"name":"b"}\n')
    service.reply = lambda seen: Reply(201 if seen.json["name"] == "a" else 422)
    report = os.fsdecode(os.fsencode(tmp_path) + b"/r\xff")
    environ = {**service.environ, "UNIFIED_RATE": "0"}
    command = [*TAGS.split(), path, "--report", report, "-o", output]
    first = unified(command, environ=environ)
    assert (first.code, len(service.seen)) == (9, 2), first.stderr
    names = {
        os.fsencode(found.name).removeprefix(b"caf\xe9.ndjson") for found in tmp_path.iterdir()
    }
    assert {
        b".unified-journal",
        b".unified-failed.ndjson",
        b".unified-done.ndjson",
        b"r\xff",
    } <= names
    assert unified(command, environ=environ).code == 9
    assert len(service.seen) == 2
    failed = f"{path}.unified-failed.ndjson"
    assert unified([*TAGS.split(), failed], environ=environ).code == 9
    assert len({seen.headers["idempotency-key"] for seen in service.seen}) == 2


def ran(command: str, source: Any, service: Service, home: Path) -> peak_memory.Measured:
    """The result of a process, and its peak memory."""
    environ = {**service.environ, "HOME": str(home), "PYTHONPATH": str(ROOT), "UNIFIED_RATE": "0"}
    return peak_memory.of(command.split(), stdin=source, cwd=home, env=environ, timeout=900)


def long_line(path: Path, begins: bytes, megabytes: int) -> Path:
    with path.open("wb") as file:
        file.write(begins)
        # More than a record may have; what comes behind it is a hole, which takes as
        # much memory where it is read.
        for _ in range(40):
            file.write(b"x" * MIB)
        file.truncate(megabytes * MIB)
    return path


SELDOM = pytest.mark.long(seconds=2)


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("in.ndjson", b'{"name":"'),
        pytest.param("in.json", b'[{"name":"', marks=SELDOM),
        ("page.json", b'{"result":[{"name":"'),
        ("in.csv", b'name\n"'),
        pytest.param("row.csv", b"name\n" + b"a," * (9 * MIB), marks=SELDOM),
        pytest.param("ids", b"", marks=SELDOM),
        pytest.param("bracket", b"[", marks=SELDOM),
    ],
)
def test_a_line_of_250_megabytes_is_refused_in_little_memory(
    name: str, begins: bytes, service: Service, tmp_path: Path
) -> None:
    path = long_line(tmp_path / name, begins, 250)
    found = ran(f"{TAGS} {path} --operation update", None, service, tmp_path)
    path.unlink()
    assert (found.code, service.seen) == (2, []), found.stderr
    assert "is longer than 32 MiB, the most that a record may have" in found.stderr
    # Text is held twice for a moment where the end of an element is looked for.
    assert found.mebibytes < (200 if name in {"in.json", "page.json"} else 100), found.mebibytes


@pytest.mark.parametrize(
    ("command", "bound"),
    [
        ("ticketing tags create -d -", "larger than 64 MiB"),
        ("ticketing tags create -d @-", "larger than 64 MiB"),
        ("ticketing tags create -F x=@-", "larger than 64 MiB"),
        ("ticketing tags create -F x=@base64:-", "larger than 64 MiB"),
        ("ticketing tags create -d @/dev/zero", "/dev/zero is larger than 64 MiB"),
        ("ticketing tags create -F x=@/dev/zero", "/dev/zero is larger than 64 MiB"),
        ("ticketing tags create -F x=@base64:/dev/zero", "/dev/zero is larger than 64 MiB"),
        ("ticketing tags delete - -y", "standard input is larger than 64 MiB"),
        ("ticketing tags get -", "standard input is larger than 64 MiB"),
        ("ticketing tags update -", "standard input is larger than 64 MiB"),
        ("ticketing tags create --token-stdin -f x=1", "--token-stdin"),
    ],
)
def test_input_without_an_end_is_refused_with_its_bound(
    command: str, bound: str, service: Service, tmp_path: Path
) -> None:
    with Path("/dev/zero").open("rb") as endless:
        found = ran(command, endless, service, tmp_path)
    assert (found.code, service.seen) == (3 if "token" in command else 2, []), found.stderr
    assert bound in found.stderr
    assert found.mebibytes < 300


def test_ids_without_an_end_are_refused_before_each_is_a_request(
    unified: Unified, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unified_cli.storage.input_bounds.MOST_REQUESTS", 3)
    command = "ticketing tags delete - -y"
    assert unified(command, environ=service.environ, stdin=b"1\n2\n3\n").code == 0
    service.seen.clear()
    result = unified(command, environ=service.environ, stdin=b"1\n2\n3\n4\n")
    assert (result.code, service.seen) == (2, [])
    assert result.stderr == (
        "error: standard input holds more than 3 lines (split the input, or use unified import"
        " with --operation update or delete: it has no limit)\n"
    )


def test_a_pipe_without_an_end_does_not_fill_the_disk(
    service: Service, tmp_path: Path, unified: Unified, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unified_cli.storage.input_bounds.LARGEST_COPY", 2 * MIB)
    result = unified(f"{TAGS} -", environ=service.environ, stdin=b"{}\n" * (2 * MIB))
    assert (result.code, service.seen) == (2, [])
    assert result.stderr.endswith("(save it to a file, and import the file)\n")
    assert not any(path.is_file() for path in (tmp_path / "data").rglob("*"))


def test_more_records_than_a_run_can_count_are_refused(
    unified: Unified, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unified_cli.storage.input_bounds.MOST_RECORDS", 3)
    path = tmp_path / "in.ndjson"
    path.write_text("{}\n" * 3)
    assert unified(f"{TAGS} {path}", environ=service.environ).code == 0
    path.write_text("{}\n" * 4)
    result = unified(f"{TAGS} {path} --restart", environ=service.environ)
    assert (result.code, len(service.seen)) == (2, 3)
    assert result.stderr == f"error: {path} has more than 3 lines or records (split the input)\n"


def page(element: bytes, megabytes: int) -> bytes:
    elements = b",".join([element] * (megabytes * MIB // (len(element) + 1)))
    return b'{"result":[%b],"next_cursor":null}' % elements


@pytest.mark.parametrize(
    "element",
    [
        pytest.param(b"1", id="ones", marks=pytest.mark.long(seconds=15)),
        pytest.param(b'{"id":1}', id="small records", marks=pytest.mark.long(seconds=15)),
        pytest.param(b'{"name":"%b"}' % (b"x" * 180), id="ordinary records"),
    ],
)
@pytest.mark.parametrize("kind", ["ndjson", "json"])
def test_a_page_of_57_mebibytes_takes_little_memory(
    element: bytes, kind: str, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / f"in.{kind}"
    content = page(element, size(57, 8))
    path.write_bytes(content if kind == "json" else content[11:-21].replace(b",", b"\n"))
    # Read to its end before the report is looked at, whose folder is missing.
    found = ran(f"{TAGS} {path} --report {tmp_path / 'none' / 'report'}", None, service, tmp_path)
    path.unlink()
    assert found.code in {2, 11}, found.stderr
    assert found.mebibytes < 300


def test_half_surrogates_take_little_memory(service: Service, tmp_path: Path) -> None:
    path = tmp_path / "in.ndjson"
    path.write_bytes(b'{"name":"%b"}\n' % (b"\\udc00x" * MIB))
    for source in (path, Path(f"{path}.unified-failed.ndjson")):
        service.reply = lambda seen: Reply(422 if seen.body else 400)
        found = ran(f"{TAGS} {source}", None, service, tmp_path)
        assert found.code == 9, found.stderr
        assert found.mebibytes < 180
    first, second = service.seen
    assert first.body == second.body == path.read_bytes().strip()
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]


@pytest.mark.parametrize("wrong", [False, True], ids=["all right", "one wrong"])
def test_lines_are_looked_at_once_where_all_are_right(
    wrong: bool, unified: Unified, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "in.ndjson", "new", lines=9)
    if wrong:
        path.write_text(f"{path.read_text()}no JSON\n")
    looked = Counter[bytes]()
    flaw = json_check.flaw

    def noting(text: bytes) -> str:
        looked[text] += 1
        return flaw(text)

    monkeypatch.setattr(json_check, "flaw", noting)
    service.reply = after(0, lambda: None)
    result = unified(f"{TAGS} {path} --rate 0", environ=service.environ)
    # An invalid line is reported and left out, each time that the file is read.
    assert result.code == (9 if wrong else 0)
    assert len(service.seen) == 9
    assert (looked.total() == 9) is not wrong
