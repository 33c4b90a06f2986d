"""A service as a process, which enforces the limits of connections and tokens, and
counts what it was asked.

`python limited_service.py PAGES RECORDS` prints its port. Each list of each connection
has PAGES pages of RECORDS records. `GET /counts` tells the most that was accepted in 10
s, for a connection and for a token, and how often each page was asked for.
"""

import json
import sys
import threading
import time
from collections import Counter, deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

WINDOW = 10.0
OF_A_CONNECTION, OF_A_TOKEN = 50, 500
FILLER = "x" * 200


class Limits:
    """The requests accepted lately, by connection and by token."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.sent: dict[tuple[str, str], deque[float]] = {}
        self.peaks: Counter[str] = Counter()
        self.refused = 0
        self.asked: Counter[str] = Counter()
        self.first = self.last = 0.0

    def accepts(self, account: str, token: str, page: str) -> bool:
        now = time.monotonic()
        with self.lock:
            logs = [
                (name, most, self.sent.setdefault((name, who), deque()))
                for name, who, most in (
                    ("connection", account, OF_A_CONNECTION),
                    ("token", token, OF_A_TOKEN),
                )
            ]
            for _, _, log in logs:
                while log and log[0] <= now - WINDOW:
                    log.popleft()
            if any(len(log) >= most for _, most, log in logs):
                self.refused += 1
                return False
            for name, _, log in logs:
                log.append(now)
                self.peaks[name] = max(self.peaks[name], len(log))
            self.asked[page] += 1
            self.first = self.first or now
            self.last = now
        return True

    def counts(self) -> dict[str, Any]:
        with self.lock:
            return {
                "peaks": self.peaks,
                "refused": self.refused,
                "asked": self.asked,
                "seconds": self.last - self.first,
            }


def serve(pages: int, records: int) -> None:
    limits = Limits()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            if url.path == "/counts":
                self.reply(200, json.dumps(limits.counts()).encode())
                return
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            account, number = query["integrated_account_id"], int(query.get("next_cursor", "0"))
            name = f"{account}/{url.path.partition('/unified/')[2]}"
            if not limits.accepts(account, self.headers["Authorization"], f"{name}/{number}"):
                self.reply(
                    429,
                    b'{"statusCode": 429, "error": "Too Many Requests", "message": "slow down"}',
                )
                return
            found = ", ".join(
                f'{{"id": "{name}/{number * records + one}", "text": "{FILLER}"}}'
                for one in range(records)
            )
            onward = f'"{number + 1}"' if number + 1 < pages else "null"
            self.reply(200, f'{{"result": [{found}], "next_cursor": {onward}}}'.encode())

        def reply(self, status: int, body: bytes) -> None:
            self.send_response(status)
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
    serve(int(sys.argv[1]), int(sys.argv[2]))
