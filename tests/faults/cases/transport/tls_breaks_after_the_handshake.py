"""A failure inside TLS after a write went out leaves it in doubt."""

from faults.case import CREATE, LIST, Case
from faults.script import CLOSE, RESET, reply

CASES = {
    "list": Case(LIST, [[CLOSE]], tls="good", exit=6, requests=5),
    "create": Case(
        CREATE, [[RESET]], tls="good", exit=10, stderr=["may or may not"], requests=5, one_key=True
    ),
    "in the middle of an answer": Case(
        LIST,
        [[reply(b"{", length=50), CLOSE]],
        tls="good",
        exit=6,
        stderr=["middle|broke"],
        requests=5,
    ),
}
