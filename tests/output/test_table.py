"""Tables: ids whole, readable at 80 columns, uncut on a pipe, and server text that
stays text.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from many_connections import account, profiles
from pages import serve, served
from server import Reply, Seen, Service

from unified_cli.output import formats
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
def test_a_table_of_the_sandbox_fits_80_columns_with_its_ids_whole(
    what: str, unified: Unified
) -> None:
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


def test_columns_are_aligned_with_their_heads_for_any_text(
    unified: Unified, service: Service
) -> None:
    serve(
        service,
        [[{"id": f"i-{at}", "name": text, "status": "END"} for at, text in enumerate(HOSTILE)]],
    )
    for tty in (True, False):
        result = unified(
            "ticketing tickets list -o table --columns id,name,status",
            environ=service.environ,
            tty=tty,
        )
        lines = result.stdout.replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines()
        assert len(lines) == len(HOSTILE) + 1
        ends = {
            width(line[: line.index("END" if at else "STATUS")]) for at, line in enumerate(lines)
        }
        assert len(ends) == 1
        assert not re.search(
            "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", "".join(lines)
        )
        assert "[red]markup[/]" in result.stdout
        assert ":warning:" in result.stdout


@pytest.mark.parametrize(
    "name",
    [
        "\N{THUMBS UP SIGN}\N{EMOJI MODIFIER FITZPATRICK TYPE-4}",
        "\N{HEAVY BLACK HEART}\ufe0f",
        "1\ufe0f\u20e3",
        "漢",
    ],
)
def test_a_joined_wide_character_takes_two_columns(
    name: str, unified: Unified, service: Service
) -> None:
    serve(
        service,
        [
            [
                {"id": "1", "name": f"{name}{name}", "status": "x"},
                {"id": "2", "name": "abcd", "status": "x"},
            ]
        ],
    )
    rows = unified(
        "ticketing tickets list -o table --columns id,name,status", environ=service.environ
    ).stdout
    assert rows == f"ID  NAME  STATUS\n1   {name}{name}  x\n2   abcd  x\n"
    serve(service, [[{"id": "1", "name": name * 40}]])
    rows = unified(
        "ticketing tickets list -o table",
        environ={**service.environ, "NO_COLOR": "1"},
        tty=True,
        columns=40,
    )
    assert rows.stdout.splitlines()[1] == f"1   {name * 17}…"


def test_marks_upon_marks_are_drawn_only_so_far(unified: Unified, service: Service) -> None:
    serve(service, [[{"id": "1", "name": HOSTILE[5]}]])
    for tty in (True, False):
        shown = unified("ticketing tickets list -o table", environ=service.environ, tty=tty).stdout
        assert shown.count("\u0301") == 4


@pytest.mark.parametrize("output", [one for one in formats.names(formats.RESULTS) if one != "raw"])
def test_no_format_lets_server_text_drive_the_terminal(
    output: str, unified: Unified, service: Service
) -> None:
    serve(service, [[{"id": "1", "name": text, text: 1} for text in HOSTILE]])
    environ = {**service.environ, "NO_COLOR": "1"}
    for how in ("", "--all", "--limit 5"):
        shown = unified(f"ticketing tickets list -o {output} {how}", environ=environ, tty=True)
        assert (shown.code, shown.stdout != "") == (0, True)
        for text in (shown.stdout, shown.stderr):
            assert not re.search(
                "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", text
            )


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
def test_cells_show_values_for_people(
    value: Any, shown: str, unified: Unified, service: Service
) -> None:
    serve(service, [[{"id": "1", "status": value, "z": "."}]])
    result = unified(
        "ticketing tickets list -o table --columns id,status,z", environ=service.environ
    )
    assert result.stdout.splitlines()[1] == f"1   {shown:{max(6, len(shown))}}  ."


def test_an_empty_list_says_so(unified: Unified, service: Service) -> None:
    serve(service, [[]])
    result = unified("ticketing tickets list -o table", environ=service.environ)
    assert (result.stdout, result.stderr, result.code) == ("", "no records\n", 0)


@pytest.mark.parametrize("columns", [1, 20, 40])
def test_a_narrow_terminal_still_gets_the_ids(columns: int, unified: Unified) -> None:
    ids = unified("-p sandbox ticketing tickets list -o ids").stdout.split()
    shown = unified(
        "-p sandbox ticketing tickets list -o table",
        tty=True,
        columns=columns,
        environ={"NO_COLOR": "1"},
    )
    assert [row.split()[0] for row in shown.stdout.splitlines()[1:]] == ids


ID = "7b0c5f7e-1111-4c53-9a3c-0d2f8f1f3f3a"
WIDE = [
    {
        "id": ID,
        "name": "A ticket with a long name that does not fit",
        "status": {"id": "s-1"},
        "priority": "high",
        "updated_at": "2026-02-03T04:05:06.000Z",
        "created_at": "2026-01-02T03:04:05Z",
    }
]
LONGER = [
    {**WIDE[0], "id": "7b0c5f7e-2222-4c53-9a3c-0d2f8f1f3f3a-longer", "status": {"id": "s-1234"}}
]


def on_screen(unified: Unified, service: Service, command: str, columns: int) -> list[str]:
    serve(service, [WIDE, LONGER])
    environ = {**service.environ, "NO_COLOR": "1"}
    return unified(
        f"ticketing tickets list -o table {command}", environ=environ, tty=True, columns=columns
    ).stdout.splitlines()


def test_the_name_comes_first_and_a_time_is_a_day_before_a_name_is_cut(
    unified: Unified, service: Service
) -> None:
    assert on_screen(unified, service, "", 80) == [
        "ID                                    NAME                            CREATED_AT",
        "7b0c5f7e-1111-4c53-9a3c-0d2f8f1f3f3a  A ticket with a long name tha…  2026-01-02",
    ]
    assert on_screen(unified, service, "", 120) == [
        (
            "ID                                    NAME                                      "
            "CREATED_AT  UPDATED_AT  STATUS  PRIORITY"
        ),
        (
            "7b0c5f7e-1111-4c53-9a3c-0d2f8f1f3f3a  A ticket with a long name that does not…  "
            "2026-01-02  2026-02-03  s-1     high"
        ),
    ]


def test_a_name_is_whole_before_a_text_joins(unified: Unified, service: Service) -> None:
    texts = {"name": "Feature request for the mobile app", "description": "It worked before. " * 9}
    serve(service, [[{"id": "tickets-1", "status": "open", **texts, "number": "SUP-1001"}]])
    environ = {**service.environ, "NO_COLOR": "1"}
    line = "ticketing tickets list -o table"
    for columns, heads in ((60, "ID NAME STATUS"), (80, "ID NAME DESCRIPTION NUMBER STATUS")):
        shown = unified(line, environ=environ, tty=True, columns=columns).stdout
        assert shown.splitlines()[0].split() == heads.split()
        assert texts["name"] in shown


def test_the_fields_of_a_record_wrap_in_their_column(unified: Unified, service: Service) -> None:
    service.reply = lambda _: Reply(
        200, json.dumps({**WIDE[0], "tags": [{"id": ID}, {"id": ID}]}).encode()
    )
    environ = {**service.environ, "NO_COLOR": "1"}
    shown = unified("ticketing tickets get 1 -o table", environ=environ, tty=True, columns=50)
    assert (
        shown.stdout == f"id          {ID}\n"
        "name        A ticket with a long name that does\n"
        "            not fit\n"
        "status      s-1\n"
        "priority    high\n"
        "updated_at  2026-02-03T04:05:06.000Z\n"
        "created_at  2026-01-02T03:04:05Z\n"
        f"tags        {ID},\n"
        f"            {ID}\n"
    )
    assert unified("ticketing tickets get 1 -o table", environ=environ).stdout.count("\n") == 7


# To look at the rest of the text again for each line takes minutes.
@pytest.mark.timeout(60)
@pytest.mark.parametrize("letter", ["x", "é"])
def test_a_word_of_any_length_is_folded(letter: str, unified: Unified, service: Service) -> None:
    long = letter * 300_000
    service.reply = lambda _: Reply(200, json.dumps({"id": "1", "name": long}).encode())
    shown = unified("ticketing tickets get 1 -o table", environ=service.environ, tty=True).stdout
    assert shown.count(letter) == len(long)
    assert max(map(width, shown.splitlines())) <= 80


@pytest.mark.timeout(60)
def test_a_text_that_begins_with_a_mark_is_folded(unified: Unified, service: Service) -> None:
    service.reply = lambda _: Reply(
        200, json.dumps({"id": "1", "name": "\u0301" + "é" * 99}).encode()
    )
    shown = unified("ticketing tickets get 1 -o table", environ=service.environ, tty=True).stdout
    assert shown.count("é") == 99


def test_named_columns_share_the_terminal(unified: Unified, service: Service) -> None:
    named = "--columns priority,updated_at,name,id"
    assert on_screen(unified, service, named, 120) == [
        "PRIORITY  UPDATED_AT         NAME                                         ID",
        (
            "high      2026-02-03 04:05Z  A ticket with a long name that does not fit "
            f" {WIDE[0]['id']}"
        ),
    ]
    assert on_screen(unified, service, named, 105) == [
        "PRIORITY  UPDATED_AT  NAME                                         ID",
        (
            "high      2026-02-03  A ticket with a long name that does not fit "
            " 7b0c5f7e-1111-4c53-9a3c-0d2f8f1f3f3a"
        ),
    ]
    assert on_screen(unified, service, named, 72) == [
        "PRIORITY  UPDATED_AT  NAME          ID",
        "high      2026-02-03  A ticket wi…  7b0c5f7e-1111-4c53-9a3c-0d2f8f1f3f3a",
    ]


def test_later_pages_keep_the_layout_and_the_screen_and_ids_are_never_cut(
    unified: Unified, service: Service
) -> None:
    assert on_screen(unified, service, "--all --columns id,name,status,priority", 60) == [
        "ID                                    NAME    STATUS  PRIOR…",
        "7b0c5f7e-1111-4c53-9a3c-0d2f8f1f3f3a  A tic…  s-1     high",
        "7b0c5f7e-2222-4c53-9a3c-0d2f8f1f3f3a-longer  A…  s-1234  hi…",
    ]


def test_columns_without_room_are_reported(unified: Unified, service: Service) -> None:
    serve(service, [WIDE])
    shown = unified(
        "ticketing tickets list -o table --columns id,name,priority,updated_at",
        environ=service.environ,
        tty=True,
        columns=50,
    )
    assert shown.stdout.splitlines()[1].endswith("  A ti…  high")
    assert shown.stderr == "not shown: updated_at (there is no room for more columns)\n"


ODD = {
    "c00": "漢字かな交じり文のとても長い題名" * 4,
    "c01": "zu\u0308ge " * 12,
    "c02": "ok",
    "c03": "\U0001f600" * 40,
}
ACROSS = """\
_PROFILE  NAME                              ID
c00       漢字かな交じり文のとても長い題…   c00-00000000000000000000000000000001
c00       漢字かな交じり文のとても長い題…   c00-00000000000000000000000000000002
c00  漢字かな交じり文のとても長い…   c00-00000000000000000000000000000003-longer
c01       zu\u0308ge zu\u0308ge zu\u0308ge zu\u0308ge zu\u0308ge zu\u0308ge z…  c01-00000000000000000000000000000001
c01       zu\u0308ge zu\u0308ge zu\u0308ge zu\u0308ge zu\u0308ge zu\u0308ge z…  c01-00000000000000000000000000000002
c01  zu\u0308ge zu\u0308ge zu\u0308ge zu\u0308ge zu\u0308ge zu\u0308ge…  c01-00000000000000000000000000000003-longer
c02       ok                                c02-00000000000000000000000000000001
c02       okok                              c02-00000000000000000000000000000002
c02       okokok                     c02-00000000000000000000000000000003-longer
c03       😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀…   c03-00000000000000000000000000000001
c03       😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀…   c03-00000000000000000000000000000002
c03  😀😀😀😀😀😀😀😀😀😀😀😀😀😀…   c03-00000000000000000000000000000003-longer
""".splitlines()  # noqa: E501  as a terminal shows it


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("how", ["", "--columns id,name,number"])
def test_the_table_of_many_does_not_depend_on_the_first_answer(
    how: str, columns: int, unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    profiles(config, service.url, 4)

    def reply(seen: Seen) -> Reply:
        name = account(seen).removeprefix("a-")
        page = int(dict(seen.query).get("next_cursor", "1"))
        number = f"SUP-{10**page}"
        record = {
            "id": f"{name}-{page:032}" + "-longer" * (page == 3),
            "name": ODD[name] * page,
            "number": number,
            "status": "open",
        }
        return Reply(
            200,
            json.dumps(
                {"result": [record], "next_cursor": str(page + 1) if page < 3 else None}
            ).encode(),
        )

    service.reply = reply
    shown = []
    for order in ("-p c00 -p c01 -p c02 -p c03", "-p c03 -p c02 -p c01 -p c00"):
        command = f"ticketing tickets list --all {order} --workers 1 --ordered -o table {how}"
        result = unified(command, tty=True, columns=columns, environ={"NO_COLOR": "1"})
        head, *rows = filter(None, result.stdout.splitlines())
        assert (result.code, len(rows), max(map(width, [head, *rows])) <= columns) == (0, 12, True)
        shown.append((head, sorted(rows)))
    assert shown[0] == shown[1]
    if columns == 80 and not how:
        assert [shown[0][0], *shown[0][1]] == ACROSS


@pytest.mark.parametrize(("columns", "gap"), [(80, True), (120, True), (None, False)])
def test_two_connections_are_distinct_and_their_names_are_whole(
    unified: Unified,
    service: Service,
    config: Callable[[str], Path],
    columns: int | None,
    gap: bool,
) -> None:
    names = ["prod-northwind-eu", "prod-northwind-us"]
    tables = "".join(f'[profiles.{name}]\naccount_id = "{name}"\n' for name in names)
    config(f'base_url = "{service.url}"\ntoken_command = ["printf", "t-0123456789"]\n{tables}')
    records = [{"id": f"t{at}", "name": "A rather long title " * 3} for at in range(2)]
    service.reply = lambda _: served({"result": records, "next_cursor": None})
    result = unified(
        "-p prod-* ticketing tickets list --ordered -o table --quiet",
        tty=columns is not None,
        columns=columns,
        environ={"NO_COLOR": "1"},
    )
    rows = result.stdout.splitlines()[1:]
    labels = [row.partition(" ")[0] for row in rows]
    assert labels == [names[0]] * 2 + [""] * gap + [names[1]] * 2


def test_a_long_name_is_cut_in_the_middle(
    unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    names = [f"{'a-long-customer-name-' * 2}{end}" for end in ("eu", "us")]
    tables = "".join(f'[profiles.{name}]\naccount_id = "{name}"\n' for name in names)
    config(f'base_url = "{service.url}"\ntoken_command = ["printf", "t-0123456789"]\n{tables}')
    service.reply = lambda _: served({"result": [{"id": "t", "name": "x"}], "next_cursor": None})
    result = unified(
        "-p * ticketing tickets list --ordered -o table --quiet",
        tty=True,
        columns=60,
        environ={"NO_COLOR": "1"},
    )
    labels = [row.partition(" ")[0] for row in result.stdout.splitlines()[1:]]
    assert [label[-2:] for label in labels] == ["eu", "us"]
    assert all("…" in label and len(label) <= 30 for label in labels)
