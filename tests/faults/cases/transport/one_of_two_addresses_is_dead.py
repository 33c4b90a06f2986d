"""A name with a dead address and a live one is reached all the same."""

from faults.case import CREATE, LIST, Case

CASES = {
    "refuses": Case(LIST, names=lambda _: ["127.0.0.9", "127.0.0.1"], requests=1, never=["retry"]),
    "refuses a write": Case(
        CREATE, names=lambda _: ["127.0.0.9", "127.0.0.1"], requests=1, never=["retry"]
    ),
    "never answers": Case(
        LIST, names=lambda _: ["127.0.0.9", "127.0.0.1"], hole=True, requests=1, never=["retry"]
    ),
    "of both families": Case(
        LIST, names=lambda _: ["::1", "127.0.0.1"], requests=1, never=["retry"]
    ),
}
