"""A handshake that the server breaks off is tried again; a protocol that is too old is
not.
"""

from faults.case import CREATE, LIST, Case
from faults.script import CLOSE, Answer, Wait, reply

SECURE = {"UNIFIED_BASE_URL": "https://127.0.0.1:@PORT@"}
PLACE = r"127\.0\.0\.1:@PORT@"
INSTEAD = rf"\(did you mean http://{PLACE}\?\)\n$"
MAYBE = rf"\(it may not speak TLS; did you mean http://{PLACE}\?\)\n$"

CASES = {
    "too old": Case(
        LIST,
        tls="old",
        exit=6,
        stderr=["no TLS connection to localhost"],
        never=["retry"],
        requests=0,
        connections=1,
    ),
    "closed": Case(
        LIST,
        [Answer([CLOSE], after="nothing")],
        environ=SECURE,
        exit=6,
        stderr=["during the TLS handshake"],
        requests=0,
        connections=5,
    ),
    "closed on a write": Case(
        CREATE,
        [Answer([CLOSE], after="nothing")],
        environ=SECURE,
        exit=6,
        stderr=["during the TLS handshake"],
        never=["may or may not"],
        connections=5,
    ),
    "never answered": Case(
        f"{LIST} --timeout 0.5",
        [Answer([Wait(9)], after="nothing")],
        environ=SECURE,
        exit=6,
        stderr=[
            (
                f"^error: {PLACE} accepted the connection, but no TLS handshake came within 0.5 s"
                f" {MAYBE}"
            )
        ],
        connections=1,
        timeout=0.5,
    ),
    "answered in HTTP": Case(
        LIST,
        [Answer([reply(b"", 400)], after="nothing")],
        environ=SECURE,
        exit=6,
        stderr=[f"^error: {PLACE} does not speak TLS {INSTEAD}"],
        connections=1,
    ),
    "answered in HTTP, a write": Case(
        CREATE,
        [Answer([reply(b"", 400)], after="nothing")],
        environ=SECURE,
        exit=6,
        stderr=["does not speak TLS"],
        never=["may or may not"],
        connections=1,
    ),
}
