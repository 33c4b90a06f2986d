"""A service that is never the limit: answers made beforehand, sent by a bare asyncio
protocol, over HTTP and HTTPS.

The connection's id says what it holds: `pages-1000-20` is a list of 1,000 pages of 100
records, each page 20 ms away. `pages-100-50-limited-a1` also has the limits that the
service publishes, 50 calls in 10 s for this connection and 500 for all of job `a`; `GET
/refused/a` is how many calls of the job were refused. Run as a program it prints its
ports and the file of its authority as JSON, and serves until its stdin is closed.
"""

import asyncio
import json
import re
import selectors
import ssl
import sys
import tempfile
import time
from collections import Counter, defaultdict, deque
from functools import partial
from pathlib import Path
from statistics import median

import trustme

_CONNECTION = re.compile(rb"integrated_account_id=pages-(\d+)-(\d+)(?:-limited-([a-z]+)(\d+))?")
_REFUSED_CALLS = re.compile(rb"GET /refused/([a-z]+)")
_CURSOR = re.compile(rb"next_cursor=(\d+)")
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_HOST = re.compile(rb"\r\nhost: *(\S+)", re.IGNORECASE)
_HEAD_END = b"\r\n\r\n"

RECORDS = 100


def _record(number: int) -> dict[str, object]:
    return {
        "id": f"{number:08d}",
        "name": f"Printer {number} on the second floor is out of toner again",
        "description": '<p>It says "PC LOAD LETTER".</p>\n<p>Could somebody have a look at it?</p>',
        "status": {"id": "open", "name": "Open"},
        "priority": {"id": "3", "name": "Normal"},
        "ticket_type": {"id": "incident", "name": "Incident"},
        "assignees": [
            {"id": f"u{number % 17}", "type": "user"},
            {"id": f"u{number % 5}", "type": "user"},
        ],
        "tags": [{"id": "t1", "name": "hardware"}, {"id": "t2", "name": "second-floor"}],
        "is_public": True,
        "amount": 1.10,
        "created_at": "2026-01-05T09:12:44.000Z",
        "updated_at": "2026-02-11T16:40:01.000Z",
    }


_RECORDS = json.dumps(
    [_record(number) for number in range(RECORDS)], separators=(",", ":")
).encode()
_LINODE = json.dumps(
    {"data": [_record(number) for number in range(RECORDS)], "page": 1, "pages": 1, "results": 100}
)
_BUCKETS = "".join(
    f"<Bucket><Name>bucket-{number}</Name><CreationDate>2026-01-05T09:12:44.000Z</CreationDate></Bucket>"
    for number in range(RECORDS)
)
_S3 = (
    '<?xml version="1.0"?>'
    f"<ListAllMyBucketsResult><Buckets>{_BUCKETS}</Buckets></ListAllMyBucketsResult>"
)


def _answer(body: bytes, kind: str = "application/json", more: str = "") -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


_LINODE_ANSWER = _answer(_LINODE.encode())
_S3_ANSWER = _answer(_S3.encode(), "application/xml")
_CREATED = _answer(b'{"result":{"id":"1","name":"made"}}')
_TOO_MANY = _answer(
    b'{"statusCode":429,"error":"Too Many Requests","message":"Rate limit exceeded"}',
    more="Retry-After: 10\r\n",
).replace(b"200 OK", b"429 Too Many Requests")


class Limits:
    """The published limits, over the 10 s before each call; a refused call counts for
    none.
    """

    SECONDS = 10.0
    OF_A_CONNECTION, OF_A_TOKEN = 50, 500

    def __init__(self) -> None:
        self._calls: defaultdict[bytes, deque[float]] = defaultdict(deque)
        self.refused: Counter[bytes] = Counter()

    def allow(self, job: bytes, connection: bytes) -> bool:
        """Count a call, and return whether it is within both limits."""
        now = time.monotonic()
        limits = ((connection, self.OF_A_CONNECTION), (job, self.OF_A_TOKEN))
        for name, _ in limits:
            while self._calls[name] and self._calls[name][0] <= now - self.SECONDS:
                self._calls[name].popleft()
        if any(len(self._calls[name]) >= most for name, most in limits):
            self.refused[job] += 1
            return False
        for name, _ in limits:
            self._calls[name].append(now)
        return True


_LIMITS = Limits()


def _page(scheme: str, host: str, connection: str, cursor: int, pages: int) -> bytes:
    if cursor == pages:
        return _answer(b'{"result":' + _RECORDS + b',"next_cursor":null}')
    # The Link header is how gh finds the next page.
    link = f"{scheme}://{host}/unified/ticketing/tickets?{connection}&next_cursor={cursor + 1}"
    body = b'{"result":' + _RECORDS + f',"next_cursor":"{cursor + 1}"'.encode() + b"}"
    return _answer(body, more=f'Link: <{link}>; rel="next"\r\n')


class Service(asyncio.Protocol):
    """One connection of a client."""

    def __init__(self, scheme: str, late: float) -> None:
        self._scheme = scheme
        self._late = late
        self._buffer = bytearray()
        self._loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(_HEAD_END)) >= 0:
            head = bytes(self._buffer[:end])
            length = _LENGTH.search(head)
            whole = end + len(_HEAD_END) + (int(length[1]) if length else 0)
            if len(self._buffer) < whole:
                return
            del self._buffer[:whole]
            wait, answer = self._answer(head)
            if wait:
                self._loop.call_later(wait / 1000 - self._late, self._transport.write, answer)
            else:
                self._transport.write(answer)

    def _answer(self, head: bytes) -> tuple[int, bytes]:
        connection = _CONNECTION.search(head)
        if asked := _REFUSED_CALLS.match(head):
            return 0, _answer(str(_LIMITS.refused[asked[1]]).encode())
        if connection is None:
            return 0, _LINODE_ANSWER if b"/linode/" in head else _S3_ANSWER
        wait = int(connection[2])
        if connection[3] and not _LIMITS.allow(connection[3], connection[0]):
            return wait, _TOO_MANY
        if head.startswith((b"POST", b"PATCH")):
            return wait, _CREATED
        cursor, host = _CURSOR.search(head), _HOST.search(head)
        assert host is not None
        number = int(cursor[1]) if cursor else 1
        return wait, _page(
            self._scheme, host[1].decode(), connection[0].decode(), number, int(connection[1])
        )


async def _lateness() -> float:
    """How many seconds late this machine's timers are: a timer of 20 ms should not take
    longer.
    """
    found = []
    for _ in range(15):
        began = time.perf_counter()
        await asyncio.sleep(0.02)
        found.append(time.perf_counter() - began - 0.02)
    return median(found)


async def _serve(folder: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "authority.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    loop = asyncio.get_running_loop()
    late = await _lateness()
    http = await loop.create_server(lambda: Service("http", late), "127.0.0.1", 0, backlog=1024)
    https = await loop.create_server(
        lambda: Service("https", late), "127.0.0.1", 0, backlog=1024, ssl=context
    )
    ports = {
        name: server.sockets[0].getsockname()[1]
        for name, server in (("http", http), ("https", https))
    }
    sys.stdout.write(json.dumps({**ports, "authority": str(folder / "authority.pem")}) + "\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    # epoll waits for whole milliseconds, so that every answer would be up to one late.
    loop_of = partial(asyncio.SelectorEventLoop, selectors.SelectSelector())
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=loop_of) as runner:
        runner.run(_serve(Path(folder)))
