"""Results written to devices, pipes and open descriptors: a special file is written to
and never replaced.
"""

import json
import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path

import pytest
from front_door import Process, Unified
from pages import tickets
from server import Reply, Seen, Service

from unified_cli.storage import input_bounds

PAGES = [tickets(3), tickets(3, 3)]
RECORDS = [record for page in PAGES for record in page]
NDJSON = "".join(json.dumps(record) + "\n" for record in RECORDS).encode()
FILE = Reply(200, b"\x89PNG" * 500, {"Content-Type": "image/png"})
LIST = "ticketing tickets list --all -o ndjson --out"
GET = "ticketing tickets list --out"
DOWNLOAD = "ticketing attachments download -q file_url=a --out"
COMMANDS = [f"{command} %{more}" for command in (LIST, GET, DOWNLOAD) for more in ("", " --force")]


def answer(seen: Seen) -> Reply:
    if seen.segments[-1] == "download":
        return FILE
    at = dict(seen.query).get("next_cursor")
    body = {"result": PAGES[1 if at else 0], "next_cursor": None if at else "c1"}
    return Reply(200, json.dumps(body).encode(), {"Content-Type": "application/json"})


@contextmanager
def read_from(pipe: Path) -> Iterator[list[bytes]]:
    """The bytes from a named pipe until its writer closes it."""
    found: list[bytes] = []
    # Open before the program is: it refuses a pipe without a reader.
    held = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    def read() -> None:
        found.append(pipe.read_bytes())

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    yield found
    os.close(held)
    reader.join(60)
    assert not reader.is_alive()


def expected(command: str) -> bytes:
    if "download" in command:
        return FILE.body
    return (
        NDJSON
        if "--all" in command
        else json.dumps({"result": PAGES[0], "next_cursor": "c1"}).encode() + b"\n"
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_named_pipe_is_written_to(
    command: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = answer
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with read_from(pipe) as found:
        result = unified(command.replace("%", str(pipe)), environ=service.environ)
    assert (result.code, result.stdout, found) == (0, "", [expected(command)])
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert sorted(
        path.name for path in tmp_path.iterdir() if path.name not in {"config", "data"}
    ) == ["pipe"]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_device_is_written_to(command: str, unified: Unified, service: Service) -> None:
    service.reply = answer
    result = unified(command.replace("%", os.devnull), environ=service.environ)
    assert (result.code, result.stdout) == (0, "")
    assert stat.S_ISCHR(os.lstat(os.devnull).st_mode)
    full = unified(command.replace("%", "/dev/full"), environ=service.environ)
    assert full.code == 11
    assert "cannot write to /dev/full: No space left on device" in full.stderr
    assert stat.S_ISCHR(os.lstat("/dev/full").st_mode)


@pytest.mark.parametrize(
    ("name", "command"), [*zip(cycle(["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]), COMMANDS)]
)
def test_an_open_descriptor_is_written_to_at_its_position(
    name: str, command: str, process: Process, service: Service, tmp_path: Path
) -> None:
    service.reply = answer
    path = tmp_path / "log"
    with path.open("wb") as log:
        log.write(b"before\n")
        log.flush()
        done = process(command.replace("%", name), environ=service.environ, stdout=log)
        log.write(b"after\n")
    assert done.returncode == 0
    assert path.read_bytes() == b"before\n" + expected(command) + b"after\n"


def test_a_closed_descriptor_is_reported_before_anything_is_sent(
    unified: Unified, service: Service
) -> None:
    result = unified(f"{LIST} /dev/fd/987654", environ=service.environ)
    assert (result.code, service.seen) == (11, [])
    assert "cannot write /dev/fd/987654: Bad file descriptor" in result.stderr


def test_a_reader_that_leaves_ends_it_like_that_of_standard_output(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = answer
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    good = service.reply

    def leave(seen: Seen) -> Reply:
        with suppress(OSError):
            os.close(reader)
        return good(seen)

    service.reply = leave
    assert unified(f"{LIST} {pipe}", environ=service.environ).code == 141


def test_a_report_is_written_to_a_pipe(unified: Unified, service: Service, tmp_path: Path) -> None:
    service.reply = lambda _: Reply(201, b'{"id": "1"}', {"Content-Type": "application/json"})
    pipe, records = tmp_path / "pipe", tmp_path / "in.ndjson"
    os.mkfifo(pipe)
    records.write_text('{"name": "a"}\n')
    with read_from(pipe) as found:
        result = unified(
            f"import ticketing/tickets {records} --report {pipe}", environ=service.environ
        )
    assert result.code == 0
    assert json.loads(found[0])["outcome"] == "done"
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


@pytest.mark.parametrize(
    "command",
    [
        "ticketing tickets list --all --out PIPE",
        f"{GET} PIPE",
        f"{DOWNLOAD} PIPE",
        "ticketing tickets create -f name=x --out PIPE",
        "import ticketing/tickets IN --report PIPE",
    ],
)
def test_a_pipe_without_a_reader_is_reported_before_anything_is_sent(
    command: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    pipe, records = tmp_path / "pipe", tmp_path / "in.ndjson"
    os.mkfifo(pipe)
    records.write_text('{"name": "a"}\n')
    result = unified(
        command.replace("PIPE", str(pipe)).replace("IN", str(records)), environ=service.environ
    )
    said = f"error: there is no reader of {pipe} (start its reader first)\n"
    assert (result.code, result.stdout, result.stderr, service.seen) == (11, "", said, [])
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (
            "ticketing tickets create -d @PIPE",
            11,
            "cannot read PIPE: there is no writer for this pipe (after 0.1 s)",
        ),
        (
            "ticketing tickets create -F name=@PIPE",
            11,
            "cannot read PIPE: there is no writer for this pipe (after 0.1 s)",
        ),
        (
            "profile import PIPE",
            11,
            "cannot read PIPE: there is no writer for this pipe (after 0.1 s)",
        ),
        (
            "doctor --bundle OUT --har PIPE",
            11,
            "cannot read PIPE: there is no writer for this pipe (after 0.1 s)",
        ),
        (
            "ticketing tickets list --ca-bundle PIPE",
            3,
            "the CA bundle PIPE cannot be used: it is a named pipe",
        ),
    ],
)
def test_a_pipe_without_a_writer_has_a_time_limit(
    command: str,
    code: int,
    said: str,
    unified: Unified,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(input_bounds, "WRITER_SECONDS", 0.1)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    environ = {
        "UNIFIED_BASE_URL": "https://127.0.0.1:1",
        "UNIFIED_TOKEN": "t-0123456789",
        "UNIFIED_ACCOUNT_ID": "a",
    }
    result = unified(
        command.replace("PIPE", str(pipe)).replace("OUT", str(tmp_path / "b.zip")), environ=environ
    )
    assert (result.code, result.stdout, result.stderr) == (
        code,
        "",
        f"error: {said}\n".replace("PIPE", str(pipe)),
    )


def test_a_pipe_whose_writer_is_late_is_read_to_its_end(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(201, b'{"id": "1"}', {"Content-Type": "application/json"})
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        with pipe.open("wb", buffering=0) as file:
            time.sleep(0.1)
            file.write(b'{"name":')
            time.sleep(0.1)
            file.write(b'"a"}')

    writer = threading.Timer(0.2, write)
    writer.start()
    assert unified(f"ticketing tickets create -d @{pipe}", environ=service.environ).code == 0
    writer.join(60)
    assert [seen.json for seen in service.seen] == [{"name": "a"}]


@pytest.mark.parametrize("group", ["done", "failed", "in-doubt", "not-tried"])
def test_a_pipe_in_the_place_of_a_result_file_is_left_alone(
    group: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    records = tmp_path / "in.ndjson"
    records.write_text('{"name": "a"}\n')
    pipe = tmp_path / f"in.ndjson.unified-{group}.ndjson"
    os.mkfifo(pipe)
    result = unified(f"import ticketing/tickets {records}", environ=service.environ)
    assert (result.code, service.seen) == (12, [])
    assert f"{pipe} is not a regular file" in result.stderr
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


def test_a_completion_script_replaces_no_pipe_and_no_link(unified: Unified, tmp_path: Path) -> None:
    path = tmp_path / ".config" / "fish" / "completions" / "unified.fish"
    path.parent.mkdir(parents=True)
    for plant in (os.mkfifo, lambda path: Path(path).symlink_to("/dev/null")):
        plant(path)
        before = path.lstat()
        assert (
            unified("completion install --shell fish", environ={"HOME": str(tmp_path)}).code == 11
        )
        assert path.lstat().st_ino == before.st_ino
        path.unlink()
