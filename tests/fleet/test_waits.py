"""Each connection waits for itself: one that does not answer, or a limit, holds up no
other, whatever reads them.
"""

import re
import threading
from pathlib import Path

import pytest
from front_door import Clock, Unified
from many_connections import READERS, Config, good, profiles, whose
from server import Reply, Seen, Service

NUMBER = 12
SLOW = Reply(429, b'{"message": "slow down"}', {"Retry-After": "1"})


@pytest.mark.parametrize("what", READERS)
def test_a_connection_that_does_not_answer_holds_up_no_other(
    what: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    names, asked, others = profiles(config, service.url, NUMBER), set[str](), threading.Event()

    def reply(seen: Seen) -> Reply:
        asked.add(whose(seen))
        if len(asked) == NUMBER:
            others.set()
        if whose(seen) == f"a-{names[0]}":
            assert others.wait(30)
        return good(seen)

    service.reply = reply
    result = unified(READERS[what].format(folder=tmp_path))
    assert result.code == 0, result.stderr


@pytest.mark.parametrize("number", [1, NUMBER])
@pytest.mark.parametrize("what", READERS)
def test_a_limit_is_waited_for(
    what: str, number: int, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    names, refused = profiles(config, service.url, number), set[str]()

    def reply(seen: Seen) -> Reply:
        if whose(seen) in refused:
            return good(seen)
        refused.add(whose(seen))
        return SLOW

    service.reply = reply
    result = unified(READERS[what].format(folder=tmp_path))
    assert result.code == 0, result.stderr
    assert refused == {f"a-{name}" for name in names}


@pytest.mark.parametrize(
    "command",
    [
        "ticketing tickets list",
        "ticketing tickets delete",
        "import",
        "export",
        "runs resume",
        "sql",
    ],
)
def test_help_says_that_the_timeout_leaves_out_waits_for_a_limit(
    command: str, unified: Unified
) -> None:
    said = " ".join(unified(f"{command} --help").stdout.split())
    timeout = said.partition("--timeout S")[2].partition(" --")[0]
    assert re.search(r"waits? longer for a rate limit", timeout)


BULK = (
    "ticketing tickets list --all -o ndjson",
    "import ticketing/tickets {folder}/in.ndjson",
    "ticketing tickets delete - -y",
    "export ticketing/tickets --to {folder}/dump",
)


@pytest.mark.parametrize("command", BULK)
def test_a_limit_that_never_opens_is_not_a_matter_of_the_timeout(
    command: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    (tmp_path / "in.ndjson").write_text('{"name": "a"}\n')
    service.reply = lambda _: SLOW
    clock = Clock()
    result = unified(
        f"{command.format(folder=tmp_path)} --timeout 8",
        environ=service.environ,
        stdin=b"1\n",
        monotonic=clock.now,
        sleep=clock.sleep,
    )
    assert result.code in {8, 9}
    assert clock.at - 1000 > 60
    assert "no request was allowed for over a minute; run the command again later" in result.stderr
    assert "a larger --timeout" not in result.stderr


def test_a_single_call_waits_for_its_timeout_only(unified: Unified, service: Service) -> None:
    service.reply = lambda _: SLOW
    clock = Clock()
    result = unified(
        "ticketing tickets get 1 --timeout 8",
        environ=service.environ,
        monotonic=clock.now,
        sleep=clock.sleep,
    )
    assert (result.code, clock.at - 1000 <= 8) == (8, True)
    assert "the response asked to wait 1 s; run the command again after that time" in result.stderr


@pytest.mark.parametrize("what", READERS)
def test_twenty_connections_are_asked_at_once(
    what: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, 20)
    asked, together = set[str](), threading.Event()

    def reply(seen: Seen) -> Reply:
        asked.add(whose(seen))
        if len(asked) == 20:
            together.set()
        assert together.wait(60)
        return good(seen)

    service.reply = reply
    result = unified(READERS[what].format(folder=tmp_path))
    assert result.code == 0, result.stderr
