"""Chunks that cannot be counted are a broken answer."""

from faults.case import Case
from faults.script import CLOSE

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"

CASES = {
    "letters": Case(
        server=[[HEAD + b"ZZZ\r\n{}\r\n", CLOSE]],
        exit=5,
        stderr=["an invalid HTTP answer"],
        requests=5,
    ),
    "too many digits": Case(
        server=[[HEAD + b"f" * 40 + b"\r\n{}\r\n", CLOSE]],
        exit=5,
        stderr=["an invalid HTTP answer"],
        requests=5,
    ),
    "a coding that is not HTTP's": Case(
        server=[b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"],
        exit=5,
        stderr=["an invalid HTTP answer"],
        requests=5,
    ),
}
