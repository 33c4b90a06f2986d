"""A run that is killed anywhere: the output then is true, and a resume does the rest
once or leaves it in doubt.
"""

import contextlib
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from campaigns import dice, size
from front_door import ROOT
from many_connections import account, base_url, profiles
from pages import served
from server import Reply, Seen, Service

Config = Callable[[str], Path]
COUNT = 3
UPDATE = "ticketing tickets update t-{n} -f name=x -p c* --yes --workers 2"
SUSPEND = "user-directory users suspend -f user_id=t-{n} -p c* --yes --workers 2"
PIPED = "ticketing tickets update - -p c* --yes --workers 2"
LINES = "".join(f'{{"_profile":"c{number:02}","id":"t-{{n}}","name":"x"}}\n' for number in range(5))


class Books:
    """The service's actions, and their times, for each account and record; a key that
    it knows does nothing more.
    """

    def __init__(self, *, refused: str = "") -> None:
        self.effects: list[tuple[float, str, str]] = []
        self.requests: list[tuple[float, str, str]] = []
        self._known: set[tuple[str, str]] = set()
        self._refused = refused

    def reply(self, seen: Seen) -> Reply:
        # A request whose body never came whole does not count.
        if len(seen.body) < int(seen.headers.get("content-length", 0)):
            return served({})
        what = seen.json.get("user_id") or seen.segments[-1]
        who, key = account(seen), seen.headers["idempotency-key"]
        self.requests.append((time.monotonic(), who, what))
        if who == self._refused:
            return served({"statusCode": 404, "error": "Error", "message": "no"}, 404)
        if (who, key) not in self._known:
            self._known.add((who, key))
            self.effects.append((time.monotonic(), who, what))
        return served({"id": "r-1"})


def killed(tmp_path: Path, command: str, **more: Any) -> list[dict[str, Any]]:
    """Each crash point, with the report then and the outcome."""
    job = {
        "argv": command.split(),
        "folder": str(tmp_path),
        "stdin": "",
        "prepare": False,
        "interrupt": False,
        "from": 1,
        "step": 1,
    }
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("kill_run.py"))],
        input=json.dumps({**job, **more}).encode(),
        capture_output=True,
        check=False,
        timeout=900,
        cwd=tmp_path,
        env={"PYTHONPATH": f"{ROOT}:{ROOT}/tests", "HOME": str(tmp_path)},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    points = [json.loads(line) for line in done.stdout.splitlines()]
    sys.stdout.write(f"crash points: {len(points)}\n")
    assert [point for point in points if point["left"]] == []
    return points


def outcomes(told: list[Any]) -> dict[str, str]:
    return {one["account_id"]: one["outcome"] for one in told}


def check_truth(point: dict[str, Any], books: Books, count: int, *, repeats: int = 0) -> None:
    """Insist that the report after the kill matches the service.

    A resume repeats calls in doubt, under the same key: each of the `repeats` may
    send a request once more.
    """
    told = outcomes(point["shown"])
    assert len(told) in {0, count}
    effects, requests = (
        Counter(
            who
            for at, who, what in events
            if what == f"t-{point['point']}" and at < point["looked"]
        )
        for events in (books.effects, books.requests)
    )
    assert told or not requests
    for who, outcome in told.items():
        # How many effects there may be, and how many requests.
        most, fewest, failed = {
            "done": (1, 1, 0),
            "not-tried": (0, 0, 0),
            "failed": (0, 0, 1),
            "in-doubt": (1, 0, 0),
        }[outcome]
        assert fewest <= effects[who] <= most, (point, who)
        assert fewest + failed <= requests[who] <= (most + failed) * (1 + repeats), (point, who)


# Each a few points apart in the normal run, and each point in the long one.
EVERY = size(1, 2)
LONG = pytest.param(
    dice("first point").randint(1, EVERY),
    EVERY,
    id="every point",
    marks=pytest.mark.long(seconds=6),
)
STEPS = [(1, 6), LONG]
# The lines of the program are many points.
SOME = size(11, 600)
LINE = pytest.param(
    dice("first line").randint(1, SOME),
    SOME,
    True,
    id="ctrl-c at any line",
    marks=pytest.mark.long(seconds=10),
)


@pytest.mark.parametrize(
    ("first", "step", "interrupt"),
    [(*STEPS[0], False), pytest.param(*LONG.values, False, id=LONG.id, marks=LONG.marks), LINE],
)
@pytest.mark.parametrize(
    ("command", "stdin", "count", "prepare"),
    [
        (UPDATE, "", COUNT, False),
        (PIPED, LINES, 5, False),
        (f"{UPDATE} --stages 1", "", COUNT + 1, True),
    ],
    ids=["fan-out", "piped", "resume"],
)
def test_with_keys_each_effect_is_there_once(
    command: str,
    stdin: str,
    count: int,
    prepare: bool,
    first: int,
    step: int,
    interrupt: bool,
    service: Service,
    config: Config,
    tmp_path: Path,
) -> None:
    profiles(config, service.url, count)
    books = Books(refused="a-c00" if prepare else "")
    service.reply = books.reply
    where = {"from": first, "step": step, "interrupt": interrupt}
    points = killed(tmp_path, command, stdin=stdin, prepare=prepare, **where)
    assert len(points) >= 4
    every = {f"a-c{number:02}" for number in range(count)} - ({"a-c00"} if prepare else set())
    for point in points:
        record = f"t-{point['point']}"
        check_truth(point, books, count)
        # Without a journal nothing was sent.
        done = Counter(who for _, who, what in books.effects if what == record)
        assert done == (dict.fromkeys(every, 1) if point["after"] else {})
        if point["after"]:
            assert {
                outcome for who, outcome in outcomes(point["after"]).items() if who in every
            } == {"done"}
            assert point["code"] == (9 if prepare else 0)


@pytest.mark.parametrize(("first", "step"), STEPS)
@pytest.mark.parametrize(
    ("command", "window", "prepare"),
    [
        (SUSPEND, "", False),
        (UPDATE, "idempotency_window = 0", False),
        (f"{UPDATE} --stages 1", "idempotency_window = 0", True),
    ],
    ids=["an action that is felt outside", "keys are ignored", "keys are ignored in a resume"],
)
def test_calls_that_must_not_be_repeated_are_sent_once(
    command: str,
    window: str,
    prepare: bool,
    first: int,
    step: int,
    service: Service,
    config: Config,
    tmp_path: Path,
) -> None:
    count = COUNT + prepare
    profiles(
        config,
        service.url,
        count,
        **{f"c{n:02}": f"{base_url(service.url)}\n{window}" for n in range(count)},
    )
    books = Books(refused="a-c00" if prepare else "")
    service.reply = books.reply
    points = killed(tmp_path, command, prepare=prepare, **{"from": first, "step": step})
    sent = Counter((who, what) for _, who, what in books.requests)
    assert {*sent.values()} == {1}
    for point in points:
        check_truth(point, books, count)
        point["after"] = [one for one in point["after"] if one["outcome"] != "failed"]
        after = outcomes(point["after"])
        assert {*after.values()} <= {"done", "in-doubt"}
        # Calls in doubt were reported before, and are not sent again.
        doubtful = {who for who, outcome in after.items() if outcome == "in-doubt"}
        assert doubtful == {
            who for who, outcome in outcomes(point["shown"]).items() if outcome == "in-doubt"
        }
        assert point["code"] in ({10} if doubtful else {9} if prepare else {0, None})
        for who, outcome in after.items():
            assert outcome == "in-doubt" or sent[who, f"t-{point['point']}"] == 1
    assert {point["code"] for point in points} >= {9 if prepare else 0, 10}


@pytest.mark.long(seconds=8)
@pytest.mark.parametrize("kind", ["fan-out", "piped", "resume"])
def test_kills_of_a_real_process_at_random_moments(
    kind: str, service: Service, config: Config, tmp_path: Path
) -> None:
    count, rounds, chosen = 5, size(70, 12), dice(kind, 8)
    profiles(config, service.url, count)
    books = Books()
    service.reply = books.reply
    killed_in_work = 0
    for number in range(1, rounds + 1):
        home = tmp_path / f"home-{number}"
        home.mkdir()
        environ = {
            "HOME": str(home),
            "PYTHONPATH": str(ROOT),
            "UNIFIED_CONFIG": str(tmp_path / "config/config.toml"),
        }

        def start(words: str, environ: dict[str, str] = environ) -> subprocess.Popen[bytes]:
            argv = [sys.executable, "-m", "unified_cli", *words.split()]
            pipes = {
                "stdin": subprocess.PIPE,
                "stdout": subprocess.PIPE,
                "stderr": subprocess.DEVNULL,
            }
            return subprocess.Popen(argv, env=environ, **pipes)

        command, given = (PIPED, LINES) if kind == "piped" else (UPDATE, "")
        lines = given.replace("{n}", str(number)).encode()
        for words in (command, "resume")[: 2 if kind == "resume" else 1]:
            run = next((path.stem for path in home.glob(".local/share/unified/runs/2*.ndjson")), "")
            if words == "resume" and not run:
                break
            began = time.monotonic()
            one = start(
                (f"runs resume {run}" if words == "resume" else words).replace("{n}", str(number))
            )
            with contextlib.suppress(subprocess.TimeoutExpired):
                one.communicate(lines, timeout=chosen.uniform(0.1, 1.0))
            one.kill()
            one.communicate()
            killed_in_work += one.returncode < 0 and time.monotonic() - began > 0
        run = next((path.stem for path in home.glob(".local/share/unified/runs/2*.ndjson")), "")
        if run:
            looked = time.monotonic()
            shown = json.loads(start(f"runs show {run} -o json").communicate()[0])["result"]
            repeats = int(kind == "resume")
            check_truth(
                {"point": number, "looked": looked, "shown": shown}, books, count, repeats=repeats
            )
            last = start(f"runs resume {run}")
            last.communicate()
            assert last.returncode == 0
        done = Counter(who for _, who, what in books.effects if what == f"t-{number}")
        assert done == ({f"a-c{one:02}": 1 for one in range(count)} if run else {})
    sys.stdout.write(f"killed: {killed_in_work} of {rounds}\n")
