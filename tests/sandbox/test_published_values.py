"""The sandbox speaks as the service publishes: its enumerations have the published
values, and every filter that help and README name finds records.
"""

import json
import re
import shlex
from typing import Any

import httpx
import pytest
from front_door import ROOT, Unified

from unified_cli.catalogue import Operation, load
from unified_cli.catalogue.known_filters import known_filters
from unified_cli.cli.operation_pages import filter_example
from unified_cli.commands.help import topics
from unified_cli.sandbox.pytest_plugin import UnifiedSandbox
from unified_cli.sandbox.seeded_records import SeededRecords

CATALOGUE = load()
PUBLISHED = json.loads((ROOT / "tests/published/enumerations.json").read_text("utf-8"))
LISTS = [one for one in CATALOGUE if one.lists]
FILTERS = [
    (one, known.name, value)
    for one in LISTS
    for known in known_filters(one, CATALOGUE.service).filters
    for value in known.values
]
# The values in README and help topics.
SHOWN = sorted(
    {
        line.strip()
        for text in [
            (ROOT / "README.md").read_text("utf-8"),
            *(
                path.read_text("utf-8")
                for path in (ROOT / "unified_cli/commands/topics").glob("*.toml")
            ),
        ]
        for line in re.findall(
            r"unified -p sandbox [a-z-]+ [\w-]+ list[^\n\"`]* -q [^\n\"`|\\]*", text
        )
    }
)


def records(unified: Unified, line: str) -> list[dict[str, object]]:
    words = [word for word in shlex.split(line)[1:] if word not in ("-o", "table", "yaml", "csv")]
    result = unified([*words, "-o", "ndjson"])
    assert result.code == 0, result.stderr
    return [json.loads(one) for one in result.stdout.splitlines()]


def name(operation: Operation) -> str:
    return operation.command


@pytest.mark.parametrize("operation", LISTS, ids=name)
def test_the_example_of_a_filter_finds_records(operation: Operation, unified: Unified) -> None:
    line = filter_example(operation, CATALOGUE.service)
    assert records(unified, line) != [], line


@pytest.mark.parametrize(
    ("operation", "parameter", "value"),
    FILTERS,
    ids=lambda one: one.command if isinstance(one, Operation) else one,
)
def test_every_known_value_finds_records(
    operation: Operation, parameter: str, value: str, unified: Unified
) -> None:
    line = f"unified -p sandbox {operation.command} -q {parameter}={value} --limit 5"
    assert records(unified, line) != []


@pytest.mark.parametrize("line", SHOWN)
def test_records_for_the_filters_of_readme_and_topics_exist(line: str, unified: Unified) -> None:
    assert records(unified, line) != []


def test_filters_are_shown() -> None:
    assert (len(SHOWN) > 1, len(FILTERS) > 10, "filters" in topics()) == (True, True, True)


def values(found: list[dict[str, Any]], field: str) -> set[str]:
    """The values of a field, or of a member of it, but for those that are null."""
    first, _, member = field.partition(".")
    each = (one[first] for one in found if one[first] is not None)
    return {one[member] if member else one for one in each}


@pytest.mark.parametrize("place", PUBLISHED["fields"])
def test_an_enumeration_has_the_published_values(place: str, unified: Unified) -> None:
    api, resource, field = place.split()
    published = PUBLISHED["fields"][place]
    facts = CATALOGUE.operation(api, resource, "list").facts
    (known,) = [one for one in (*facts.fields, *facts.members) if one.name == field]
    assert sorted(known.values) == sorted(published)
    found = values(records(unified, f"unified -p sandbox {api} {resource} list --all"), field)
    # The only person that a connection belongs to is active.
    assert found == ({"active"} if resource == "me" else {*published})


@pytest.mark.parametrize("place", PUBLISHED["operations"])
def test_an_operation_takes_the_published_values(place: str) -> None:
    api, resource, operation, parameter = place.split()
    facts = CATALOGUE.operation(api, resource, operation).facts
    taken = (*facts.query.get(operation, ()), *facts.body.get(operation, ()))
    (known,) = [one for one in taken if one.name == parameter]
    assert sorted(known.values) == sorted(PUBLISHED["operations"][place])


@pytest.mark.parametrize("seed", ["2", "another"])
@pytest.mark.parametrize("api", [*CATALOGUE.apis])
def test_no_seed_leaves_out_a_published_value(api: str, seed: str) -> None:
    seeded = SeededRecords(seed, "full", {})
    for place, published in PUBLISHED["fields"].items():
        of, resource, field = place.split()
        if of == api and resource != "me":
            numbers = range(1, seeded.count(api, resource) + 1)
            assert values(seeded.records(api, resource, numbers), field) == {*published}, place


def test_no_known_enumeration_is_unpublished() -> None:
    known = {
        f"{one.api} {one.resource} {field.name}"
        for one in LISTS
        for field in (*one.facts.fields, *one.facts.members)
        if field.values
    }
    assert known == {*PUBLISHED["fields"]}


@pytest.mark.parametrize("field", PUBLISHED["connections"])
def test_connections_have_the_published_values(field: str, unified_sandbox: UnifiedSandbox) -> None:
    headers = {"Authorization": f"Bearer {unified_sandbox.token}"}
    answer = httpx.get(f"{unified_sandbox.url}/integrated-account", headers=headers, timeout=20)
    found = values(answer.json()["result"], field)
    assert found == {*PUBLISHED["connections"][field]}


@pytest.mark.parametrize("word", ["unified", "proxy"])
def test_the_log_has_calls_of_both_kinds(word: str, unified_sandbox: UnifiedSandbox) -> None:
    query = {
        "log_type": "unified_proxy_api",
        "log_type_filter[request_type]": word,
        "created_at[gt]": "2026-11-27T10:00:00Z",
        "created_at[lt]": "2026-11-27T12:00:00Z",
    }
    headers = {"Authorization": f"Bearer {unified_sandbox.token}"}
    answer = httpx.get(f"{unified_sandbox.url}/log", params=query, headers=headers, timeout=20)
    found = answer.json()["result"]
    assert {one["request_type"] for one in found} == {word}
    assert {"/" in one["resource"] for one in found} == {word == "unified"}


def test_a_connection_describes_nested_values(unified: Unified) -> None:
    line = "request GET /unified/ticketing/tickets/meta/list -p sandbox"
    described = unified(line).json["schema"]["properties"]["status"]
    assert described["properties"]["name"]["enum"] == published_values(
        "ticketing tickets status.name"
    )


def published_values(place: str) -> list[str]:
    found: list[str] = PUBLISHED["fields"][place]
    return found


def test_a_status_of_a_ticket_is_a_published_one(unified: Unified) -> None:
    facts = CATALOGUE.operation("ticketing", "tickets", "list").facts
    (status,) = [one for one in facts.members if one.name == "status.name"]
    tickets = records(unified, "unified -p sandbox ticketing tickets list --all")
    found = {one["status"]["name"] for one in tickets}  # type: ignore[index]
    listed = {
        one["name"]
        for one in records(unified, "unified -p sandbox ticketing ticket_status list --all")
    }
    assert found == listed == {*status.values}
    for word in status.values:
        line = f"unified -p sandbox ticketing tickets list -q 'status[name]={word}'"
        assert records(unified, line) != []


def test_help_and_agents_see_nested_values(unified: Unified) -> None:
    page = unified("help ticketing tickets list").stdout
    assert "status.name (active | closed | open | pending" in re.sub(r"\s+", " ", page)
    assert "description" in page
    skeleton = unified("ticketing tickets create --skeleton").json
    assert skeleton["status"]["name"].split("|") == published_values(
        "ticketing tickets status.name"
    )
    assert (skeleton["team"], "description" in skeleton) == ({}, True)
