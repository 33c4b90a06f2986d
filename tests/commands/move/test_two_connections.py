"""Two connections whose ids may be of other records: nothing is joined by id alone, and
a move doubles nothing.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from record_files import TWO, ndjson

PLAN = "plan ticketing/contacts --from old --to new"
REMEDY = (
    "(--ids FILE joins by pairs of ids, --key NAME joins by another value, --same-ids joins by id"
    " anyway)\n"
)


@pytest.fixture(autouse=True)
def _two(config: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config(TWO)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("key", ["", "--key id", "--key .id"])
def test_an_id_alone_joins_no_two_connections(key: str, unified: Unified) -> None:
    result = unified(f"{PLAN} {key} -v")
    said = f"error: the same id in old and new may belong to different records {REMEDY}"
    assert (result.stdout, result.stderr, result.code) == ("", said, 2)


@pytest.mark.parametrize(
    ("words", "is_noted"),
    [
        ("--from old --to new", True),
        ("--from old --to new --key .id", True),
        ("--from dump --to new", True),
        ("--from old --to new --key name", False),
        ("--from old --to new --ids ids", False),
        ("--from dump --to old", False),
        ("--from dump/old/ticketing/contacts.ndjson --to new", False),
    ],
)
def test_a_comparison_says_that_ids_may_be_of_other_records(
    words: str, is_noted: bool, unified: Unified
) -> None:
    assert unified("-p old export ticketing/contacts --to dump --quiet").code == 0
    said = unified(f"diff ticketing/contacts {words}").stderr
    assert (" new may belong to different records (--key NAME joins by " in said) == is_noted


def test_the_records_of_a_file_may_be_anybodys(unified: Unified, tmp_path: Path) -> None:
    path = ndjson(tmp_path / "one.ndjson", {"id": "contacts-1", "name": "x"})
    result = unified(f"plan ticketing/contacts --from {path} --to new")
    assert (
        result.code,
        f"the same id in {path} and new may belong to different records" in result.stderr,
    ) == (2, True)


@pytest.mark.parametrize("words", ["--same-ids", "--key name", "--key id --key name", "--ids ids"])
def test_another_key_or_a_word_joins_them(words: str, unified: Unified) -> None:
    assert unified(f"{PLAN} {words}").code in {0, 9}


def test_an_export_of_the_same_connection_is_joined_by_id(unified: Unified) -> None:
    assert unified("-p old export ticketing/contacts --to dump --quiet").code == 0
    result = unified("plan ticketing/contacts --from dump --to old")
    assert (result.code, result.stderr) == (
        0,
        "nothing to do: 180 records the same on both sides\n",
    )


def test_creates_without_a_match_are_reported(unified: Unified) -> None:
    result = unified("plan ticketing/tags --from old --to new --same-ids --quiet")
    assert result.stderr == ""
    told = unified("plan ticketing/tags --from old --to new --same-ids")
    assert told.stderr.endswith(
        "no record of new has the id of a record of old, so all records are created\n"
    )
    known = unified("plan ticketing/tags --from old --to new --ids ids")
    assert "all records are created" not in known.stderr


def test_unmatched_records_are_reported_once(unified: Unified, tmp_path: Path) -> None:
    path = ndjson(tmp_path / "one.ndjson", {"name": "x"}, {"name": "y"})
    result = unified(f"plan ticketing/tags --from {path} --to new --same-ids")
    assert result.code == 9
    assert (
        result.stderr
        == "error: records without a call: 2 that cannot be matched (unified diff shows them)\n"
    )


@pytest.mark.parametrize("command", ["diff", "plan"])
def test_fields_that_the_service_fills_in_count_only_with_all_fields(
    command: str, unified: Unified, tmp_path: Path
) -> None:
    assert unified("-p old ticketing tags list --limit 1 -o ndjson --out one.ndjson").code == 0
    record = json.loads(Path("one.ndjson").read_text())
    path = ndjson(
        tmp_path / "two.ndjson",
        {**record, "etag": "other", "remote_data": {"a": 1}, "created_at": "2001"},
    )
    told = unified(
        f"{command} ticketing/tags --from {path} --to old --same-ids"
        if command == "plan"
        else f"diff ticketing/tags --from {path} --to one.ndjson"
    )
    assert (told.code, "different" in told.stdout) == (0, False)
    whole = unified(
        f"{command} ticketing/tags --from {path} --to old --all-fields"
        + (" --same-ids" * (command == "plan"))
    )
    assert "created_at" in whole.stdout
    assert "etag" in whole.stdout
