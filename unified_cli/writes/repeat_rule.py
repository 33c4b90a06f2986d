"""Whether a write that may have been done may be sent again."""

from unified_cli.http.request import Request


def may_repeat(request: Request, age: float, window: float) -> bool:
    """Whether a request in doubt, first sent so many seconds ago, has no second effect when it is sent again.

    `window` is for how many seconds the service honours an idempotency key, as far as we know.
    """
    return (not request.outward and 0 <= age < window) or request.method == "DELETE"
