"""`unified profile test`: one request for each connection, and what its answer
means.
"""

import json
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from server import Reply, Seen, Service

Config = Callable[[str], Path]


def envelope(status: int, message: str, *, remote: bool = False) -> Reply:
    body = {
        "statusCode": status,
        "error": "x",
        "message": message,
        **({"truto_is_remote_error": True} if remote else {}),
    }
    return Reply(status, json.dumps(body).encode())


ANSWERS = {
    "good": Reply(body=b'{"id": "good", "status": "active", "unified": [], "result": []}'),
    "stale": envelope(401, "bad token"),
    "revoked": envelope(401, "reconnect", remote=True),
    "forbidden": envelope(403, "no"),
    "blocked": envelope(503, "blocked"),
    "absent": envelope(404, "no such account"),
    "limited": envelope(429, "slow down"),
    "down": Reply(502, b"<title>Bad gateway</title>", {"Content-Type": "text/html"}),
}
VERDICTS = {
    "good": ("ready", 0),
    "stale": ("token refused", 7),
    "revoked": ("needs authorising", 7),
    "forbidden": ("access", 7),
    "blocked": ("blocked", 7),
    "absent": ("refused", 4),
    "limited": ("rate limit", 8),
    "down": ("service", 5),
}


def account(seen: Seen) -> str:
    return dict(seen.query).get("integrated_account_id", seen.segments[1])


@pytest.fixture
def team(service: Service, config: Config) -> Service:
    tables = "".join(
        f'[profiles.{name}]\naccount_id = "{name}"\ntags = ["all"]\n' for name in ANSWERS
    )
    config(f'base_url = "{service.url}"\ntoken = "t-shared"\n{tables}')
    service.reply = lambda seen: ANSWERS[account(seen)]
    return service


@pytest.mark.parametrize("name", ANSWERS)
def test_each_answer_has_its_verdict_and_its_code(
    unified: Unified, team: Service, name: str
) -> None:
    result = unified(f"profile test {name} -o json --quiet")
    word, code = VERDICTS[name]
    assert result.code == code
    (one,) = result.json["profiles"]
    assert (one["profile"], one["verdict"]) == (name, word)
    assert (one["error"] is None) is (code == 0)
    assert one["milliseconds"] >= 0
    asked = [
        ("GET", f"/integrated-account/{name}", []),
        ("GET", f"/integrated-account/{name}/capabilities", [("type", "unified")]),
    ]
    # A limit is waited for, as long as --timeout allows.
    requests = [(seen.method, seen.path, seen.query) for seen in team.seen]
    assert (len(requests) > 1) is (name in {"good", "limited"})
    assert [one for at, one in enumerate(requests) if one not in requests[:at]] == asked[
        : 2 if name == "good" else 1
    ]


def test_results_are_in_the_order_of_the_profiles(unified: Unified, team: Service) -> None:
    # To wait for a limit would use up the time of the others, who have the same clock.
    result = unified("profile test down tag:all '!limited'")
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert [(line[0], line[1]) for line in lines] == [
        (name, VERDICTS[name][0]) for name in dict.fromkeys(["down", *ANSWERS]) if name != "limited"
    ]
    assert result.code == 9
    assert result.stderr.endswith(
        "error: 6 of 7 connections failed: down, stale, revoked, forbidden, blocked, absent\n"
    )
    assert len(team.seen) == 8


@pytest.mark.usefixtures("team")
def test_a_healthy_connection_takes_one_line_of_a_narrow_terminal(
    unified: Unified,
) -> None:
    result = unified(
        "profile test good absent --quiet", tty=True, columns=50, environ={"NO_COLOR": "1"}
    )
    lines = [re.sub(r"\d+ ms", "N ms", line.rstrip()) for line in result.stdout.splitlines()]
    assert lines[:4] == [
        "PROFILE  VERDICT  AFTER",
        "  MESSAGE",
        "good     ready    N ms",
        "absent   refused  N ms",
    ]
    assert lines[4].startswith("  the service answered 404 to GET")
    assert all(lines)


def test_connections_are_asked_side_by_side(unified: Unified, team: Service) -> None:
    together = threading.Barrier(8, timeout=60)

    def reply(_: Seen) -> Reply:
        together.wait()
        return ANSWERS["good"]

    team.reply = reply
    assert unified("profile test '*' --quiet").code == 0


def test_another_resource_can_be_asked(unified: Unified, team: Service) -> None:
    assert unified("profile test good --with 'ticketing  tickets' --quiet").code == 0
    assert team.seen[0].path == "/unified/ticketing/tickets"
    wrong = unified("profile test good --with ticketing")
    assert (wrong.code, wrong.stderr) == (
        2,
        'error: no resource "ticketing" with a list (it must look like "ticketing tickets")\n',
    )


def test_without_a_name_it_is_what_a_call_would_use(unified: Unified, service: Service) -> None:
    service.reply = lambda _: ANSWERS["good"]
    result = unified("profile test", environ=service.environ)
    assert result.code == 0
    assert result.stdout.startswith("(no profile)\tready\t")
    assert unified("-p sandbox profile test").stdout.startswith("sandbox\tready\t")
    assert unified("profile test", environ={"UNIFIED_PROFILE": "sandbox"}).code == 0
    assert unified("profile test").code == 3
    assert len(service.seen) == 2


def test_without_a_name_and_a_default_all_are_offered(unified: Unified, config: Config) -> None:
    config(
        'base_url = "https://api.example.com"\n[profiles.a]\naccount_id ='
        ' "1"\n[profiles.b]\naccount_id = "2"\n'
    )
    result = unified("profile test")
    assert (result.code, result.stderr.endswith("; -p '*' tests all 2 profiles)\n")) == (3, True)
    assert "tests all" not in unified("profile test", environ={"UNIFIED_PROFILE": "a"}).stderr


def test_a_shared_program_is_run_once(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    mark = tmp_path / "runs"
    script = f"echo x >> {mark}; echo t-shared"
    tables = "".join(f'[profiles.p{number}]\naccount_id = "{number}"\n' for number in range(5))
    config(f'base_url = "{service.url}"\ntoken_command = ["/bin/sh", "-c", "{script}"]\n{tables}')
    service.reply = lambda _: ANSWERS["good"]
    assert unified("profile test '*'").code == 0
    assert mark.read_text() == "x\n"
    assert {seen.headers["authorization"] for seen in service.seen} == {"Bearer t-shared"}


def test_local_problems_are_reported_without_a_request(
    unified: Unified, team: Service, config: Config
) -> None:
    config(
        f'base_url = "{team.url}"\ntoken_file = "/nonexistent"\n[profiles.a]\naccount_id ='
        ' "good"\n[profiles.b]\n'
    )
    result = unified("profile test a b -o json")
    assert [one["verdict"] for one in result.json["profiles"]] == ["config", "config"]
    assert (result.code, team.seen) == (3, [])


STATES = (
    "only the state was checked, and a connection passes if it is connecting, paused or lacks"
    " scopes; --with 'ticketing tickets' reads one record from each connection instead"
)


@pytest.mark.parametrize("command", ["profile test full bad", "doctor --network full bad"])
def test_it_says_that_a_healthy_state_is_no_read(
    command: str, unified: Unified, config: Callable[[str], Path], service: Service
) -> None:
    """Each list of `full` fails; those of `bad`, whose status is no good, work."""

    def reply(seen: Seen) -> Reply:
        if seen.segments[0] == "integrated-account":
            account = seen.segments[1]
            status = "active" if account == "full" else "post_install_error"
            return Reply(200, json.dumps({"id": account, "status": status, "unified": []}).encode())
        if "=full" in seen.target:
            return envelope(503, "no")
        return Reply(200, b'{"result":[]}')

    service.reply = reply
    rows = "".join(f'[profiles.{name}]\naccount_id = "{name}"\n' for name in ("full", "bad"))
    config(f'base_url = "{service.url}"\ntoken_command = ["echo", "t-0123456789"]\n{rows}')
    states = unified(command)
    lists = unified(f"{command} --with 'ticketing tickets'")
    assert STATES in states.stderr.splitlines()
    assert STATES not in lists.stderr
    assert "unified profile test bad --with 'ticketing tickets'" in states.stdout
    assert ("bad\tready" in states.stdout, "full\tready" in lists.stdout) == (False, False)
    assert (states.code, lists.code) == ((5, 7) if "doctor" in command else (9, 9))
