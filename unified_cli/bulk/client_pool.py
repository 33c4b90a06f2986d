"""Network connections that are kept open between one list and the next."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from unified_cli.http.client import Client


class Pool:
    """Lends a client of a connection to one worker at a time; keeps at most so many that nobody uses."""

    def __init__(self, idle: int) -> None:
        self._lock = threading.Lock()
        self._idle: list[tuple[str, Client]] = []
        self._most = idle

    @contextmanager
    def lend(self, name: str, make: Callable[[], Client]) -> Iterator[Client]:
        """A client of the connection of that name, made where none is idle."""
        client = self._find(name) or make()
        try:
            yield client
        finally:
            self._give_back(name, client)

    def _find(self, name: str) -> Client | None:
        with self._lock:
            for place, (whose, client) in enumerate(self._idle):
                if whose == name:
                    del self._idle[place]
                    return client
        return None

    def _give_back(self, name: str, client: Client) -> None:
        with self._lock:
            self._idle.append((name, client))
            oldest = self._idle.pop(0)[1] if len(self._idle) > self._most else None
        if oldest:
            oldest.close()

    def close(self) -> None:
        """Close all that are idle."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, client in idle:
            client.close()
