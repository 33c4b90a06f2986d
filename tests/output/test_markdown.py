"""Markdown: each record is a row, each cell shows the text as it is, and nothing is
markup.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from hypothesis import given, settings, strategies as st
from many_connections import account, profiles
from markdown_it import MarkdownIt
from markdown_it.token import Token
from pages import by_cursor, envelope, serve, served, tickets
from server import Reply, Seen, Service

from unified_cli.masking import visible
from unified_cli.text_width import width

LIST = "ticketing tickets list"
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HOSTILE = [
    "a|b",
    "a\\|b",
    "ends with \\",
    "\\",
    "|",
    "`code` ``code``",
    "*em* **strong** _em_ __strong__ ~~gone~~",
    "<script>alert(1)</script> <b>x</b> <!-- no --> <https://evil.example>",
    "&lt;b&gt; &#124; &amp;",
    "[link](https://evil.example) ![image](https://evil.example/x.png) [^1]",
    "one\ntwo\r\nthree\rfour\n",
    "# no heading",
    "- no list",
    "| --- |",
    "$x^2$ {+ added +} {- removed -}",
    "@octocat fixes #12",
    "snake_case __dunder__ _private",
    "漢字かな交じり文 ไทยที่ 👨‍👩‍👧",
    "\x1b[31mred\x07 \u202ertl",
    " blanks \t around ",
    "",
    "x" * 500,
]
ANY = settings(max_examples=200)
TEXT = st.text(st.characters(codec="utf-8"), max_size=20) | st.text(
    "\\`*_{}[]()<>#+-.!|~$&:@\n\r\tab1 ", max_size=20
)


def shown(inline: Token) -> str:
    """The text of a cell on a page, where nothing is markup but breaks and comments."""
    texts = []
    for one in inline.children or ():
        assert one.type in {"text", "html_inline"}, (one.type, inline.content)
        plain = {"<br>": "\n", "<!-- -->": ""}
        texts.append(one.content if one.type == "text" else plain[one.content])
    return "".join(texts)


def rows(text: str) -> list[list[str]]:
    """The cells of the only thing on the page, which is a table."""
    tokens = PARSER.parse(text)
    assert (tokens[0].type, tokens[-1].type) == ("table_open", "table_close")
    assert [one.type for one in tokens].count("table_open") == 1
    found: list[list[str]] = []
    for one in tokens:
        if one.type == "tr_open":
            found.append([])
        if one.type == "inline":
            found[-1].append(shown(one))
    return found


def on_page(text: str) -> str:
    """The text as a cell shows it: a blank for a tab, an escape for an invisible
    character.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    return visible(plain, but="\n").strip()


@ANY
@given(texts=st.lists(st.sampled_from(HOSTILE) | TEXT, min_size=1, max_size=6), name=TEXT)
def test_any_text_is_shown_literally_on_a_page(
    texts: list[str], name: str, unified: Unified, service: Service
) -> None:
    key = f"k{name}"
    serve(service, [[{"id": str(at), key: text} for at, text in enumerate(texts)]])
    # Of a path that is in no catalogue all members are shown.
    result = unified("request GET /things --all -o markdown", environ=service.environ)
    head, *body = rows(result.stdout)
    assert ([cell.strip() for cell in head], result.code) == (["id", on_page(key)], 0)
    assert [[cell.strip() for cell in row] for row in body] == [
        [str(at), on_page(text)] for at, text in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a|b", r"a\|b"),
        ("C:\\temp", r"C:\\temp"),
        ("snake_case", "snake_case"),
        ("_private_", r"\_private\_"),
        ("a & b &amp;", r"a & b \&amp;"),
        ("one\ntwo", "one<br>two"),
        ("ann@example.com", "ann@example.com"),
        ("@ann", "@<!-- -->ann"),
        ("see #12", "see #<!-- -->12"),
    ],
)
def test_plain_text_has_no_escapes(
    text: str, cell: str, unified: Unified, service: Service
) -> None:
    serve(service, [[{"id": "1", "name": text}]])
    result = unified(f"{LIST} -o markdown --columns name", environ=service.environ)
    assert result.stdout.splitlines()[-1].strip("| ") == cell


def lines_of(result: Any) -> Iterator[int]:
    return (width(line) for line in result.stdout.splitlines())


@pytest.mark.parametrize("tty", [False, True])
def test_columns_are_aligned_in_every_script(tty: bool, unified: Unified, service: Service) -> None:
    names = ["漢字かな交じり文", "plain", "Zoë", "ไทยที่", "👨‍👩‍👧 family", "a|b", ""]
    serve(service, [[{"id": str(at), "name": name} for at, name in enumerate(names)]])
    result = unified(f"{LIST} -o markdown", environ=service.environ, tty=tty)
    assert len({*lines_of(result)}) == 1


def test_a_long_text_is_whole_and_moves_no_other_row(unified: Unified, service: Service) -> None:
    serve(service, [[{"id": "1", "name": "x" * 500}, {"id": "2", "name": "short"}]])
    for tty in (True, False):
        result = unified(f"{LIST} -o markdown", environ=service.environ, tty=tty, columns=40)
        assert "x" * 500 in result.stdout
        assert width(result.stdout.splitlines()[-1]) < 80


def test_a_record_alone_has_a_row_for_each_field_or_one_with_the_columns(
    unified: Unified, service: Service
) -> None:
    by_cursor(service, {None: b'{"id": "1", "status": {"name": "Open"}, "number": 1.10}'})
    get = "ticketing tickets get 1 -o markdown"
    assert rows(unified(get, environ=service.environ).stdout) == [
        ["field", "value"],
        ["id", "1"],
        ["status", "Open"],
        ["number", "1.10"],
    ]
    chosen = unified(f"{get} --columns number,status", environ=service.environ).stdout
    assert rows(chosen) == [["number", "status"], ["1.10", "Open"]]


def test_pages_are_one_table_and_a_member_that_comes_late_is_named(
    unified: Unified, service: Service
) -> None:
    serve(service, [tickets(2), [{"id": "t-2", "late": 1}]])
    result = unified(f"{LIST} --all -o markdown", environ=service.environ)
    assert rows(result.stdout)[1:] == [["t-0", "Ticket 0"], ["t-1", "Ticket 1"], ["t-2", ""]]
    assert "not shown: late (--columns chooses the columns)" in result.stderr
    serve(service, [tickets(2), tickets(2, 2)])
    limited = unified(f"{LIST} --limit 3 -o markdown", environ=service.environ)
    assert len(rows(limited.stdout)) == 4


def test_many_connections_have_the_same_columns_in_any_order(
    unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    names = profiles(config, service.environ["UNIFIED_BASE_URL"], 2)

    def reply(seen: Seen) -> Reply:
        more = {"status": "open"} if account(seen) == "a-c00" else {"priority": "high"}
        record = {"id": account(seen), "name": "x", **more}
        return served({"result": [record], "next_cursor": None})

    service.reply = reply
    heads, found = set(), []
    for order in (names, names[::-1]):
        words = f"{' '.join(f'-p {name}' for name in order)} {LIST} --ordered -o markdown"
        result = unified(words)
        assert (result.code, result.stderr) == (0, "")
        head, *body = rows(result.stdout)
        heads.add(tuple(head))
        found.append(sorted(body))
    assert (len(heads), found[0]) == (1, found[1])
    assert next(iter(heads))[:2] == ("_profile", "id")
    chosen = unified(f"-p 'c*' {LIST} -o markdown --columns id").stdout
    assert rows(chosen)[0] == ["_profile", "id"]


@pytest.mark.parametrize("form", ["markdown", "table"])
def test_a_file_that_broke_off_continues_with_the_same_columns(
    form: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    pages = [tickets(2), [{"id": "t-2", "name": "x" * 30, "late": 1}], tickets(1, 3)]
    command = f"{LIST} --all -o {form} --retries 0 --out"
    serve(service, pages)
    assert unified(f"{command} {tmp_path}/whole", environ=service.environ).code == 0
    answers: dict[str | None, Any] = {
        None: envelope(b'[{"id":"t-0","name":"Ticket 0"},{"id":"t-1","name":"Ticket 1"}]', '"c1"'),
        "c1": lambda: Reply(500),
    }
    by_cursor(service, answers)
    assert unified(f"{command} {tmp_path}/part", environ=service.environ).code == 5
    serve(service, pages)
    resumed = unified(f"{command} {tmp_path}/part", environ=service.environ)
    assert (resumed.code, "not shown: late" in resumed.stderr) == (0, True)
    assert (tmp_path / "part").read_bytes() == (tmp_path / "whole").read_bytes()


BUILT_IN = [
    "profile list",
    "profile show acme",
    "doctor acme",
    "operations suspend",
    "connections list",
    "capabilities ticketing/tags",
    "schema ticketing/tags",
    "runs list",
    "runs show",
    "diff ticketing/tags --from one.ndjson --to other.ndjson",
]


@pytest.mark.parametrize("command", BUILT_IN)
@pytest.mark.parametrize("tty", [False, True])
def test_built_in_commands_have_it_too(
    command: str,
    tty: bool,
    unified: Unified,
    config: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config('[profiles.acme]\nbase_url = "sandbox:"\naccount_id = "full"\n')
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.ndjson").write_text('{"id": "1", "name": "a|b"}\n')
    (tmp_path / "other.ndjson").write_text('{"id": "1", "name": "b"}\n')
    if command.startswith("runs"):
        created = "-p acme -p 'acm*' ticketing tags create -f name='a|b' --yes"
        assert unified(created).code == 0
    name = "-p acme " if command.startswith(("capabilities", "schema", "connections")) else ""
    head, *body = rows(unified(f"{name}{command} -o markdown", tty=tty, columns=40).stdout)
    assert head
    assert body


def test_another_name_of_the_format_gets_a_hint(unified: Unified) -> None:
    assert 'did you mean "markdown"?' in unified(f"{LIST} -o md").stderr
