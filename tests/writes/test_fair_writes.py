"""Whatever sends to several connections: one that waits for its limit holds back none of the others."""

import json
import time
from pathlib import Path

import pytest
from front_door import Unified
from many_connections import Config, account, run_id
from pages import served
from server import Reply, Seen, Service

NAMES = [f"c{at}" for at in range(5)]
SLOW = {"c0": 0.0, "c1": 0.0}
LINES = [(name, at) for name in NAMES for at in range(4 if name in SLOW else 6)]
PIPED = "".join(json.dumps({"_profile": name, "id": f"{at}", "n": 1}) + "\n" for name, at in LINES)
UPDATE = "ticketing tags update - --yes -p tag:eu"
WAYS = {
    "piped": UPDATE,
    "import": "import ticketing/tags {path} --operation update --yes -p tag:eu",
    "resume": "runs resume {run}",
}


@pytest.mark.parametrize("way", WAYS)
def test_as_many_slow_connections_as_workers_hold_back_nobody(
    way: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    config("".join(f'[profiles.{name}]\naccount_id = "{name}"\ntags = ["eu"]\n' for name in NAMES))
    (tmp_path / "in.ndjson").write_text(PIPED)
    words = {"path": tmp_path / "in.ndjson", "run": ""}
    world = {"environ": service.environ, "monotonic": time.monotonic, "sleep": time.sleep, "stdin": PIPED.encode()}
    if way == "resume":
        service.reply = lambda _: Reply(401)
        words["run"] = run_id(unified(UPDATE, **world).stderr)
        left = {one["id"] + one["_profile"] for one in shown(unified, words["run"]) if one["outcome"] == "not-tried"}
        assert len(left) >= 12
    taken: list[str] = []
    free_at = {**SLOW}

    def reply(seen: Seen) -> Reply:
        if (name := account(seen)) in SLOW:
            if (now := time.monotonic()) < free_at[name]:
                return Reply(429, b"{}", {"Retry-After": "1"})
            free_at[name] = now + 0.9
        taken.append(account(seen))
        return served({"id": seen.segments[-1]})

    service.reply = reply
    result = unified(f"{WAYS[way].format(**words)} --workers 2", **world)
    assert result.code == (9 if way == "resume" else 0), result.stderr
    last = max(place for place, name in enumerate(taken) if name not in SLOW)
    assert sum(name in SLOW for name in taken[:last]) <= 2 * len(SLOW)


def shown(unified: Unified, run: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = unified(f"runs show {run} -o json").json["result"]
    return found
