"""A 429 is waited out as long as it asks, and not a fraction less."""

from faults.case import CREATE, LIST, PAGE, SEND, Case, failure, listing

DATE = "Fri, 20 Nov 2026 12:00:00 GMT"
DONE = PAGE + b"\n"


def limited(after: str, **more: str) -> bytes:
    return failure(429, headers={"Retry-After": after, **more})


CASES = {
    "two seconds": Case(LIST, [limited("2"), listing()], stdout=DONE, requests=2, waits=(2, 3.5)),
    "by a date, on the server's own clock": Case(
        LIST,
        [limited("Fri, 20 Nov 2026 12:00:03 GMT", Date=DATE), listing()],
        stdout=DONE,
        requests=2,
        waits=(3, 4),
    ),
    "of a write": Case(CREATE, [limited("2"), listing()], requests=2, waits=(2, 3.5), one_key=True),
    "of an outward action": Case(
        SEND, [limited("2"), listing()], requests=2, waits=(2, 3.5), one_key=True
    ),
    "of the provider": Case(
        LIST,
        [failure(429, "slow down", truto_is_remote_error=True)],
        exit=8,
        stderr=["the provider answered 429 .*slow down"],
        # Probes continue until all of them were refused for longer than a window lasts.
        requests=14,
    ),
    "for ever": Case(
        LIST, [limited("1")], exit=8, stderr=["the service answered 429"], requests=13
    ),
    "for ever, told to programs": Case(
        f"{LIST} -o json",
        [limited("1")],
        exit=8,
        stderr=[r'{"error": {"code": "rate_limit", "exit": 8, .*"status": 429'],
        requests=13,
    ),
    "without saying how long": Case(LIST, [failure(429), listing()], stdout=DONE, requests=2),
}
