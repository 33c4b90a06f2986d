"""A length that contradicts itself, is negative or beyond reason is a broken answer,
not an unknown length.
"""

from faults.case import LIST, PAGE, Case
from faults.script import CLOSE, chunked, reply

TWO = reply(PAGE, headers={"Content-Length": "3"})

CASES = {
    "two different ones": Case(LIST, [TWO], exit=5, stderr=["an invalid HTTP answer"], requests=5),
    "negative": Case(
        LIST, [reply(PAGE, length=-2)], exit=5, stderr=["an invalid HTTP answer"], requests=5
    ),
    "a word": Case(
        LIST,
        [b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n{}"],
        exit=5,
        stderr=["an invalid HTTP"],
        requests=5,
    ),
    "beyond every disk": Case(
        LIST, [reply(PAGE, length=2**60)], exit=5, stderr=["larger than 64 MiB"], requests=1
    ),
    "beyond every number": Case(
        LIST, [[reply(PAGE, length=2**70), CLOSE]], exit=5, stderr=["an invalid HTTP"]
    ),
    "chunks with a length besides": Case(
        LIST, [chunked(PAGE, headers="Content-Length: 3\r\n")], stdout=PAGE + b"\n", requests=1
    ),
}
