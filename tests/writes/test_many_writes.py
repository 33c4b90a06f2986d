"""Writes to many connections: confirmed once, each in the journal before it is sent,
each result reported.
"""

import csv
import io
import json
import stat
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from front_door import Result, Unified
from many_connections import Config, account, failing, profiles, run_id
from pages import served
from screen import Terminal
from server import Reply, Seen, Service

from unified_cli import __version__

SUSPEND = "user-directory users suspend -f user_id=u1"
READ = "user-directory users get u1"
UPDATE = "ticketing tickets update t1 -f name=x"
REFUSES = 'base_url = "http://127.0.0.1:1"'


def records(result: Result) -> dict[str, Any]:
    """The result of each connection."""
    found = result.json["result"]
    assert all(next(iter(one)) == "_profile" for one in found)
    assert len({one["_profile"] for one in found}) == len(found)
    return {one["_profile"]: one for one in found}


def journal(tmp_path: Path) -> list[Any]:
    (path,) = (tmp_path / "data" / "runs").glob("*.ndjson")
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_forty_connections_of_which_three_fail_differently(
    unified: Unified, service: Service, config: Config
) -> None:
    names = profiles(config, service.url, 40, c33=REFUSES)
    service.reply = failing({"a-c07": 403, "a-c12": 404})
    result = unified(f"{SUSPEND} -p tag:eu --yes")
    run = run_id(result.stderr)
    assert result.code == 9
    found = records(result)
    assert [*sorted(found)] == names
    assert Counter((one["outcome"], one["status"]) for one in found.values()) == {
        ("done", 200): 37,
        ("failed", 403): 1,
        ("failed", 404): 1,
        ("failed", None): 1,
    }
    assert found["c00"]["result"] == {"id": "u1"}
    assert found["c33"]["error"]["code"] == "network"
    assert Counter(map(account, service.seen)) == dict.fromkeys(
        (f"a-{name}" for name in names if name != "c33"), 1
    )
    keys = {account(seen): seen.headers["idempotency-key"] for seen in service.seen}
    assert keys == {
        f"a-{name}": one["idempotency_key"] for name, one in found.items() if name != "c33"
    }
    assert len({*keys.values()}) == 39
    told = result.stderr.splitlines()
    assert told[:2] == [f"run {run}", "done: 37 of 40 connections"]
    assert {line.partition(": the service")[0] for line in told[2:5]} == {
        "failed: 1 (c07)",
        "failed: 1 (c12)",
        (
            "failed: 1 (c33): 127.0.0.1:1 refused the connection (check the address, which comes"
            " from profile c33)"
        ),
    }
    assert told[5:] == [
        "error: 3 of 40 connections failed: c07, c12, c33",
        f"  unified runs retry {run}",
    ]


def test_the_record_in_an_answer_is_the_result_wrapped_or_not(
    unified: Unified, service: Service, config: Config
) -> None:
    """An action may wrap its record, an update does not: its record may have a member
    of that name.
    """
    profiles(config, service.url, 2)
    service.reply = lambda _: Reply(200, b'{"result": {"id": "u1", "n": 1.10}}')
    result = unified(f"{SUSPEND} -p c* --yes -o ndjson")
    assert ['"result":{"id": "u1", "n": 1.10}' in line for line in result.stdout.splitlines()] == [
        True,
        True,
    ]
    result = unified("user-directory users update u1 -f name=x -p c* --yes -o ndjson")
    assert ['"result":{"result": {"id"' in line for line in result.stdout.splitlines()] == [
        True,
        True,
    ]


def test_a_retry_repeats_what_failed_with_its_keys(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 40, c33=REFUSES)
    service.reply = failing({"a-c07": 403, "a-c12": 404})
    first = unified(f"{SUSPEND} -p tag:eu --yes")
    keys = {name: one["idempotency_key"] for name, one in records(first).items()}
    service.seen.clear()
    service.reply = failing({})
    second = unified(first.stderr.splitlines()[-1].split()[1:])
    assert {name: one["outcome"] for name, one in records(second).items()} == {
        "c07": "done",
        "c12": "done",
        "c33": "failed",
    }
    assert {account(seen): seen.headers["idempotency-key"] for seen in service.seen} == {
        "a-c07": keys["c07"],
        "a-c12": keys["c12"],
    }
    assert {seen.body for seen in service.seen} == {b'{"user_id":"u1"}'}
    assert (second.code, second.stderr.splitlines()[1]) == (9, "done: 39 of 40 connections")


def test_writes_in_doubt_are_resumed_only_when_that_is_harmless(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 4)
    for command, again in ((SUSPEND, []), (UPDATE, ["a-c02"])):
        service.reply = failing({"a-c02": 500})
        service.seen.clear()
        result = unified(f"{command} -p c* --yes")
        run = run_id(result.stderr)
        found = records(result)
        assert (result.code, found["c02"]["outcome"], found["c02"]["status"]) == (
            10,
            "in-doubt",
            500,
        )
        assert result.stderr.splitlines()[-2] == "error: 1 of 4 connections may or may not be done"
        onward = f"runs resume {run}" if again else f"{READ} -p run:{run}:in-doubt"
        assert result.stderr.splitlines()[-1] == f"  unified {onward}"
        service.seen.clear()
        service.reply = failing({})
        result = unified(f"runs resume {run}")
        assert [account(seen) for seen in service.seen] == again
        assert [seen.headers["idempotency-key"] for seen in service.seen] == [
            found["c02"]["idempotency_key"] for _ in again
        ]
        assert result.code == (0 if again else 10)


def test_an_expired_key_is_not_used_again(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 2)
    service.reply = failing({"a-c01": 500})
    at = 1_800_000_000.0
    run = run_id(unified(f"{UPDATE} -p c* --yes", wall=lambda: at).stderr)
    service.seen.clear()
    service.reply = failing({})
    late = unified(f"runs resume {run}", wall=lambda: at + 25 * 3600)
    assert (late.code, service.seen) == (10, [])
    assert unified(f"runs resume {run}", wall=lambda: at + 23 * 3600).code == 0


def test_failures_of_one_status_are_one_cause_whatever_they_say(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 3)
    service.reply = lambda seen: served(
        {"statusCode": 409, "error": "Conflict", "message": account(seen)}, 409
    )
    told = unified(f"{UPDATE} -p c* --yes --workers 1").stderr.splitlines()
    assert [line.partition(": the service")[0] for line in told if line.startswith("failed")] == [
        "failed: 3 (c00, c01, c02)"
    ]


def test_a_delete_in_doubt_is_repeated_however_old_it_is(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 2)
    service.reply = failing({"a-c01": 500})
    at = 1_800_000_000.0
    run = run_id(unified("ticketing tags delete t1 -p c* --yes", wall=lambda: at).stderr)
    service.seen.clear()
    service.reply = failing({})
    assert unified(f"runs resume {run}", wall=lambda: at + 25 * 3600).code == 0
    assert [(seen.method, account(seen)) for seen in service.seen] == [("DELETE", "a-c01")]


def test_a_key_grows_older_however_often_it_is_used(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 1)
    service.reply = failing({"a-c00": 500})
    at = 1_800_000_000.0
    run = run_id(unified("ticketing tickets create -f name=x -p c* --yes", wall=lambda: at).stderr)
    again = unified(f"runs resume {run}", wall=lambda: at + 13 * 3600)
    assert (
        again.code,
        len(service.seen),
        len({seen.headers["idempotency-key"] for seen in service.seen}),
    ) == (
        10,
        2,
        1,
    )
    late = unified(f"runs resume {run}", wall=lambda: at + 25 * 3600)
    assert (late.code, len(service.seen)) == (10, 2)


def test_a_key_whose_age_is_not_known_is_not_used_again(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 1)
    service.reply = failing({"a-c00": 500})
    at = 1_800_000_000.0
    run = run_id(unified("ticketing tickets create -f name=x -p c* --yes", wall=lambda: at).stderr)
    # The clock was set back, by an unknown time.
    back = unified(f"runs resume {run}", wall=lambda: at - 60)
    assert (back.code, len(service.seen)) == (10, 1)
    assert unified(f"runs resume {run}", wall=lambda: at + 60).code == 10
    assert len(service.seen) == 2


def test_nothing_is_sent_before_a_person_confirms(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 3)
    named = "user-directory users suspend in 3 connections (c00, c01, c02)"
    result = unified(f"{SUSPEND} -p c*")
    assert (result.code, result.stderr) == (
        2,
        f"error: nothing was sent: cannot ask whether to run {named} (add --yes)\n",
    )
    for answer in (b"n\n", b"\n", b""):
        result = unified(f"{SUSPEND} -p c*", tty=True, stdin=answer)
        assert result.code == 2
        assert f"run {named}? [y/N]" in result.stderr
        assert "error: nothing was sent" in result.stderr
    # The record is read, so that the question names it.
    assert writes(service) == []
    assert unified(f"{SUSPEND} -p c*", tty=True, stdin=b"y\n").code == 0
    assert len(writes(service)) == 3


def writes(service: Service) -> list[Seen]:
    return [seen for seen in service.seen if seen.method != "GET"]


def test_read_only_profiles_are_all_named(
    unified: Unified, service: Service, config: Config
) -> None:
    same = f'base_url = "{service.url}"\nread_only = true'
    profiles(config, service.url, 5, c01=same, c03=same)
    result = unified(f"{UPDATE} -p c* --yes")
    assert (result.code, service.seen) == (13, [])
    assert (
        result.stderr
        == "error: nothing was sent: 2 profiles of 5 are read-only: c01, c03 (-p '!c01'"
        " excludes this profile)\n"
    )


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (f"{UPDATE} -p c* --idempotency-key k --yes", "--idempotency-key is for one connection"),
        (f"{UPDATE} -p c* -p uno --yes", "c00, uno are the same connection"),
        (f"{UPDATE} -p c* -a x --yes", "-a names one connection"),
        (f"{UPDATE} -p c* --stages 0 --yes", "--stages: '0' must be 1 or more"),
        (
            f"{UPDATE} -p c* --stages 5,1 --yes",
            "--stages: 1 comes after 5, but a later stage cannot be smaller",
        ),
        (
            f"{UPDATE} -p c* --stages 1,x --yes",
            "--stages: 'x' is neither a number nor a percentage",
        ),
        (
            f"{UPDATE} -p c* --max-failures 101% --yes",
            "--max-failures: 101% is more than the total",
        ),
        (
            f"{UPDATE} -p c* --max-failures 1 --fail-fast --yes",
            "--fail-fast stops at the first failure",
        ),
        (f"{UPDATE} -p c* -o ids --yes", "-o ids cannot tell connections apart"),
        ("ticketing tickets create -p c* --yes", "nothing to send: give a body with -d, -f or -F"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_sent(
    command: str, said: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, 2)
    with (tmp_path / "config" / "config.toml").open("a") as file:
        file.write(f'[profiles.uno]\naccount_id = "a-c00"\nbase_url = "{service.url}"\n')
    result = unified(command)
    assert (result.code, service.seen) == (2, [])
    assert said in result.stderr
    assert not (tmp_path / "data" / "runs").exists()


def test_a_dry_run_prints_every_request(unified: Unified, service: Service, config: Config) -> None:
    profiles(config, service.url, 3)
    result = unified(f"{SUSPEND} -p c* --dry-run")
    shown = [json.loads(line) for line in result.stdout.splitlines()]
    assert [one["url"].partition("=")[2] for one in shown] == ["a-c00", "a-c01", "a-c02"]
    assert len({one["headers"]["Idempotency-Key"] for one in shown}) == 3
    assert (result.code, service.seen) == (0, [])


def test_standard_input_is_read_once(unified: Unified, service: Service, config: Config) -> None:
    profiles(config, service.url, 3)
    body = b'{"name": "1.10",\n "n": 1.10}'
    assert unified("ticketing tickets create -d - -p c* --yes", stdin=body).code == 0
    assert [seen.body for seen in service.seen] == [body] * 3


@pytest.mark.parametrize(
    ("rules", "tried"),
    [
        ("--fail-fast", 2),
        ("--max-failures 1", 4),
        ("--max-failures 20%", 6),
        ("--stages 1,2,50%", 3),
        ("", 10),
    ],
)
def test_when_it_stops(
    rules: str, tried: int, unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 10)
    service.reply = failing({"a-c01": 404, "a-c03": 404, "a-c05": 404})
    result = unified(f"{UPDATE} -p c* --yes --workers 1 {rules}")
    found = records(result)
    assert len(service.seen) == tried
    assert [one["outcome"] for one in found.values()].count("not-tried") == 10 - tried
    assert result.code == 9
    run = run_id(result.stderr)
    assert (
        result.stderr.splitlines()[-1]
        == f"  unified runs {'resume' if tried < 10 else 'retry'} {run}"
    )
    service.seen.clear()
    unified(f"runs resume {run}")
    assert {account(seen) for seen in service.seen} == {
        f"a-c{number:02}" for number in range(tried, 10)
    }


def test_a_delete_of_one_id_in_many_connections(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 2)
    result = unified("ticketing tickets delete t1 -p c* --yes")
    assert {name: one["idempotency_key"] for name, one in records(result).items()} == {
        "c00": None,
        "c01": None,
    }
    assert [(seen.method, seen.segments[-1]) for seen in service.seen] == [("DELETE", "t1")] * 2


def test_the_journal_has_each_request_and_no_token(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, 2)
    before: list[Any] = []
    reply = service.reply

    def looking(seen: Seen) -> Any:
        before.append([one for one in journal(tmp_path) if one.get("s") == "sent"])
        return reply(seen)

    service.reply = looking
    unified(
        "ticketing tickets update t/1 -d '{\"a\": 1.10}' -q 'x[]=1' -p tag:eu --yes --workers 1"
    )
    assert [len(one) for one in before] == [1, 2]
    header, *lines = journal(tmp_path)
    assert {
        name: header[name] for name in ("command", "selection", "calls", "body", "version")
    } == {
        "command": "ticketing tickets update",
        "selection": ["tag:eu"],
        "calls": 2,
        "body": '{"a": 1.10}',
        "version": __version__,
    }
    assert lines[0]["call"] == {
        "profile": "c00",
        "base_url": service.url,
        "account": "a-c00",
        "operation": "ticketing tickets update",
        "id": "t/1",
        "query": [["x[]", "1"]],
    }
    assert [(one["s"], one["n"]) for one in lines] == [
        ("new", 1),
        ("new", 2),
        ("sent", 1),
        ("ok", 1),
        ("sent", 2),
        ("ok", 2),
    ]
    (path,) = (tmp_path / "data" / "runs").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert b"t-0123456789" not in path.read_bytes()


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_results_in_other_formats(
    form: str, unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 2)
    service.reply = failing({"a-c01": 404})
    result = unified(f"{UPDATE} -p c* --yes -o {form} --workers 1")
    assert result.code == 9
    if form == "json":
        assert [one["outcome"] for one in result.json["result"]] == ["done", "failed"]
    elif form == "csv":
        rows = [*csv.DictReader(io.StringIO(result.stdout))]
        assert [(one["_profile"], one["outcome"], one["status"]) for one in rows] == [
            ("c00", "done", "200"),
            ("c01", "failed", "404"),
        ]
        assert json.loads(rows[0]["result"]) == {"id": "u1"}
    else:
        assert result.stdout.splitlines()[0].split() == [
            "_PROFILE",
            "OUTCOME",
            "STATUS",
            "ERROR.MESSAGE",
            "IDEMPOTENCY_KEY",
        ]


def test_all_that_fail_alike_end_with_their_own_code(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 3)
    service.reply = failing(dict.fromkeys(("a-c00", "a-c01", "a-c02"), 404))
    result = unified(f"{UPDATE} -p c* --yes")
    assert (result.code, result.stderr.splitlines()[-2]) == (4, "error: all 3 connections failed")
    assert result.stderr.splitlines()[2].startswith(
        "failed: 3 (c00, c01, c02): the service answered 404"
    )


@pytest.mark.parametrize("folders", ["none", "read-only"])
def test_without_a_data_folder_the_work_continues(
    folders: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, 3)
    service.reply = failing({"a-c01": 404})
    places = {"config": tmp_path / "config"}
    if folders == "read-only":
        (tmp_path / "file").write_text("")
        places["data"] = tmp_path / "file"
    result = unified(f"{UPDATE} -p c* --yes", folders=places)
    assert (result.code, len(service.seen)) == (9, 3)
    assert result.stderr.startswith("this run cannot be resumed: ")
    assert result.stderr.endswith("error: 1 of 3 connections failed: c01\n")


def test_json_errors_name_the_run(unified: Unified, service: Service, config: Config) -> None:
    profiles(config, service.url, 3)
    service.reply = failing({"a-c01": 404})
    result = unified(f"{UPDATE} -p c* --yes --json-errors")
    error = json.loads(result.stderr.splitlines()[-1])["error"]
    run = run_id(result.stderr)
    assert (error["exit"], error["run"], error["next"]) == (9, run, f"unified runs retry {run}")


def test_connections_that_failed_in_a_run_are_selected(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 4)
    service.reply = failing({"a-c01": 404})
    run = run_id(unified(f"{UPDATE} -p c* --yes").stderr)
    found = unified(f"ticketing tickets get t1 -p run:{run}:failed -o ndjson", wall=lambda: 0.0)
    assert [account(seen) for seen in service.seen[4:]] == ["a-c01"]
    assert found.code == 4
    assert unified(f"{UPDATE} -p * -p '!run:{run}:done' --dry-run").json["url"].endswith("=a-c01")
    none = unified(f"{UPDATE} -p run:{run}:in-doubt --yes")
    assert (none.code, none.stderr) == (3, f"error: no connection of run {run} is in-doubt\n")
    assert unified(f"{UPDATE} -p run:{run}:bad --yes").code == 2
    assert unified(f"{UPDATE} -p run:20200101-0000:failed --yes").code == 2


@pytest.mark.parametrize(
    "command",
    [
        f"{UPDATE} --yes",
        f"{UPDATE} --dry-run",
        "ticketing tickets list",
        "ticketing tickets list --expect true",
        "capabilities",
        "export ticketing/tickets --to dump",
        "profile test",
        "doctor",
        "ticketing tickets get -",
    ],
)
@pytest.mark.parametrize("sign", ["", "-p c* -p !"])
def test_a_profile_of_a_run_that_changed_its_connection_is_refused(
    unified: Unified, service: Service, config: Config, tmp_path: Path, command: str, sign: str
) -> None:
    profiles(config, service.url, 3)
    service.reply = failing({"a-c01": 404})
    run = run_id(unified(f"{UPDATE} -p c* --yes").stderr)
    service.seen.clear()
    path = tmp_path / "config" / "config.toml"
    path.write_text(path.read_text().replace('account_id = "a-c01"', 'account_id = "a-other"'))
    selector = f"{sign}run:{run}:failed" if sign else f"-p run:{run}:failed"
    result = unified(
        f"{command} {selector}", wall=lambda: 0.0, stdin=b'{"_profile":"c01","id":"1"}'
    )
    assert (result.code, result.stdout, service.seen) == (12, "", [])
    assert (
        result.stderr
        == f'error: profile "c01" now names account a-other at {service.url}, but the run was'
        f" for account a-c01 at {service.url} (nothing was sent)\n"
    )
    assert unified(f"{UPDATE} -p run:{run}:done --dry-run").code == 0


def test_a_connection_of_a_run_is_left_out_under_any_name(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, 3)
    service.reply = failing({"a-c01": 404, "a-c02": 404})
    run = run_id(unified(f"{UPDATE} -p c* --yes").stderr)
    assert (
        unified(
            f"profile add again --base-url {service.url} -a a-c00 --token-file"
            f" {tmp_path}/config/token"
        ).code
        == 0
    )
    service.seen.clear()
    unified(f"{UPDATE} -p * -p '!run:{run}:done' --yes")
    assert sorted(map(account, service.seen)) == ["a-c01", "a-c02"]


def test_a_profile_of_a_run_that_is_gone_is_named(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 3)
    service.reply = failing({"a-c01": 404, "a-c02": 404})
    run = run_id(unified(f"{UPDATE} -p c* --yes").stderr)
    for name in ("c00", "c01"):
        assert unified(f"profile remove {name} --yes").code == 0
    service.seen.clear()
    said = f'error: there is no profile "c01", which run {run} called'
    gone = unified(f"{UPDATE} -p run:{run}:failed --yes")
    assert (gone.code, gone.stderr) == (
        3, f"{said} (unified profile add c01 base_url={service.url} account_id=a-c01)\n"
    )  # fmt: skip
    assert unified(f"profile add again base_url={service.url} account_id=a-c01").code == 0
    assert service.seen == []
    # Its connection has another profile now, which is called with its own token.
    unified("profile login again --token-stdin --store file", stdin=b"t-again-0123\n")
    assert unified(f"{UPDATE} -p run:{run}:failed --yes").code == 4
    assert {account(seen) for seen in service.seen} == {"a-c01", "a-c02"}
    service.seen.clear()
    # A missing profile need not be excluded.
    service.reply = failing({})
    assert unified(f"{UPDATE} -p c* -p '!run:{run}:done' --yes").code == 0
    assert [account(seen) for seen in service.seen] == ["a-c02"]


def test_piped_writes_are_a_run(unified: Unified, service: Service, config: Config) -> None:
    profiles(config, service.url, 2)
    service.reply = failing({"a-c01": 404})
    lines = b"".join(
        b'{"_profile":"c0%d","id":"t%d","name":"n%d"}\n' % (n % 2, n, n) for n in range(6)
    )
    first = unified("ticketing tickets update - -p c* --yes", stdin=lines)
    run = run_id(first.stderr)
    assert (first.code, first.stderr.splitlines()[-1]) == (9, f"  unified runs retry {run}")
    shown = unified(f"runs show {run} -o json").json["result"]
    assert sorted((one["_profile"], one["outcome"], one["id"]) for one in shown) == [
        *(("c00", "done", f"t{n}") for n in (0, 2, 4)),
        *(("c01", "failed", f"t{n}") for n in (1, 3, 5)),
    ]
    service.seen.clear()
    service.reply = failing({})
    again = unified(f"runs retry {run} --workers 1")
    assert {(seen.segments[-1], seen.body) for seen in service.seen} == {
        (f"t{n}", b'{"name":"n%d"}' % n) for n in (1, 3, 5)
    }
    assert again.json["result"] == [{"_profile": "c01", "id": "u1"}] * 3
    assert (again.code, again.notes) == (0, "")


def test_one_piped_write_is_not_a_run(unified: Unified, service: Service, tmp_path: Path) -> None:
    result = unified("ticketing tickets delete - --yes", stdin=b"t1\n", environ=service.environ)
    assert (result.code, result.stderr) == (0, "")
    assert not (tmp_path / "data" / "runs").exists()


def test_a_run_of_an_account_of_the_flags_is_resumed_there(
    unified: Unified, service: Service
) -> None:
    service.reply = failing({"other": 401})
    first = unified(
        "ticketing tickets delete - --yes -a other --workers 1",
        stdin=b"a\nb\n",
        environ=service.environ,
    )
    run = run_id(first.stderr)
    assert first.code == 7
    service.seen.clear()
    service.reply = failing({})
    result = unified(f"runs resume {run} -o ids", environ=service.environ)
    assert [(account(seen), seen.segments[-1]) for seen in service.seen] == [("other", "b")]
    assert (result.code, result.stdout, result.notes) == (
        9,
        "u1\n",
        "error: 1 of 2 records failed\n",
    )


@pytest.mark.parametrize("piped", [False, True])
def test_an_outcome_that_cannot_be_printed_is_not_in_doubt(
    piped: bool, unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 9)
    lines = b"".join(b'{"_profile":"c0%d","id":"t1"}\n' % n for n in range(9))
    what = "ticketing tickets update - -f name=x" if piped else UPDATE
    result = unified(
        f"{what} -p c* --yes --workers 3 -o tsv --jq error", stdin=lines if piped else b""
    )
    run = run_id(result.stderr)
    assert (result.code, result.stderr.splitlines()[-1]) == (2, f"  unified runs resume {run}")
    shown = Counter(one["outcome"] for one in unified(f"runs show {run} -o json").json["result"])
    assert set(shown) == {"done", "not-tried"}
    assert shown["done"] == len(service.seen)


def test_answering_no_at_a_terminal_sends_nothing(
    service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, 3)
    environ = {"HOME": str(tmp_path), "UNIFIED_CONFIG": str(tmp_path / "config" / "config.toml")}
    terminal = Terminal([*SUSPEND.split(), "-p", "c*"], environ, columns=120)
    terminal.until(
        r"run user-directory users suspend in 3 connections \(c00, c01, c02\)\? \[y/N\] "
    )
    terminal.enter("n")
    assert terminal.end() == 2
    assert (writes(service), [*tmp_path.glob(".local/share/unified/runs/*")]) == ([], [])


def test_ctrl_c_prints_the_command_to_continue(
    service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, 6)
    held = threading.Event()

    def reply(_: Seen) -> Reply:
        if len(service.seen) > 2:
            held.set()
            service.over.wait(60)
        return served({"id": "t1"})

    service.reply = reply
    environ = {"HOME": str(tmp_path), "UNIFIED_CONFIG": str(tmp_path / "config" / "config.toml")}
    terminal = Terminal(
        [*UPDATE.split(), "-p", "c*", "--yes", "--workers", "1"], environ, columns=120
    )
    assert held.wait(60)
    terminal.interrupt()
    assert terminal.end() == 130
    (journal,) = tmp_path.glob(".local/share/unified/runs/*.ndjson")
    told = " ".join(terminal.lines)
    assert (
        "stopped after 2 of 6 connections, 1 more was sent; to continue: unified runs resume"
        f" {journal.stem}" in told
    )


def test_a_jq_program_that_fails_at_the_end_hides_no_outcome(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 3)
    result = unified(f"{UPDATE} -p c* --yes --jq error")
    assert (result.code, result.stderr.splitlines()[1]) == (2, "done: 3 of 3 connections")
    service.reply = failing({"a-c01": 500})
    result = unified(f"{UPDATE} -p c* --yes --jq error")
    assert (result.code, result.stderr.splitlines()[-2]) == (
        10,
        "error: 1 of 3 connections may or may not be done",
    )


def test_a_run_that_is_done_is_shown_where_its_results_cannot_be_printed(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 1)
    service.reply = lambda _: Reply(200, b'{"id": "another"}')
    result = unified(
        "user-directory users update u1 -f name=x -p c0* -p c00 --yes -o tsv --jq error"
    )
    run = run_id(result.stderr)
    assert (result.code, result.stderr.splitlines()[-1]) == (2, f"  unified runs show {run}")
    # The requested records, whatever the answer says.
    assert [one["id"] for one in unified(f"runs show {run} -o json").json["result"]] == ["u1"]


def test_writes_in_doubt_that_are_never_repeated_are_reported(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 3)
    broken = served({"statusCode": 500, "error": "Error", "message": "no"}, 500)
    service.reply = lambda seen: broken if account(seen) == "a-c01" else served({"id": "u1"})
    run = run_id(unified(f"{SUSPEND} -p c* --yes").stderr)
    seen = len(service.seen)
    left = (
        "calls in doubt are not repeated: suspend affects people, and these calls may have been"
        " carried out\n"
    )
    for command in ("resume", "retry"):
        result = unified(f"runs {command} {run}")
        assert left in result.stderr
        assert result.stderr.splitlines()[-1] == f"  unified {READ} -p run:{run}:in-doubt"
    assert len(service.seen) == seen
