"""The way for tests to look into a served sandbox and to bend it: what was asked, what took effect, which faults."""

import json
import threading
from collections import Counter
from typing import Any

from unified_cli.catalogue import Operation
from unified_cli.errors import UsageError
from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox.fault_plan import Faults, rules_of
from unified_cli.sandbox.messages import Refusal, SandboxRequest, SandboxResponse
from unified_cli.sandbox.store import SandboxStore

PREFIX = "/-/sandbox"


class Requests:
    """How often which route was asked for; safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def count(self, account: str, operation: Operation) -> None:
        """Count a request."""
        with self._lock:
            self._counts[account, operation.method, operation.path] += 1

    def clear(self) -> None:
        """Forget all counts."""
        with self._lock:
            self._counts.clear()

    def told(self) -> list[dict[str, Any]]:
        """The counts as JSON tells them."""
        with self._lock:
            counts = sorted(self._counts.items())
        names = ("account", "method", "path")
        return [{**dict(zip(names, key, strict=True)), "count": count} for key, count in counts]


def control(request: SandboxRequest, store: SandboxStore, faults: Faults, requests: Requests) -> SandboxResponse:
    """Answer a request below `/-/sandbox`.

    GET tells `requests`, `effects` per idempotency key, and `seed`; PUT `/faults` takes `{"spec": …, "rules": […]}`;
    DELETE `/faults` ends them; POST `/reset` brings the seed back and forgets the counts.
    """
    asked = (request.method, request.path.removeprefix(PREFIX))
    if asked == ("PUT", "/faults"):
        faults.set(_rules(request))
    elif asked == ("DELETE", "/faults"):
        faults.set(())
    elif asked == ("POST", "/reset"):
        store.reset()
        requests.clear()
    elif asked != ("GET", ""):
        raise Refusal(404, f"no route {request.method} {request.path}")
    names = ("account", "method", "path", "key", "effects")
    effects = [dict(zip(names, row, strict=True)) for row in store.effects()]
    return SandboxResponse.json(dump({"seed": store.seed, "requests": requests.told(), "effects": effects}))


def _rules(request: SandboxRequest) -> Any:
    try:
        return rules_of(json.loads(request.body))
    except UsageError as error:
        raise Refusal(400, error.message) from None
    except (ValueError, TypeError, AttributeError) as error:
        raise Refusal(400, f'expected {{"spec": "…", "rules": [{{"fault": "429=2"}}]}}: {error}') from None
