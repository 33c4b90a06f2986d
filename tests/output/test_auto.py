"""The format `auto`: a table at a terminal, JSON elsewhere, in every place that names
it.
"""

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import ROOT, Unified
from pages import serve, tickets
from screen import Terminal
from server import Reply, Service

LIST = "ticketing tickets list"
PROFILE = '\n[profiles.acme]\naccount_id = "7"\n'
WAYS = {
    "flag": ("-o auto", {}, PROFILE),
    "before the API": ("EARLY", {}, PROFILE),
    "environment": ("", {"UNIFIED_OUTPUT": "auto"}, f'output = "ids"{PROFILE}'),
    "profile": ("", {}, f'output = "ids"{PROFILE}output = "auto"\n'),
    "config": ("", {}, f'output = "auto"{PROFILE}'),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_table_at_a_terminal_and_json_elsewhere(
    way: str, unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    option, environ, text = WAYS[way]
    config(text)
    serve(service, [tickets(3)])
    command = f"-o auto -p acme {LIST}" if option == "EARLY" else f"-p acme {LIST} {option}"
    environ = {**service.environ, **environ}
    off, at = unified(command, environ=environ), unified(command, environ=environ, tty=True)
    assert [one["id"] for one in off.json["result"]] == ["t-0", "t-1", "t-2"]
    assert (at.code, at.stdout.split()[:3]) == (0, ["\x1b[1mID", "NAME\x1b[0m", "t-0"])


def test_the_default_is_json_at_a_terminal_too(unified: Unified, service: Service) -> None:
    serve(service, [tickets(3)])
    assert unified(LIST, environ={**service.environ, "NO_COLOR": "1"}, tty=True).stdout.startswith(
        "{\n"
    )


@pytest.mark.needs("jq")
def test_another_program_gets_json_while_the_terminal_shows_a_table(
    service: Service, config: Callable[[str], Path], tmp_path: Path
) -> None:
    path = config('output = "auto"\n')
    serve(service, [tickets(50)])
    environ = {
        **service.environ,
        "UNIFIED_CONFIG": str(path),
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
    }
    shown = Terminal(shlex.split(f"{LIST} --limit 3"), environ)
    assert shown.end() == 0
    assert shown.lines[1].split() == ["t-0", "Ticket", "0"]
    piped = f"{shlex.quote(sys.executable)} -P -m unified_cli {LIST} | jq -r '.result[49].id'"
    found = subprocess.run(
        ["/bin/sh", "-c", piped], env=environ, capture_output=True, check=True, timeout=60
    )
    assert found.stdout == b"t-49\n"


@pytest.mark.parametrize("more", ["", "--all"])
def test_auto_is_json_in_a_file(
    more: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve(service, [tickets(3)])
    words = f"{LIST} -o auto {more} --out {tmp_path}/found"
    assert unified(words, environ=service.environ, tty=True).code == 0
    assert len(json.loads((tmp_path / "found").read_bytes())["result"]) == 3
    serve(service, [tickets(3)])
    assert unified(
        f"{LIST} -o auto {more} --out -", environ=service.environ, tty=True
    ).stdout.startswith("\x1b[1mID")


@pytest.mark.parametrize("more", ["", "--all"])
@pytest.mark.parametrize("way", ["-p acme", "-p acme -p other"])
def test_a_jq_program_has_the_same_input_at_a_terminal(
    more: str, way: str, unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    config(f'output = "auto"\n{PROFILE}[profiles.other]\naccount_id = "8"\n')
    serve(service, [tickets(3)])
    command = f"{way} {LIST} --jq '.result | length' {more}"
    off, at = (
        unified(command, environ={**service.environ, "NO_COLOR": "1"}, tty=tty)
        for tty in (False, True)
    )
    assert (off.code, off.stdout) == (at.code, at.stdout)
    assert off.json == (3 if way == "-p acme" else 6)


def test_other_commands_take_it_from_before_their_name(
    unified: Unified, config: Callable[[str], Path]
) -> None:
    config(PROFILE)
    assert "acme" in unified("-o auto profile list", tty=True).stdout
    assert [one["name"] for one in unified("-o auto profile list").json["profiles"]] == ["acme"]


def test_changes_that_are_followed_are_lines(unified: Unified, service: Service) -> None:
    served = [tickets(2)]
    service.reply = lambda _: (
        Reply(200, json.dumps({"result": served.pop(), "next_cursor": None}).encode())
        if served
        else Reply(403, b"{}")
    )
    found = unified(f"{LIST} --follow -o auto --retries 0", environ=service.environ)
    assert [json.loads(line)["id"] for line in found.stdout.splitlines()] == ["t-0", "t-1"]


def test_an_error_is_json_where_the_result_would_be(unified: Unified, service: Service) -> None:
    service.reply = lambda _: Reply(404, b"{}")
    environ = {**service.environ, "UNIFIED_OUTPUT": "auto"}
    assert json.loads(unified(LIST, environ=environ).stderr)["error"]["status"] == 404
    assert unified(LIST, environ=environ, tty=True).stderr.startswith("error: ")
