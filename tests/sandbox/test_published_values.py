"""The sandbox speaks as the service publishes: its enumerations have the published
values, and every filter that help and README name finds records.
"""

import json
import re
import shlex

import pytest
from front_door import ROOT, Unified

from unified_cli.catalogue import Operation, load
from unified_cli.catalogue.known_filters import known_filters
from unified_cli.cli.operation_pages import filter_example
from unified_cli.commands.help import topics

CATALOGUE = load()
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
def test_what_readme_and_topics_filter_is_there(line: str, unified: Unified) -> None:
    assert records(unified, line) != []


def test_filters_are_shown() -> None:
    assert (len(SHOWN) > 1, len(FILTERS) > 10, "filters" in topics()) == (True, True, True)


@pytest.mark.parametrize("operation", LISTS, ids=name)
def test_enumerations_have_published_values(operation: Operation, unified: Unified) -> None:
    found = records(unified, f"unified -p sandbox {operation.command} --all")
    for field in operation.facts.fields:
        if field.values:
            assert {one[field.name] for one in found} <= {*field.values, None}, field.name


def test_a_status_of_a_ticket_is_a_published_one(unified: Unified) -> None:
    facts = CATALOGUE.operation("ticketing", "tickets", "list").facts
    (status,) = [one for one in facts.members if one.name == "status.name"]
    tickets = records(unified, "unified -p sandbox ticketing tickets list --all")
    found = {one["status"]["name"] for one in tickets}  # type: ignore[index]
    listed = {
        one["name"]
        for one in records(unified, "unified -p sandbox ticketing ticket_status list --all")
    }
    assert {"open", "closed", "pending"} <= found == listed <= {*status.values}
    for word in found:
        line = f"unified -p sandbox ticketing tickets list -q 'status[name]={word}'"
        assert records(unified, line) != []


def test_help_and_agents_see_nested_values(unified: Unified) -> None:
    page = unified("help ticketing tickets list").stdout
    assert "status.name (active | closed | open | pending" in re.sub(r"\s+", " ", page)
    assert "description" in page
    assert '"description"' in unified("ticketing tickets create --skeleton").stdout
