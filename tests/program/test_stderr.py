"""Messages on a terminal break at blanks, and never within text to be copied."""

import os
import shlex
from collections.abc import Callable
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
        (
            "broken off; to continue: --cursor abc",
            ["broken off; to", "  continue:", "  --cursor abc"],
        ),
        (
            "no such profile (unified profile list)",
            ["no such profile", "  (unified profile", "  list)"],
        ),
        ("unified a: no id (unified b c)", ["unified a: no id", "  (unified b c)"]),
        ("error: unified x y: it is lost", ["error: unified x y:", "  it is lost"]),
        ("no profile here (unified profile)", ["no profile here", "  (unified profile)"]),
        ("a-word-that-is-longer-than-the-line", ["a-word-that-is-longer-than-the-line"]),
        (
            "two  blanks stay in a line, as they are",
            ["two  blanks stay in", "  a line, as they", "  are"],
        ),
        ("KEY=VALUE/of-some-words ends", ["KEY=VALUE/of-some-words", "  ends"]),
        ("名前は漢字かな交じりの長い文、です", ["名前は漢字かな交じり", "  の長い文、です"]),
        (
            "ten columns か\u3099か\u3099か\u3099か\u3099か\u3099",
            ["ten columns か\u3099か\u3099か\u3099か\u3099", "  か\u3099"],
        ),
        (
            "a zu\u0308ge zu\u0308ge zu\u0308ge zu\u0308ge",
            ["a zu\u0308ge zu\u0308ge zu\u0308ge", "  zu\u0308ge"],
        ),
        ("    indented as it was and then", ["    indented as it", "  was and then"]),
    ],
)
def test_a_line_breaks_at_blanks(line: str, expected: list[str]) -> None:
    assert wrapped(line, 20) == expected


def test_data_on_a_terminal_stays_in_one_line(service: Service, tmp_path: Path) -> None:
    words = ["ticketing", "tickets", "create", "-vv", "-f", f"name={'many words ' * 9}"]
    terminal = Terminal(
        words, {**service.environ, "HOME": str(tmp_path)}, columns=40, to=Path(os.devnull)
    )
    assert terminal.end() == 0
    assert f'> {{"name":"{"many words " * 9}"}}\r\n' in terminal.sent


PROFILE = "the-connection-of-a-customer-with-a-very-long-name-in-europe"
ACCOUNT = "62f44730-dd91-461e-bd6a-aedd9e0ad79d"
QUESTION = f"""\
delete ticketing tickets {ACCOUNT} in profile
  "{PROFILE}" (account
  {ACCOUNT})? [y/N] n"""


def test_a_question_breaks_between_words_and_is_answered_on_its_last_line(
    service: Service, tmp_path: Path, config: Callable[[str], Path]
) -> None:
    path = config(f'[profiles.{PROFILE}]\nbase_url = "{service.url}"\naccount_id = "{ACCOUNT}"\n')
    own = {**service.environ, "HOME": str(tmp_path), "UNIFIED_CONFIG": str(path)}
    terminal = Terminal(["-p", PROFILE, "ticketing", "tickets", "delete", ACCOUNT], own)
    terminal.until(r"N\] ")
    terminal.enter("n")
    assert (terminal.end(), service.seen) == (2, [])
    assert "\n".join(terminal.lines).startswith(f"{QUESTION}\nerror: not deleted")


@pytest.mark.parametrize(("command", "whole"), [("", False), ("--json-errors", True)])
def test_an_error_on_a_terminal(
    command: str, whole: bool, service: Service, tmp_path: Path
) -> None:
    words = ["ticketing", "tickets", "get", "no-such-record", *shlex.split(command)]
    terminal = Terminal(
        words, {**service.environ, "HOME": str(tmp_path)}, columns=40, to=Path(os.devnull)
    )
    service.reply = lambda _: Reply(
        404, b'{"statusCode": 404, "message": "there is no such record anywhere"}'
    )
    assert terminal.end() == 4
    if whole:
        assert terminal.sent.count("\n") == 1
    else:
        assert max(map(len, terminal.lines)) <= 40
        assert terminal.sent.count("\n") > 2
        assert " ".join(line.strip() for line in terminal.lines).startswith(
            "error: the service answered 404 to GET"
        )
