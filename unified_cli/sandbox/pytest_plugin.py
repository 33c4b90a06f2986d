"""The pytest fixture `unified_sandbox` for other projects' tests: a sandbox on a port
of this machine.

Enable the plugin with `pytest_plugins = ["unified_cli.sandbox.pytest_plugin"]` or `-p
unified_cli.sandbox.pytest_plugin`.
"""

import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from unified_cli.catalogue import load
from unified_cli.json_text.typed_json import compact_objects
from unified_cli.sandbox.accounts import KINDS
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.fault_plan import parse, rules_of
from unified_cli.sandbox.server import Server
from unified_cli.sandbox.store import SandboxStore
from unified_cli.values import JsonObject


@dataclass(frozen=True, slots=True)
class UnifiedSandbox:
    """A running sandbox: its URL, its token, and its connections with descriptions."""

    url: str
    token: str
    accounts: Mapping[str, str]
    _sandbox: Sandbox
    _store: SandboxStore

    def faults(self, spec: str = "", *rules: JsonObject) -> None:
        """Set the faults, such as `429=5%,lose-reply=3`. Without arguments, remove all
        faults.

        A rule is `{"fault": "500=2", "method": "POST", "path": "*/tickets", "account":
        "full"}`.
        """
        wrong = next((rule for rule in rules if not isinstance(rule, dict)), None)
        if wrong is not None:
            raise TypeError(
                f"faults() takes one text, then rules as dicts, not {wrong!r}: several faults are"
                f" one text, such as {f'{spec},{wrong}'!r}"
            )
        self._sandbox.faults.set((*parse(spec), *rules_of({"rules": rules})))

    def requests(self) -> list[JsonObject]:
        """Return the number of requests to each route: account, method, path, count."""
        return self._sandbox.requests.as_json()

    def effects(self, key: str) -> int:
        """Return how many writes took effect under this idempotency key."""
        return sum(count for *_, used, count in self._store.effects() if used == key)

    def reset(self) -> None:
        """Delete all changes and counts."""
        self._store.reset()
        self._sandbox.requests.clear()


@contextmanager
def running(
    *, keep_ids: bool = False, records: Mapping[str, int] | None = None
) -> Iterator[UnifiedSandbox]:
    """Run a sandbox with records in memory, in a thread, during the block.

    With `keep_ids`, a new record keeps the id in its body. `records` sets the number of
    records: `{"ticketing/tickets": 5000}`.
    """
    store = SandboxStore.open(None, records=_numbers(records or {}))
    store.encode = compact_objects
    token = secrets.token_urlsafe(24)
    sandbox = Sandbox(load(), store, token=token, control=True, keep_ids=keep_ids)
    server = Server(sandbox)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield UnifiedSandbox(server.url, token, KINDS, sandbox, store)
    finally:
        server.stop()
        thread.join()
        server.close()
        store.close()


def _numbers(records: Mapping[str, int]) -> Mapping[tuple[str, str], int]:
    result = {}
    for name, number in records.items():
        api, _, resource = name.partition("/")
        if api not in (apis := load().apis) or resource not in apis[api].resources:
            raise ValueError(f"records: {name!r} is not API/RESOURCE, such as ticketing/tickets")
        result[api, resource] = number
    return result


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        "unified_sandbox(keep_ids=False, records=None): how the fixture's sandbox creates and holds"
        " records",
    )


@pytest.fixture
def unified_sandbox(request: pytest.FixtureRequest) -> Iterator[UnifiedSandbox]:
    """Return a new sandbox for each test. The marker `unified_sandbox(keep_ids=…,
    records=…)` sets its options.
    """
    marker = request.node.get_closest_marker("unified_sandbox")
    options = dict(marker.kwargs) if marker else {}
    try:
        started = running(**options)
        sandbox = started.__enter__()
    except (TypeError, ValueError, OSError) as error:
        pytest.fail(f"the sandbox does not start: {error}", pytrace=False)
    try:
        yield sandbox
    finally:
        started.__exit__(None, None, None)
