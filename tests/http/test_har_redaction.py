"""Secrets do not reach a recording, however it is written; everything else does, byte
by byte.
"""

import json
import shlex
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from campaigns import dice, size
from commands import COMMANDS, RECORDS, answers
from front_door import ROOT, Process, Unified
from server import Reply, Seen, Service

SECRET = "Canary+0123/456789=abc"
SIGNED = f"https://files.example/a.pdf?X-Amz-Date=1&X-Amz-Signature={quote(SECRET, safe='')}&x=1"
AZURE = f"https://files.example/a?sv=2024&sig={quote(SECRET, safe='')}"
PLAIN = f"https://files.example/a?id=7&token={SECRET}#part"


def served(text: str) -> Reply:
    return Reply(200, b'{"result":[%b],"next_cursor":null}' % text.encode())


def recording(unified: Unified, service: Service, tmp_path: Path, command: str) -> str:
    har = tmp_path / "a.har"
    har.unlink(missing_ok=True)
    found = unified(f"{command} --record {har}", environ=service.environ)
    assert found.code in {0, 4, 7}, found.stderr
    return har.read_text()


def hits(text: str) -> list[str]:
    forms = (
        SECRET,
        quote(SECRET, safe=""),
        quote(quote(SECRET, safe=""), safe=""),
        SECRET.replace("/", "\\/"),
    )
    middles = {form[1:-1] for form in forms} | {
        "0123/456789",
        "0123%2F456789",
        "0123%252F456789",
        "456789",
    }
    return [form for form in sorted(middles) if form in text]


@pytest.mark.parametrize(
    "value",
    [
        SIGNED,
        AZURE,
        PLAIN,
        f"https://me:{quote(SECRET, safe='')}@files.example/a",
        f"https://x.example/?to={quote(SIGNED, safe='')}",
        f"https://x.example/?to={quote(quote(SIGNED, safe=''), safe='')}",
    ],
)
def test_the_signature_of_a_url_in_a_record_is_replaced(
    value: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    for text in (
        json.dumps({"url": value}),
        json.dumps({"url": value}).replace("&", "\\u0026").replace("=", "\\u003d"),
        json.dumps({"url": value}).replace("/", "\\/"),
    ):
        service.reply = lambda _, text=text: served(text)
        found = recording(unified, service, tmp_path, "ticketing tickets list")
        assert hits(found) == []
        assert "files.example" in found


@pytest.mark.parametrize(
    "value", [SIGNED, AZURE, PLAIN, f"https://x.example/?to={quote(SIGNED, safe='')}"]
)
def test_secrets_left_out_of_a_recording_are_not_printed_either(
    value: str, unified: Unified, service: Service
) -> None:
    found = json.dumps({"url": value, "access_token": SECRET})
    for text in (found, found.replace("&", "\\u0026"), found.replace("/", "\\/")):
        headers = {"Content-Type": "application/json", "Link": value, "X-Api-Key": SECRET}
        body = b'{"result":[%b]}' % text.encode()
        service.reply = lambda _, body=body, headers=headers: Reply(200, body, headers)
        command = ["ticketing", "tickets", "list", "-vv", "-q", f"url={value}"]
        result = unified(command, environ=service.environ)
        assert (result.code, hits(result.stderr), "X-Amz-Date" in result.stderr) == (
            0,
            [],
            "X-Amz" in value,
        )
        result = unified(
            ["ticketing", "tickets", "create", "-d", text, "-vv"], environ=service.environ
        )
        assert (result.code, hits(result.stderr), "files.example" in result.stderr) == (0, [], True)


@pytest.mark.parametrize(
    "command",
    [
        f"ticketing tickets list -q 'token={SECRET}'",
        f"ticketing tickets list -q 'url={SIGNED}'",
        f"ticketing attachments download -q 'file_url={SIGNED}' --out - -o raw",
        f"ticketing tickets create -f 'url={SIGNED}'",
        f"user-directory users create -f 'password={SECRET}' -f 'a[refresh_token]={SECRET}'",
    ],
)
def test_secrets_of_a_request_are_replaced_and_the_request_found(
    command: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    assert hits(recording(unified, service, tmp_path, command)) == []
    assert unified(f"{command} --replay {tmp_path}/a.har", environ=service.environ).code == 0


def test_credentials_in_headers_and_members_are_replaced(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    headers = {
        "Content-Type": "application/json",
        "Set-Cookie": f"s={SECRET}",
        "X-Auth-Token": SECRET,
        "X-RateLimit-Remaining": "7",
    }
    body = {"result": [{"id": "1", "Password": SECRET, "deep": [{"access_token": {"a": SECRET}}]}]}
    service.reply = lambda _: Reply(200, json.dumps(body).encode(), headers)
    found = recording(unified, service, tmp_path, "ticketing tickets list")
    assert hits(found) == []
    assert '{"name":"x-ratelimit-remaining","value":"7"}' in found


@pytest.mark.parametrize(
    "command",
    [
        "connections list",
        "request GET /integrated-account",
        "request GET /integrated-account/1 -o raw",
    ],
)
@pytest.mark.parametrize("key", ["context", "con\\u0074ext", "CONTEXT"])
def test_the_context_of_connections_is_replaced(
    command: str, key: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    record = f'{{"id":"1","{key}":{{"any":["{SECRET}"]}},"digits":1.10}}'
    service.reply = lambda _: served(record)
    found = recording(unified, service, tmp_path, command)
    assert hits(found) == []
    assert "1.10" in found
    service.reply = lambda _: Reply(
        200, f"context {SECRET}".encode(), {"Content-Type": "text/plain"}
    )
    unified(f"{command} --record {tmp_path}/b.har", environ=service.environ)
    assert hits((tmp_path / "b.har").read_text()) == []


def test_a_token_is_replaced_in_any_body(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    token = service.environ["UNIFIED_TOKEN"]
    command = f"ticketing attachments download -f id=1 --out {tmp_path}/file --force"
    for body in (token.encode(), b"\xff" + token.encode(), b'{"%b":1}' % token.encode()):
        service.reply = lambda _, body=body: Reply(
            200, body, {"Content-Type": "application/octet-stream"}
        )
        recording(unified, service, tmp_path, command)
        (entry,) = json.loads((tmp_path / "a.har").read_bytes())["log"]["entries"]
        assert token not in json.dumps(entry)
        assert "Kioq" in entry["response"]["content"]["text"].replace("/yoq", "Kioq").replace(
            "eyIqKio", "Kioq"
        )


def test_a_large_body_with_escapes_is_masked_in_bounded_memory(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    token = service.environ["UNIFIED_TOKEN"]
    record = json.dumps({"id": "1", "text": "a\\b\n" * 20, "echo": token})
    service.reply = lambda _: Reply(200, b'{"result":[%b]}' % ",".join([record] * 30_000).encode())
    found = recording(unified, service, tmp_path, "ticketing tickets list -o raw")
    assert token not in found
    assert found.count('echo\\": \\"***') == 30_000


@pytest.mark.long(seconds=10)
def test_a_replay_opens_no_socket(process: Process, service: Service, tmp_path: Path) -> None:
    environ = {**service.environ, "UNIFIED_CONFIG": str(tmp_path / "none.toml")}
    lines = [
        one.line.replace("{", f"{tmp_path}/x").replace("}", "")
        for one in COMMANDS.values()
        if "-p" not in one.line
    ]
    step = size(1, 3)
    for number, line in enumerate(lines[dice("lines").randrange(step) :: step]):
        answers(service)
        (tmp_path / "xrecords.ndjson").write_bytes(RECORDS)
        for left in tmp_path.glob("x*"):
            if left.name != "xrecords.ndjson":
                left.unlink()
        stdin = b"t-1\nt-2\n" if "update -" in line else b""
        one = process(f"{line} --record {tmp_path}/{number}.har", environ=environ, input=stdin)
        for left in tmp_path.glob("x*"):
            if left.name != "xrecords.ndjson":
                left.unlink()
        argv = [
            "strace",
            "-f",
            "-qq",
            "-e",
            "trace=network",
            "-o",
            str(tmp_path / "trace"),
            sys.executable,
            "-m",
        ]
        sent = len(service.seen)
        home = {
            **environ,
            "HOME": str(tmp_path / "home"),
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(ROOT),
        }
        home.pop("UNIFIED_TOKEN")
        command = [*argv, "unified_cli", *shlex.split(line), "--replay", f"{tmp_path}/{number}.har"]
        two = subprocess.run(
            command, check=False, capture_output=True, input=stdin, env=home, timeout=120
        )
        assert (two.returncode, len(service.seen)) == (one.returncode, sent), line
        assert (tmp_path / "trace").read_text() == "", line


def test_a_killed_command_leaves_a_recording_that_can_be_read(
    service: Service, unified: Unified, tmp_path: Path
) -> None:
    page = b'{"result":[{"id":"1"}],"next_cursor":"c%d"}'
    go_on = threading.Event()

    def reply(_: Seen) -> Reply:
        # Killed while it waits: within a write the kernel may leave part of it.
        if len(service.seen) == 30:
            go_on.wait(60)
        return Reply(200, page % len(service.seen))

    service.reply = reply
    har = tmp_path / "a.har"
    line = ["ticketing", "tickets", "list", "--all", "-o", "ids", "--rate", "0"]
    argv = [sys.executable, "-m", "unified_cli", *line]
    running = subprocess.Popen(
        [*argv, "--record", str(har)],
        env={**service.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
    )
    while len(service.seen) < 30:
        time.sleep(0.01)
    running.kill()
    running.wait()
    go_on.set()
    assert har.stat().st_mode & 0o777 == 0o600
    count = len(json.loads(har.read_bytes())["log"]["entries"])
    assert 20 < count <= len(service.seen)
    replayed = unified([*line, "--replay", str(har)], environ=service.environ)
    assert (replayed.code, replayed.stdout.count("\n")) == (5, count)
