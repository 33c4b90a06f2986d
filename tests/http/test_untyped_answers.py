"""An answer without a Content-Type is JSON where that is due and it parses, else
bytes.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from server import Reply, Service

BYTES = b"\x89PNG\r\n\x00\xff"
GET = "ticketing tickets get 7"
LIST = "ticketing tickets list"
CREATE = "ticketing tickets create -f name=a"
DOWNLOAD = "ats attachments download -q file_url=x"
REQUEST = "request GET /any"
COMMANDS = [GET, LIST, CREATE, DOWNLOAD, REQUEST]


def answer(service: Service, body: bytes, **headers: str) -> None:
    service.reply = lambda _: Reply(200, body, headers)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("form", ["", "-o raw", "-o json"])
@pytest.mark.parametrize("body", [BYTES, b"text", b"a,b\n1,2\n", b"%PDF-1.7"])
def test_bytes_are_printed(
    body: bytes, form: str, command: str, unified: Unified, service: Service
) -> None:
    answer(service, body)
    result = unified(f"{command} {form}", environ=service.environ)
    assert (result.raw, result.stderr, result.code, len(service.seen)) == (body, "", 0, 1)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("body", [BYTES, b'{"broken', b"<html>a page</html>"])
def test_bytes_are_saved(
    body: bytes, command: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    answer(service, body)
    form = "-o raw" if command in (LIST, CREATE) else ""
    result = unified(f"{command} {form} --out {tmp_path / 'f'}", environ=service.environ)
    assert ((tmp_path / "f").read_bytes(), result.code, len(service.seen)) == (body, 0, 1)


def test_a_file_of_any_size_is_saved(unified: Unified, service: Service, tmp_path: Path) -> None:
    answer(service, b"x" * (65 << 20))
    result = unified(f"{DOWNLOAD} --out {tmp_path / 'f'}", environ=service.environ)
    assert ((tmp_path / "f").stat().st_size, result.code) == (65 << 20, 0)


@pytest.mark.parametrize("command", [GET, LIST, CREATE, REQUEST])
def test_json_is_json(command: str, unified: Unified, service: Service) -> None:
    body = b'{"result": [{"id": 1.10}], "next_cursor": null}'
    answer(service, body)
    result = unified(f"{command} -o ndjson --jq .", environ=service.environ)
    assert (result.code, json.loads(result.stdout.splitlines()[0])) == (
        0,
        json.loads(result.stdout),
    )
    assert b"1.10" in result.raw
    assert unified(command, environ=service.environ).raw == body + b"\n"


@pytest.mark.parametrize("command", [GET, LIST, REQUEST])
@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        (b'{"statusCode":404,"error":"Not Found"}', 4, "answered 404"),
        (b'{"result": [{"id"', 5, "the answer is damaged JSON without a Content-Type"),
        (b"\xef\xbb\xbf [1, 2", 5, "the answer is damaged JSON without a Content-Type"),
        (b"\n<!DOCTYPE HTML><p>Sign in", 5, "the answer is HTML, not JSON"),
        (b"", 5, "the answer is empty"),
    ],
)
def test_damaged_json_is_an_error(
    body: bytes, code: int, said: str, command: str, unified: Unified, service: Service
) -> None:
    answer(service, body)
    result = unified(f"{command} --retries 1", environ=service.environ)
    assert (result.stdout, result.code, said in result.stderr) == ("", code, True)


def test_a_write_with_damaged_json_stays_in_doubt(unified: Unified, service: Service) -> None:
    answer(service, b'{"id":')
    assert unified(f"{CREATE} --retries 0", environ=service.environ).code == 10


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (f"{LIST} --all", "as bytes without a Content-Type, not with a page of records"),
        ("ticketing tickets get 7 -p ?", "as bytes without a Content-Type, not with a record"),
        ("ticketing tickets get -", "is bytes without a Content-Type, not a record"),
    ],
)
def test_records_are_not_bytes(
    command: str, said: str, unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    config('[profiles.a]\naccount_id = "1"\n')
    answer(service, BYTES)
    result = unified(f"{command} -o ndjson", environ=service.environ, stdin=b"7\n")
    assert (result.stdout, said in result.stderr) == ("", True), result.stderr
    assert result.code in (5, 9)


def test_a_terminal_gets_no_bytes(unified: Unified, service: Service) -> None:
    answer(service, BYTES)
    result = unified(GET, environ=service.environ, tty=True)
    assert (
        result.code,
        "the answer is bytes without a Content-Type, not text" in result.stderr,
    ) == (
        2,
        True,
    )


@pytest.mark.parametrize("coding", ["none", "None", "identity", "Identity", " , none"])
@pytest.mark.parametrize("out", [False, True])
def test_no_coding_may_be_named(
    out: bool, coding: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    body = b'{"id": "7"}'
    headers = {"Content-Type": "application/json", "Content-Encoding": coding}
    service.reply = lambda _: Reply(200, body, headers)
    path = tmp_path / "f"
    result = unified(f"{GET} {f'--out {path}' if out else ''}", environ=service.environ)
    assert result.code == 0, result.stderr
    assert (path.read_bytes() if out else result.raw.strip()) == body
