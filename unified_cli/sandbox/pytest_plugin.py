"""A fixture for other projects' tests: `unified_sandbox`, the service in small on a port of this machine.

Switch it on with `pytest_plugins = ["unified_cli.sandbox.pytest_plugin"]` or `-p unified_cli.sandbox.pytest_plugin`.
"""

import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from unified_cli.catalogue import load
from unified_cli.sandbox.accounts import CHARACTERS
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.fault_plan import parse, rules_of
from unified_cli.sandbox.server import Server
from unified_cli.sandbox.store import SandboxStore


@dataclass(frozen=True, slots=True)
class UnifiedSandbox:
    """A running sandbox: where it is, what opens it, and the connections it has, each with what is special about it."""

    url: str
    token: str
    accounts: Mapping[str, str]
    _sandbox: Sandbox
    _store: SandboxStore

    def faults(self, spec: str = "", *rules: Mapping[str, Any]) -> None:
        """Misbehave from now on as `spec` says, such as `429=5%,lose-reply=3`; with nothing, behave again.

        A rule is `{"fault": "500=2", "method": "POST", "path": "*/tickets", "account": "full"}`.
        """
        self._sandbox.faults.set((*parse(spec), *rules_of({"rules": rules})))

    def requests(self) -> list[dict[str, Any]]:
        """How often each route was asked for: account, method, path, count."""
        return self._sandbox.requests.told()

    def effects(self, key: str) -> int:
        """How many writes took effect under this idempotency key."""
        return sum(count for *_, used, count in self._store.effects() if used == key)

    def reset(self) -> None:
        """Bring the seeded records back and forget what was counted."""
        self._store.reset()
        self._sandbox.requests.clear()


@contextmanager
def running() -> Iterator[UnifiedSandbox]:
    """A sandbox with records of its own, in memory, served from a thread until the block is left."""
    store = SandboxStore.open(None)
    token = secrets.token_urlsafe(24)
    sandbox = Sandbox(load(), store, token=token, control=True)
    server = Server(sandbox, token)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield UnifiedSandbox(server.url, token, CHARACTERS, sandbox, store)
    finally:
        server.stop()
        thread.join()
        store.close()


@pytest.fixture
def unified_sandbox() -> Iterator[UnifiedSandbox]:
    """A sandbox of its own for every test."""
    with running() as sandbox:
        yield sandbox
