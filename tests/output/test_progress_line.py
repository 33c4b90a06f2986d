"""Progress on a real terminal: one line below all others, never wider than it, gone at
the end.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pages import cursor_of, serve, tickets
from screen import FULL_CLEAR, Terminal
from server import Reply, Seen, Service

LIST = ["ticketing", "tickets", "list", "-o", "ids"]
BAR = r"━+[╸╺]?━* +\d+ %  \d+ of 600 records, [\d.]+ per second(, about [^,]+ left)?"
COMPLETE = "complete: 600 records in 6 pages"


class Gate:
    """Pages of a hundred tickets, of which the fourth is served when the gate is
    open.
    """

    def __init__(self, service: Service) -> None:
        self.open = threading.Event()
        serve(service, [tickets(100, 100 * page) for page in range(6)])
        self.reply, service.reply = service.reply, self._reply

    def _reply(self, seen: Seen) -> Reply:
        if cursor_of(seen) == "c3":
            self.open.wait(60)
        return self.reply(seen)


@pytest.fixture
def gate(service: Service) -> Iterator[Gate]:
    found = Gate(service)
    yield found
    found.open.set()


Start = Callable[..., Terminal]


@pytest.fixture
def start(service: Service, tmp_path: Path) -> Start:
    def begin(words: list[str], columns: int = 80, piped: str = "", **environ: str) -> Terminal:
        home = {"HOME": str(tmp_path), "UNIFIED_RATE": "0"}
        to = None if piped else tmp_path / "out"
        return Terminal(
            words, {**service.environ, **home, **environ}, columns=columns, to=to, piped=piped
        )

    return begin


def drawn(terminal: Terminal) -> list[str]:
    """Every state of the line, without colours."""
    lines = re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;]*[mK]", "", terminal.sent))
    return [line for line in lines if " of 600" in line]


@pytest.mark.parametrize(
    ("columns", "pattern"), [(30, r"\d+ of 600 records.*"), (80, BAR), (120, BAR)]
)
def test_it_fits_and_is_gone_at_the_end(
    columns: int, pattern: str, gate: Gate, start: Start
) -> None:
    terminal = start([*LIST, "--limit", "600"], columns)
    terminal.until("300 of 600 records")
    gate.open.set()
    assert terminal.end() == 0
    assert " ".join(terminal.lines).split() == COMPLETE.split()
    assert max(map(len, drawn(terminal))) < columns
    assert all(re.fullmatch(pattern, line) for line in drawn(terminal))
    assert not FULL_CLEAR.search(terminal.sent)


@pytest.mark.parametrize(
    "reader",
    [
        "| cat",
        pytest.param("| less -FRX", marks=pytest.mark.needs("less")),
        "| head -n 1000",
        "2>&1 | tee COPY",
    ],
)
def test_the_line_never_mixes_with_another_programs_screen(
    reader: str, gate: Gate, start: Start, service: Service, tmp_path: Path
) -> None:
    good, failed = service.reply, []

    def reply(seen: Seen) -> Reply:
        if cursor_of(seen) == "c2" and not failed:
            failed.append(seen)
            return Reply(500, b"{}")
        return good(seen)

    service.reply = reply
    terminal = start(
        [*LIST, "--limit", "600"], piped=reader.replace("COPY", str(tmp_path / "copy"))
    )
    if "less" not in reader:
        terminal.until("t-299")
    # Longer than from one drawing to the next.
    time.sleep(1.2)
    gate.open.set()
    if "less" in reader:
        terminal.until(":")
        terminal.press("q")
    assert terminal.end() == 0
    assert "per second" not in terminal.sent
    # Text in the pipe keeps its order, and is not painted over.
    assert ("retry 1" in terminal.sent) is ("2>&1" in reader)
    if "less" not in reader:
        lines = [line for line in terminal.lines if line]
        # Without 2>&1 it may overtake text in the pipe.
        assert COMPLETE in (lines[-1:] if "2>&1" in reader else lines)


def test_it_is_plain_without_colours_and_in_ascii(gate: Gate, start: Start) -> None:
    terminal = start([*LIST, "--limit", "600"], NO_COLOR="1", PYTHONIOENCODING="ascii")
    terminal.until(r"-{6} {6} +50 %  300 of 600 records, ")
    gate.open.set()
    assert terminal.end() == 0
    assert "\x1b[3" not in terminal.sent


def test_ctrl_c_leaves_a_clean_terminal_and_prints_how_to_continue(
    gate: Gate, start: Start
) -> None:
    terminal = start([*LIST, "--all"])
    terminal.until("300 records in 3 pages")
    terminal.interrupt()
    assert terminal.end() == 130
    last = "error: interrupted; stopped after 300 records in 3 pages; to continue: --cursor c3"
    assert " ".join(terminal.lines).split() == last.split()
    assert gate


def test_ctrl_c_at_a_prompt_is_answered_on_a_line_of_its_own(tmp_path: Path) -> None:
    terminal = Terminal(["profile", "add", "acme"], {"HOME": str(tmp_path)})
    terminal.until("base URL of the service.*: ")
    terminal.interrupt()
    assert terminal.end() == 130
    assert [line for line in terminal.lines if line][-1] == "error: interrupted; nothing was added"


def test_a_narrowed_terminal_keeps_no_part_of_the_line(gate: Gate, start: Start) -> None:
    terminal = start([*LIST, "--limit", "600"], 100)
    terminal.until("300 of 600 records")
    terminal.resize(40)
    terminal.until(r"\x1b\[\dA\r[^\r]*300 of 600 records")
    gate.open.set()
    assert terminal.end() == 0
    assert terminal.lines == [COMPLETE, ""]


def test_notes_are_above_the_line_and_waits_in_it(service: Service, start: Start) -> None:
    serve(service, [tickets(100, 100 * page) for page in range(6)])
    good, refused = service.reply, [429, 500]

    def reply(seen: Seen) -> Reply:
        if cursor_of(seen) == "c3" and refused:
            status = refused.pop()
            after = {"Retry-After": "2"} if status == 429 else {}
            return Reply(status, b"{}", {**after, "Content-Type": "application/json"})
        return good(seen)

    service.reply = reply
    terminal = start([*LIST, "--limit", "600"], 150)
    terminal.until(r"300 of 600 records, .*1 retry, waiting \d s: the service limits its callers")
    assert terminal.end() == 0
    *note, complete, end = terminal.lines
    assert " ".join(note).endswith(
        ": the service answered 500 to GET /unified/ticketing/tickets: {}"
    )
    assert (complete, end) == (COMPLETE, "")


def sixth_waits(service: Service) -> threading.Event:
    """Answer whatever is asked; the sixth waits for the event; lookups do not count."""
    go_on = threading.Event()
    written: list[Seen] = []

    def reply(seen: Seen) -> Reply:
        if seen.method == "GET" and "attachments" in seen.path:
            return Reply(200, b'{"id": "1", "file_url": "https://files.example/1"}')
        written.append(seen)
        if len(written) > 5:
            go_on.wait(60)
        if seen.path.endswith("/download"):
            return Reply(200, b"x" * 200_000, {"Content-Type": "image/png"})
        return Reply(
            200, b'{"result": [], "next_cursor": null}' if seen.method == "GET" else b'{"id": "1"}'
        )

    service.reply = reply
    return go_on


AGAIN = "to continue: run the same command again"
LISTS = [
    f"ticketing/{name}"
    for name in ("tickets", "tags", "teams", "contacts", "users", "comments", "accounts")
]
WORK = {
    "import": (
        ["import", "ticketing/tags", "in"],
        "5 of 10 records, ",
        "stopped after 5 of 10 records, 1 more was sent; to continue: unified runs resume ID",
    ),
    "export": (
        ["export", *LISTS, "--to", "dump"],
        "5 of 7 lists, 0 records, ",
        (
            f"5 of 7 lists done; to continue: unified export {' '.join(LISTS)} --to FOLDER/dump"
            " --workers 1"
        ),
    ),
    "downloads": (
        ["ticketing", "attachments", "download", "--from", "in", "--out", "files"],
        r"file 6 of 10, 1\.0 MB, ",
        f"stopped after 5 of 10 files, 1.0 MB; {AGAIN}",
    ),
    "lines": (
        ["ticketing", "tags", "update", "-"],
        "5 of 10 records, ",
        "stopped after 5 of 10 records, 1 more was sent; to continue: unified runs resume ID",
    ),
}


@pytest.mark.parametrize("work", WORK)
def test_all_long_work_has_a_progress_line_and_prints_how_to_continue(
    work: str, service: Service, tmp_path: Path
) -> None:
    words, drawn, last = WORK[work]
    (tmp_path / "in").write_text(
        "".join(json.dumps({"id": f"i-{at}", "name": "x"}) + "\n" for at in range(10))
    )
    go_on = sixth_waits(service)
    environ = {**service.environ, "HOME": str(tmp_path), "UNIFIED_RATE": "0"}
    terminal = Terminal(
        [*words, "--workers", "1"],
        environ,
        to=tmp_path / "out",
        stdin=tmp_path / "in",
        cwd=tmp_path,
    )
    try:
        terminal.until(rf" \d+ %  {drawn}")
        terminal.interrupt()
        assert terminal.end() == 130
    finally:
        go_on.set()
    # A long path is continued on the next line.
    shown = re.sub(r"\d{8}-[0-9a-f]{4}", "ID", "".join(terminal.lines)).removeprefix("run ID")
    assert bare(shown) == bare(f"error: interrupted; {last.replace('FOLDER', str(tmp_path))}")


def bare(text: str) -> str:
    """Return the text without blanks."""
    return "".join(text.split())
