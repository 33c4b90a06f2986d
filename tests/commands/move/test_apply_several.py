"""`unified apply` with plans of several connections: in fair turns, as one run, each
against its own target.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from many_connections import account, base_url, profiles, run_id
from pages import served
from server import Reply, Seen, Service

Config = Callable[[str], Path]
COUNT = 4


class Customers:
    """A connection for each customer, that has what was created there."""

    def __init__(self, service: Service) -> None:
        self.created: list[tuple[str, str]] = []
        self.refusing = ""
        service.reply = self.reply

    def reply(self, seen: Seen) -> Reply:
        if seen.method == "GET":
            return served({"result": [], "next_cursor": None})
        if account(seen) == self.refusing:
            return served({"statusCode": 401, "error": "Unauthorized", "message": "no"}, 401)
        self.created.append((account(seen), seen.json["name"]))
        return served({"id": "new"})


@pytest.fixture
def customers(service: Service, config: Config) -> Customers:
    profiles(config, service.url, COUNT)
    return Customers(service)


@pytest.fixture
def plans(unified: Unified, customers: Customers, tmp_path: Path) -> list[str]:
    """A plan for each customer: one hundred creates of the first, three of the
    others.
    """
    assert customers.created == []
    found = []
    for number in range(COUNT):
        side = tmp_path / f"{number}.ndjson"
        records = [{"id": f"t{at}", "name": f"n{at}"} for at in range(3 if number else 100)]
        side.write_text("".join(f"{json.dumps(one)}\n" for one in records))
        made = unified(f"plan ticketing/tags --from {side} --to c0{number} --same-ids")
        path = tmp_path / f"{number}.plan"
        path.write_bytes(made.raw)
        found.append(str(path))
    return found


def test_all_are_applied_in_fair_turns_as_one_run(
    plans: list[str], customers: Customers, unified: Unified
) -> None:
    result = unified(f"apply {' '.join(plans)} -p c* --yes --workers 4")
    assert result.code == 0, result.stderr
    whose = [who for who, _ in customers.created]
    assert {who: whose.count(who) for who in {*whose}} == {
        "a-c00": 100,
        **{f"a-c0{number}": 3 for number in range(1, COUNT)},
    }
    # The many calls of the first hold up none of the others.
    assert max(at for at, who in enumerate(whose) if who != "a-c00") < 30
    (run,) = unified("runs list -o json").json["runs"]
    assert (run["id"], run["done"], run["state"]) == (run_id(result.stderr), 109, "done")
    again = unified(f"apply {' '.join(plans)} -p c* --yes")
    assert (again.code, again.stderr.count("already applied: ")) == (0, COUNT)
    assert len(customers.created) == 109


def test_one_question_names_all_of_them(plans: list[str], unified: Unified) -> None:
    asked = unified(f"apply {' '.join(plans[1:])}", tty=True, stdin=b"n\n")
    what = "apply 9 creates to 3 connections (c01, c02, c03)?"
    assert (asked.code, what in asked.stderr) == (2, True)


def test_one_that_fails_stops_none_of_the_others_and_is_resumed(
    plans: list[str], customers: Customers, unified: Unified
) -> None:
    customers.refusing = "a-c02"
    result = unified(f"apply {' '.join(plans[1:])} -p c* --yes --workers 1")
    assert (result.code, len(customers.created)) == (9, 6)
    assert "c02: its other calls are not tried: " in result.stderr
    assert "1 of 9 calls failed (c02 1)" in result.stderr
    run = run_id(result.stderr)
    assert result.stderr.splitlines()[-1] == f"  unified runs resume {run}"
    customers.refusing = ""
    resumed = unified("runs resume")
    assert resumed.code == 0, resumed.stderr
    assert sorted(customers.created) == sorted(
        (f"a-c0{number}", f"n{at}") for number in range(1, COUNT) for at in range(3)
    )


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("-p c01", 13, 'is for account a-c02 at {url}, but profile "c01" is for account a-c01'),
        ("-p c01 -p c00", 13, "none of the 2 selected profiles is for it"),
        ("", 2, "without a terminal, apply needs -p, the profile to change, and --yes"),
        ("-p c* --ids {folder}/ids", 2, "the file of --ids is for one connection, but these plans"),
    ],
)
def test_each_is_checked_against_its_own_target(
    options: str,
    code: int,
    said: str,
    plans: list[str],
    customers: Customers,
    unified: Unified,
    service: Service,
    tmp_path: Path,
) -> None:
    options = options.format(folder=tmp_path)
    result = unified(f"apply {plans[1]} {plans[2]} {options} --yes")
    assert (result.code, customers.created) == (code, [])
    assert said.format(url=service.url) in result.stderr


def test_one_that_is_read_only_ends_it_before_anything_is_sent(
    plans: list[str], customers: Customers, unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, COUNT, c02=f"{base_url(service.url)}\nread_only = true")
    result = unified(f"apply {plans[1]} {plans[2]} -p c* --yes")
    assert (result.code, customers.created) == (13, [])
    assert result.stderr == 'error: profile "c02" is read-only; nothing was sent\n'
