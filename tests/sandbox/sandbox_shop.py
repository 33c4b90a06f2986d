"""A sandbox served by a process of its own, for several test files."""

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from typing import Any


class Shop:
    """A sandbox served by a process of its own."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", _SERVE, *options], stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        self.lines = [self.process.stdout.readline().decode() for _ in range(3)]
        self.said = dict(re.findall(r"^export (\w+)=(\S+)$", "".join(self.lines), re.MULTILINE))
        self.url, self.token = self.said["UNIFIED_BASE_URL"], self.said["UNIFIED_TOKEN"]
        self.port = int(self.url.rpartition(":")[2])

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Body of an answer, asked for with nothing but what every Python has."""
        target = f"{self.url}{path}?integrated_account_id=full"
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **headers}
        request = urllib.request.Request(target, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def end(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)
        self.process.communicate()


_SERVE = """
import signal, sys
from pathlib import Path
from unified_cli.catalogue import load
from unified_cli.runtime import Runtime
from unified_cli.sandbox.serve import ServerSettings, serve
state, records = sys.argv[1], int(sys.argv[2])
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
try:
    def announce(lines: bytes) -> None:
        sys.stdout.buffer.write(lines)
        sys.stdout.buffer.flush()

    counts = {("ticketing", "accounts"): records} if records else {}
    serve(Runtime.system(), load(), announce, ServerSettings(state=state, records=counts))
except KeyboardInterrupt:
    sys.exit(130)
"""


def raw(shop: Shop, text: str) -> tuple[int, bytes]:
    """Status and all bytes of the answer to a request written by hand."""
    with socket.create_connection(("127.0.0.1", shop.port), timeout=20) as connection:
        connection.sendall(text.replace("\n", "\r\n").encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return int(answer.split(b" ", 2)[1]), answer
