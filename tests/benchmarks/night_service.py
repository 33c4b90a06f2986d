"""Lists whose records change each night, as a process: `python night_service.py
CONNECTIONS RECORDS [BYTES]` prints its port.

Records have 350 bytes, or as many as are named. `GET /night` lets a day pass in which
1 % of each list changes; `GET /state` tells how many pages were asked for, and a digest
of the newest records of each connection.
"""

import hashlib
import json
import random
import sys
from datetime import UTC, datetime
from email.utils import formatdate
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PAGE = 100
SHARE = 0.01
BYTES = 350
_START = 1_767_225_600
_DAY = 86_400


class Lists:
    """When each record of each connection changed last, in seconds."""

    def __init__(self, connections: int, records: int, size: int) -> None:
        self.now = _START
        self._size = size
        self.pages = 0
        self._dice = random.Random(connections)
        self._changed = [
            [_START - _DAY + number % _DAY for number in range(records)] for _ in range(connections)
        ]

    def pass_a_night(self) -> None:
        self.now += _DAY
        for changed in self._changed:
            for number in self._dice.sample(range(len(changed)), max(1, int(len(changed) * SHARE))):
                changed[number] = self.now - self._dice.randrange(1, _DAY)

    def page(self, connection: int, since: str, start: int) -> tuple[list[str], int | None]:
        """Records from this place on, and where the next page begins."""
        self.pages += 1
        found = self._found(connection, since, self.now)
        end = start + PAGE
        return [self._record(connection, one) for one in found[start:end]], (
            end if end < len(found) else None
        )

    @lru_cache(maxsize=64)  # noqa: B019  there is one of these
    def _found(self, connection: int, since: str, _now: int) -> range | list[int]:
        changed = self._changed[connection]
        after = datetime.fromisoformat(since).timestamp() if since else None
        return (
            range(len(changed))
            if after is None
            else [at for at, one in enumerate(changed) if one > after]
        )

    def _record(self, connection: int, number: int) -> str:
        at = datetime.fromtimestamp(self._changed[connection][number], UTC).strftime(
            "%Y-%m-%dT%H:%M:%S.000Z"
        )
        text = (
            f'{{"id":"{number:08}","name":"Ticket {number} of'
            f' {connection}","amount":1.10,"updated_at":"{at}",'
        )
        text += '"created_at":"2025-01-05T09:12:44.000Z","status":{"id":"open"},"text":"'
        return text + "x" * (self._size - len(text) - 2) + '"}'

    def digests(self) -> list[str]:
        """Sum of all records of each connection, in any order."""
        return [
            digest(self._record(connection, number) for number in range(len(changed)))
            for connection, changed in enumerate(self._changed)
        ]


def digest(records: object) -> str:
    """The sum of the digests of texts, and their number."""
    total, count = 0, 0
    for one in records:  # type: ignore[attr-defined]
        total += int.from_bytes(hashlib.blake2b(one.encode(), digest_size=8).digest(), "big")
        count += 1
    return f"{count}-{total % (1 << 64):016x}"


def serve(connections: int, records: int, size: int = BYTES) -> None:
    lists = Lists(connections, records, size)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            if url.path == "/night":
                lists.pass_a_night()
                self.reply(b"{}")
            elif url.path == "/state":
                self.reply(json.dumps({"pages": lists.pages, "digests": lists.digests()}).encode())
            else:
                connection = int(query["integrated_account_id"].removeprefix("of-c"))
                since, start = query.get("updated_at[gt]", ""), int(query.get("next_cursor", 0))
                found, onward = lists.page(connection, since, start)
                cursor = "null" if onward is None else f'"{onward}"'
                self.reply(f'{{"result":[{",".join(found)}],"next_cursor":{cursor}}}'.encode())

        def reply(self, body: bytes) -> None:
            self.send_response_only(200)
            self.send_header("Date", formatdate(lists.now, usegmt=True))
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    serve(*map(int, sys.argv[1:]))
