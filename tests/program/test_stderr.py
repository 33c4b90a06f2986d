"""Messages on a terminal break at blanks, and never within what is to be copied."""

import os
import shlex
from pathlib import Path

import pytest
from screen import Terminal
from server import Reply, Service

from unified_cli.stderr import wrapped


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("error: short", ["error: short"]),
        ("error: the service answered 404 to it", ["error: the service", "  answered 404 to it"]),
        ("broken off; to continue: --cursor abc", ["broken off; to", "  continue:", "  --cursor abc"]),
        ("no such profile (unified profile list)", ["no such profile", "  (unified profile", "  list)"]),
        ("no profile here (unified profile)", ["no profile here", "  (unified profile)"]),
        ("a-word-that-is-longer-than-the-line", ["a-word-that-is-longer-than-the-line"]),
        ("two  blanks stay in a line, as they are", ["two  blanks stay in", "  a line, as they", "  are"]),
    ],
)
def test_a_line_breaks_at_blanks(line: str, expected: list[str]) -> None:
    assert wrapped(line, 20) == expected


def test_data_on_a_terminal_stays_in_one_line(service: Service, tmp_path: Path) -> None:
    words = ["ticketing", "tickets", "create", "-vv", "-f", f"name={'many words ' * 9}"]
    terminal = Terminal(words, {**service.environ, "HOME": str(tmp_path)}, columns=40, to=Path(os.devnull))
    assert terminal.end() == 0
    assert f'> {{"name":"{"many words " * 9}"}}\r\n' in terminal.sent


@pytest.mark.parametrize(("command", "whole"), [("", False), ("--json-errors", True)])
def test_an_error_on_a_terminal(command: str, whole: bool, service: Service, tmp_path: Path) -> None:
    words = ["ticketing", "tickets", "get", "no-such-record", *shlex.split(command)]
    terminal = Terminal(words, {**service.environ, "HOME": str(tmp_path)}, columns=40, to=Path(os.devnull))
    service.reply = lambda _: Reply(404, b'{"statusCode": 404, "message": "there is no such record anywhere"}')
    assert terminal.end() == 4
    if whole:
        assert terminal.sent.count("\n") == 1
    else:
        assert max(map(len, terminal.lines)) <= 40
        assert terminal.sent.count("\n") > 2
        assert " ".join(line.strip() for line in terminal.lines).startswith("error: the service answered 404 to GET")
