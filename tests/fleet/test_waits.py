"""Each connection waits for itself: one that does not answer, or a limit, holds up no
other, whatever reads them.
"""

import threading
from pathlib import Path

import pytest
from front_door import Unified
from many_connections import READERS, Config, good, profiles, whose
from server import Reply, Seen, Service

NUMBER = 12
SLOW = Reply(429, b'{"message": "slow down"}', {"Retry-After": "1"})


@pytest.mark.parametrize("what", READERS)
def test_one_that_does_not_answer_keeps_no_other_from_being_asked(
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
