"""A keyring for tests: it keeps what it is given, in memory."""

from collections.abc import Iterator
from contextlib import contextmanager

import keyring
import keyring.backend


class InMemory(keyring.backend.KeyringBackend):  # type: ignore[misc]
    """A keyring that works."""

    priority = 1

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@contextmanager
def using(backend: keyring.backend.KeyringBackend) -> Iterator[None]:
    """Make it the machine's keyring for a while."""
    before = keyring.get_keyring()
    keyring.set_keyring(backend)
    try:
        yield
    finally:
        keyring.set_keyring(before)
