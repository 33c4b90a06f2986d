"""Clients between jobs: kept while few are idle, never lent twice, and closed in the
end.
"""

from contextlib import ExitStack
from typing import Any, cast

from unified_cli.fleet.clients import ClientPool
from unified_cli.http.client import Client


class Opened:
    """A fake client that says whether it was closed."""

    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


def lent(pool: ClientPool, opened: list[Any], *names: str) -> None:
    """Lend a client of each name, all at the same time."""

    def make() -> Client:
        opened.append(Opened())
        return cast("Client", opened[-1])

    with ExitStack() as stack:
        for name in names:
            stack.enter_context(pool.lend(make, name))


def test_a_client_is_lent_again_to_its_own_connection_only() -> None:
    pool, opened = ClientPool(3), list[Opened]()
    lent(pool, opened, "a")
    lent(pool, opened, "a")
    assert len(opened) == 1
    lent(pool, opened, "b")
    lent(pool, opened, "a", "a")
    assert [one.closed for one in opened] == [0, 0, 0]


def test_the_oldest_of_too_many_idle_clients_are_closed() -> None:
    pool, opened = ClientPool(2), list[Opened]()
    for name in "abcd":
        lent(pool, opened, name)
    assert [one.closed for one in opened] == [1, 1, 0, 0]


def test_the_end_closes_idle_clients_at_once_and_lent_ones_when_they_come_back() -> None:
    pool, opened = ClientPool(2), list[Opened]()
    lent(pool, opened, "a", "b")
    with pool.lend(lambda: cast("Client", Opened()), "a") as client:
        pool.close()
        assert [one.closed for one in opened].count(1) == 1
        assert cast("Opened", client).closed == 0
    assert [one.closed for one in opened] == [1, 1]
