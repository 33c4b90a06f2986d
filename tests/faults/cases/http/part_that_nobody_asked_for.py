"""A 206, a 101 or a 304 is no answer to what was asked."""

from faults.case import LIST, PAGE, Case
from faults.script import CLOSE, reply

CASES = {
    "206": Case(
        LIST,
        [reply(PAGE, 206, {"Content-Range": "bytes 0-9/99"})],
        exit=5,
        stderr=["206"],
        requests=5,
    ),
    "304": Case(
        LIST,
        [reply(b"", 304, kind=None, length=None)],
        exit=5,
        stderr=[r"answered 304 \(not modified\) to a request without a condition"],
        requests=1,
    ),
    "300 that names nothing": Case(
        LIST, [reply(b"{}", 300)], exit=5, stderr=["answered 300"], requests=1
    ),
    "101": Case(
        LIST,
        [[b"HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", CLOSE]],
        exit=5,
        stderr=["101|invalid HTTP|closed"],
    ),
    "a status of four digits": Case(
        LIST, [[b"HTTP/1.1 2000 OK\r\n\r\n{}", CLOSE]], exit=5, stderr=["invalid HTTP"]
    ),
    "a status nobody knows": Case(
        LIST, [reply(b"{}", 799)], exit=5, stderr=["answered 799"], requests=1
    ),
}
