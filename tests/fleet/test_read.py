"""Readers of many connections: several jobs of a connection share its clients, and take
no threads from others.
"""

import threading
from collections.abc import Generator
from typing import cast

import pytest

from unified_cli.catalogue import load
from unified_cli.fleet.read import FairReaders
from unified_cli.http.client import Client
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr


class Opened:
    """A fake client that says whether it was closed."""

    is_closed = False

    def close(self) -> None:
        self.is_closed = True


@pytest.mark.parametrize(("connections", "threads"), [(None, 12), (30, 12), (3, 3), (1, 2)])
def test_there_is_a_thread_for_each_connection_of_the_jobs(
    connections: int | None, threads: int
) -> None:
    # All threads that there can be come to the first barrier; one more than that waits
    # for no other.
    together, seen = threading.Barrier(threads, timeout=60), set[int]()
    readers = FairReaders(Runtime(None, None, Stderr(None), {}), load(), workers=2)

    def work(job: int) -> Generator[int]:
        seen.add(threading.get_ident())
        if job < threads:
            with readers._waiting():
                together.wait()
        yield job

    with readers:
        assert sorted(readers.read(range(30), work, connections)) == [*range(30)]
    assert len(seen) == threads


def test_the_jobs_of_a_connection_share_a_client_which_is_closed_at_the_end() -> None:
    opened = list[Opened]()

    def make() -> Client:
        opened.append(Opened())
        return cast("Client", opened[-1])

    with FairReaders(Runtime(None, None, Stderr(None), {}), load(), workers=2) as readers:
        for name in ("acme", "globex", "acme"):
            with readers.lend(name, make):
                pass
        assert [one.is_closed for one in opened] == [False, False]
    assert [one.is_closed for one in opened] == [True, True]
