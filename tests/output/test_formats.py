"""Formats: every value as served, one record one line, and nothing lost without a
word.
"""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from front_door import Unified
from hypothesis import given, settings, strategies as st
from pages import by_cursor, envelope, serve, tickets
from server import Service

LIST = "ticketing tickets list"
EXACT = (
    rb'{"id":"1","price":1.10,"big":123456789012345678901234567890,"exp":1E400,'
    rb'"u":"\u00e9\/","half":"\ud83d","e":""}'
)
LONG = b'{"id":"7","n":' + b"9" * 5000 + b"}"

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
RECORD = st.fixed_dictionaries({"id": TEXT.filter(bool), "a": VALUE}, optional={"b": VALUE})
ANY = settings(max_examples=60)


@pytest.mark.parametrize("record", [EXACT, LONG, b"null", b'"text"', b"[1, 2]", b"{}"])
def test_ndjson_has_the_served_bytes(record: bytes, unified: Unified, service: Service) -> None:
    by_cursor(service, {None: envelope(b"[" + record + b', {"id": "2"}]')})
    result = unified(f"{LIST} --all -o ndjson", environ=service.environ)
    assert (result.raw, result.code) == (record + b'\n{"id": "2"}\n', 0)


@pytest.mark.parametrize("before", ["~half~", "<half>", "<half><half", "<"])
def test_half_a_surrogate_pair_stays_behind_whatever_text(
    before: str, unified: Unified, service: Service
) -> None:
    record = (
        f'{{"id":"1","{before}\\ud83d":"{before}\\ud83d\\ude00","{before}":"\\ud83d"}}'.encode()
    )
    by_cursor(service, {None: envelope(b"[" + record + b"]")})
    for output in ("ndjson", "ndjson --columns id," + before + "\\ud83d", "csv"):
        result = unified([*f"{LIST} --all -o".split(), *output.split()], environ=service.environ)
        assert result.code == 0
        if output == "ndjson":
            assert result.raw == record + b"\n"
        if output == "csv":
            assert result.stdout.splitlines()[0] == f"id,{before}\\ud83d,{before}"


def test_a_record_over_several_lines_becomes_one(unified: Unified, service: Service) -> None:
    pretty = b'{\r\n  "id": "1",\n  "price": 1.10,\n  "half": "\\ud83d",\n  "text": "a\\nb  c"\n}'
    by_cursor(service, {None: envelope(b"[" + pretty + b', {"id": "2"}]')})
    result = unified(f"{LIST} --all -o ndjson", environ=service.environ)
    assert (
        result.raw == b'{"id":"1","price":1.10,"half":"\\ud83d","text":"a\\nb  c"}\n{"id": "2"}\n'
    )


@ANY
@given(
    records=st.lists(RECORD, max_size=6),
    indent=st.sampled_from([None, 1]),
    ascii_only=st.booleans(),
)
def test_ndjson_has_as_many_lines_as_records(
    records: list[Any], indent: int | None, ascii_only: bool, unified: Unified, service: Service
) -> None:
    body = json.dumps(
        {"result": records, "next_cursor": None}, indent=indent, ensure_ascii=ascii_only
    )
    by_cursor(service, {None: body.encode()})
    result = unified(f"{LIST} --all -o ndjson", environ=service.environ)
    lines = result.raw.split(b"\n")
    assert (lines.pop(), [json.loads(line) for line in lines], result.code) == (b"", records, 0)


@ANY
@given(records=st.lists(RECORD, min_size=1, max_size=6))
def test_csv_read_back_equals_the_served_values(
    records: list[Any], unified: Unified, service: Service
) -> None:
    serve(service, [records])
    result = unified(f"{LIST} --all -o csv", environ=service.environ)
    rows = list(csv.DictReader(io.StringIO(result.raw.decode(), newline=""), strict=True))
    assert (len(rows), result.code) == (len(records), 0)
    for row, record in zip(rows, records, strict=True):
        assert row.keys() == {key for one in records for key in one}
        for key, cell in row.items():
            value = record.get(key)
            if isinstance(value, str):
                assert cell == value
            else:
                assert (json.loads(cell) if cell else None) == value


@ANY
@given(records=st.lists(RECORD, min_size=1, max_size=6))
def test_tsv_has_as_many_lines_as_records_and_loses_nothing(
    records: list[Any], unified: Unified, service: Service
) -> None:
    serve(service, [records])
    result = unified(f"{LIST} --all -o tsv", environ=service.environ)
    head, *rows = [line.split("\t") for line in result.raw.decode().removesuffix("\n").split("\n")]
    assert len(rows) == len(records)
    for row, record in zip(rows, records, strict=True):
        for key, cell in zip(head, row, strict=True):
            if isinstance(record.get(key), str):
                plain = (
                    cell.replace("\\\\", "\0")
                    .replace("\\t", "\t")
                    .replace("\\n", "\n")
                    .replace("\\r", "\r")
                )
                assert plain.replace("\0", "\\") == record[key].replace("\0", "\\")


def test_csv_keeps_digits_and_distinguishes_null_from_empty(
    unified: Unified, service: Service
) -> None:
    by_cursor(
        service,
        {
            None: envelope(
                b'[{"id":"1","n":1.10,"e":"","z":null,"o":{"a": [1,  2.50]},"h":"\\ud83d"}]'
            )
        },
    )
    result = unified(f"{LIST} -o csv", environ=service.environ)
    assert result.raw == b'id,n,e,z,o,h\n1,1.10,"",,"{""a"":[1,2.50]}",\\ud83d\n'


@pytest.mark.parametrize("cell", [" a", "a ", "\ta", "a\t", "\u00a0a", " "])
def test_a_cell_with_a_blank_at_its_edge_is_quoted(
    cell: str, unified: Unified, service: Service
) -> None:
    serve(service, [[{"id": "1", "a": cell}]])
    assert unified(f"{LIST} -o csv", environ=service.environ).stdout == f'id,a\n1,"{cell}"\n'


def test_a_column_first_seen_later_is_named_and_the_run_incomplete(
    unified: Unified, service: Service
) -> None:
    serve(service, [[{"id": "1"}, {"id": "2", "b": 1}], [{"id": "3", "late": 1, "later": 2}]])
    result = unified(f"{LIST} --all -o csv", environ=service.environ)
    assert (result.stdout, result.code) == ("id,b\n1,\n2,1\n3,\n", 9)
    said = (
        "error: no column for late, later, first seen after the header was written (name them with"
        " --columns)\n"
    )
    assert result.stderr == "complete: 3 records in 2 pages\n" + said
    named = unified(f"{LIST} --all -o csv --columns id,late", environ=service.environ)
    assert (named.stdout, named.code) == ("id,late\n1,\n2,\n3,1\n", 0)


def test_dotted_columns_look_inside_but_a_plain_name_wins(
    unified: Unified, service: Service
) -> None:
    serve(
        service,
        [
            [
                {"id": "1", "a.b": "plain", "a": {"b": "inner", "c": {"d": 1}}},
                {"a": {"b": "only"}},
                "x",
            ]
        ],
    )
    result = unified(f"{LIST} -o csv --columns a.b,a.c.d,nothing", environ=service.environ)
    assert result.stdout == "a.b,a.c.d,nothing\nplain,1,\nonly,,\n,,\n"
    lines = unified(f"{LIST} -o ndjson --columns a.b,a.c.d", environ=service.environ)
    assert lines.stdout == '{"a.b":"plain","a.c.d":1}\n{"a.b":"only","a.c.d":null}\n"x"\n'


def test_csv_safe_disarms_formulas_and_leaves_numbers_alone(
    unified: Unified, service: Service
) -> None:
    cells = ["=1+1", "+cmd", "-5.3", "@x", "\tx", "＝x", "-a", "+49 30", "plain"]  # noqa: RUF001
    serve(service, [[{"id": "1", "c": cell} for cell in cells]])
    result = unified(f"{LIST} --all -o csv --csv-safe", environ=service.environ)
    found = [row["c"] for row in csv.DictReader(io.StringIO(result.raw.decode(), newline=""))]
    assert found == [
        "'=1+1",
        "'+cmd",
        "-5.3",
        "'@x",
        "'\tx",
        "'＝x",  # noqa: RUF001
        "'-a",
        "'+49 30",
        "plain",
    ]
    assert "put a ' before 7 cells" in result.stderr
    assert "'" not in unified(f"{LIST} --all -o csv", environ=service.environ).stdout


def test_json_over_many_pages_is_one_document(unified: Unified, service: Service) -> None:
    serve(service, [tickets(2), [], tickets(1, 2)])
    result = unified(f"{LIST} --all", environ=service.environ)
    assert result.json == {"result": tickets(3), "next_cursor": None}
    serve(service, [[]])
    assert unified(f"{LIST} --all", environ=service.environ).json == {
        "result": [],
        "next_cursor": None,
    }


@pytest.mark.parametrize("records", [[], tickets(3)])
def test_json_on_a_terminal_is_one_document_too(
    records: list[Any], unified: Unified, service: Service
) -> None:
    serve(service, [records, []])
    result = unified(f"{LIST} --all", environ={**service.environ, "NO_COLOR": "1"}, tty=True)
    assert result.json == {"result": records, "next_cursor": None}
    assert result.stdout.startswith(
        '{\n  "result": [\n    {\n      "id": "t-0"' if records else '{\n  "result": []'
    )


def test_yaml_over_many_pages_is_one_document_with_its_digits(
    unified: Unified, service: Service
) -> None:
    first = envelope(
        b'[{"id":"1","price":1.10,"exp":1e5,"big":12345678901234567890,"yes":"yes","h":"\\ud83d"}]',
        '"c1"',
    )
    by_cursor(service, {None: first, "c1": envelope(b'[{"id": "\xe2\x82\xac"}]')})
    result = unified(f"{LIST} --all -o yaml", environ=service.environ)
    assert "price: 1.10\n" in result.stdout
    assert yaml.safe_load(result.raw) == {
        "result": [
            {
                "id": "1",
                "price": 1.1,
                "exp": 1e5,
                "big": 12345678901234567890,
                "yes": "yes",
                "h": "\ud83d",
            },
            {"id": "€"},
        ],
        "next_cursor": None,
    }


def test_ids_that_are_missing_are_counted(unified: Unified, service: Service) -> None:
    serve(service, [[{"id": "1"}, {"name": "x"}, {"id": 7}, {"id": "a\nb"}, None]])
    result = unified(f"{LIST} -o ids", environ=service.environ)
    assert (result.stdout, result.code) == ("1\n7\n", 9)
    assert result.stderr == "error: left out 3 records without an id that fits on a line\n"


def test_jq_sees_the_whole_result_in_json_and_each_record_in_lines(
    unified: Unified, service: Service
) -> None:
    serve(service, [tickets(2), tickets(1, 2)])
    whole = unified(
        [*f"{LIST} --all --jq".split(), ".result | length, .[0].name"], environ=service.environ
    )
    assert (whole.stdout, whole.code) == ("3\nTicket 0\n", 0)
    lines = unified(
        [*f"{LIST} --all -o ndjson --jq".split(), "{n: .name}, .id"], environ=service.environ
    )
    expected = [f'{{"n":"Ticket {number}"}}\n"t-{number}"\n' for number in range(3)]
    assert lines.stdout == "".join(expected)
    rows = unified([*f"{LIST} --all -o csv --jq".split(), "{n: .name}"], environ=service.environ)
    assert rows.stdout == "n\nTicket 0\nTicket 1\nTicket 2\n"


@pytest.mark.parametrize("program", [".[", ".a.b"])
def test_a_jq_program_that_fails_is_a_slip_of_the_command_line(
    program: str, unified: Unified, service: Service
) -> None:
    serve(service, [["text"]])
    result = unified([*f"{LIST} -o ndjson --jq".split(), program], environ=service.environ)
    assert (result.stdout, result.code) == ("", 2)
    assert "--jq: " in result.stderr


def test_raw_is_one_answer(unified: Unified, service: Service) -> None:
    serve(service, [tickets(1)])
    result = unified(f"{LIST} --all -o raw", environ=service.environ)
    assert (result.stdout, result.code, service.seen) == ("", 2, [])


@pytest.mark.parametrize("output", ["ndjson", "csv", "tsv", "ids", "table", "yaml"])
def test_a_single_record_has_every_format(output: str, unified: Unified, service: Service) -> None:
    by_cursor(service, {None: b'{"id": "1", "status": {"name": "Open"}}'})
    shown = {
        "ndjson": '{"id": "1", "status": {"name": "Open"}}\n',
        "csv": 'id,status\n1,"{""name"":""Open""}"\n',
        "tsv": 'id\tstatus\n1\t{"name":"Open"}\n',
        "ids": "1\n",
        "table": "id      1\nstatus  Open\n",
        "yaml": "id: '1'\nstatus:\n  name: Open\n",
    }
    result = unified(f"ticketing tickets get 1 -o {output}", environ=service.environ)
    assert (result.stdout, result.stderr, result.code) == (shown[output], "", 0)


def test_bom_comes_once_before_the_head(unified: Unified, service: Service, tmp_path: Path) -> None:
    serve(service, [[{"id": "1", "name": "Zoë"}], [{"id": "2", "name": "Ann"}]])
    expected = "\ufeffid,name\n1,Zoë\n2,Ann\n".encode()
    assert unified(f"{LIST} --all -o csv --bom", environ=service.environ).raw == expected
    assert (
        unified(
            f"{LIST} --all -o csv --bom --out {tmp_path / 'list.csv'}", environ=service.environ
        ).code
        == 0
    )
    assert (tmp_path / "list.csv").read_bytes() == expected
    export = f"export ticketing/tickets -o csv --to {tmp_path / 'dump'}"
    assert unified(f"{export} --bom", environ=service.environ).code == 0
    assert next((tmp_path / "dump").rglob("*.csv")).read_bytes() == expected
    other = unified(export, environ=service.environ)
    assert (other.code, "with another --bom" in other.stderr) == (12, True)


@pytest.mark.parametrize("command", [f"{LIST} -o tsv", LIST, "export ticketing --to there"])
def test_bom_is_for_csv_only(command: str, unified: Unified, service: Service) -> None:
    result = unified(f"{command} --bom", environ=service.environ)
    assert (result.code, service.seen) == (2, [])
    assert result.stderr.startswith("error: --bom is for CSV, not for ")
