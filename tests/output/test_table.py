"""Tables: ids whole, readable at 80 columns, uncut on a pipe, and server text that stays text."""

import re
from typing import Any

import pytest
from front_door import Unified
from pages import serve
from server import Service

from unified_cli.text_width import width

LISTS = ["ticketing tickets", "user-directory users", "calendar events", "voice calls"]
HOSTILE = [
    "\x1b]52;c;AAAA\x07clip",
    "\x1b[2Jclear \x9b31m red",
    "\x1b]8;;http://evil\x07link\x1b]8;;\x07",
    "\u202eright to left\u202c",
    "[red]markup[/] [link=http://evil]x[/link] [/] :warning:",
    "a" + "\u0301" * 10_000 + "b",
    "漢字かな交じり文のとても長い題名" * 3,
    "\U0001f600 smile \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "back\bspace \x7f del \0 nul",
    "two\nlines\tand a tab",
    "ไทยที่",
]


@pytest.mark.parametrize("what", LISTS)
def test_a_table_of_the_sandbox_fits_80_columns_with_its_ids_whole(what: str, unified: Unified) -> None:
    ids = unified(f"-p sandbox {what} list -o ids").stdout.split()
    shown = unified(f"-p sandbox {what} list -o table", tty=True, environ={"NO_COLOR": "1"})
    head, *rows = shown.stdout.splitlines()
    assert [row.split()[0] for row in rows] == ids
    assert max(width(line) for line in (head, *rows)) <= 80
    assert head.split()[0] == "ID"
    assert len(re.split(r"\s{2,}", head)) >= 3
    assert "not shown: " in shown.stderr


@pytest.mark.parametrize("what", LISTS)
def test_on_a_pipe_nothing_is_cut(what: str, unified: Unified) -> None:
    records = unified(f"-p sandbox {what} list").json["result"]
    piped = unified(f"-p sandbox {what} list -o table").stdout
    assert "…" not in piped
    for record in records:
        for key in ("name", "title", "first_name", "id"):
            assert str(record.get(key, "")) in piped


def test_columns_stand_under_their_heads_whatever_the_text(unified: Unified, service: Service) -> None:
    serve(service, [[{"id": f"i-{at}", "name": text, "status": "END"} for at, text in enumerate(HOSTILE)]])
    for tty in (True, False):
        result = unified("ticketing tickets list -o table --columns id,name,status", environ=service.environ, tty=tty)
        lines = result.stdout.replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines()
        assert len(lines) == len(HOSTILE) + 1
        ends = {width(line[: line.index("END" if at else "STATUS")]) for at, line in enumerate(lines)}
        assert len(ends) == 1
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", "".join(lines))
        assert "[red]markup[/]" in result.stdout
        assert ":warning:" in result.stdout


@pytest.mark.parametrize(
    "name",
    ["\N{THUMBS UP SIGN}\N{EMOJI MODIFIER FITZPATRICK TYPE-4}", "\N{HEAVY BLACK HEART}\ufe0f", "1\ufe0f\u20e3", "漢"],
)
def test_what_a_terminal_draws_as_one_wide_character_takes_two_columns(
    name: str, unified: Unified, service: Service
) -> None:
    serve(service, [[{"id": "1", "name": f"{name}{name}", "status": "x"}, {"id": "2", "name": "abcd", "status": "x"}]])
    rows = unified("ticketing tickets list -o table --columns id,name,status", environ=service.environ).stdout
    assert rows == f"ID  NAME  STATUS\n1   {name}{name}  x\n2   abcd  x\n"
    serve(service, [[{"id": "1", "name": name * 40}]])
    rows = unified(
        "ticketing tickets list -o table", environ={**service.environ, "NO_COLOR": "1"}, tty=True, columns=40
    )
    assert rows.stdout.splitlines()[1] == f"1   {name * 17}…"


def test_marks_upon_marks_are_drawn_only_so_far(unified: Unified, service: Service) -> None:
    serve(service, [[{"id": "1", "name": HOSTILE[5]}]])
    for tty in (True, False):
        shown = unified("ticketing tickets list -o table", environ=service.environ, tty=tty).stdout
        assert shown.count("\u0301") == 4


@pytest.mark.parametrize("output", ["ndjson", "csv", "tsv", "yaml", "ids", "json", "table"])
def test_no_format_lets_server_text_drive_the_terminal(output: str, unified: Unified, service: Service) -> None:
    serve(service, [[{"id": "1", "name": text, text: 1} for text in HOSTILE]])
    environ = {**service.environ, "NO_COLOR": "1"}
    for how in ("", "--all", "--limit 5"):
        shown = unified(f"ticketing tickets list -o {output} {how}", environ=environ, tty=True)
        assert (shown.code, shown.stdout != "") == (0, True)
        for text in (shown.stdout, shown.stderr):
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", text)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"id": "s-1", "name": "Open"}, "Open"),
        ({"id": "s-1", "name": None}, "s-1"),
        ({"x": 1}, '{"x":1}'),
        ([{"id": "u-1", "name": "Ann"}, {"id": "u-2"}], "Ann, u-2"),
        ([1, "two", None], "1, two, "),
        ({}, "{}"),
        (True, "true"),
        (None, ""),
    ],
)
def test_what_stands_in_a_cell(value: Any, shown: str, unified: Unified, service: Service) -> None:
    serve(service, [[{"id": "1", "status": value, "z": "."}]])
    result = unified("ticketing tickets list -o table --columns id,status,z", environ=service.environ)
    assert result.stdout.splitlines()[1] == f"1   {shown:{max(6, len(shown))}}  ."


def test_an_empty_list_says_so(unified: Unified, service: Service) -> None:
    serve(service, [[]])
    result = unified("ticketing tickets list -o table", environ=service.environ)
    assert (result.stdout, result.stderr, result.code) == ("", "no records\n", 0)


@pytest.mark.parametrize("columns", [1, 20, 40])
def test_a_narrow_terminal_still_gets_the_ids(columns: int, unified: Unified) -> None:
    ids = unified("-p sandbox ticketing tickets list -o ids").stdout.split()
    shown = unified("-p sandbox ticketing tickets list -o table", tty=True, columns=columns, environ={"NO_COLOR": "1"})
    assert [row.split()[0] for row in shown.stdout.splitlines()[1:]] == ids


WIDE = [
    {
        "id": "7b0c5f7e-1111-4c53-9a3c-0d2f8f1f3f3a",
        "name": "A ticket with a long name that does not fit",
        "status": {"id": "s-1"},
        "priority": "high",
        "updated_at": "2026-02-03T04:05:06.000Z",
        "created_at": "2026-01-02T03:04:05Z",
    }
]
LONGER = [{**WIDE[0], "id": "7b0c5f7e-2222-4c53-9a3c-0d2f8f1f3f3a-longer", "status": {"id": "s-1234"}}]


def on_screen(unified: Unified, service: Service, command: str, columns: int) -> list[str]:
    serve(service, [WIDE, LONGER])
    environ = {**service.environ, "NO_COLOR": "1"}
    return unified(
        f"ticketing tickets list -o table {command}", environ=environ, tty=True, columns=columns
    ).stdout.splitlines()


def test_ids_and_times_come_first_and_fit(unified: Unified, service: Service) -> None:
    assert on_screen(unified, service, "", 80) == [
        "ID                                    CREATED_AT         NAME",
        "7b0c5f7e-1111-4c53-9a3c-0d2f8f1f3f3a  2026-01-02 03:04Z  A ticket with a long n…",
    ]


def test_named_columns_share_the_terminal(unified: Unified, service: Service) -> None:
    named = "--columns priority,updated_at,name,id"
    assert on_screen(unified, service, named, 100) == [
        "PRIORITY  UPDATED_AT         NAME                               ID",
        "high      2026-02-03 04:05Z  A ticket with a long name that d…  7b0c5f7e-1111-4c53-9a3c-0d2f8f1f3f3a",
    ]
    assert on_screen(unified, service, named, 72) == [
        "PRIORITY  UPDATED_AT  NAME          ID",
        "high      2026-02-03  A ticket wi…  7b0c5f7e-1111-4c53-9a3c-0d2f8f1f3f3a",
    ]


def test_later_pages_keep_the_layout_and_ids_are_never_cut(unified: Unified, service: Service) -> None:
    assert on_screen(unified, service, "--all --columns id,name,status,priority", 60) == [
        "ID                                    NAME    STATUS  PRIOR…",
        "7b0c5f7e-1111-4c53-9a3c-0d2f8f1f3f3a  A tic…  s-1     high",
        "7b0c5f7e-2222-4c53-9a3c-0d2f8f1f3f3a-longer  A tic…  s-1234  high",
    ]


def test_columns_without_room_are_told(unified: Unified, service: Service) -> None:
    serve(service, [WIDE])
    shown = unified(
        "ticketing tickets list -o table --columns id,name,priority,updated_at",
        environ=service.environ,
        tty=True,
        columns=50,
    )
    assert shown.stdout.splitlines()[1].endswith("  A ti…  high")
    assert shown.stderr == "not shown: updated_at (there is no room for more columns)\n"
