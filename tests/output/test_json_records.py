"""JSON on stdout: as served on a pipe, pretty on a terminal, the same value on both."""

import json
import re
from pathlib import Path

import msgspec
import pytest
from front_door import Unified
from server import Reply, Service

LONG = "x" * 10_000
SERVED = (
    b'{"price": 1.10,  "big": 1234567890123456789, "vast": 1e400, "smile": "\\ud83d\\ude00",'
    b' "half": "\\ud83d", "markup": "[bold]:smile:[/]", "a": 1, "a": 2, "name": "M\xc3\xbcller",'
    b' "long": "' + LONG.encode() + b'"}'
)
COLOUR = re.compile("\x1b\\[[0-9;]*m")
HOSTILE = '{"title":"\u009b31m\u202e\u200b\x7f","esc":"\\u001b]52;c;x\\u0007"}'.encode()


def answering(service: Service, body: bytes, kind: str = "application/json") -> None:
    service.reply = lambda _: Reply(200, body, {"Content-Type": kind})


@pytest.mark.parametrize("output", ["-o json", "", "-o raw"])
def test_a_pipe_gets_the_bytes_as_served(output: str, unified: Unified, service: Service) -> None:
    answering(service, SERVED)
    result = unified(f"ticketing tickets get 1 {output}", environ=service.environ)
    assert (result.raw, result.stderr, result.code) == (
        SERVED + (b"" if "raw" in output else b"\n"),
        "",
        0,
    )


@pytest.mark.parametrize(
    "command",
    [
        "ticketing tickets get 1",
        "ticketing tickets list",
        "ticketing tickets create -f name=a",
        "request GET /unified/x",
    ],
)
@pytest.mark.parametrize("body", [b'\xef\xbb\xbf{"a": 1.10}', b'\xef\xbb\xbf\r\n{"a":1}\r\n \n'])
def test_raw_is_the_bytes_with_their_byte_order_mark(
    body: bytes, command: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    answering(service, body)
    assert unified(f"{command} -o raw", environ=service.environ).raw == body
    path = tmp_path / "raw"
    assert unified(f"{command} -o raw --out {path}", environ=service.environ).code == 0
    assert path.read_bytes() == body
    # A parser of JSON takes no such mark.
    assert unified(command, environ=service.environ).raw.startswith(body[3:])


def test_a_body_that_ends_its_line_gets_no_second_newline(
    unified: Unified, service: Service
) -> None:
    answering(service, b'{"id": "1"}\n')
    assert unified("ticketing tickets get 1", environ=service.environ).raw == b'{"id": "1"}\n'


@pytest.mark.parametrize(
    ("environ", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_a_terminal_gets_it_pretty_and_not_a_digit_changed(
    environ: dict[str, str], coloured: bool, unified: Unified, service: Service
) -> None:
    answering(service, SERVED.replace(b' "half": "\\ud83d",', b""))
    result = unified("ticketing tickets get 1", environ={**service.environ, **environ}, tty=True)
    assert ("\x1b[" in result.stdout) is coloured
    plain = unified(
        "ticketing tickets get 1", environ={**service.environ, "NO_COLOR": "1"}, tty=True
    ).stdout
    assert plain.splitlines()[:4] == [
        "{",
        '  "price": 1.10,',
        '  "big": 1234567890123456789,',
        '  "vast": 1e400,',
    ]
    assert msgspec.json.format(plain.encode(), indent=-1) == msgspec.json.format(
        SERVED.replace(b' "half": "\\ud83d",', b""), indent=-1
    )


def test_server_text_cannot_drive_the_terminal_and_stays_the_same_value(
    unified: Unified, service: Service
) -> None:
    answering(service, HOSTILE)
    shown = unified(
        "ticketing tickets get 1", environ={**service.environ, "NO_COLOR": "1"}, tty=True
    ).stdout
    assert (
        shown
        == '{\n  "title": "\\u009b31m\\u202e\\u200b\\u007f",\n  "esc": "\\u001b]52;c;x\\u0007"\n}\n'
    )
    assert json.loads(shown) == json.loads(HOSTILE)
    assert unified("ticketing tickets get 1", environ=service.environ).raw == HOSTILE + b"\n"


@pytest.mark.parametrize(
    ("option", "environ", "tty", "coloured"),
    [
        ("", {"FORCE_COLOR": "1"}, False, True),
        ("", {"CLICOLOR_FORCE": "1"}, False, True),
        ("", {"CLICOLOR_FORCE": "0"}, False, False),
        ("", {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, True, False),
        ("", {"CLICOLOR": "0"}, True, False),
        ("", {"CLICOLOR": "1"}, False, False),
        ("--color always", {"NO_COLOR": "1"}, False, True),
        ("--color=never", {"FORCE_COLOR": "1"}, True, False),
        ("--color auto", {}, True, True),
    ],
)
@pytest.mark.parametrize("command", ["get 1", "list", "list --all", "list -o ndjson"])
def test_colours_are_chosen_by_option_then_variables_then_terminal(
    command: str,
    option: str,
    environ: dict[str, str],
    tty: bool,
    coloured: bool,
    unified: Unified,
    service: Service,
) -> None:
    answering(service, b'{"result": [{"id": "1"}]}')
    result = unified(
        f"ticketing tickets {command} {option}", environ={**service.environ, **environ}, tty=tty
    )
    assert result.code == 0
    assert ("\x1b[" in result.stdout) is coloured
    assert msgspec.json.decode(COLOUR.sub("", result.stdout)) in (
        {"result": [{"id": "1"}]},
        {"result": [{"id": "1"}], "next_cursor": None},
        {"id": "1"},
    )


def test_an_unknown_choice_of_colours_is_refused(unified: Unified) -> None:
    said = (
        "error: unified ticketing tickets list: invalid value for '--color': 'rainbow' is not one"
        " of 'auto', 'always', 'never' (unified ticketing tickets list --help)\n"
    )
    result = unified("ticketing tickets list --color rainbow")
    assert (result.stdout, result.stderr, result.code) == ("", said, 2)


def test_bytes_go_to_a_pipe_as_they_are(unified: Unified, service: Service) -> None:
    answering(service, b"\x89PNG\r\n\x00\xff", "image/png")
    result = unified("ats attachments download -q file_url=x", environ=service.environ)
    assert (result.raw, result.stderr, result.code) == (b"\x89PNG\r\n\x00\xff", "", 0)


def test_bytes_are_kept_from_a_terminal(unified: Unified, service: Service) -> None:
    answering(service, b"\x89PNG\r\n\x00\xff", "image/png")
    result = unified("ats attachments download -q file_url=x", environ=service.environ, tty=True)
    said = "error: the answer is image/png, not text (write it with --out FILE, or use --force)\n"
    assert (result.stdout, result.stderr, result.code) == ("", said, 2)
    assert (
        unified(
            "ats attachments download -q file_url=x --force", environ=service.environ, tty=True
        ).stdout
        == "\\x89PNG\\r\n\\x00\\xff"
    )


def test_a_file_appears_whole_and_private_and_is_not_overwritten(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    answering(service, b"\x89PNG", "image/png")
    target = tmp_path / "photo.png"
    command = f"ats attachments download -q file_url=x --out {target}"

    result = unified(command, environ=service.environ)
    assert (result.stdout, result.code) == ("", 0)
    assert target.read_bytes() == b"\x89PNG"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["photo.png"]

    again = unified(command, environ=service.environ)
    assert (again.stderr, again.code) == (f"error: {target} exists (--force overwrites it)\n", 11)
    assert len(service.seen) == 1

    answering(service, b"new", "image/png")
    assert unified(f"{command} --force", environ=service.environ).code == 0
    assert target.read_bytes() == b"new"


def test_a_gateways_page_is_not_shown_as_an_answer(unified: Unified, service: Service) -> None:
    answering(service, b"<html><title>Sign in</title></html>", "text/html")
    result = unified("ticketing tickets list", environ=service.environ)
    hint = "is the base URL right? unified profile show says where it comes from"
    said = f"error: the answer is HTML, not JSON (GET /unified/ticketing/tickets) ({hint})\n"
    assert (result.stdout, result.stderr, result.code) == ("", said, 5)
    assert len(service.seen) == 1
