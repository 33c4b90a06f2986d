"""`unified runs` at a terminal: a line for a run, a line for a cause; what programs
read is as it was.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from many_connections import account, failing, profiles, run_id
from pages import served
from server import Reply, Seen, Service

Config = Callable[[str], Path]
UPDATE = "ticketing tickets update t1 -f name=x"
AT = 1_800_000_000.0
PLAIN = {"NO_COLOR": "1"}
RUNS = """\
ID             BEGAN       COMMAND                   DONE  OF   STATE
{2}  just now    ticketing tickets update  ████  4/4  done
{1}  12 min ago  ticketing tickets update  ██▒·  3/5  interrupted
{0}  3 days ago  ticketing tickets update  ██░·  2/4  interrupted
"""


@pytest.fixture
def three(unified: Unified, service: Service, config: Config) -> list[str]:
    """The ids of three runs: one in doubt, one that failed in part, one that is
    done.
    """
    found = []
    for count, answers, ago in (
        (4, {"a-c02": 500}, 3 * 86400),
        (5, {"a-c03": 404}, 12 * 60),
        (4, {}, 1),
    ):
        profiles(config, service.url, count)
        service.reply = failing(answers)
        stop = "--fail-fast --workers 1" if answers else ""
        found.append(
            run_id(unified(f"{UPDATE} -p c* --yes {stop}", wall=lambda ago=ago: AT - ago).stderr)
        )
    return found


def test_the_runs_have_a_line_each(three: list[str], unified: Unified) -> None:
    shown = unified("runs list", tty=True, environ=PLAIN, wall=lambda: AT)
    assert (shown.stdout, shown.stderr) == (RUNS.format(*three), "")


def test_the_output_of_runs_on_a_pipe_and_as_json_is_unchanged(
    three: list[str], unified: Unified
) -> None:
    last = f"{three[2]}\t2027-01-15T07:59:59+00:00\tticketing tickets update\t4\t0\t0\t0\tdone"
    assert unified("runs list").stdout.splitlines()[0] == last
    assert unified("runs list -o tsv", tty=True).stdout.splitlines()[0] == last
    heads = unified("runs list -o table").stdout.splitlines()[0].split("  ")
    assert [one.strip() for one in heads if one] == [
        "ID",
        "STARTED",
        "COMMAND",
        "DONE",
        "FAILED",
        "IN DOUBT",
        "NOT TRIED",
        "STATE",
    ]
    assert (
        unified("runs list -o json", tty=True, environ=PLAIN).json
        == unified("runs list -o json").json
    )


LONG = "the-connection-of-a-customer-with-a-very-long-name-in-europe"
WHY = (
    "the record is locked by 山田太郎さんの長い名前の人 until somebody with the scope"
    " tickets.write.all unlocks it"
)
SHOWN = f"""\
████████████████████▒▒▒▒▒▒▒░░░  6 done, 2 failed, 1 in doubt

done: 6 connections
  {LONG}-00,
  {LONG}-01,
  {LONG}-02,
  {LONG}-06,
  {LONG}-07,
  {LONG}-08

failed: 2 connections
  the service answered 409 to PATCH /unified/ticketing/tickets/t1: the record is
  locked by 山田太郎さんの長い名前の人 until somebody with the scope
  tickets.write.all unlocks it (the record may already exist, or may have
  changed since it was read)
  {LONG}-03,
  {LONG}-04

in doubt: 1 connection
  the service answered 500 to PATCH /unified/ticketing/tickets/t1: {{"id": "t1"}};
  PATCH /unified/ticketing/tickets/t1 may or may not have been done
  {LONG}-05
"""


@pytest.fixture
def causes(unified: Unified, service: Service, config: Config) -> str:
    """The id of a run over nine connections with long names, and several causes."""
    names = profiles(config, service.url, 9)
    path = config("")
    profiles(config, service.url, 9)
    path.write_text(path.read_text().replace("[profiles.c0", f"[profiles.{LONG}-0"))

    def reply(seen: Seen) -> Reply:
        number = names.index(account(seen).removeprefix("a-"))
        if number in (3, 4):
            return served({"statusCode": 409, "error": "Conflict", "message": WHY}, 409)
        return served({"id": "t1"}, 500 if number == 5 else 200)

    service.reply = reply
    return run_id(
        unified(f"{UPDATE} -p * --yes --max-failures 3 --workers 1", wall=lambda: AT).stderr
    )


def test_a_run_is_shown_by_cause(causes: str, unified: Unified) -> None:
    shown = unified(f"runs show {causes}", tty=True, environ=PLAIN)
    assert shown.stdout == SHOWN
    first, *_, last = shown.stderr.splitlines()
    assert (first, last) == (
        f"run {causes}: ticketing tickets update -p *, begun 2027-01-15T08:00:00+00:00, in doubt",
        f"next: unified runs retry {causes}",
    )
    assert unified(f"runs show {causes} -o table", tty=True, environ=PLAIN).stdout == SHOWN


def test_the_output_of_a_run_on_a_pipe_and_as_json_is_unchanged(
    causes: str, unified: Unified
) -> None:
    head, *rows = unified(f"runs show {causes}").stdout.splitlines()
    assert (head.split("\t"), len(rows)) == (
        ["_profile", "outcome", "status", "id", "reason", "idempotency_key"],
        9,
    )
    assert unified(f"runs show {causes} -o table").stdout.startswith("_profile         ")
    found = unified(f"runs show {causes} -o json").json
    assert [len(one["idempotency_key"]) for one in found["result"]] == [36] * 9
    assert unified(f"runs show {causes} -o json", tty=True, environ=PLAIN).json == found


LINES = b"".join(b'{"_profile":"c0%d","id":"t%d","name":"x"}\n' % (at % 2, at) for at in range(5))


def test_a_run_of_lines_names_its_lines(unified: Unified, service: Service, config: Config) -> None:
    profiles(config, service.url, 2)
    service.reply = failing({"a-c01": 404})
    run = run_id(unified("ticketing tickets update - -p c* --yes", stdin=LINES).stderr)
    shown = unified(f"runs show {run}", tty=True, environ=PLAIN)
    assert (
        shown.stdout == "██████████████████▒▒▒▒▒▒▒▒▒▒▒▒  3 done, 2 failed\n"
        "\n"
        "done: 3 records\n"
        "  line 1 (c00), line 3 (c00), line 5 (c00)\n"
        "\n"
        "failed: 2 records\n"
        "  the service answered 404 to PATCH /unified/ticketing/tickets/t1: no (check the\n"
        "  id and the account id: unified -p c01 ticketing tickets list -o ids)\n"
        "  line 2 (c01), line 4 (c01)\n"
    )
