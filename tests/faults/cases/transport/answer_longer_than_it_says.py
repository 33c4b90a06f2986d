"""Bytes after an answer's end never count as the beginning of the next answer."""

from faults.case import PAGE, Case
from faults.script import reply

NEXT = reply(b'{"result":[{"id":"smuggled"}],"next_cursor":null}')
MOVED = reply(b"", 302, {"Location": "/second"})

CASES = {
    "": Case(server=[reply(PAGE) + NEXT], stdout=PAGE + b"\n", requests=1),
    "before another request": Case(
        server=[MOVED + NEXT, reply(PAGE)], stdout=PAGE + b"\n", requests=2, connections=2
    ),
    "before a repeat": Case(
        server=[reply(b"busy", 500, kind="text/plain") + NEXT, reply(PAGE)],
        stdout=PAGE + b"\n",
        requests=2,
        connections=2,
    ),
    "before a repeat, in chunks": Case(
        server=[
            b"HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbusy\r\n0\r\n\r\n" + NEXT,
            reply(PAGE),
        ],
        stdout=PAGE + b"\n",
        requests=2,
        connections=2,
    ),
}
