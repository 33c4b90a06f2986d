"""The routes by which tests control a served sandbox: its requests, the effects of writes, its faults."""

import json
import threading
from collections import Counter

from unified_cli.catalogue import Operation
from unified_cli.errors import UsageError
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.values import JsonObject
from unified_cli.sandbox.fault_plan import Faults, Rule, rules_of
from unified_cli.sandbox.messages import Refusal, SandboxRequest, SandboxResponse
from unified_cli.sandbox.store import SandboxStore

PREFIX = "/-/sandbox"
CONTROL_METHODS = {"": ("GET",), "/faults": ("PUT", "DELETE"), "/reset": ("POST",)}
"""The methods of each route, by its path below the prefix."""


class RequestCounts:
    """How many requests each route got; safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def count(self, account: str, operation: Operation) -> None:
        """Count a request."""
        with self._lock:
            self._counts[account, operation.method, operation.path] += 1

    def clear(self) -> None:
        """Begin to count anew."""
        with self._lock:
            self._counts.clear()

    def as_json(self) -> list[JsonObject]:
        """Account, method, path and count of each route."""
        with self._lock:
            counts = sorted(self._counts.items())
        names = ("account", "method", "path")
        return [{**dict(zip(names, key, strict=True)), "count": count} for key, count in counts]


def control(request: SandboxRequest, store: SandboxStore, faults: Faults, requests: RequestCounts) -> SandboxResponse:
    """Answer a request below `/-/sandbox`.

    GET answers `requests`, `effects` by idempotency key, and `seed`; PUT `/faults` takes `{"spec": …, "rules": […]}`;
    DELETE `/faults` removes them; POST `/reset` deletes all changes and counts.
    """
    route = (request.method, request.path.removeprefix(PREFIX))
    if route == ("PUT", "/faults"):
        faults.set(_rules(request))
    elif route == ("DELETE", "/faults"):
        faults.set(())
    elif route == ("POST", "/reset"):
        store.reset()
        requests.clear()
    names = ("account", "method", "path", "key", "effects")
    effects = [dict(zip(names, row, strict=True)) for row in store.effects()]
    return SandboxResponse.json(dump({"seed": store.seed, "requests": requests.as_json(), "effects": effects}))


def _rules(request: SandboxRequest) -> tuple[Rule, ...]:
    try:
        return rules_of(json.loads(request.body))
    except UsageError as error:
        raise Refusal(400, error.message) from None
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise Refusal(400, f'expected {{"spec": "…", "rules": [{{"fault": "429=2"}}]}}: {error}') from None
