"""The pager, on a real terminal of 24 rows: its input, when it is not used, and how it
ends.
"""

import ctypes
import json
import os
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from front_door import ROOT, Unified
from pages import cursor_of, serve, tickets
from screen import Terminal
from server import Reply, Seen, Service

LIST = "ticketing tickets list -o table"
REMEDY = "(use --no-pager, or name a pager in PAGER)"
MORE = "there are more records"
TOKEN = "t-0123456789-secret"

Start = Callable[..., Terminal]


@pytest.fixture
def start(service: Service, tmp_path: Path) -> Start:
    """Run a command on a terminal; the service has 150 pages of 50 tickets, more than a
    pipe holds.
    """
    serve(service, [tickets(50, 50 * page) for page in range(150)])
    home = {"HOME": str(tmp_path), "UNIFIED_RATE": "0", "UNIFIED_TOKEN": TOKEN, "NO_COLOR": "1"}

    def begin(words: str, **environ: str) -> Terminal:
        return Terminal(shlex.split(words), {**service.environ, **home, **environ})

    return begin


@pytest.fixture
def held(service: Service, start: Start) -> Iterator[threading.Event]:
    """The third page is served when this is set, at the latest at the end."""
    assert start
    good, event = service.reply, threading.Event()

    def reply(seen: Seen) -> Reply:
        if cursor_of(seen) == "c2":
            event.wait(60)
        return good(seen)

    service.reply = reply
    yield event
    event.set()


def program(path: Path, text: str) -> str:
    """A pager of that text, by its path."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o700)
    return str(path)


@pytest.mark.needs("less")
def test_the_first_record_is_on_the_first_screen_and_q_ends_it(
    start: Start, service: Service
) -> None:
    terminal = start(f"{LIST} --all")
    shown = terminal.until(r"(?s)ID .*\r\n.*\n:")
    terminal.press("q")
    assert terminal.end() == 0
    assert shown.splitlines()[1].startswith("t-0 ")
    assert "t-49" not in terminal.sent
    # The pipe's capacity was read, and no more.
    assert len(service.seen) < 150
    assert "error" not in terminal.sent


@pytest.mark.needs("less")
def test_q_waits_for_no_page_that_is_under_way(
    start: Start, service: Service, held: threading.Event
) -> None:
    terminal = start(f"{LIST} --all")
    terminal.until(r"\n:")
    # The page after those that are there is asked for.
    while len(service.seen) < 3:
        time.sleep(0.01)
    terminal.press("q")
    assert terminal.end() == 0
    assert not held.is_set()
    assert "error" not in terminal.sent


def test_output_that_fits_the_screen_has_no_pager(start: Start) -> None:
    terminal = start(f"{LIST} --limit 20", PAGER="false")
    assert terminal.end() == 0
    assert "t-19" in terminal.lines[20]
    assert "pager" not in terminal.sent


@pytest.mark.parametrize(
    ("option", "environ"),
    [
        ("--no-pager", {}),
        ("", {"TERM": "dumb"}),
        ("", {"PAGER": ""}),
        ("", {"UNIFIED_PAGER": "", "PAGER": "cat -n"}),
    ],
)
def test_it_can_be_turned_off(option: str, environ: dict[str, str], start: Start) -> None:
    terminal = start(f"{LIST} {option}", **{"PAGER": "false", **environ})
    assert terminal.end() == 0
    assert [line[:4].strip() for line in terminal.lines[:51]] == [
        "ID",
        *(f"t-{at}" for at in range(50)),
    ]
    assert terminal.lines[51].startswith(MORE)


@pytest.mark.needs("sed")
def test_the_config_file_names_it_below_the_variable_of_our_own(
    start: Start, tmp_path: Path
) -> None:
    path = tmp_path / "config.toml"
    path.write_text("pager = \"sed 's/^/file /'\"\n")
    path.chmod(0o600)
    terminal = start(LIST, UNIFIED_CONFIG=str(path), PAGER="sed s/^/other/")
    assert terminal.end() == 0
    assert terminal.lines[50].startswith("file t-49")
    terminal = start(LIST, UNIFIED_CONFIG=str(path), UNIFIED_PAGER="sed s/^/ours/")
    assert terminal.end() == 0
    assert terminal.lines[50].startswith("ourst-49")


@pytest.mark.parametrize(
    "command", [LIST, "ticketing tickets list", "ticketing tickets list --help"]
)
def test_a_table_json_and_help_go_through_it(command: str, start: Start, tmp_path: Path) -> None:
    terminal = start(command, PAGER=f"tee '{tmp_path}/what it got'")
    assert terminal.end() == 0
    assert (tmp_path / "what it got").read_text().count("\n") > 24


def test_its_words_are_those_of_a_shell_and_no_shell_runs(start: Start, tmp_path: Path) -> None:
    own = program(tmp_path / "a pager", f'cat > /dev/null; printf "<%s>" "$@" > "{tmp_path}/words"')
    assert start(LIST, PAGER=f"'{own}' -a 'b c' \"$HOME\" ; *").end() == 0
    assert (tmp_path / "words").read_text() == "<-a><b c><$HOME><;><*>"


def test_it_inherits_neither_the_token_nor_files(start: Start, tmp_path: Path) -> None:
    # It waits for the end: until then the connection is open, and what it inherits
    # would be too.
    own = program(tmp_path / "own", "cat > /dev/null; env; echo; echo FILES; ls -1 /proc/self/fd")
    terminal = start(f"{LIST} --all", PAGER=own)
    assert terminal.end() == 0
    assert "HOME=" in terminal.sent
    assert "UNIFIED_TOKEN" not in terminal.sent
    assert TOKEN not in terminal.sent
    # The last one is that of `ls` itself, for the folder.
    files = terminal.lines[terminal.lines.index("FILES") + 1 :]
    assert [line for line in files if line.isdigit()] == ["0", "1", "2", "3"]


def test_the_pager_gets_no_terminal_controls(
    start: Start, service: Service, tmp_path: Path
) -> None:
    serve(service, [[{"id": f"t-{at}", "name": "\x1b[2Jgone\x07\u202e"} for at in range(50)]])
    for form in ("table", "markdown", "json", "yaml", "csv", "ids"):
        assert start(f"ticketing tickets list -o {form}", PAGER=f"tee {tmp_path}/got").end() == 0
        got = (tmp_path / "got").read_text()
        assert got.count("\n") >= 50
        assert not {"\x1b", "\x07", "\u202e"} & {*got}


@pytest.mark.parametrize(
    ("pager", "said"),
    [
        ("no-such-pager -x", f"the pager cannot start: no program 'no-such-pager' {REMEDY}"),
        ("/etc/passwd", f"the pager cannot start: Permission denied {REMEDY}"),
        ("less 'open", f'the pager cannot start: "less \'open": no closing quotation {REMEDY}'),
        ("false", "the pager ended with 1"),
        ("sh -c 'kill -9 $$'", "the pager was killed by signal 9"),
    ],
)
def test_without_a_working_pager_all_output_is_shown_with_a_note(
    pager: str, said: str, start: Start
) -> None:
    terminal = start(LIST, PAGER=pager)
    assert terminal.end() == 0
    assert [line[:4].strip() for line in terminal.lines[:51]] == [
        "ID",
        *(f"t-{at}" for at in range(50)),
    ]
    told = " ".join(line.strip() for line in terminal.lines[51:])
    assert told.startswith(f"{said} {MORE}")


def test_without_less_the_output_is_shown(start: Start, tmp_path: Path) -> None:
    terminal = start(LIST, PATH=str(tmp_path))
    assert terminal.end() == 0
    assert terminal.lines[51].startswith("the pager cannot start: no program 'less'")


@pytest.mark.needs("script", "grep")
def test_a_pager_that_dies_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    own = program(tmp_path / "own", "stty -echo -icanon; head -c 1 > /dev/null; kill -9 $$")
    after = 'stty -a | grep -o "[-]*icanon\\|[-]*echo "'
    command = f"{shlex.quote(sys.executable)} -P -m unified_cli -p sandbox ticketing tickets list"
    shell = f"stty rows 24 cols 80; {command}; {after}"
    # `screen.Terminal` runs the program alone; here a shell looks at the terminal
    # afterwards.
    environ = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm",
        "HOME": str(tmp_path),
        "PAGER": own,
    }
    argv = ["script", "-qec", shell, os.devnull]
    found = subprocess.run(
        argv, env=environ, capture_output=True, check=False, timeout=60, stdin=subprocess.DEVNULL
    )
    assert found.stdout.decode().split()[-2:] == ["icanon", "echo"]
    assert b"the pager was killed by signal 9" in found.stdout


@pytest.mark.needs("less")
def test_messages_wait_for_its_end(start: Start) -> None:
    terminal = start(f"{LIST} -v")
    terminal.until(r"\n:")
    # A user who quits early sees nothing more.
    terminal.press("G")
    terminal.until(r"\(END\)")
    terminal.press("q")
    assert terminal.end() == 0
    first, screen = terminal.sent.split("ID ", 1)
    assert "GET /unified/ticketing/tickets" in first
    assert MORE in screen.split("\x1b[?1l")[1]


@pytest.mark.needs("less")
def test_ctrl_c_ends_the_reading_and_leaves_no_pager(
    start: Start, service: Service, held: threading.Event
) -> None:
    terminal = start(f"{LIST} --all")
    terminal.until(r"\n:")
    # The third page is asked for when the first is done.
    while not any(cursor_of(seen) == "c2" for seen in service.seen):
        time.sleep(0.01)
    terminal.interrupt()
    terminal.interrupt()
    assert terminal.press_to_end("q") == 130
    assert not held.is_set()
    last = " ".join(terminal.sent.rpartition("\x1b[?1l")[2].removeprefix("\x1b>").split())
    # A page may be on its way to the pager.
    first = ("50 records in 1 page", "50 records in 1 page and part of another")
    done = (
        *(f"{one}; to continue: --cursor c1" for one in first),
        "100 records in 2 pages; to continue: --cursor c2",
    )
    # A q that is pressed once more, after the pager's end, is echoed.
    last = last.lstrip("q")
    assert last in {f"error: interrupted; stopped after {one}" for one in done}


@pytest.mark.needs("less")
def test_sigterm_ends_it_too(start: Start) -> None:
    terminal = start(f"{LIST} --all")
    terminal.until(r"\n:")
    terminal.terminate()
    assert terminal.end() == 143
    assert "terminated" in terminal.sent


@pytest.mark.needs("less")
@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "tgkill"), reason="needs tgkill of glibc")
def test_a_signal_just_before_a_write_ends_it_too(start: Start) -> None:
    terminal = start(f"{LIST} --all")
    terminal.until(r"\n:")
    # Until the pipe is full.
    time.sleep(0.5)
    terminal.terminate_unseen()
    assert terminal.end() == 143


@pytest.mark.needs("less")
def test_quitting_hides_no_failure_of_before(
    start: Start, service: Service, tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    profiles = "".join(f'[profiles.p{at}]\naccount_id = "{at}"\n' for at in range(9))
    config.write_text(f'base_url = "{service.environ["UNIFIED_BASE_URL"]}"\n{profiles}')
    config.chmod(0o600)
    good = service.reply

    def reply(seen: Seen) -> Reply:
        account = dict(seen.query)["integrated_account_id"]
        if account == "0":
            return Reply(404, b'{"statusCode": 404, "message": "none"}')
        time.sleep(0.2 if account == "1" else 1)
        return good(seen)

    service.reply = reply
    terminal = start(f"-p p* {LIST} --all --workers 4", UNIFIED_CONFIG=str(config))
    terminal.until(r"\n:")
    terminal.press("q")
    assert terminal.end() == 9
    assert "1 of 9 connections failed" in " ".join(terminal.lines[-3:])


@pytest.mark.needs("less")
def test_output_after_a_question_has_a_pager_too(
    start: Start, service: Service, tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    profiles = "".join(f'[profiles.p{at}]\naccount_id = "{at}"\n' for at in range(40))
    config.write_text(f'base_url = "{service.environ["UNIFIED_BASE_URL"]}"\n{profiles}')
    config.chmod(0o600)
    writes, screenful = list[Seen](), threading.Event()

    def reply(seen: Seen) -> Reply:
        # Rows that come one by one are shown after a second, without a pager.
        if seen.method == "PATCH":
            writes.append(seen)
            if len(writes) == 30:
                screenful.set()
            screenful.wait(60)
        return Reply(200, seen.body)

    service.reply = reply
    terminal = start("-p p* ticketing tags update t1 -f name=x", UNIFIED_CONFIG=str(config))
    terminal.until(r"\[y/N\] ")
    terminal.enter("y")
    terminal.until(r"\n:")
    assert terminal.press_to_end("q") == 0
    assert len(writes) == 40


def test_quitting_changes_no_outcome_of_writes(service: Service, tmp_path: Path) -> None:
    records = tmp_path / "records"
    records.write_text(
        "".join(json.dumps({"id": f"t-{at}", "name": "x" * 2000}) + "\n" for at in range(100))
    )

    def reply(seen: Seen) -> Reply:
        last = seen.path.endswith("/t-99")
        return Reply(
            404 if last else 200, b'{"statusCode": 404, "message": "none"}' if last else seen.body
        )

    service.reply = reply
    terminal = Terminal(
        ["ticketing", "tickets", "update", "-", "-o", "json"],
        {**service.environ, "HOME": str(tmp_path), "UNIFIED_RATE": "0", "PAGER": "head -n 1"},
        stdin=records,
    )
    assert terminal.end() == 9
    assert len(service.seen) == 100


def test_a_question_comes_when_the_pager_has_gone(start: Start) -> None:
    terminal = start("ticketing tickets delete 7")
    terminal.until(r"\[y/N\] ")
    terminal.enter("n")
    assert terminal.end() == 2


def test_a_few_lines_are_shown_although_more_may_come(start: Start, service: Service) -> None:
    serve(service, [tickets(3), tickets(3, 3)])
    good, shown = service.reply, threading.Event()

    def reply(seen: Seen) -> Reply:
        if cursor_of(seen):
            assert shown.wait(60)
        return good(seen)

    service.reply = reply
    terminal = start("ticketing tickets list --all -o ids")
    terminal.until("t-2")
    shown.set()
    assert terminal.end() == 0
    assert terminal.lines[:6] == [f"t-{at}" for at in range(6)]


@pytest.mark.parametrize(
    ("pager", "less"),
    [("less", "-i"), ("less", "FRX"), ("less", None), ("less -i", "-S -Pa prompt")],
)
def test_less_shows_colours_whatever_it_is_set_to(
    pager: str, less: str | None, start: Start, tmp_path: Path
) -> None:
    fake = program(tmp_path / "less", f'printf "%s\\n" "$@" > {tmp_path / "words"}\ncat')
    environ = {"PAGER": pager.replace("less", fake), **({"LESS": less} if less else {})}
    assert start(f"{LIST} --all", **environ).end() == 0
    words = (tmp_path / "words").read_text().split()
    assert words == [*pager.split()[1:], "-R"]


def test_other_pagers_get_no_option_of_less(start: Start, tmp_path: Path) -> None:
    fake = program(tmp_path / "more", f"echo $# > {tmp_path / 'words'}\ncat")
    assert start(f"{LIST} --all", PAGER=fake).end() == 0
    assert (tmp_path / "words").read_text() == "0\n"


def test_off_a_terminal_no_pager_starts(unified: Unified, service: Service) -> None:
    serve(service, [tickets(50)])
    found = unified(LIST, environ={**service.environ, "PAGER": "false"})
    assert (found.stderr, found.code, found.stdout.count("\n")) == ("", 0, 51)
