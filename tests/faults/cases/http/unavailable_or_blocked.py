"""A 503 in the service's own words means a blocked account, which no repeat lifts; any
other is an outage.
"""

from faults.case import CREATE, LIST, PAGE, SEND, Case, failure, listing
from faults.script import reply

BLOCKED = "the account is blocked; unified connections refresh -p NAME, or a new login by its owner"
IF_BLOCKED = (
    "this may mean that the account is blocked: unified profile test NAME shows whether it is; if"
    " so, unified connections refresh -p NAME"
)

CASES = {
    "blocked": Case(
        LIST,
        [failure(503, "the account is blocked")],
        exit=7,
        stderr=["answered 503", BLOCKED],
        never=["retry"],
        requests=1,
    ),
    "blocked, on a create": Case(
        CREATE, [failure(503, "Blocked.")], exit=7, stderr=[BLOCKED], requests=1
    ),
    "blocked, in other words": Case(
        LIST,
        [failure(503, "no")],
        exit=7,
        stderr=[IF_BLOCKED],
        never=[BLOCKED],
        requests=1,
    ),
    "an outage, in HTML": Case(
        LIST, [reply(b"<p>away", 503, kind="text/html")], exit=5, never=[BLOCKED], requests=5
    ),
    "an outage that says when to come back": Case(
        LIST, [failure(503, headers={"Retry-After": "1"})], exit=5, never=[BLOCKED], requests=5
    ),
    "an outage that says nonsense about when to come back": Case(
        LIST, [failure(503, headers={"Retry-After": "soon"})], exit=5, never=[BLOCKED], requests=5
    ),
    "an outage, on a create": Case(
        CREATE,
        [failure(503, headers={"Retry-After": "1"})],
        exit=5,
        never=["may or may not"],
        requests=5,
        one_key=True,
    ),
    "an outage that ends": Case(
        LIST,
        [failure(503, headers={"Retry-After": "1"}), listing()],
        stdout=PAGE + b"\n",
        requests=2,
        waits=(1, 2),
    ),
    "of the provider": Case(
        LIST,
        [failure(503, truto_is_remote_error=True)],
        exit=5,
        stderr=["the provider answered 503"],
        never=[BLOCKED],
        requests=5,
    ),
    "on an outward action, not processed": Case(
        SEND, [failure(503, headers={"Retry-After": "1"}), listing()], requests=2, one_key=True
    ),
    "on an outward action, unclear": Case(
        SEND,
        [reply(b"", 503, kind=None)],
        exit=10,
        stderr=["may or may not"],
        requests=1,
        one_key=True,
    ),
    "on an outward action, from a gateway that says when to come back": Case(
        SEND, [reply(b"", 503, {"Retry-After": "1"}, kind=None)], exit=10, requests=1, one_key=True
    ),
}
