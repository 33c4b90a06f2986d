"""An endless answer is cut off at 64 MiB, whatever it is made of."""

import itertools
import zlib
from collections.abc import Iterator

from faults.case import CREATE, LIST, Case
from faults.script import CLOSE, Stream, reply

MEBIBYTE = b" " * 2**20
TOO_LARGE = "larger than 64 MiB"


def squeezed() -> Iterator[bytes]:
    packer = zlib.compressobj(9, wbits=31)
    for _ in range(300):
        yield packer.compress(MEBIBYTE)
    yield packer.flush()


CASES = {
    "plain": Case(
        LIST,
        [[reply(b"", length=None), Stream(lambda: itertools.repeat(MEBIBYTE))]],
        exit=5,
        stderr=[TOO_LARGE],
    ),
    "in chunks": Case(
        LIST,
        [
            [
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                Stream(lambda: itertools.repeat(b"100000\r\n" + MEBIBYTE + b"\r\n")),
            ]
        ],
        exit=5,
        stderr=[TOO_LARGE],
    ),
    "squeezed": Case(
        LIST,
        [[reply(b"", headers={"Content-Encoding": "gzip"}, length=None), Stream(squeezed), CLOSE]],
        exit=5,
        stderr=[TOO_LARGE],
        requests=1,
    ),
    "in a process of its own": Case(
        LIST,
        [[reply(b"", headers={"Content-Encoding": "gzip"}, length=None), Stream(squeezed), CLOSE]],
        exit=5,
        stderr=[TOO_LARGE],
        process=True,
    ),
    "of a create": Case(
        CREATE,
        [[reply(b"", length=None), Stream(lambda: itertools.repeat(MEBIBYTE))]],
        exit=10,
        stderr=[TOO_LARGE, "may or may not"],
        requests=1,
        one_key=True,
    ),
    "of an error": Case(
        LIST,
        [
            [
                reply(b"", 404, kind="text/plain", length=None),
                Stream(lambda: itertools.repeat(MEBIBYTE)),
            ]
        ],
        exit=4,
        stderr=["answered 404"],
        requests=1,
    ),
}
