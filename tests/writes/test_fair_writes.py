"""Whatever sends to several connections: one that waits for its limit holds back none
of the others.
"""

import json
import threading
import time
from pathlib import Path

import pytest
from front_door import Clock, Unified
from many_connections import Config, account, run_id
from pages import served
from server import Reply, Seen, Service

NAMES = [f"c{at}" for at in range(5)]
SLOW = {"c0": 0.0, "c1": 0.0}
LINES = [(name, at) for name in NAMES for at in range(4 if name in SLOW else 6)]
QUICK = {(name, f"{at}") for name, at in LINES if name not in SLOW}
PIPED = "".join(json.dumps({"_profile": name, "id": f"{at}", "n": 1}) + "\n" for name, at in LINES)
UPDATE = "ticketing tags update - --yes -p tag:eu"
WAYS = {
    "piped": UPDATE,
    "import": "import ticketing/tags {path} --operation update --yes -p tag:eu",
    "resume": "runs resume {run}",
}


@pytest.mark.parametrize("way", WAYS)
def test_as_many_slow_connections_as_workers_hold_back_no_other(
    way: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    config("".join(f'[profiles.{name}]\naccount_id = "{name}"\ntags = ["eu"]\n' for name in NAMES))
    (tmp_path / "in.ndjson").write_text(PIPED)
    words = {"path": tmp_path / "in.ndjson", "run": ""}
    quick = QUICK
    clock, quick_are_done = Clock(), threading.Event()

    def sleep(seconds: float) -> None:
        until = clock.now() + seconds
        assert quick_are_done.wait(30)
        clock.at = max(clock.now(), until)

    world = {
        "environ": service.environ,
        "monotonic": clock.now,
        "sleep": sleep,
        "stdin": PIPED.encode(),
    }
    if way == "resume":
        service.reply = lambda _: Reply(401)
        words["run"] = run_id(unified(UPDATE, **world).stderr)
        quick = QUICK & {
            (one["_profile"], one["id"])
            for one in shown(unified, words["run"])
            if one["outcome"] == "not-tried"
        }
        assert len(quick) > 4
    taken: list[tuple[str, str]] = []
    free_at = {**SLOW}

    def reply(seen: Seen) -> Reply:
        if (name := account(seen)) in SLOW:
            if clock.now() < free_at[name]:
                return Reply(429, b"{}", {"Retry-After": "1"})
            free_at[name] = clock.now() + 0.9
        taken.append((name, seen.segments[-1]))
        if quick <= {*taken}:
            quick_are_done.set()
        return served({"id": seen.segments[-1]})

    service.reply = reply
    result = unified(f"{WAYS[way].format(**words)} --workers 2", **world)
    assert result.code == (9 if way == "resume" else 0), result.stderr
    last = max(place for place, one in enumerate(taken) if one in quick)
    assert sum(name in SLOW for name, _ in taken[:last]) <= len(SLOW)


def test_more_are_sent_as_soon_as_those_before_wait(
    unified: Unified, service: Service, config: Config
) -> None:
    names = [f"c{at:02}" for at in range(12)]
    config("".join(f'[profiles.{name}]\naccount_id = "{name}"\n' for name in names))
    first: dict[str, float] = {}

    def reply(seen: Seen) -> Reply:
        if (name := account(seen)) in first:
            return served({"id": "t1"})
        first[name] = time.monotonic()
        return Reply(429, b"{}", {"Retry-After": "3"})

    service.reply = reply
    world = {"environ": service.environ, "monotonic": time.monotonic, "sleep": time.sleep}
    result = unified("ticketing tags update t1 -f name=x --yes -p c* --workers 2", **world)
    assert result.code == 0, result.stderr
    assert len(first) == len(names)
    # No other job has to end first.
    assert max(first.values()) - min(first.values()) < 2


def shown(unified: Unified, run: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = unified(f"runs show {run} -o json").json["result"]
    return found
