"""A wait beyond a minute, or beyond the deadline, is not begun."""

from faults.case import CREATE, LIST, Case, failure

CASES = {
    "a day": Case(
        LIST,
        [failure(429, headers={"Retry-After": "86400"})],
        exit=8,
        stderr=["asked to wait 24 h"],
        requests=1,
        waits=(0, 0),
    ),
    "a day, of an outage": Case(
        LIST,
        [failure(503, headers={"Retry-After": "86400"})],
        exit=8,
        stderr=["24 h"],
        requests=1,
        waits=(0, 0),
    ),
    "two minutes": Case(
        CREATE,
        [failure(429, headers={"Retry-After": "120"})],
        exit=8,
        stderr=["wait 2 min"],
        requests=1,
    ),
    "a second more than a minute, and time for it": Case(
        f"{LIST} --timeout 600",
        [failure(429, headers={"Retry-After": "61"})],
        exit=8,
        stderr=["wait 1 min"],
        requests=1,
        waits=(0, 0),
    ),
    "past the deadline": Case(
        f"{LIST} --timeout 20",
        [failure(429, headers={"Retry-After": "30"})],
        exit=8,
        stderr=["wait 30 s"],
        requests=1,
        waits=(0, 0),
        timeout=20,
    ),
}
