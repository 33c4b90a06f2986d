"""Records of every kind in the columns of a table: all are kept, no value changes."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pytest
from campaigns import size
from front_door import Result, Unified
from odd_records import Number, Pairs, Speller, exact
from pages import cursor_of, serve, served
from server import Service

pytest.importorskip("duckdb", reason="needs the extra sql")
pytestmark = pytest.mark.extra

TAGS = "ticketing.tags"


def whole(value: Any) -> Any:
    """A value with U+FFFD for each half of a surrogate pair."""
    if isinstance(value, Number):
        return value
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Pairs):
        return Pairs(tuple((whole(name), whole(one)) for name, one in value.members))
    return [whole(one) for one in value] if isinstance(value, list) else value


def kind(value: Any) -> str:
    if isinstance(value, Number):
        text = value.digits
        if text.removeprefix("-").isdigit():
            size_of = abs(int(text))
            return "BIGINT" if size_of < 2**63 else "HUGEINT" if size_of < 2**127 else "ODD"
        return "DOUBLE" if Decimal(repr(float(text))) == Decimal(text) else "ODD"
    if isinstance(value, str):
        return "VARCHAR"
    return "BOOLEAN" if isinstance(value, bool) else "JSON"


def type_of(name: str, values: Sequence[Any]) -> str:
    """The type of a column, as `unified sql` promises it."""
    kinds = {kind(value) for value in values if value is not None}
    if name in {"created_at", "updated_at"}:
        return "TIMESTAMPTZ"
    if name == "id" or not kinds:
        return "VARCHAR"
    if "JSON" in kinds or len(kinds) == 1:
        return "JSON" if "JSON" in kinds else kinds.pop().replace("ODD", "VARCHAR")
    if kinds <= {"BIGINT", "HUGEINT"}:
        return "HUGEINT"
    whole_numbers = [one.digits for one in values if kind(one) == "BIGINT" if one is not None]
    short = all(len(one) <= 15 for one in whole_numbers)
    return "DOUBLE" if kinds == {"BIGINT", "DOUBLE"} and short else "VARCHAR"


def shown(value: Any, column: str) -> Any:
    """A value as the result has it."""
    if value is None or column in {"JSON", "BOOLEAN"}:
        return value
    if column == "DOUBLE":
        return float(value.digits)
    if column in {"BIGINT", "HUGEINT"}:
        return int(value.digits)
    return value.digits if isinstance(value, Number) else value


def columns_of(records: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Each member that is a column; of those that differ by case the first."""
    in_use, found = {"_profile", "record"}, dict[str, str]()
    for record in records:
        for name in record:
            called = "_profile_served" if name == "_profile" else name
            if name not in found and called and "\0" not in called and called.lower() not in in_use:
                in_use.add(called.lower())
                found[name] = called
    return found


def ask(unified: Unified, service: Service, statement: str, *more: str) -> Result:
    argv = ["sql", statement, "-o", "ndjson", *more]
    return unified(argv, environ=service.environ)


@pytest.mark.parametrize(
    "number", [600, pytest.param(size(100_000, 20_000), marks=pytest.mark.long(seconds=12))]
)
def test_every_value_is_there_as_it_was_served(
    number: int, unified: Unified, service: Service
) -> None:
    speller = Speller(16)
    texts = [*speller.named_records(number, "evil", "sandbox")]
    pages = [texts[at : at + 100] for at in range(0, number, 100)]

    def page(at: int) -> bytes:
        return speller.page(pages[at], f"c{at + 1}" if at + 1 < len(pages) else None)

    service.reply = lambda seen: served(page(int((cursor_of(seen) or "c0")[1:])))
    result = ask(unified, service, f"FROM {TAGS} WHERE record IS NOT NULL")
    assert result.code == 0, result.stderr
    records = [dict(whole(exact(text)).members) for text in texts]
    columns = columns_of(records)
    types = {name: type_of(name, [one.get(name) for one in records]) for name in columns}
    lines = map(exact, result.raw.splitlines())
    rows = {row["id"]: row for row in (dict(line.members) for line in lines)}
    assert len(rows) == number
    for text, record in zip(texts, records, strict=True):
        row = rows[record["id"]]
        assert row.pop("record") == whole(exact(text))
        assert row.pop("_profile") == "acct-1"
        for name, called in columns.items():
            found = row.pop(called)
            if types[name] in {"BIGINT", "HUGEINT", "DOUBLE"} and found is not None:
                found = (float if types[name] == "DOUBLE" else int)(found.digits)
            assert found == shown(record.get(name), types[name]), (name, types[name], text)
        assert not row


def test_types_that_differ_between_connections_become_text_or_json(
    unified: Unified, service: Service
) -> None:
    records = [
        {"id": 1, "a": 1, "b": {"c": "x"}, "n": 10158500000000001, "t": "2026-01-01"},
        {"id": "2", "a": "one", "b": "y", "n": 2.5, "t": "today"},
        {"id": "3", "a": None, "created_at": "no time", "updated_at": "2026-02-01T01:00:00+01:00"},
    ]
    serve(service, [records])
    result = ask(unified, service, f"SELECT * FROM {TAGS} ORDER BY id")
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        {
            "_profile": "acct-1",
            "id": one["id"],
            "a": one["a"],
            "b": one["b"],
            "n": one["n"],
            "t": one["t"],
            "created_at": None,
            "updated_at": one["updated_at"],
        }
        for one in (
            {
                "id": "1",
                "a": "1",
                "b": {"c": "x"},
                "n": "10158500000000001",
                "t": "2026-01-01",
                "updated_at": None,
            },
            {"id": "2", "a": "one", "b": "y", "n": "2.5", "t": "today", "updated_at": None},
            {
                "id": "3",
                "a": None,
                "b": None,
                "n": None,
                "t": None,
                "updated_at": "2026-02-01T00:00:00Z",
            },
        )
    ]
    filtered = ask(
        unified, service, f"SELECT id FROM {TAGS} WHERE a = 'one' OR b->>'c' = 'x' ORDER BY id"
    )
    assert filtered.stdout == '{"id":"1"}\n{"id":"2"}\n'


def test_names_that_differ_by_case_are_named_and_in_the_record(
    unified: Unified, service: Service
) -> None:
    serve(service, [[{"id": "1", "name": "a"}, {"id": "2", "Name": "b"}]])
    statement = f"SELECT name, record->>'Name' AS other FROM {TAGS} ORDER BY id"
    result = ask(unified, service, statement)
    assert result.stdout == '{"name":"a","other":null}\n{"name":null,"other":"b"}\n'
    assert result.stderr.splitlines()[0] == (
        """ticketing.tags: no column for "Name" (use record->>'NAME')"""
    )


def test_half_a_character_is_named_and_a_line_that_is_no_object_ends_with_9(
    unified: Unified, service: Service
) -> None:
    text = b'{"result":[{"id":"1","name":"x\\ud83d"},7,{"id":"2","name":"y"}],"next_cursor":null}'
    service.reply = lambda _: served(text)
    result = ask(unified, service, f"SELECT name FROM {TAGS} ORDER BY id")
    assert (result.stdout, result.code) == ('{"name":"x\ufffd"}\n{"name":"y"}\n', 9)
    assert result.stderr.splitlines() == [
        "ticketing.tags: half of a character was replaced by U+FFFD in 1 record",
        "2 rows from 2 records",
        '{"error": ' + result.stderr.splitlines()[2].removeprefix('{"error": '),
    ]
    assert "ticketing.tags: left out 1 line without a JSON object" in result.stderr


def test_more_than_a_thousand_members_are_reached_through_the_record(
    unified: Unified, service: Service
) -> None:
    serve(service, [[{"id": "1", **{f"m{at}": at for at in range(1200)}}]])
    statement = f"SELECT m5, record->'m1150' AS far FROM {TAGS}"
    assert ask(unified, service, statement).stdout == '{"m5":5,"far":1150}\n'
    everything = ask(unified, service, f"SELECT * FROM {TAGS}")
    assert (everything.code, len(json.loads(everything.stdout))) == (0, 1001)
    assert "no column for" in everything.stderr
