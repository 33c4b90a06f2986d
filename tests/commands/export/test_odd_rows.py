"""Records as providers have them, in a Delta table: whole outputs, of which nothing is
merged or changed silently.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from front_door import Result, Unified
from nights import Place, table
from pages import JSON
from server import Reply, Service

pytestmark = pytest.mark.extra
pytest.importorskip("deltalake", reason="needs the extra delta")
pytest.importorskip("pyarrow", reason="needs the extra delta")

Export = Callable[..., Result]
Row = tuple[str, datetime | None, str]


@pytest.fixture
def export(unified: Unified, service: Service, tmp_path: Path) -> Export:
    def run(records: list[str], more: str = "") -> Result:
        body = f'{{"result": [{", ".join(records)}], "next_cursor": null}}'
        service.reply = lambda _: Reply(200, body.encode(), dict(JSON))
        return unified(
            f"export ticketing/tickets --format delta --to {tmp_path}/dump {more}",
            environ=service.environ,
        )

    return run


def rows(folder: Path) -> list[Row]:
    """Ids, times of change and texts of all records, in the order of the ids."""
    found = table(Place("", f"{folder}/dump"), "ticketing/tickets").to_pyarrow_table().to_pylist()
    return sorted((row["id"], row["updated_at"], row["record"]) for row in found)


PART = "acct-1/ticketing/tickets.delta"
OTHER_KIND = "left out, because the table has the same id as a value of another type"
ACCEPT = "(--allow-partial accepts that)"
LONG = "x" * 2_000_000
EXACT = [
    (
        "digits",
        r'{"id": "digits", "n": 1.10, "big": 123456789012345678901234567890, "e": 1E+2, "neg": -0}',
    ),
    (r"\ud800", r'{"id":"\ud800","t":"\udfff x", "\ud801": 1}'),
    (r"\\ud800", r'{"id":"\\ud800"}'),
    (r"\\\\ud800", r'{"id":"\\\\ud800"}'),
    (r"\\\ud800", r'{"id":"\\\ud800"}'),
    ("b\\", r'{"id":"b\\"}'),
    ("pair", r'{"id":"pair","t":"\ud83d\ude00 é \u00e9 / \/"}'),
    ("nul", r'{"id":"nul","t":"\u0000"}'),
    ("n\0l", r'{"id":"n\u0000l"}'),
    ("q'x", """{"id":"q'x"}"""),
    ("escaped", r'{"\u0069d": "\u0065scaped"}'),
    ("long", f'{{"id":"long","t":"{LONG}"}}'),
    ("of two", '{"id":"of one","id":"of two"}'),
    ("", '{"id": ""}'),
    ("1.0", '{"id":1.0}'),
    ("1e3", '{"id":1e3}'),
    ("10000000000000000000000001", '{"id":10000000000000000000000001}'),
    ("true", '{"id":true}'),
    ("[1]", '{"id":[1]}'),
    ("A", '{"id":"A"}'),
    ("a", '{"id":"a"}'),
    ("\u00e9", '{"id":"\u00e9"}'),
    ("e\u0301", '{"id":"e\u0301"}'),
]
STAMPS: list[tuple[str, str | None]] = [
    ('"2026-01-01T00:00:00Z"', "2026-01-01"),
    ('"2026-01-01T00:00:00.123456Z"', "2026-01-01T00:00:00.123456"),
    ('"2026-01-01T00:00:00.123456000Z"', "2026-01-01T00:00:00.123456"),
    ('"2026-01-01T00:00:00.1234567Z"', None),
    ('"2026-01-01T02:00:00+02:00"', "2026-01-01"),
    ('"2026-01-01 00:00:00"', "2026-01-01"),
    ('"2026-01-01t00:00:00z"', "2026-01-01"),
    ('"2026-01-01"', "2026-01-01"),
    ('"20260101T000000Z"', "2026-01-01"),
    ('"2026-W01-4"', "2026-01-01"),
    ('"2026-01-01T00:00Z"', "2026-01-01"),
    ('"2026-01-01T00:00:00,5Z"', "2026-01-01T00:00:00.5"),
    (r'"2026-01-01T00:00:00\u005a"', "2026-01-01"),
    ('"0001-01-01T00:00:00Z"', "0001-01-01"),
    ('"9999-12-31T23:59:59.999999Z"', "9999-12-31T23:59:59.999999"),
    ('"0001-01-01T00:00:00+14:00"', None),
    ('"10000-01-01T00:00:00Z"', None),
    ('"2026-01-01T23:59:60Z"', None),
    ('"2026-13-01T00:00:00Z"', None),
    ('"yesterday"', None),
    ('""', None),
    ('"1767225600"', None),
    ("1767225600", None),
    ("null", None),
    ("{}", None),
]


def test_every_text_is_kept_as_it_was_served(export: Export, tmp_path: Path) -> None:
    result = export([text for _, text in EXACT])
    said = (
        f"wrote 1 list with {len(EXACT)} records to {tmp_path}/dump,"
        " 0 already complete; 1 of 1 list done\n"
    )
    assert (result.code, result.stderr) == (0, said)
    assert rows(tmp_path) == sorted((identifier, None, text) for identifier, text in EXACT)


def test_an_invalid_or_too_exact_time_is_null(export: Export, tmp_path: Path) -> None:
    texts = [f'{{"id":"s{at:02}","updated_at":{stamp}}}' for at, (stamp, _) in enumerate(STAMPS)]
    assert export(texts).code == 0
    expected = [
        (f"s{at:02}", datetime.fromisoformat(time).replace(tzinfo=UTC) if time else None, texts[at])
        for at, (_, time) in enumerate(STAMPS)
    ]
    assert rows(tmp_path) == expected


def at(second: int, more: str = "") -> str:
    return f'"updated_at":"2026-01-01T00:00:{second:02}Z"{more}'


def test_of_ids_with_equal_text_only_one_type_is_kept_and_the_other_reported(
    export: Export, tmp_path: Path
) -> None:
    texts = [
        f'{{"id":1,{at(1)}}}',
        f'{{"id":"1",{at(2)}}}',
        f'{{"id":"2",{at(3)}}}',
        f'{{"id":2,{at(4)}}}',
        f'{{"id":"twice",{at(6)}}}',
        f'{{"id":"twice",{at(5)}}}',
        f"{{{at(7)}}}",
        f'{{"id":null,{at(8)}}}',
    ]
    result = export(texts, "--incremental")
    said = [
        f"wrote 1 list with 3 records to {tmp_path}/dump, 0 already complete; 0 of 1 list done",
        f'{PART}: 2 records without an id left out {ACCEPT}; {OTHER_KIND}: "1", 2 {ACCEPT}',
        "error: 1 of 1 list partial",
        f"  unified export ticketing/tickets --to {tmp_path}/dump --incremental -o delta",
    ]
    assert (result.code, result.stderr.splitlines()) == (9, said)
    assert [text for _, _, text in rows(tmp_path)] == [texts[0], texts[2], texts[4]]
    assert export(texts, "--incremental --allow-partial").code == 0
    # Later changes are recognised by the existing rows.
    changed = [f'{{"id":"1",{at(30)}}}', f'{{"id":"2",{at(31)}}}', f'{{"id":"twice",{at(32)}}}']
    result = export(changed, "--incremental")
    said = [
        f"wrote 1 list with 2 records to {tmp_path}/dump, 0 already complete; 0 of 1 list done",
        f'{PART}: {OTHER_KIND}: "1" {ACCEPT}',
        "error: 1 of 1 list partial",
        f"  unified export ticketing/tickets --to {tmp_path}/dump --incremental -o delta",
    ]
    assert (result.code, result.stderr.splitlines()) == (9, said)
    assert [text for _, _, text in rows(tmp_path)] == [texts[0], *changed[1:]]


def test_changes_of_records_with_odd_ids_find_them(export: Export, tmp_path: Path) -> None:
    ids = [
        r'"\ud800"',
        r'"\\ud800"',
        r'"n\u0000l"',
        '"q\'x"',
        '""',
        "1e3",
        "true",
        '"\u00e9"',
        '"e\u0301"',
    ]
    for second in (1, 20, 40):
        texts = [f'{{"id":{one},{at(second + number)}}}' for number, one in enumerate(ids)]
        assert export(texts, "--incremental").code == 0
        assert sorted(text for _, _, text in rows(tmp_path)) == sorted(texts)


@pytest.mark.parametrize(
    "name",
    ["a b", "é/ü%41", "x'y", "=", "a=b", "%2F", "a\\b", "null", "__HIVE_DEFAULT_PARTITION__"],
)
def test_a_connection_of_any_name_has_a_part_of_its_own(
    name: str, unified: Unified, service: Service, export: Export, tmp_path: Path
) -> None:
    assert export([f'{{"id":"r",{at(1)}}}']).code == 0
    for second in (1, 20):
        body = f'{{"result": [{{"id":"r",{at(second)}}}], "next_cursor": null}}'
        service.reply = lambda _, body=body: Reply(200, body.encode(), dict(JSON))  # type: ignore[misc]
        words = [
            "export",
            "ticketing/tickets",
            "--format",
            "delta",
            "--incremental",
            "--to",
            f"{tmp_path}/dump",
        ]
        result = unified(words, environ={**service.environ, "UNIFIED_ACCOUNT_ID": name})
        assert (result.code, result.stderr.count("\n")) == (0, 1)
    found = table(Place("", f"{tmp_path}/dump"), "ticketing/tickets").to_pyarrow_table().to_pylist()
    assert {row["_profile"]: row["record"] for row in found} == {
        "acct-1": f'{{"id":"r",{at(1)}}}',
        name: f'{{"id":"r",{at(20)}}}',
    }
    assert len(found) == 2
