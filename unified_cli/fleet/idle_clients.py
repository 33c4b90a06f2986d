"""Network connections that are kept open between one job and the next."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from unified_cli.http.client import Client


class ClientPool:
    """Lends each client to one job at a time, in any thread; keeps at most so many that are idle."""

    def __init__(self, most_idle: int) -> None:
        self._most_idle = most_idle
        self._lock = threading.Lock()
        self._idle: list[tuple[str, Client]] = []
        self._closed = False

    @contextmanager
    def lend(self, make: Callable[[], Client], name: str = "") -> Iterator[Client]:
        """An idle client, or one that is made now. Where there are several connections, `name` says of which."""
        client = self._take(name) or make()
        try:
            yield client
        finally:
            self._give_back(name, client)

    def close(self) -> None:
        """Close those that are idle; those that are lent are closed when they come back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for _, client in idle:
            client.close()

    def _take(self, name: str) -> Client | None:
        with self._lock:
            for position, (owner, client) in enumerate(self._idle):
                if owner == name:
                    del self._idle[position]
                    return client
        return None

    def _give_back(self, name: str, client: Client) -> None:
        with self._lock:
            self._idle.append((name, client))
            too_many = self._closed or len(self._idle) > self._most_idle
            oldest = self._idle.pop(0)[1] if too_many else None
        if oldest:
            oldest.close()
