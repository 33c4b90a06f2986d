"""How an input is read: recognised by its content and name, or refused with what it
is.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from server import Reply, Service

TAGS = "import ticketing/tags"
A = [{"name": "A", "color": "red"}, {"name": "B", "color": "blue"}]
NDJSON = "".join(json.dumps(one) + "\n" for one in A)
ROWS = "name,color\nA,red\nB,blue\n"
TABBED = ROWS.replace(",", "\t")
PRETTY = json.dumps({"result": A, "next_cursor": None}, indent=2)


def sent(service: Service) -> list[Any]:
    return [seen.json for seen in service.seen]


@pytest.fixture(autouse=True)
def _created(service: Service) -> None:
    service.reply = lambda _: Reply(201, b'{"id":"x"}')


RECOGNISED = {
    "a.ndjson": NDJSON,
    "a.jsonl": NDJSON,
    "a.txt": ROWS,
    "a": TABBED,
    "b.tsv": TABBED,
    "b.csv": ROWS,
    "c.csv": "\n\n" + ROWS,
    "b.json": json.dumps(A),
    "c.txt": json.dumps(A, indent=1),
    "d.txt": PRETTY,
    "e.ndjson": "\ufeff" + ROWS,
    "crlf.tsv": TABBED.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("name", RECOGNISED)
def test_an_input_is_recognised(
    name: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(RECOGNISED[name].encode())
    result = unified(f"{TAGS} {tmp_path / name} --workers 1", environ=service.environ)
    assert (result.code, result.notes, sent(service)) == (0, "", A), result.stderr


@pytest.mark.parametrize("text", [NDJSON, ROWS, TABBED, json.dumps(A), PRETTY], ids=repr)
def test_piped_formats_are_recognised(text: str, unified: Unified, service: Service) -> None:
    result = unified(f"{TAGS} - --workers 1", environ=service.environ, stdin=text.encode())
    assert (result.code, sent(service)) == (0, A), result.stderr


REFUSED = {
    "gzip": (
        gzip.compress(NDJSON.encode()),
        "is gzip, not NDJSON, JSON, CSV or TSV (gzip -d unpacks it)",
    ),
    "workbook": (
        b"PK\x03\x04....[Content_Types].xml",
        (
            "is a workbook or another zip archive, not NDJSON, JSON, CSV or TSV"
            " (if it is a workbook, export it as CSV)"
        ),
    ),
    "old workbook": (
        b"\xd0\xcf\x11\xe0\xa1\xb1",
        "is a workbook of Excel, not NDJSON, JSON, CSV or TSV (export it as CSV)",
    ),
    "UTF-16": (NDJSON.encode("utf-16"), "is UTF-16, not NDJSON, JSON, CSV or TSV (iconv -f UTF-16"),
    "UTF-16 without a mark": (ROWS.encode("utf-16-le"), "is UTF-16, not"),
    "YAML": (b"- name: A\n  color: red\n", "is YAML, not NDJSON, JSON, CSV or TSV (write it"),
    "YAML of one": (b"name: A\ncolor: red\n", "is YAML, not"),
    "YAML with a mark": (b"---\nname: A\n", "is YAML, not"),
    "XML": (b"<?xml version='1.0'?><a/>", "is XML or HTML, not"),
    "binary": (
        b"\x01\0\0\0\0",
        "is binary, not NDJSON, JSON, CSV or TSV (an import reads records;",
    ),
    "prose": (b"Dear all,\n", "is not NDJSON, JSON, CSV or TSV: line 1 is 'Dear all,' ("),
    "semicolons": (b"name;color\nA;red\n", "is not NDJSON, JSON, CSV or TSV: line 1 is"),
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("piped", [False, True])
def test_another_kind_is_refused_once_before_a_run_begins(
    kind: str, piped: bool, unified: Unified, service: Service, tmp_path: Path
) -> None:
    content, message = REFUSED[kind]
    path = tmp_path / "file"
    path.write_bytes(content)
    stdin = content if piped else b""
    result = unified(f"{TAGS} {'-' if piped else path}", environ=service.environ, stdin=stdin)
    assert (result.code, sent(service)) == (2, [])
    assert result.stderr.count("error:") == 1
    assert f" {message}" in result.stderr
    assert [one.name for one in tmp_path.glob("file*")] == ["file"]
    assert unified("runs list -o json").json["runs"] == []


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
@pytest.mark.parametrize(("text", "kind"), [(NDJSON, "ndjson"), (json.dumps(A), "json")])
def test_a_name_that_says_another_kind_is_refused_with_the_option(
    name: str, text: str, kind: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    result = unified(f"{TAGS} {path}", environ=service.environ)
    assert (result.code, sent(service)) == (2, [])
    assert result.stderr.endswith(f"(--format {kind})\n")
    command = f"{TAGS} {path} --format {kind} --workers 1"
    assert unified(command, environ=service.environ).code == 0
    assert sent(service) == A


@pytest.mark.parametrize(
    ("delimiter", "text"), [("';'", ";"), ("tab", "\t"), ("'\\t'", "\t"), ("'|'", "|")]
)
def test_a_delimiter_reads_the_tables_of_spreadsheets(
    delimiter: str, text: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f'name{text}color\n"A"{text}red\n"B"{text}"blue"\n')
    refused = unified(f"{TAGS} {path}", environ=service.environ)
    assert (refused.code, sent(service)) == (2, [])
    # As the error says.
    step = refused.stderr.rpartition("(import takes ")[2].rstrip(")\n")
    assert unified(f"{TAGS} {path} {step} --workers 1", environ=service.environ).code == 0
    assert sent(service) == A
    again = unified(f"{TAGS} {path} --delimiter {delimiter}", environ=service.environ)
    assert "already imported" in again.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--delimiter ab", "'--delimiter': must be one character, or tab, not 'ab'"),
        ("--delimiter ; --format tsv", "--delimiter is for CSV, not for tsv (--format csv)"),
        ("--delimiter ; --format ndjson", "--delimiter is for CSV, not for ndjson (--format csv)"),
        ("--trim-header --format json", "--trim-header is for CSV and TSV, not for json"),
        ("--trim-header", "--trim-header is for CSV and TSV, but"),
    ],
)
def test_options_of_tables_need_a_table(
    options: str, message: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "a.ndjson"
    path.write_text(NDJSON)
    result = unified(f"{TAGS} {path} {options}", environ=service.environ)
    assert (result.code, sent(service)) == (2, [])
    assert message in result.stderr


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_names_of_columns_are_trimmed_by_request_only_and_named(
    form: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / f"a.{form}"
    path.write_text("name , color\nA,red\nB,blue\n".replace(",", "," if form == "csv" else "\t"))
    result = unified(f"{TAGS} {path} --workers 1", environ=service.environ)
    assert result.code == 0
    assert sent(service) == [{"name ": one["name"], " color": one["color"]} for one in A]
    assert (
        "names of columns have spaces around them: 'name ', ' color' (--trim-header removes them)\n"
        in result.stderr
    )
    service.seen.clear()
    other = unified(f"{TAGS} {path} --trim-header", environ=service.environ)
    assert (other.code, sent(service)) == (12, [])
    command = f"{TAGS} {path} --trim-header --restart --workers 1"
    result = unified(command, environ=service.environ)
    assert (result.code, sent(service)) == (0, A)
    assert "spaces around the names of columns are removed: 'name ', ' color'\n" in result.stderr


CELLS = {
    # Not known: lists and objects are JSON, all else is text.
    ("other", '["a"]'): ["a"],
    ("other", '{"a": 1.10}'): {"a": "1.10"},
    ("other", "[a]"): "[a]",
    ("other", "[1, 2"): "[1, 2",
    ("other", "7"): "7",
    ("other", "true"): "true",
    ("other", "null"): "null",
    # Known as text.
    ("name", "[1]"): "[1]",
    ("name", '{"a":1}'): '{"a":1}',
    ("name", "007"): "007",
    # Known as an array.
    ("emails", '[{"email":"a@b.c"}]'): [{"email": "a@b.c"}],
    ("emails", "a@b.c"): "a@b.c",
    # Known as a boolean.
    ("is_active", "true"): True,
    ("is_active", "TRUE"): "TRUE",
    ("is_active", "1"): "1",
    # Typed by the header.
    ("a:json", "null"): None,
    ("a:json", '"text"'): "text",
    ("a:json", "7"): "7 as a number",
    ("emails.x", "1"): {"x": "1"},
}


@pytest.mark.parametrize(("column", "cell"), CELLS)
@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_a_cell_is_text_or_json(
    form: str, column: str, cell: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / f"a.{form}"
    quoted = '"' + cell.replace('"', '""') + '"' if form == "csv" else cell
    path.write_text(
        f"first_name,{column}\nA,{quoted}\n".replace("," if form == "tsv" else "\0", "\t", 1)
    )
    if form == "tsv":
        path.write_text(f"first_name\t{column}\nA\t{quoted}\n")
    result = unified(f"import ticketing/contacts {path}", environ=service.environ)
    assert (result.code, result.notes) == (0, ""), result.stderr

    def number(digits: str) -> str:
        return "7 as a number" if digits == "7" else digits

    found = json.loads(service.seen[0].body, parse_int=number, parse_float=str)
    wanted = CELLS[column, cell]
    assert found == {"first_name": "A", column.partition(".")[0].removesuffix(":json"): wanted}


def test_a_known_number_is_a_number_with_its_digits(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("file_name,size\nA,1.10\nB,007\nC,n/a\nD,-3\n")
    command = f"import ticketing/attachments {path} --workers 1"
    result = unified(command, environ=service.environ)
    assert result.code == 0, result.stderr
    bodies = [seen.body.partition(b'"size":')[2] for seen in service.seen]
    assert bodies == [b"1.10}", b'"007"}', b'"n/a"}', b"-3}"]


@pytest.mark.parametrize(
    ("heads", "cells", "wanted"),
    [
        ("a.b,a.c", "1,2", {"a": {"b": "1", "c": "2"}}),
        ("a,a.b", "1,2", {"a": "1", "a.b": "2"}),
        ("a.b,a.b.c", "1,2", {"a": {"b": "1"}, "a.b.c": "2"}),
        ("a.b,a.c", ",2", {"a": {"c": "2"}}),
        ("a..b,.c", "1,2", {"a..b": "1", ".c": "2"}),
        ("a:json,a.b:json", '"{""b"":1}",1', {"a": {"b": 1}}),
    ],
)
def test_a_name_with_dots_is_a_path(
    heads: str, cells: str, wanted: Any, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{heads}\n{cells}\n")
    assert unified(f"{TAGS} {path}", environ=service.environ).code == 0
    assert sent(service) == [wanted]


def test_a_cell_that_is_not_json_fails_only_its_line(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text('name,x:json\nA,1\nB,no\nC,"""s"""\n')
    result = unified(f"{TAGS} {path} --workers 1", environ=service.environ)
    assert (result.code, sent(service)) == (9, [{"name": "A", "x": 1}, {"name": "C", "x": "s"}])
    assert "line 3 failed: is not JSON" in result.stderr
    assert "in the column 'x:json'\n" in result.stderr


OTHER_READINGS = {
    "--format csv": (
        "a.txt",
        '{"name":"A"}\n{"name":"B"}\n',
        "with --format ndjson",
    ),
    "--format json": ("a.csv", ROWS, "with --format csv"),
    "--delimiter ';'": ("a.csv", ROWS, "without --delimiter"),
    "--map .": ("a.csv", ROWS, "without --map"),
    "--operation update": ("a.csv", ROWS, "with --operation create"),
}


@pytest.mark.parametrize("options", OTHER_READINGS)
def test_another_reading_is_refused_with_the_words_to_choose(
    options: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    name, text, what = OTHER_READINGS[options]
    path = tmp_path / name
    path.write_text(text)
    assert unified(f"{TAGS} {path}", environ=service.environ).code == 0
    service.seen.clear()
    result = unified(f"{TAGS} {path} {options} --yes", environ=service.environ)
    if options in {"--format json", "--format csv", "--delimiter ';'"}:
        # It is not JSON at all, or JSON, or has another delimiter.
        assert (result.code, sent(service)) == (2, [])
        return
    assert (result.code, sent(service)) == (12, [])
    assert result.stderr == (
        f"error: {path}.unified-journal belongs to an import {what} (the same command {what}"
        " resumes that import; --restart discards its journal, and sends everything again)\n"
    )


def test_piped_records_are_read_the_same_way_again(unified: Unified, service: Service) -> None:
    text = ROWS.encode()
    command = f"{TAGS} - --workers 1"
    assert unified(command, environ=service.environ, stdin=text).code == 0
    other = unified(f"{command} --format tsv", environ=service.environ, stdin=text)
    assert (other.code, len(service.seen)) == (12, 2)
    assert "with --format csv (the same" in other.stderr


def without_choices(journal: Path, lines: int) -> None:
    """Leave the first lines of a journal, as 0.2.0 wrote them."""
    first, *rest = journal.read_text().splitlines(keepends=True)
    header = {name: value for name, value in json.loads(first).items() if name != "choices"}
    journal.write_text("".join([json.dumps(header) + "\n", *rest][:lines]))


ODD_ROWS = 'name,emails,account.id, x \nA,"[""a@b.c""]",7,1\nB,b,8,2\n'
AS_0_2_0 = [
    {"name": "A", "emails": '["a@b.c"]', "account.id": "7", " x ": "1"},
    {"name": "B", "emails": "b", "account.id": "8", " x ": "2"},
]


@pytest.mark.parametrize("options", ["", "--format csv"])
def test_a_journal_of_0_2_0_is_resumed_with_the_reading_of_0_2_0(
    options: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path, journal = tmp_path / "a.csv", tmp_path / "a.csv.unified-journal"
    command = f"import ticketing/contacts {path} --workers 1 {options}"
    path.write_text(ODD_ROWS)
    assert unified(command, environ=service.environ).code == 0
    without_choices(journal, lines=1)
    service.seen.clear()
    assert unified(command, environ=service.environ).code == 0
    assert sent(service) == AS_0_2_0
    # Begun, and then killed before the second line.
    without_choices(journal, lines=3)
    service.seen.clear()
    assert unified(command, environ=service.environ).code == 0
    assert sent(service) == AS_0_2_0[1:]


def test_a_table_that_0_2_0_took_for_json_lines_stays_refused(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    path, journal = tmp_path / "a.tsv", tmp_path / "a.tsv.unified-journal"
    path.write_text(TABBED)
    assert unified(f"{TAGS} {path} --format ndjson", environ=service.environ).code == 9
    without_choices(journal, lines=9)
    again = unified(f"{TAGS} {path}", environ=service.environ)
    assert (again.code, "3 of 3 records failed" in again.stderr) == (9, True), again.stderr
    other = unified(f"{TAGS} {path} --format csv", environ=service.environ)
    assert other.code in {2, 12}
    assert unified(f"{TAGS} {path} --restart", environ=service.environ).code == 0
    assert len(service.seen) == len(A)


@pytest.mark.parametrize("options", ["--format tsv", "--delimiter ';'", "--trim-header"])
def test_choices_that_0_2_0_lacked_need_a_new_journal(
    options: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path, journal = tmp_path / "a.csv", tmp_path / "a.csv.unified-journal"
    path.write_text(ROWS)
    assert unified(f"{TAGS} {path}", environ=service.environ).code == 0
    without_choices(journal, lines=9)
    service.seen.clear()
    result = unified(f"{TAGS} {path} {options}", environ=service.environ)
    assert (result.code, sent(service)) == (12, [])
    assert result.stderr.startswith(f"error: {journal} was begun by an older version")


def test_a_journal_of_0_2_0_that_sent_nothing_is_not_resumed_with_another_format(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    path, journal = tmp_path / "a", tmp_path / "a.unified-journal"
    path.write_text('name\nA\n"B"\n')
    assert unified(f"{TAGS} {path} --format ndjson", environ=service.environ).code == 9
    service.seen.clear()
    without_choices(journal, lines=9)
    result = unified(f"{TAGS} {path} --format csv", environ=service.environ)
    assert (result.code, sent(service)) == (12, [])
    assert "that sent nothing" in result.stderr
    assert result.stderr.endswith("(--restart starts the import again)\n")


def test_a_journal_of_0_2_0_is_not_resumed_with_other_records(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    path, journal = tmp_path / "a", tmp_path / "a.unified-journal"
    # Read as CSV, the blanks make it a header and a row.
    path.write_text('{ "a":1}\n{ "b":2}\n')
    assert unified(f"{TAGS} {path}", environ=service.environ).code == 0
    service.seen.clear()
    without_choices(journal, lines=9)
    result = unified(f"{TAGS} {path} --format csv", environ=service.environ)
    assert (result.code, sent(service)) == (12, [])
    assert "line 2 has changed since it was sent" in result.stderr
