"""A scheduler that is lost is told as such, whoever notices first."""

from typing import Any

import pytest

pytestmark = pytest.mark.extra
pytest.importorskip("distributed", reason="needs the extra dask")

from distributed.comm import CommClosedError  # noqa: E402  needs the extra

from unified_cli.commands.export.dask_engine import DaskEngine  # noqa: E402  as above
from unified_cli.errors import ExitCode, NetworkError  # noqa: E402  as above


class Lost:
    """A client whose scheduler was killed a moment ago: its futures are not cancelled
    yet.
    """

    def __getattr__(self, _: str) -> Any:
        def call(*_args: Any, **_more: Any) -> None:
            raise CommClosedError("in <TCP (closed)>: Stream is closed")

        return call


def test_a_sign_of_life_that_cannot_be_asked_for_is_a_lost_scheduler() -> None:
    times = iter((0.0, 10.0, 20.0))
    engine = DaskEngine("tcp://127.0.0.1:1", lambda *_: b"", lambda: next(times))
    engine._client = Lost()
    engine._asked = next(times)
    with pytest.raises(NetworkError) as found:
        engine.wait(0)
    assert (
        found.value.reason == "the scheduler at tcp://127.0.0.1:1 was lost, or cancelled the tasks"
    )
    assert (found.value.code, found.value.hint) == (ExitCode.NETWORK, "run the same command again")
