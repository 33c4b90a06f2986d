"""No line is wider than the terminal and no word is broken, whatever ids and names
there are, on a real terminal.
"""

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from front_door import Unified
from many_connections import Config, account, profiles, run_id
from screen import Pty
from server import Reply, Seen, Service

from unified_cli.stderr import Stderr
from unified_cli.text_width import width

NAMES = (
    "the-connection-of-a-customer-with-a-very-long-name-in-europe",
    "漢字かな交じり文のとても長い名前の顧客の接続、東京と大阪にある会社、",
    "zu\u0308ge-und-stra\u00dfen-der-gro\u00dfen-la\u0308nder-in-der-mitte-von-europa-und-asien",
)
CONNECTIONS = (
    "the-connection-of-a-customer-with-a-very-long-name-in-europe",
    "another-connection-of-another-customer-in-the-north-of-italy",
    "third.connection_of.a_customer_that.has_dots.and_underscores",
)
ID = "62f44730-dd91-461e-bd6a-aedd9e0ad7{:02}"
WHY = (
    "the record is locked by 山田太郎さん until somebody with the scope tickets.write.all or an"
    " owner unlocks it"
)
FIELDS = (
    "id",
    "name",
    "title",
    "status",
    "priority",
    "created_at",
    "updated_at",
    "first_name",
    "description",
)
EACH = " ".join(f"-p {name}" for name in CONNECTIONS)
SAID = "not shown there is no room for more columns --columns chooses the columns -o json has all"
# These ask, and are answered with no.
ASKS = {
    f"ticketing tickets delete {ID.format(1)}",
    f"ticketing tickets update {ID.format(1)} -f name=x {EACH}",
    "runs remove RUN",
}
# The ten operations that people use most, then what many connections and many writes
# show.
COMMANDS = (
    "ticketing tickets list -o table",
    "ticketing tickets list -o table --all",
    "ticketing tickets list -o table --columns name,created_at,id,status",
    f"ticketing tickets get {ID.format(1)} -o table",
    "ticketing tickets create -f name=x -o table",
    f"ticketing tickets update {ID.format(1)} -f name=x -o table",
    *sorted(ASKS),
    "user-directory users list -o table",
    "user-directory users suspend -f user_id=refused",
    "ats candidates list -o table -q name=x",
    f"ticketing tickets list {EACH}",
    f"ticketing tickets list --all --columns id,name,created_at {EACH}",
    f"ticketing tickets get {ID.format(1)} {EACH}",
    f"ticketing tickets update {ID.format(1)} -f name=x --yes {EACH}",
    "ticketing tickets update - -o table < lines",
    "import ticketing/tickets lines --restart --yes",
    "runs list",
    "runs show RUN",
    "runs resume RUN",
    "runs retry RUN",
    "runs show 20260101-0000",
    "operations tickets",
    "sandbox status",
    "profile list",
    f"profile show {CONNECTIONS[0]}",
    f"profile test {CONNECTIONS[0]}",
    "doctor",
    "connections list",
    "capabilities ticketing",
    "schema ticketing/tickets",
    f"diff ticketing/tickets --from {CONNECTIONS[0]} --to {CONNECTIONS[1]}",
    "ticketing tickets list --help",
    "-h",
    "ticketing tickets list --until false --wait-timeout 1",
    f"ticketing tickets list --expect false {EACH}",
    "ticketing tickets lst",
)
_WIDE = "[\u2e80-\u9fff\uff00-\uffef]"


def reply(seen: Seen) -> Reply:
    """Records with long ids and names; the second connection is refused, the third says
    nothing of use.
    """
    at = CONNECTIONS.index(account(seen).removeprefix("a-"))
    if seen.method != "GET" and (at or b"refused" in seen.body):
        text = json.dumps({"statusCode": 409 if at < 2 else 500, "error": "Error", "message": WHY})
        return Reply(409 if at < 2 else 500, text.encode())
    page = int(dict(seen.query).get("next_cursor", "0"))
    found = [record(number) for number in range(page * 4, page * 4 + 4)]
    one = {"result": found, "next_cursor": str(page + 1) if page < 2 else None}
    lists = seen.method == "GET" and seen.segments[-1] in {"tickets", "users", "candidates"}
    return Reply(200, json.dumps(one if lists else found[0]).encode())


def record(number: int) -> dict[str, object]:
    name = NAMES[number % 3]
    return {
        "id": ID.format(number),
        "name": f"{name} and more words",
        "title": name,
        "status": {"id": ID.format(99)} if number % 2 else {"name": name},
        "priority": "high",
        "created_at": "2026-01-02T03:04:05Z",
        "updated_at": "2026-02-03T04:05:06.123Z",
        "description": WHY,
    }


class Home(NamedTuple):
    """A run over the connections, and a file of lines."""

    run: str
    lines: Path
    folder: Path


@pytest.fixture
def home(
    service: Service,
    config: Config,
    tmp_path: Path,
    unified: Unified,
    monkeypatch: pytest.MonkeyPatch,
) -> Home:
    """Connections of long names, a run over them, and lines to import."""
    path = config("")
    profiles(config, service.url, 3)
    text = path.read_text()
    for number, name in enumerate(CONNECTIONS):
        text = text.replace(f"[profiles.c{number:02}]", f'[profiles."{name}"]').replace(
            f"a-c{number:02}", f"a-{name}"
        )
    path.write_text(f'profile = "{CONNECTIONS[0]}"\n{text}')
    monkeypatch.chdir(tmp_path)
    lines = Path("lines")
    lines.write_text(
        "".join(json.dumps({"id": ID.format(at), "name": "x"}) + "\n" for at in range(3))
    )
    service.reply = reply
    return Home(
        run_id(unified(f"ticketing tickets update {ID.format(1)} -f name=x --yes {EACH}").stderr),
        lines,
        tmp_path,
    )


def words(sent: str) -> set[str]:
    """The words that stay on a terminal, without what differs from one time to the
    next, bars, and shortened text, as the name of a connection is in its middle.
    """
    # A slow machine shows a line of progress, which is overwritten later.
    shown = re.sub(r"[^\n]*\r(?!\n)", "", sent).lower()
    text = re.sub(rf"\d{{8}}-[0-9a-f]{{4}}|[█▒░]+|({_WIDE})", r" \1 ", shown)
    return {word for one in text.split() if (word := one.strip(",.;:()\"'│")) and "…" not in one}


@pytest.mark.parametrize("command", COMMANDS)
def test_lines_fit_and_words_are_whole(command: str, home: Home, unified: Unified) -> None:
    asks = command in ASKS

    def shown(columns: int) -> str:
        """The text that is sent to a terminal of that width."""
        terminal = Pty(columns)
        typed = b"n\n" if asks else home.lines.read_bytes() if " < " in command else b""
        words = command.partition(" < ")[0].replace("RUN", home.run)
        stderr, own = Stderr(terminal.stream), {"NO_COLOR": "1", "PAGER": ""}
        done = unified(
            words,
            tty=True,
            columns=columns,
            stdin=typed,
            stdout=terminal.stream,
            stderr=stderr,
            environ=own,
        )
        sent = terminal.close()
        assert done.code != 1
        assert ("[y/N] " in sent) == asks
        # The Enter of an answer begins a new line.
        return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", sent.replace("[y/N] ", "[y/N] n\n"))

    whole = words(shown(1000)) | {*FIELDS, *SAID.split()}
    for columns in (80, 120):
        sent = shown(columns)
        lines = re.split(r"[\r\n]+", sent)
        # The path of a file stays whole, so that it can be copied.
        assert [
            line for line in lines if width(line) > columns and str(home.folder) not in line
        ] == []
        assert sorted(words(sent) - whole) == []
        assert any(lines)
