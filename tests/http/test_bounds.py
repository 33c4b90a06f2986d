"""Answers are bounded: a page that holds more than that, or the same key twice, is
refused whole.
"""

import json
import random
import time

import pytest
from front_door import Unified
from pages import by_cursor, envelope, served, tickets
from server import Service

from unified_cli.catalogue import load
from unified_cli.http import decoding, page_body

LIST = "ticketing tickets list"
FORMATS = [
    "json --all",
    "ndjson",
    "csv",
    "tsv",
    "table",
    "markdown",
    "yaml --all",
    "ids",
    "json --columns id",
    "yaml",
    "json --jq .",
]

TOO_LARGE = {
    "records": (
        b"[" + b"1," * decoding.MOST_RECORDS + b"1]",
        "the page has more than 500000 records",
    ),
    "nested records": (
        b"[[1,2]" + b",[1,{}]" * decoding.MOST_RECORDS + b"]",
        "the page has more than 500000 records",
    ),
    "bytes of a record": (
        b'["' + b"x" * decoding.LARGEST_RECORD + b'"]',
        "a record is larger than 8 MiB",
    ),
    "values of a record": (
        b"[[" + b"1," * (decoding.MOST_VALUES + 1) + b"1]]",
        "a record has more than 200000 values",
    ),
}


@pytest.mark.parametrize(
    ("how", "half"),
    [
        ("ndjson", '"\\ud83d",'),
        ("json --all", ""),
        ("yaml", '"\\ud83d",'),
        ("table", ""),
        ("ndjson --all --out {folder}/list", ""),
    ],
)
@pytest.mark.parametrize("what", TOO_LARGE)
def test_a_page_beyond_a_bound_is_refused_and_the_bound_named(
    how: str,
    what: str,
    half: str,
    unified: Unified,
    service: Service,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    records, refusal = TOO_LARGE[what]
    by_cursor(service, {None: envelope(b"[" + half.encode() + records[1:])})
    folder = tmp_path_factory.mktemp("out")
    result = unified(f"{LIST} -o {how.format(folder=folder)}", environ=service.environ)
    assert (result.stdout, result.code, len(service.seen), [*folder.iterdir()]) == ("", 5, 1, [])
    assert refusal in result.stderr


@pytest.mark.parametrize("array", [b"%b", b" %b", b'{"result": %b}'])
def test_a_page_with_exactly_the_most_records_is_accepted(
    array: bytes, unified: Unified, service: Service
) -> None:
    by_cursor(service, {None: array % (b"[1" + b",2" * (decoding.MOST_RECORDS - 1) + b"]")})
    result = unified(f"{LIST} --all -o ndjson", environ=service.environ)
    assert (result.raw.count(b"\n"), result.code) == (decoding.MOST_RECORDS, 0)


def test_one_page_as_served_has_only_the_bound_of_a_body(
    unified: Unified, service: Service
) -> None:
    for records, _ in TOO_LARGE.values():
        by_cursor(service, {None: envelope(records)})
        for output in ("json", "raw"):
            assert unified(f"{LIST} -o {output}", environ=service.environ).raw.strip() == envelope(
                records
            )


@pytest.mark.parametrize("output", ["yaml", "csv", "table", "ndjson", "json --columns id"])
@pytest.mark.parametrize(
    "body",
    [
        b'{"id":"1","a":{"b":[' + b"1," * decoding.MOST_VALUES + b"1,2]}}",
        b'{"id":"1"' + b',"k":1' * (decoding.MOST_VALUES + 1) + b"}",
        b'{"id":"1","a":"' + b"x" * decoding.LARGEST_RECORD + b'"}',
    ],
    ids=["an array", "members", "a text"],
)
def test_a_record_alone_has_the_bounds_of_a_record(
    output: str, body: bytes, unified: Unified, service: Service
) -> None:
    service.reply = lambda _: served(body)
    result = unified(f"ticketing tickets get 1 -o {output}", environ=service.environ)
    assert (result.stdout, result.code) == ("", 5)
    assert "(-o raw prints one page as served)" in result.stderr


TWICE = {
    "records": b'{"result": [{"id": "1"}], "result": [{"id": "2"}], "next_cursor": null}',
    "cursors": b'{"next_cursor": "c1", "result": [{"id": "1"}], "next_cursor": null}',
    "records spelled otherwise": (
        b'{"r\\u0065sult": [{"id": "1"}], "result": [{"id": "2"}], "next_cursor": null}'
    ),
    "cursors, and half a pair": (
        b'{"next_cursor": "c1", "result": [{"id": "\\ud83d"}], "next_cursor": null}'
    ),
}


@pytest.mark.parametrize("how", FORMATS)
@pytest.mark.parametrize("what", TWICE)
def test_a_page_with_two_of_a_kind_is_refused(
    how: str, what: str, unified: Unified, service: Service
) -> None:
    by_cursor(service, {None: TWICE[what]})
    result = unified(f"{LIST} -o {how}", environ=service.environ)
    assert (result.stdout, result.code, len(service.seen)) == ("", 5, 1)
    assert (
        f"has more than one '{'next_cursor' if 'cursors' in what else 'result'}'" in result.stderr
    )


_NAMES = [
    '"result"',
    '"next_cursor"',
    r'"r\u0065sult"',
    r'"next_\u0063ursor"',
    '"x"',
    '"result_count"',
]
_VALUES = [
    "1",
    '"1"',
    '{"result":[1]}',
    '"result"',
    '{"next_cursor":"x"}',
    '"]"',
    r'{"r\u0065sult":1}',
    r'"\"result\":[1"',
    "[]",
]


def test_a_repeated_key_is_detected_in_any_spelling_of_the_page() -> None:
    service, chance = load().service, random.Random(5)
    seen = {True: 0, False: 0}
    for _ in range(3000):
        members = []
        for name in chance.choices(_NAMES, k=chance.randint(1, 5)):
            array = chance.choice([",", ",", ", "]).join(
                chance.choices(_VALUES, k=chance.randint(0, 3))
            )
            members.append(
                f"{name}:{chance.choice(_VALUES)}" if "sult" not in name else f"{name}:[{array}]"
            )
        text = "{" + ",".join(members) + "}"
        page = page_body.split(text.encode(), service)
        if page is not None:
            names = [name for name, _ in json.loads(text, object_pairs_hook=lambda pairs: pairs)]
            twice = names.count("result") > 1 or names.count("next_cursor") > 1
            assert bool(page.repeated) == twice, text
            seen[twice] += 1
    assert min(seen.values()) > 500


def test_a_record_may_use_the_words_of_the_page(unified: Unified, service: Service) -> None:
    record = (
        b'{"id": "1", "result": 1, "result": 2, "next_cursor": "x", "r\\u0065sult": "\\u0061",'
        b' "": 0}'
    )
    by_cursor(
        service,
        {None: b'{"meta": %b, "result": [%b, %b], "x": 1, "x": 2}' % (record, record, record)},
    )
    result = unified(f"{LIST} --all -o ndjson", environ=service.environ)
    assert (result.raw, result.code) == ((record + b"\n") * 2, 0)


@pytest.mark.parametrize("how", ["json --all", "ndjson", "csv --all", "json --limit 1"])
def test_a_cursor_with_half_a_surrogate_pair_is_refused(
    how: str, unified: Unified, service: Service
) -> None:
    by_cursor(service, {None: envelope(b'[{"id": "1"}, {"id": "2"}]', '"a\\ud83d"')})
    result = unified(f"{LIST} -o {how}", environ=service.environ)
    assert (result.stdout, result.code) == ("", 5)
    assert "has a cursor that is not UTF-8" in result.stderr


@pytest.mark.parametrize("output", ["csv", "tsv", "table"])
def test_forty_thousand_columns_take_seconds(
    output: str, unified: Unified, service: Service
) -> None:
    first, second = ({f"{letter}{number}": number for number in range(40_000)} for letter in "ab")
    by_cursor(service, {None: {"result": [first], "next_cursor": "c1"}, "c1": {"result": [second]}})
    started = time.process_time()
    result = unified(f"{LIST} --all -o {output}", environ=service.environ)
    assert time.process_time() - started < 10
    assert (result.code, result.stdout.count("\n")) == (0 if output == "table" else 9, 3)
    if output != "table":
        assert (
            "no column for b0, b1, b2, b3, b4, b5, b6, b7, b8, b9 and 990 more at least"
            in result.stderr
        )


def test_a_jq_program_gets_no_document_beyond_its_bound(unified: Unified, service: Service) -> None:
    page = {"result": [{"id": str(number), "text": "x" * 2**20} for number in range(33)]}
    by_cursor(service, {None: page})
    for how in ("--all", "-o yaml --all", ""):
        result = unified(f"{LIST} {how} --jq .result[].id", environ=service.environ)
        assert (result.stdout, result.code) == ("", 2)
        assert (
            "--jq takes a document of at most 32 MiB (on a list, -o ndjson runs the program on each"
            in result.stderr
        )


def test_after_a_torn_page_the_next_run_continues_after_the_last_whole_one(
    unified: Unified, service: Service, tmp_path_factory: pytest.TempPathFactory
) -> None:
    target = tmp_path_factory.mktemp("out") / "list.yaml"
    second = [{"id": str(number), "text": "x" * 1000} for number in range(2000)]
    whole = json.dumps(second).encode()
    broken = whole[:-1] + b', {"a": ' + b"[" * 600 + b"]" * 600 + b"}]"
    answers = {
        None: {"result": tickets(3), "next_cursor": "c1"},
        "c1": lambda: served(envelope(broken)),
    }
    by_cursor(service, answers)
    command = f"{LIST} --all -o yaml --out {target}"
    first = unified(command, environ=service.environ)
    assert (first.code, target.exists()) == (5, False)
    assert "run the same command to resume at page 2" in first.stderr
    by_cursor(service, {**answers, "c1": envelope(whole)})
    assert unified(command, environ=service.environ).code == 0
    assert target.read_bytes().count(b"\n- id: ") == 2003
