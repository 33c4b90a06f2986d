"""A foreign or damaged journal: nothing is sent, and the line with the problem is
named.
"""

import hashlib
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import ROOT, Unified
from server import Reply, Service

Damage = Callable[[bytes], bytes]

BEYOND_A_TORN_LINE: dict[str, Damage] = {
    "nothing but NULs": lambda _: bytes(4096),
    "NULs at the end": lambda text: text + bytes(512),
    "NULs in the place of the last line": lambda text: (
        text[: text.rstrip(b"\n").rfind(b"\n") + 1] + bytes(100)
    ),
    "garbage without a line end": lambda _: b"\x93\x1f\x8b" * 1000,
    "words without a line end": lambda _: b"some other file",
    "garbage after the last line": lambda text: text + b"garbage",
    "a byte that is not UTF-8": lambda text: text.replace(b'"id":"', b'"id":"\xff', 1),
    "half a character in the middle": lambda text: text.replace(b'"s":"ok"', b'"s":"\xc3"', 1),
    "a line of NULs": lambda text: text.replace(b"\n", b"\n" + bytes(20) + b"\n", 1),
    "a number just beyond the input": lambda text: text + b'{"s":"ok","n":4}\n',
    "a number far beyond the input": lambda text: text + b'{"s":"ok","n":300000000}\n',
    "a number below the input": lambda text: text + b'{"s":"ok","n":0}\n',
    "a negative number": lambda text: text + b'{"s":"ok","n":-1}\n',
    "a number of many digits": lambda text: text + b'{"s":"ok","n":1' + b"0" * 5000 + b"}\n",
    "an outcome of what was never sent": lambda text: (
        text[: text.find(b"\n") + 1] + b'{"s":"unknown","n":1}\n'
    ),
    "deep nesting": lambda text: text + b'{"x":' * 100_000 + b"1" + b"}" * 100_000 + b"\n",
    "a line without end": lambda text: text + b'{"' + b"x" * (8 << 20),
    "an empty line": lambda text: text + b"\n",
    "the lines in another order": lambda text: b"\n".join([*text.split(b"\n")[1:3], b""]),
}


@pytest.fixture
def written(tmp_path: Path, unified: Unified, service: Service) -> Path:
    """A file of three records that was imported with nothing left to do."""
    service.reply = lambda seen: Reply(201, json.dumps({"id": seen.json["name"]}).encode())
    path = tmp_path / "in.ndjson"
    path.write_text('{"name":"a"}\n{"name":"b"}\n{"name":"c"}\n')
    assert unified(f"import ticketing/tags {path} --workers 1", environ=service.environ).code == 0
    service.seen.clear()
    return path


def journal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.unified-journal")


@pytest.mark.parametrize("name", BEYOND_A_TORN_LINE)
def test_damage_is_reported_before_anything_is_sent(
    name: str, written: Path, unified: Unified, service: Service
) -> None:
    journal = journal_of(written)
    journal.write_bytes(damaged := BEYOND_A_TORN_LINE[name](journal.read_bytes()))
    result = unified(f"import ticketing/tags {written}", environ=service.environ)
    assert (result.code, service.seen) == (12, [])
    assert result.stderr.startswith(f"error: {journal} is damaged in line ")
    assert "--restart" in result.stderr
    assert journal.read_bytes() == damaged
    assert unified(f"import ticketing/tags {written} --restart", environ=service.environ).code == 0
    assert len(service.seen) == 3


def test_a_last_line_torn_anywhere_is_repaired(
    written: Path, unified: Unified, service: Service
) -> None:
    journal = journal_of(written)
    whole = journal.read_bytes()
    start = whole.rstrip(b"\n").rfind(b"\n") + 1
    for at in range(start, len(whole)):
        service.seen.clear()
        journal.write_bytes(whole[:at])
        assert unified(f"import ticketing/tags {written}", environ=service.environ).code == 0
        assert [seen.json["name"] for seen in service.seen] == ["c"]
        key = service.seen[0].headers["idempotency-key"]
        assert key.encode() in whole


@pytest.mark.parametrize(
    "suffix", [".unified-journal", ".unified-journal.lock", ".unified-failed.ndjson"]
)
@pytest.mark.parametrize("kind", ["fifo", "link", "link to nothing", "folder"])
def test_a_pipe_or_a_link_is_neither_waited_for_nor_followed(
    kind: str, suffix: str, written: Path, unified: Unified, service: Service
) -> None:
    planted = written.with_name(written.name + suffix)
    planted.unlink(missing_ok=True)
    other = written.with_name("other")
    if kind == "fifo":
        os.mkfifo(planted)
    elif kind == "folder":
        planted.mkdir()
    else:
        planted.symlink_to(other)
        if kind == "link":
            other.write_text("mine")
    result = unified(f"import ticketing/tags {written}", environ=service.environ)
    assert (result.code, service.seen) == (12, []), result.stderr
    assert str(planted) in result.stderr
    assert not other.exists() or other.read_text() == "mine"


@pytest.mark.parametrize("status", [504, 408])
def test_a_journal_of_version_0_1_is_continued(
    status: int, unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(status)
    path = tmp_path / "in.ndjson"
    body = b'{ "name": "a", "name": "b" }'
    path.write_bytes(body + b"\n")
    command = f"import ticketing/tags {path} --retries 0"
    assert unified(command, environ=service.environ).code == (10 if status == 504 else 9)
    header, sent, outcome = journal_of(path).read_bytes().splitlines()
    # It hashed the body as it stood in the file.
    old = {**json.loads(sent), "h": hashlib.sha256(body).hexdigest(), "k": "KEY-OF-0-1"}
    journal_of(path).write_bytes(b"\n".join([header, json.dumps(old).encode(), outcome, b""]))
    service.reply = lambda _: Reply(201)
    assert unified(command, environ=service.environ).code == 0
    assert [seen.headers["idempotency-key"] for seen in service.seen[1:]] == ["KEY-OF-0-1"]


def test_a_number_far_beyond_the_input_takes_no_memory(written: Path, service: Service) -> None:
    journal = journal_of(written)
    journal.write_bytes(journal.read_bytes() + b'{"s":"ok","n":300000000}\n')
    done = subprocess.run(
        [sys.executable, "-m", "unified_cli", "import", "ticketing/tags", str(written)],
        env={**service.environ, "HOME": str(written.parent), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (300 << 20, 300 << 20)),
    )
    assert done.returncode == 12, done.stderr
