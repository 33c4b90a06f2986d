"""An agent's read of many connections: all are asked at once, and what the answer holds
depends on what they have, not on which of them is the fastest.
"""

import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from many_connections import account
from pages import cursor_of, served
from server import Reply, Seen, Service, serving
from wire import Wire, started

pytest.importorskip("mcp.server", reason="needs the extra mcp")
pytestmark = pytest.mark.extra

MANY = 32
USUAL_BYTES = 16 * 1024
Bounds = Callable[[], dict[str, int]]


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as found:
        yield found


class Reader:
    """An agent whose server reaches many connections."""

    def __init__(self, agent: Wire) -> None:
        self._agent = agent
        self._calls = 0

    def read(self, **arguments: Any) -> Any:
        """The answer of one call, which is no larger than it may be."""
        text = self.refused(**arguments)
        assert len(text.encode()) <= arguments.get("max_bytes", USUAL_BYTES)
        return json.loads(text)

    def refused(self, **arguments: Any) -> str:
        """The text of an answer that is no document."""
        self._calls += 1
        asked = {"operation": "ticketing tickets list", "profile": "c*", **arguments}
        self._agent.call(self._calls, "read", **asked)
        (content,) = self._agent.receive()["result"]["content"]
        return str(content["text"])

    def read_all(self, bounds: Bounds = dict) -> list[Any]:
        """The answers of all calls that it takes, each with bounds of its own."""
        answers = [self.read(**bounds())]
        while onward := answers[-1]["next"]:
            answers.append(self.read(**bounds(), cursor=onward))
        return answers


def name_of(number: int) -> str:
    return f"c{number:03}"


@contextmanager
def reader(
    folder: Path, service: Service, connections: int, program: Path | None = None
) -> Iterator[Reader]:
    """An agent for this many connections of the service, c000 and so on. Eight of them
    have a token that a program prints, if one is given.
    """
    token, config = folder / "token", folder / "config.toml"
    token.write_text("t-0123456789")
    token.chmod(0o600)
    tables = "".join(
        f'[profiles.{name_of(at)}]\naccount_id = "{name_of(at)}"\n'
        + (f'token_command = ["sh", "{program}", "{at}"]\n' if program and at < 8 else "")
        for at in range(connections)
    )
    config.write_text(f'base_url = "{service.url}"\ntoken_file = "{token}"\nrate = 0\n{tables}')
    config.chmod(0o600)
    options = "--requests-per-minute 0 --retries 0"
    with started(folder, options, UNIFIED_CONFIG=str(config)) as agent:
        agent.begin()
        yield Reader(agent)


def page(records: Sequence[Any], onward: int | None = None, *, long: int = 0) -> Reply:
    """A page; the cursor of the one after it is so long, or as long as its number."""
    cursor = None if onward is None else str(onward).rjust(long, "0")
    return served({"result": records, "next_cursor": cursor})


def owners(answers: Sequence[Any]) -> dict[str, list[str]]:
    """The ids of the records that came, in their order, by connection."""
    found: dict[str, list[str]] = {}
    for answer in answers:
        for record in answer["records"]:
            found.setdefault(record["_profile"], []).append(record["id"])
    return found


def test_a_connection_that_does_not_answer_holds_up_no_other(
    tmp_path: Path, service: Service
) -> None:
    others = threading.Event()

    def reply(seen: Seen) -> Reply:
        if account(seen) == name_of(0):
            assert others.wait(30)
        elif len({account(one) for one in service.seen}) == MANY:
            others.set()
        return page([{"id": "1"}])

    service.reply = reply
    with reader(tmp_path, service, MANY) as agent:
        (answer,) = agent.read_all()
    assert [one["_profile"] for one in answer["records"]] == [*map(name_of, range(MANY))]
    assert len(service.seen) == MANY


def test_tokens_that_take_long_keep_no_other_from_being_asked(
    tmp_path: Path, service: Service
) -> None:
    released, program = tmp_path / "released", tmp_path / "program"
    program.write_text(f"until [ -e {released} ]; do sleep 0.02; done; echo t-$1")

    def reply(_: Seen) -> Reply:
        if len(service.seen) == MANY - 8:
            released.touch()
        return page([{"id": "1"}])

    service.reply = reply
    with reader(tmp_path, service, MANY, program) as agent:
        (answer,) = agent.read_all()
    assert owners([answer]) == {name_of(at): ["1"] for at in range(MANY)}
    assert {seen.headers["authorization"] for seen in service.seen[-8:]} == {
        f"Bearer t-{at}" for at in range(8)
    }


def test_a_connection_reads_all_its_pages_while_others_wait(
    tmp_path: Path, service: Service
) -> None:
    last = threading.Event()

    def reply(seen: Seen) -> Reply:
        at = int(cursor_of(seen) or 0)
        if account(seen) == name_of(0):
            assert last.wait(30)
        elif at == 2 and account(seen) == name_of(MANY - 1):
            last.set()
        return page([{"id": str(at)}], at + 1 if at < 2 else None)

    service.reply = reply
    with reader(tmp_path, service, MANY) as agent:
        (answer,) = agent.read_all(lambda: {"limit": 3 * MANY})
    assert owners([answer]) == {name_of(at): ["0", "1", "2"] for at in range(MANY)}


@pytest.mark.parametrize("limit", [1, 7, 50, 1000])
def test_the_answers_are_the_same_whichever_connection_is_the_fastest(
    limit: int, tmp_path: Path, service: Service
) -> None:
    lists = {name_of(at): [f"{name_of(at)}-{n}" for n in range(at * 3 % 11)] for at in range(12)}

    def served_after(seconds: Callable[[int], float]) -> Callable[[Seen], Reply]:
        def reply(seen: Seen) -> Reply:
            owner, at = account(seen), int(cursor_of(seen) or 0)
            service.over.wait(seconds(int(owner[1:])))
            records = [{"id": one} for one in lists[owner][at : at + 2]]
            return page(records, at + 2 if at + 2 < len(lists[owner]) else None)

        return reply

    with reader(tmp_path, service, len(lists)) as agent:
        service.reply = served_after(lambda number: number * 0.01)
        forwards = agent.read_all(lambda: {"limit": limit})
        service.reply = served_after(lambda number: (len(lists) - number) * 0.01)
        assert agent.read_all(lambda: {"limit": limit}) == forwards
    assert owners(forwards) == {name: ids for name, ids in lists.items() if ids}


def test_no_page_is_read_that_has_no_place_in_the_answer(tmp_path: Path, service: Service) -> None:
    service.reply = lambda seen: page(
        [{"id": str(n)} for n in range(100)], int(cursor_of(seen) or 0) + 1
    )
    with reader(tmp_path, service, MANY) as agent:
        answer = agent.read()
    assert {*Counter(one["_profile"] for one in answer["records"]).values()} == {1, 2}
    assert Counter(map(account, service.seen)) == dict.fromkeys(map(name_of, range(MANY)), 1)


@pytest.mark.parametrize("status", [200, 404])
def test_answers_of_many_connections_without_records_are_bounded(
    status: int, tmp_path: Path, service: Service
) -> None:
    def reply(seen: Seen) -> Reply:
        if int(account(seen)[1:]) % 10:
            return served({"result": [], "message": "there is none"}, status)
        return page([{"id": "1"}])

    service.reply = reply
    with reader(tmp_path, service, 400) as agent:
        answers = agent.read_all()
    assert owners(answers) == {name_of(at): ["1"] for at in range(0, 400, 10)}
    told = [one["profile"] for answer in answers for one in answer["incomplete"]]
    assert len(told) == len({*told}) == (0 if status == 200 else 360)
    assert {*Counter(map(account, service.seen)).values()} == {1}


@pytest.mark.parametrize(("count", "long"), [(200, 80), (MANY, 500)])
def test_a_cursor_made_of_many_long_cursors_continues(
    count: int, long: int, tmp_path: Path, service: Service
) -> None:
    def reply(seen: Seen) -> Reply:
        at = int(cursor_of(seen) or 0)
        return page([{"id": str(at)}], at + 1 if at < 2 else None, long=long)

    service.reply = reply
    bounds = {"limit": 200, "max_bytes": 262_144} if count == 200 else {}
    with reader(tmp_path, service, count) as agent:
        answers = agent.read_all(lambda: bounds)
    assert owners(answers) == {name_of(at): ["0", "1", "2"] for at in range(count)}


def test_a_cursor_that_leaves_no_place_for_a_record_is_refused(
    tmp_path: Path, service: Service
) -> None:
    service.reply = lambda seen: page([{"id": "0"}] * 9, int(cursor_of(seen) or 0) + 1, long=100)
    with reader(tmp_path, service, 20) as agent:
        onward = agent.read(limit=180)["next"]
        said = agent.refused(max_bytes=1024, cursor=onward)
    assert said.startswith("usage: an answer with this cursor has more than ")
    assert said.endswith(" bytes (raise max_bytes)")
    assert len(service.seen) == 20


class Made:
    """Lists of every kind, from a seed: pages of no, few or many records, small and
    large ones, some of which end with a failure.
    """

    def __init__(self, seed: int) -> None:
        made = random.Random(seed)
        self.lists: Mapping[str, list[list[Any]]] = {
            name_of(at): [
                [
                    {"id": f"{number}-{n}", "x": "x" * made.choice([0, 5, 60, 700, 3000])}
                    for n in range(made.choice([0, 1, 2, 3, 20]))
                ]
                for number in range(made.choice([1, 1, 2, 5]))
            ]
            for at in range(made.choice([1, 3, 12, 40, 70]))
        }
        self.broken = {name for name in self.lists if made.random() < 0.1}
        self._long = made.choice([0, 0, 300])
        self._bounds = made

    def reply(self, seen: Seen) -> Reply:
        pages, at = self.lists[account(seen)], int(cursor_of(seen) or 0)
        last = at + 1 == len(pages)
        if last and account(seen) in self.broken:
            return served({"message": "no"}, 500)
        return page(pages[at], None if last else at + 1, long=self._long)

    def ids(self, name: str) -> list[str]:
        """Those of all records that can be read of a connection."""
        pages = self.lists[name][: -1 if name in self.broken else None]
        return [one["id"] for records in pages for one in records]

    def bounds(self) -> dict[str, int]:
        """Those of a call; a short cursor is for calls with any others, too."""
        sizes = [USUAL_BYTES] if self._long else [4096, USUAL_BYTES, 100_000]
        return {
            "limit": self._bounds.choice([1, 3, 50, 1000]),
            "max_bytes": self._bounds.choice(sizes),
        }


@pytest.mark.parametrize("seed", range(6))
def test_every_record_comes_once_and_every_failure(
    seed: int, tmp_path: Path, service: Service
) -> None:
    made = Made(seed)
    service.reply = made.reply
    with reader(tmp_path, service, len(made.lists)) as agent:
        answers = agent.read_all(made.bounds)
    assert owners(answers) == {name: ids for name in made.lists if (ids := made.ids(name))}
    told = [one["profile"] for answer in answers for one in answer["incomplete"]]
    assert sorted(told) == sorted(made.broken)
