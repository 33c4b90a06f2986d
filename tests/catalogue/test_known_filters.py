"""The known filters and sort keys of lists: one set of facts, which help shows and the
sandbox obeys.
"""

import json
from collections.abc import Callable

import pytest
from front_door import Unified

from unified_cli.catalogue import Operation, load
from unified_cli.catalogue.known_filters import known_filters

CATALOGUE = load()
LISTS = [operation for operation in CATALOGUE if operation.lists]


def test_only_lists_have_filters() -> None:
    create = CATALOGUE.operation("ticketing", "tickets", "create")
    assert [*known_filters(create, CATALOGUE.service)] == [(), (), ()]


@pytest.mark.parametrize("operation", LISTS, ids=lambda one: one.command)
def test_the_help_of_a_list_names_its_filters_operators_and_sort_keys(
    operation: Operation, unified: Unified
) -> None:
    known = known_filters(operation, CATALOGUE.service)
    assert {"created_at", "updated_at"} <= {one.name for one in known.filters}
    page = unified(f"{operation.command} --help").stdout
    section = " ".join(
        page.partition("Known filters and sort keys")[2].partition("\n\n")[0].split()
    )
    named, rest = section.partition(" -q 'NAME[OP]=VALUE' ")[::2]
    assert all(one.name in named for one in known.filters)
    assert rest == "OP: eq, gt, lt, in -q 'sort_by[NAME]=asc|desc' created_at, updated_at"
    assert f"unified -p sandbox {operation.command} -q " in " ".join(
        page.replace("\\\n", " ").split()
    )


def test_a_page_shows_the_filters_of_one_list(unified: Unified) -> None:
    page = unified("ci-cd pull-requests list --help").stdout
    assert (
        """\
Examples:
  unified -p sandbox ci-cd pull-requests list
  unified -p sandbox ci-cd pull-requests list -q status=open \\
      -q 'sort_by[created_at]=desc'

Known filters and sort keys (unified help filters):
  -q NAME=VALUE                owner, repo_id, filter_Query (object), title,
                               status (all | closed | locked | merged | open),
                               created_at, updated_at; some providers also
                               filter by other fields
  -q 'NAME[OP]=VALUE'          OP: eq, gt, lt, in
  -q 'sort_by[NAME]=asc|desc'  created_at, updated_at
"""
        in page
    )


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("-q 'created_at[gt]=2025-06-01'", lambda at: at > "2025-06-01"),
        ("-q 'created_at[lt]=2025-06-01'", lambda at: at < "2025-06-01"),
        (
            "-q 'created_at[eq]=2025-01-24T07:34:38.000Z'",
            lambda at: at == "2025-01-24T07:34:38.000Z",
        ),
        (
            "-q 'created_at[in]=2025-01-24T07:34:38.000Z,2024-07-12T06:33:07.000Z'",
            lambda at: at in {"2025-01-24T07:34:38.000Z", "2024-07-12T06:33:07.000Z"},
        ),
    ],
)
def test_an_operator_does_in_the_sandbox_what_help_says(
    query: str, wanted: Callable[[str], bool], unified: Unified
) -> None:
    command = "-p sandbox ticketing tickets list --all -o ndjson --columns created_at --quiet"
    everything = [json.loads(line)["created_at"] for line in unified(command).stdout.splitlines()]
    found = [
        json.loads(line)["created_at"] for line in unified(f"{command} {query}").stdout.splitlines()
    ]
    assert found == [at for at in everything if wanted(at)]
    assert 0 < len(found) < len(everything)
    ordered = unified(f"{command} {query} -q 'sort_by[created_at]=desc'").stdout.splitlines()
    assert [json.loads(line)["created_at"] for line in ordered] == sorted(found, reverse=True)
