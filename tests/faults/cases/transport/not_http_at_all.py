"""Whatever else listens there is named as no HTTP, and its banner cannot reach the
terminal.
"""

from faults.case import LIST, Case
from faults.script import CLOSE, Answer

BANNER = b"SSH-2.0-\x1b]0;owned\x07OpenSSH_9.6\r\n"

CASES = {
    "a banner": Case(
        LIST, [[BANNER, CLOSE]], exit=5, stderr=["an invalid HTTP answer"], requests=5
    ),
    "a banner before the request": Case(
        LIST, [Answer([BANNER, CLOSE], after="nothing")], exit=5, stderr=["an invalid HTTP answer"]
    ),
    "bytes of TLS": Case(
        LIST,
        [[b"\x15\x03\x01\x00\x02\x02\x46", CLOSE]],
        exit=5,
        stderr=["an invalid HTTP answer"],
        requests=5,
    ),
    "TLS asked of clear text": Case(
        LIST,
        [Answer([b"HTTP/1.1 400 Bad Request\r\n\r\n", CLOSE], after="nothing")],
        environ={"UNIFIED_BASE_URL": "https://127.0.0.1:@PORT@"},
        exit=6,
        stderr=["127.0.0.1:@PORT@ does not speak TLS"],
        connections=1,
    ),
}
