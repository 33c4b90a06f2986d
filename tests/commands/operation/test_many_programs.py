"""A jq program that fails on a record of one connection hides no record of another."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from pages import served
from server import Reply, Seen, Service

Config = Callable[[str], Path]
LIST = ["ticketing", "tickets", "list", "-p", "c*", "--ordered"]
THREE = "".join(f'[profiles.{name}]\naccount_id = "{name}"\n' for name in ("c1", "c2", "c3"))
DOUBLED = ".number | tonumber | {n: (. * 2)}"


@pytest.fixture
def fleet(service: Service, config: Config) -> list[tuple[str, str]]:
    """Four pages of each connection but `c2`: its list has no end, and a number on its
    second page is a word.
    """
    config(THREE)
    asked: list[tuple[str, str]] = []

    def reply(seen: Seen) -> Reply:
        query = dict(seen.query)
        name, page = query["integrated_account_id"], query.get("next_cursor", "1")
        asked.append((name, page))
        number = "many" if (name, page) == ("c2", "2") else page
        records = [{"id": f"{name}-{page}", "number": number}]
        onward = str(int(page) + 1) if name == "c2" or int(page) < 4 else None
        return served({"result": records, "next_cursor": onward})

    service.reply = reply
    return asked


@pytest.mark.parametrize("form", ["ndjson", "csv", "tsv"])
@pytest.mark.usefixtures("fleet")
def test_a_failing_program_fails_its_connection_alone(
    unified: Unified, service: Service, form: str
) -> None:
    result = unified([*LIST, "--all", "-o", form, "--jq", DOUBLED], environ=service.environ)
    assert result.code == 9
    assert [result.stdout.count(name) for name in ("c1", "c2", "c3")] == [4, 1, 4]
    assert "8 records in 8 pages from 2 of 3 connections" in result.stderr
    assert "c2: --jq: " in result.stderr
    assert 'on record "c2-2"' in result.stderr
    assert "stopped after 1 record in 1 page; to continue: -p c2" in result.stderr
    assert "1 of 3 connections failed: c2" in result.stderr


def test_the_rest_of_that_connection_is_not_read(
    unified: Unified, service: Service, fleet: list[tuple[str, str]]
) -> None:
    result = unified([*LIST, "--all", "-o", "ndjson", "--jq", DOUBLED], environ=service.environ)
    assert result.code == 9
    assert {name for name, page in fleet if page == "4"} >= {"c1", "c3"}


@pytest.mark.usefixtures("fleet")
def test_a_program_that_fails_everywhere_is_a_wrong_program(
    unified: Unified, service: Service
) -> None:
    result = unified([*LIST, "-o", "ndjson", "--jq", ".[] | .name"], environ=service.environ)
    error = json.loads(result.stderr.splitlines()[-1])["error"]
    assert (result.code, result.stdout, error["code"]) == (2, "", "usage")
    assert "all 3 connections failed" in error["message"]
    assert [one["profile"] for one in error["failed"]] == ["c1", "c2", "c3"]


@pytest.mark.usefixtures("fleet")
def test_a_page_whose_program_fails_names_the_record(unified: Unified, service: Service) -> None:
    command = ["ticketing", "tickets", "list", "-p", "c2", "--all", "-o", "csv", "--jq", DOUBLED]
    result = unified(command, environ=service.environ)
    assert result.code == 2
    assert 'on record "c2-2"' in result.stderr


def test_a_failing_program_takes_only_its_line_from_piped_reads(unified: Unified) -> None:
    program = 'if .id == "tickets-2" then error("no") else .id end'
    result = unified(
        ["-p", "sandbox", "ticketing", "tickets", "get", "-", "-o", "csv", "--jq", program],
        stdin=b"tickets-1\ntickets-2\ntickets-3\n",
    )
    assert (result.code, "tickets-1" in result.stdout, "tickets-3" in result.stdout) == (
        2,
        True,
        True,
    )
    assert result.stderr == (
        'line 2: --jq: no, on record "tickets-2"\nerror: --jq fails on 1 record\n'
    )


FORMATS = ["csv", "tsv", "markdown", "table"]


def header(text: str) -> list[str]:
    return re.findall(r"[a-z_]+", text.splitlines()[0].lower())


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("tty", [False, True])
@pytest.mark.usefixtures("fleet")
def test_a_program_that_makes_other_members_decides_the_columns(
    unified: Unified, service: Service, form: str, tty: bool
) -> None:
    environ = {**service.environ, "NO_COLOR": "1"}
    result = unified([*LIST, "-o", form, "--jq", "{n: .id}"], environ=environ, tty=tty)
    assert (result.code, header(result.stdout)) == (0, ["_profile", "n"])


@pytest.mark.parametrize("form", ["csv", "tsv", "markdown"])
def test_a_program_that_selects_records_keeps_the_known_columns(
    unified: Unified, config: Config, form: str
) -> None:
    config(THREE.replace('= "c', '= "full:c'))
    command = [*LIST, "-o", form, "--jq", 'select(.id == "tickets-3")']
    selected = unified(command, environ={"UNIFIED_BASE_URL": "sandbox:"})
    plain = unified([*LIST, "-o", form], environ={"UNIFIED_BASE_URL": "sandbox:"})
    assert header(selected.stdout) == header(plain.stdout)
    assert len(header(selected.stdout)) > 12
