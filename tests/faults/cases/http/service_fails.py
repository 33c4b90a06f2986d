"""A failure of the service is tried again, writes with the key they had, and visible
effects not at all.
"""

from faults.case import CREATE, DELETE, LIST, PAGE, SEND, Case, failure, listing
from faults.script import reply

GATEWAY = (
    b"<html><head><title>502 Bad\x1b[31m Gateway</title></head><body>"
    + b"<p>nginx" * 500
    + b"</body></html>"
)


def gateway(status: int) -> bytes:
    return reply(GATEWAY, status, kind="text/html")


CASES = {
    "for good": Case(
        LIST,
        [failure(500, "oh dear")],
        exit=5,
        stderr=["answered 500 to GET .*: oh dear"],
        requests=5,
    ),
    "once": Case(LIST, [failure(500), listing()], stdout=PAGE + b"\n", requests=2),
    # A service may fail after it carried a write out, when it answers.
    "on a create": Case(
        CREATE,
        [failure(500)],
        exit=10,
        stderr=["answered 500", "may or may not"],
        requests=5,
        one_key=True,
    ),
    "on a create, and then it is limited": Case(
        f"{CREATE} --retries 1",
        [failure(500), failure(429)],
        exit=10,
        stderr=["answered 429"],
        requests=15,
        one_key=True,
    ),
    "on a create, and then it is refused": Case(
        CREATE, [failure(500), failure(422)], exit=4, never=["may or may not"], requests=2
    ),
    "on a create, and then the provider refuses it": Case(
        CREATE,
        [failure(500), failure(422, truto_is_remote_error=True)],
        exit=10,
        requests=2,
        one_key=True,
    ),
    "on a create, once": Case(CREATE, [failure(500), listing()], requests=2, one_key=True),
    "on a delete": Case(DELETE, [failure(500)], exit=10, stderr=["may or may not"], requests=5),
    "on a delete that was done": Case(
        DELETE, [failure(500), failure(404)], stderr=["already gone"], requests=2
    ),
    "on an outward action": Case(
        SEND, [failure(500)], exit=10, stderr=["may or may not"], requests=1, one_key=True
    ),
    **{
        f"behind a gateway, {status}": Case(
            LIST,
            [gateway(status)],
            exit=5,
            stderr=[
                (
                    rf"answered {status} .*502 Bad\\x1b\[31m Gateway \(the service failed; try"
                    r" again later\)$"
                )
            ],
            never=["nginx"],
            requests=5,
        )
        for status in (502, 504, 520, 524, 529, 530)
    },
    "behind a gateway that lost a create": Case(
        CREATE,
        [gateway(504)],
        exit=10,
        stderr=["answered 504", "may or may not"],
        requests=5,
        one_key=True,
    ),
    "behind a gateway that lost an outward action": Case(
        SEND, [gateway(502)], exit=10, stderr=["may or may not"], requests=1, one_key=True
    ),
    "of the provider": Case(
        LIST,
        [failure(500, truto_is_remote_error=True)],
        exit=5,
        stderr=["the provider answered 500"],
        requests=5,
    ),
    "with a replay of the same failure for the key": Case(
        CREATE,
        [failure(500, "cached")],
        exit=10,
        stderr=["cached"],
        requests=[rb"\nIdempotency-Key: \S+"] * 5,
    ),
}
