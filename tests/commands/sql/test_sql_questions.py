"""The ten questions of `unified help sql`: their answers are those of plain Python."""

import json
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import ROOT, Unified
from installed import needs_extra

pytest.importorskip("duckdb", reason="needs the extra sql")
pytestmark = pytest.mark.extra

Row = dict[str, Any]
Lists = Callable[[str], list[Row]]
QUESTIONS = tomllib.loads((ROOT / "unified_cli/commands/topics/sql.toml").read_text("utf-8"))[
    "sql"
]["code"]
NAMES = ("acme", "globex", "initech")


@pytest.fixture(name="fleet")
def _fleet(config: Callable[[str], Path]) -> None:
    config(
        'base_url = "sandbox:"\n'
        + "".join(f'[profiles.{one}]\naccount_id = "full:{one}"\ntags = ["eu"]\n' for one in NAMES)
    )


@pytest.fixture(name="lists")
def _lists(unified: Unified) -> Lists:
    def read(name: str) -> list[Row]:
        result = unified(f"-p tag:eu {name} list --all -o ndjson")
        assert result.code == 0
        return [json.loads(line) for line in result.stdout.splitlines()]

    return read


def named(record: Row, member: str) -> Any:
    return (record.get(member) or {}).get("name")


def owners(lists: Lists) -> list[Row]:
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for one in lists("ticketing tickets"):
        if named(one, "priority") == "Urgent" and one.get("account"):
            found[one["_profile"], named(one, "account")].append(one)
    rows = [
        {
            "_profile": profile,
            "customer": customer,
            "urgent": len(some),
            "owners": ", ".join(
                sorted({one["assignees"][0]["name"] for one in some if one["assignees"]})
            )
            or None,
        }
        for (profile, customer), some in found.items()
    ]
    return sorted(rows, key=lambda row: (-row["urgent"], row["_profile"], row["customer"]))


def longest(lists: Lists) -> list[Row]:
    found = [one for one in lists("ticketing tickets") if named(one, "status") == "open"]
    found.sort(key=lambda one: (one["created_at"], one["_profile"], one["id"]))
    columns = ("_profile", "id", "name")
    return [
        {
            **{name: one[name] for name in columns},
            "created_at": one["created_at"].replace(".000Z", "Z"),
        }
        for one in found[:10]
    ]


def months(lists: Lists) -> list[Row]:
    found = Counter(f"{one['created_at'][:7]}-01T00:00:00Z" for one in lists("ticketing tickets"))
    return [{"month": month, "tickets": found[month]} for month in sorted(found)]


def shared(lists: Lists) -> list[Row]:
    found = [
        {"_profile": one["_profile"], "id": one["id"], "people": len(one["assignees"])}
        for one in lists("ticketing tickets")
        if len(one["assignees"]) > 1
    ]
    return sorted(found, key=lambda one: (-one["people"], one["_profile"], one["id"]))


def by_status(lists: Lists) -> list[Row]:
    found = Counter(
        (named(one, "status"), named(one, "priority")) for one in lists("ticketing tickets")
    )
    return [
        {"status": one, "Urgent": found[one, "Urgent"], "Low": found[one, "Low"]}
        for one in sorted({status for status, _ in found})
    ]


def tags(lists: Lists) -> list[Row]:
    found = Counter(tag["name"] for one in lists("ticketing tickets") for tag in one["tags"])
    order = sorted(found.items(), key=lambda one: (-one[1], one[0]))
    return [{"name": name, "tickets": number} for name, number in order[:10]]


def not_answered(lists: Lists) -> list[Row]:
    answered = {
        (one["_profile"], one["ticket"]["id"])
        for one in lists("ticketing comments")
        if not (one["is_internal"] or one["is_private"])
    }
    found = {(one["_profile"], one["id"]) for one in lists("ticketing tickets")} - answered
    return [{"_profile": profile, "id": one} for profile, one in sorted(found)]


def in_several(lists: Lists) -> list[Row]:
    found: dict[str, set[str]] = defaultdict(set)
    for one in lists("user-directory users"):
        found[one["emails"][0]["email"]].add(one["_profile"])
    order = sorted(found.items(), key=lambda one: (-len(one[1]), one[0]))
    return [{"email": one, "connections": len(some)} for one, some in order if len(some) > 1]


def one_factor(lists: Lists) -> list[Row]:
    found = [
        {name: one[name] for name in ("_profile", "id", "name")}
        for one in lists("user-directory users")
        if one["status"] == "active" and not one.get("is_2fa_enabled")
    ]
    return sorted(found, key=lambda one: (one["_profile"], one["id"]))


def not_active(lists: Lists) -> list[Row]:
    contacts = {(one["_profile"], one["id"]): one for one in lists("ticketing contacts")}
    found = Counter(
        (one["_profile"], one["contact"]["id"])
        for one in lists("ticketing tickets")
        if one.get("contact")
    )
    return [
        {
            "_profile": profile,
            "id": one,
            "name": contacts[profile, one]["name"],
            "tickets": number,
        }
        for (profile, one), number in sorted(found.items())
        if contacts[profile, one].get("is_active") is False
    ]


ANSWERS: dict[str, Callable[[Lists], list[Row]]] = dict(
    zip(
        QUESTIONS,
        (
            owners,
            longest,
            months,
            shared,
            by_status,
            tags,
            not_answered,
            in_several,
            one_factor,
            not_active,
        ),
        strict=True,
    )
)


@pytest.mark.usefixtures("fleet")
@pytest.mark.parametrize("question", ANSWERS)
def test_a_question_has_the_answer_of_plain_python(
    question: str, unified: Unified, lists: Lists
) -> None:
    result = unified("-p tag:eu sql - -o ndjson", stdin=QUESTIONS[question].encode())
    assert (result.code, result.stdout != "") == (0, True), result.stderr
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert rows == ANSWERS[question](lists)


@pytest.mark.usefixtures("fleet")
@pytest.mark.parametrize(
    "form", ["ndjson", pytest.param("parquet", marks=needs_extra("parquet", "pyarrow"))]
)
def test_an_export_gives_the_same_answer_without_a_request(
    form: str, unified: Unified, tmp_path: Path
) -> None:
    dump = tmp_path / "dump"
    assert unified(f"-p tag:eu export ticketing/tickets --to {dump} --format {form}").code == 0
    text = next(iter(QUESTIONS.values())).encode()
    asked = unified("-p tag:eu sql - -o ndjson", stdin=text)
    exported = unified(f"sql - --from {dump} -o ndjson", stdin=text)
    assert (exported.code, exported.stdout) == (0, asked.stdout)
