"""Calls in doubt: why they are not repeated, how a person looks, and how they are
repeated on request; the printed commands lead to an end.
"""

import json
import shlex
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Result, Unified
from many_connections import account, profiles, run_id
from pages import served
from server import Reply, Seen, Service

Config = Callable[[str], Path]
SUSPEND = "user-directory users suspend -f user_id=users-1 -p c* --yes"
UPDATE = "ticketing tags update t1 -f name=x -p c* --yes"
RECORD = {SUSPEND: "user-directory users get users-1", UPDATE: "ticketing tags get t1"}


class Fleet:
    """Some connections that answer, some that refuse, and a run that was killed."""

    def __init__(self, unified: Unified, service: Service, folder: Path) -> None:
        self.unified, self.service, self.folder = unified, service, folder
        self.refusing: set[str] = set()
        self.failing: set[str] = set()
        self.effects = Counter[str]()
        self._keys: set[str] = set()
        service.reply = self.reply

    def reply(self, seen: Seen) -> Reply:
        """Do a write once for each key; refuse, or fail after it was done."""
        who = account(seen).removeprefix("a-")
        if seen.method == "GET":
            return served({"id": "users-1", "status": "suspended"})
        if who in self.refusing:
            return served({"statusCode": 404, "error": "Error", "message": "no"}, 404)
        if (key := seen.headers["idempotency-key"]) not in self._keys:
            self._keys.add(key)
            self.effects[who] += 1
        return Reply(500) if who in self.failing else served({"id": "users-1"})

    def kill(self, run: str, done: int, under_way: int) -> None:
        """Have the journal as a kill left it: some are done, some were sent, some
        not.
        """
        path = self.folder / "data" / "runs" / f"{run}.ndjson"
        head, *lines = path.read_text().splitlines()
        kept = []
        for line in lines:
            one = json.loads(line)
            sent_only = done < one["n"] <= done + under_way
            if one["s"] == "new" or one["n"] <= done or (sent_only and one["s"] == "sent"):
                kept.append(line)
        path.write_text("".join(f"{line}\n" for line in [head, *kept]))


@pytest.fixture
def fleet(unified: Unified, service: Service, tmp_path: Path) -> Fleet:
    return Fleet(unified, service, tmp_path)


def last_line(result: Result) -> str:
    return result.stderr.splitlines()[-1].strip()


@pytest.mark.parametrize("command", [SUSPEND, UPDATE], ids=["outward", "with a key"])
@pytest.mark.parametrize(
    ("done", "under_way"),
    [(0, 1), (0, 9), (0, 42), (1, 0), (5, 8), (13, 9), (20, 16), (33, 9), (41, 1), (42, 0)],
)
@pytest.mark.parametrize("refusing", [0, 14])
def test_the_printed_commands_of_a_killed_run_lead_to_its_end(
    command: str, done: int, under_way: int, refusing: int, fleet: Fleet, config: Config
) -> None:
    names = profiles(config, fleet.service.url, 42)
    fleet.refusing = {*names[:refusing]}
    run = run_id(fleet.unified(f"{command} --workers 1 --token-rate 0").stderr)
    fleet.kill(run, done, under_way)
    step, printed = f"unified runs resume {run}", []
    while step.startswith("unified ") and len(printed) < 4:
        assert step not in printed
        printed.append(step)
        fleet.service.seen.clear()
        ended = fleet.unified(shlex.split(step)[1:])
        step = last_line(ended) if ended.stderr else ""
    assert len(printed) <= 3, printed
    state = fleet.unified("runs list -o json").json["runs"][0]["state"]
    # A refusal ends no doubt, and a call that affects people is not repeated.
    left = {*names[done : done + under_way]}
    if command == UPDATE:
        left &= fleet.refusing
    if left:
        # The last step shows each record that a person must check, and sends nothing
        # else.
        assert state == "in doubt"
        assert printed[-1] == f"unified {RECORD[command]} -p run:{run}:in-doubt"
        checked = {account(seen).removeprefix("a-") for seen in fleet.service.seen}
        assert checked == left
    else:
        assert state == ("failed in part" if refusing else "done")
    assert set(fleet.effects.values()) <= {1}


@pytest.fixture
def doubtful(fleet: Fleet, config: Config) -> str:
    """The id of a suspend over three connections, of which two are in doubt."""
    profiles(config, fleet.service.url, 3)
    fleet.failing = {"c01", "c02"}
    return run_id(fleet.unified(SUSPEND).stderr)


def test_a_resume_says_why_it_repeats_nothing_and_what_a_person_can_do(
    doubtful: str, fleet: Fleet
) -> None:
    fleet.service.seen.clear()
    resumed = fleet.unified(f"runs resume {doubtful}")
    assert (resumed.code, fleet.service.seen) == (10, [])
    _, done, *rest = resumed.stderr.splitlines()
    keys = [
        one["idempotency_key"]
        for one in fleet.unified(f"runs show {doubtful} -o json").json["result"]
    ]
    same = 'unified user-directory users suspend -d \'{"user_id":"users-1"}\' --idempotency-key'
    assert done == "done: 1 of 3 connections"
    assert rest[0].startswith("in doubt: 2 (c01, c02): the service answered 500 to POST")
    assert rest[1:] == [
        (
            "calls in doubt are not repeated: suspend affects people, and these calls may have"
            " been carried out"
        ),
        "to repeat a call that was not done, with its key:",
        f"  {same} {keys[1]} --yes -p c01",
        f"  {same} {keys[2]} --yes -p c02",
        f"to repeat all 2 calls, with their keys: unified runs resume {doubtful} --retry-in-doubt",
        f"if all calls were done, this closes the run: unified runs remove {doubtful}",
        "error: 2 of 3 connections may or may not be done",
        f"  unified user-directory users get users-1 -p run:{doubtful}:in-doubt",
    ]
    shown = fleet.unified(f"runs show {doubtful}")
    assert last_line(shown) == f"next: {rest[-1].strip()}"
    fleet.failing = set()
    words = shlex.split(rest[3].strip())[1:]
    assert (fleet.unified(words).code, fleet.service.seen[-1].headers["idempotency-key"]) == (
        0,
        keys[1],
    )


def test_they_are_repeated_after_one_question(doubtful: str, fleet: Fleet) -> None:
    fleet.failing, command = set(), f"runs resume {doubtful} --retry-in-doubt"
    fleet.service.seen.clear()
    refused = fleet.unified(command)
    what = (
        "repeat 2 calls (c01, c02) of user-directory users suspend (whatever was already done would"
        " be done twice)"
    )
    assert (refused.code, fleet.service.seen, refused.stderr) == (
        2,
        [],
        f"error: nothing was sent: cannot ask whether to {what} (add --yes)\n",
    )
    asked = fleet.unified(command, tty=True, stdin=b"n\n")
    assert (asked.code, fleet.service.seen, f"{what}? [y/N]" in asked.stderr) == (2, [], True)
    repeated = fleet.unified("runs resume --retry-in-doubt --yes")
    assert sorted(account(seen) for seen in fleet.service.seen) == ["a-c01", "a-c02"]
    assert (repeated.code, repeated.stderr.splitlines()[-1]) == (0, "done: 3 of 3 connections")


def test_an_operation_that_reaches_people_says_so(unified: Unified) -> None:
    def outward(words: str) -> bool:
        (found,) = unified(f"operations {words} -o json").json["operations"]
        return bool(found["outward"])

    assert (outward("users suspend"), outward("ticketing tags update")) == (True, False)
    said = "It affects people"
    assert said in unified("user-directory users suspend --help").stdout
    assert said not in unified("ticketing tags update --help").stdout


def test_a_resume_that_changes_nothing_does_not_print_itself(fleet: Fleet, config: Config) -> None:
    profiles(config, fleet.service.url, 2)
    fleet.failing = {"c01"}
    run = run_id(fleet.unified(UPDATE).stderr)
    assert last_line(fleet.unified(f"runs resume {run}")) != f"unified runs resume {run}"
    fleet.failing, fleet.refusing = set(), {"c01"}
    run = run_id(fleet.unified(UPDATE).stderr)
    assert last_line(fleet.unified(f"runs retry {run}")) == f"unified runs show {run}"


WHYS = {
    "c00": "no answer was seen",
    "c01": "the answer was broken",
    "c02": "the deadline came before the answer",
}


def doubtful_for_each_reason(service: Service) -> Callable[[Seen], Reply]:
    """Do nothing that can be seen: close, cut the answer off, or be late."""

    def reply(seen: Seen) -> Reply:
        who = account(seen).removeprefix("a-")
        if who == "c00":
            raise ConnectionResetError
        if who == "c02":
            service.over.wait(3)
        return Reply(200, b'{"id":')

    return reply


def test_the_reasons_of_doubts_differ(unified: Unified, service: Service, config: Config) -> None:
    profiles(config, service.url, 3)
    service.reply = doubtful_for_each_reason(service)
    ended = unified(f"{SUSPEND} --timeout 1")
    assert ended.code == 10
    for name, why in WHYS.items():
        assert f"in doubt: 1 ({name}): {why}: " in ended.stderr
    shown = unified(f"runs show {run_id(ended.stderr)} -o json").json["result"]
    assert {one["_profile"]: one["reason"].partition(":")[0] for one in shown} == WHYS


@pytest.mark.parametrize(("name", "why"), WHYS.items())
def test_an_import_in_doubt_says_why(
    name: str, why: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, 3)
    service.reply = doubtful_for_each_reason(service)
    (tmp_path / "in.ndjson").write_text('{"name":"n"}\n')
    ended = unified(f"import ticketing/tags {tmp_path}/in.ndjson -p {name} --timeout 1")
    assert f"line 1 may or may not have been done: {why}: " in ended.stderr


@pytest.mark.parametrize(("name", "why"), WHYS.items())
def test_a_single_call_in_doubt_says_how_to_look_and_how_to_repeat_it(
    name: str, why: str, unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 3)
    service.reply = doubtful_for_each_reason(service)
    command = f"user-directory users suspend -f user_id=users-1 -p {name} --timeout 1"
    ended = unified(command)
    key = service.seen[0].headers["idempotency-key"]
    said, again, error, read = ended.stderr.splitlines()
    same = 'unified user-directory users suspend -d \'{"user_id":"users-1"}\''
    assert (ended.code, len(service.seen)) == (10, 1)
    assert (said, again.strip(), read.strip()) == (
        "if the write was not done, repeat it with its key:",
        f"{same} --idempotency-key {key} --yes -p {name}",
        f"unified user-directory users get users-1 -p {name}",
    )
    rule = (
        "calls in doubt are not repeated: suspend affects people, and these calls may have been"
        " carried out"
    )
    assert error.endswith(f"{rule}; its key was {key})")
    machine = unified(f"{command} --json-errors").stderr.splitlines()[-1]
    assert (
        json.loads(machine)["error"] | {"doubt": why, "next": read.strip()}
        == (json.loads(machine)["error"])
    )
    service.reply = lambda _: served({"id": "users-1"})
    for line in (again, read):
        assert unified(shlex.split(line)[1:]).code == 0
    assert service.seen[-2].headers["idempotency-key"] == key


def test_a_single_call_that_a_flag_aims_keeps_its_aim(unified: Unified, service: Service) -> None:
    def lost(_: Seen) -> Reply:
        raise ConnectionResetError

    service.reply = lost
    command = f"user-directory users suspend -f user_id=u1 -a other --base-url {service.url}"
    ended = unified(command, environ={"UNIFIED_TOKEN": "t-0123456789"})
    aim = f"-a other --base-url {service.url}"
    assert last_line(ended) == f"unified user-directory users get u1 {aim}"


def test_a_doubt_that_a_resume_ends_is_named(fleet: Fleet, config: Config) -> None:
    profiles(config, fleet.service.url, 3)
    fleet.failing = {"c01", "c02"}
    ended = fleet.unified(UPDATE)
    said = "a resume sends 2 calls in doubt again, with the same keys, so nothing is done twice"
    assert said in ended.stderr.splitlines()
    shown = fleet.unified(f"runs show {run_id(ended.stderr)}")
    assert said in shown.stderr.splitlines()


def test_one_that_no_operation_shows_leads_to_its_calls_and_then_to_the_question(
    fleet: Fleet, config: Config
) -> None:
    profiles(config, fleet.service.url, 2)
    fleet.failing = {"c01"}
    # Nothing in the body names the record.
    run = run_id(fleet.unified("user-directory users suspend -f who=x -p c* --yes").stderr)
    shows, repeats = f"unified runs show {run}", f"unified runs resume {run} --retry-in-doubt"
    assert last_line(fleet.unified(f"runs resume {run}")) == shows
    assert fleet.unified("runs list -o json").json["runs"][0]["next"] == shows
    assert last_line(fleet.unified(f"runs show {run}")) == f"next: {repeats}"


def test_the_end_of_an_import_says_how_to_check_a_suspend_in_doubt(
    fleet: Fleet, config: Config, tmp_path: Path
) -> None:
    profiles(config, fleet.service.url, 3)
    fleet.failing = {"c01"}
    (tmp_path / "who.ndjson").write_text(
        "".join(f'{{"_profile":"c0{at}","user_id":"users-{at}"}}\n' for at in range(3))
    )
    suspend = f"import user-directory/users {tmp_path}/who.ndjson --operation suspend -p c* --yes"
    ended = fleet.unified(suspend)
    (run,) = (one["id"] for one in fleet.unified("runs list -o json").json["runs"])
    look = f"unified user-directory users get users-1 -p run:{run}:in-doubt"
    closes = f"if all calls were done, this closes the run: unified runs remove {run}"
    for result in (ended, fleet.unified(f"runs resume {run}"), fleet.unified(f"runs show {run}")):
        assert last_line(result).removeprefix("next: ") == look
        assert closes in result.stderr
        assert f"unified runs resume {run} --retry-in-doubt" in result.stderr
    assert fleet.unified("runs list -o json").json["runs"][0]["next"] == look
    assert fleet.unified(f"runs remove {run} --yes").code == 0


def test_no_help_says_that_a_resume_ends_every_doubt(unified: Unified) -> None:
    (said,) = (
        line
        for line in unified("runs list --help").stdout.splitlines()
        if line.strip().startswith("in doubt ")
    )
    assert said.endswith("calls may or may not be done; runs show names the next command")
