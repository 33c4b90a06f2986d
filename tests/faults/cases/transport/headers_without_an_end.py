"""Headers beyond reason are a broken answer, and interim answers are not counted as
one.
"""

from faults.case import PAGE, Case
from faults.script import CLOSE, Stream, reply

START = b"HTTP/1.1 200 OK\r\n"

CASES = {
    "one of two megabytes": Case(
        server=[[START + b"X-Large: " + b"x" * 2_000_000 + b"\r\n\r\n{}", CLOSE]],
        exit=5,
        stderr=["an invalid HTTP answer: its headers are larger than 64 KiB"],
        requests=5,
    ),
    "ten thousand": Case(
        server=[
            [START + b"".join(b"X-%d: %d\r\n" % (n, n) for n in range(10_000)) + b"\r\n{}", CLOSE]
        ],
        exit=5,
        stderr=["an invalid HTTP answer: its headers are larger than 64 KiB"],
        requests=5,
    ),
    "for ever": Case(
        server=[[START, Stream(lambda: iter(lambda: b"X-More: 1\r\n" * 999, b""))]],
        exit=5,
        stderr=["an invalid HTTP answer: its headers are larger than 64 KiB"],
        requests=5,
    ),
    "as many as are allowed": Case(
        server=[reply(PAGE, headers={f"X-{n}": "x" * 40 for n in range(1200)})],
        stdout=PAGE + b"\n",
        requests=1,
    ),
    "twenty thousand interim answers": Case(
        server=[b"HTTP/1.1 103 Soon\r\n\r\n" * 20_000 + reply(PAGE)],
        stdout=PAGE + b"\n",
        requests=1,
    ),
}
