"""A page near the largest one goes through within the bounds of memory, and one beyond
is refused.
"""

from collections.abc import Iterator
from functools import partial

from faults.case import LIST, Case
from faults.script import CLOSE, Stream, reply

RECORD = b'{"id":"0123456789","statusCode":1,"name":"a\\"b","tags":["x","y"],"more":{"a":{}}}'
SIZE = 50 * 2**20
START = reply(b"", length=None)


def page(first: bytes, piece: bytes, last: bytes) -> Iterator[bytes]:
    """A body of about the size, never whole in memory."""
    yield first
    block = piece * (2**16 // len(piece))
    for _ in range(SIZE // len(block)):
        yield block
    yield last


KINDS = {
    "records": partial(page, b'{"result":[{}', b"," + RECORD, b'],"next_cursor":null}'),
    "empty texts": partial(page, b'[""', b',""', b"]"),
    "one emoji": partial(page, b'["', b"x", '😀"]'.encode()),
}

CASES = {
    name: Case(
        LIST,
        [[START, Stream(make), CLOSE]],
        stdout=lambda make=make: b"".join(make()) + b"\n",
        requests=1,
        process=True,
    )
    for name, make in KINDS.items()
} | {
    "one byte too many": Case(
        LIST,
        [[START, Stream(lambda: (b" " * 2**16 for _ in range(2**10))), b"[]", CLOSE]],
        exit=5,
        stderr=["larger than 64 MiB"],
        process=True,
    )
}
