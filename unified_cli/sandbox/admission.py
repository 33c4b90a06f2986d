"""What the kind of a connection does to a request before the operation runs."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from unified_cli.catalogue import Operation, Service
from unified_cli.sandbox.accounts import offers
from unified_cli.sandbox.list_page import GREATEST, ListTerms
from unified_cli.sandbox.messages import Refusal

_TINY = 3
_SLOW = 1.0


class SimulatedRate(NamedTuple):
    """So many requests in so many seconds; `headers` says which are sent: `all`, `none`, or those of one kind."""

    number: int
    seconds: float
    headers: str = "all"


class RateWindows:
    """Counts requests in windows of time, by key; safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._windows: dict[str, tuple[int, int]] = {}

    def check(self, key: str, limit: SimulatedRate, now: float) -> dict[str, str]:
        """Count a request, and give the headers that say how many are left. Raises Refusal 429 beyond the limit."""
        number, seconds, sent = limit
        window = int(now / seconds)
        with self._lock:
            last, count = self._windows.get(key, (window, 0))
            count = count + 1 if last == window else 1
            self._windows[key] = (window, count)
        reset = str(max(1, round((window + 1) * seconds - now + 0.5)))
        told = {
            "ratelimit-limit": f"{number};w={seconds:g}",
            "ratelimit-remaining": str(max(0, number - count)),
            "ratelimit-reset": reset,
        }
        headers = told if sent in ("all", "ratelimit") else {}
        if count > number:
            wait = {"retry-after": reset} if sent in ("all", "retry-after") else {}
            raise Refusal(
                429,
                f"more than {number} requests in {seconds:g} seconds",
                provider={"error": "rate_limited"},
                insight={"rate_limit_error": {"description": "The provider limits how often it is asked"}},
                headers={**wait, **headers},
            )
        return headers


_LIMIT = SimulatedRate(5, 2.0)


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request that may go on: the terms of its paging, and headers for its answer."""

    terms: ListTerms
    headers: dict[str, str]


class Admission:
    """Decides about the requests of all connections; `sleep` is what makes a slow one slow."""

    def __init__(self, sleep: Callable[[float], None], service: Service) -> None:
        self._service = service
        self.windows = RateWindows()
        self._sleep = sleep

    def admit(self, kind: str, account: str, operation: Operation, now: float) -> Admitted:
        """Let a request of a connection of this kind go on. Raises the Refusal that a connection of its kind gives."""
        _refuse(kind, account, operation, self._service)
        headers = self.windows.check(account, _LIMIT, now) if kind == "rate-limited" else {}
        if kind == "slow":
            self._sleep(_SLOW)
        terms = ListTerms(now, greatest=_TINY if kind == "tiny-pages" else GREATEST, partial=kind == "partial")
        return Admitted(terms, headers)


def _refuse(kind: str, account: str, operation: Operation, service: Service) -> None:
    if kind == "blocked":
        raise Refusal(503, f"the integrated account {account} is blocked")
    if kind == "needs-reauth":
        raise Refusal(401, "the provider refused the credentials of this account", provider={"error": "invalid_grant"})
    if kind == "dead-provider":
        raise Refusal(
            502, "", provider="upstream connect error: connection refused",
            insight={"remote_error": {"description": "The provider did not answer"}},
        )  # fmt: skip
    if operation.api and not offers(kind, operation.api, operation.resource):
        raise Refusal(404, f"the integration of {account} does not support {operation.api}/{operation.resource}")
    if operation.changes and kind == "read-only":
        raise Refusal(405, f"the account {account} takes no writes: {operation.method} is not allowed")
    if operation.changes and kind == "missing-scopes":
        scopes = [f"{operation.api}.{operation.resource}.write"]
        words = service.connections
        value = {"description": "The connection lacks scopes", "value": {words.missing_scopes: scopes}}
        raise Refusal(403, "not allowed", provider={"error": "forbidden"}, insight={words.forbidden: value})
