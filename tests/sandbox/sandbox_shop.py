"""A sandbox served by a process of its own, for several test files."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from typing import Any, Self

import httpx
from front_door import ROOT
from sandbox_asking import TICKETS


class Shop:
    """A sandbox that `sandbox serve` serves with these options: in memory, unless they
    name a state.
    """

    def __init__(self, *options: str, **environ: str) -> None:
        command = [
            sys.executable,
            "-m",
            "unified_cli",
            "sandbox",
            "serve",
            "--state",
            ":memory:",
            *options,
        ]
        world = {"PATH": os.environ["PATH"], "HOME": os.devnull, "PYTHONPATH": str(ROOT), **environ}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdout=pipe, stderr=pipe, env=world, text=True)
        assert self.process.stdout is not None
        self.lines: list[str] = []
        while not any("ACCOUNT_ID" in line or not line for line in self.lines):
            self.lines.append(self.process.stdout.readline())
        self.said = dict(re.findall(r"^export (\w+)=(\S+)$", "".join(self.lines), re.MULTILINE))
        self.url = self.said["UNIFIED_BASE_URL"]
        self.token = self.said.get("UNIFIED_TOKEN") or environ.get("UNIFIED_TOKEN", "")
        self.port = int(self.url.rpartition(":")[2])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.returncode is None:
            self.end(signal.SIGKILL)

    def client(self, **more: Any) -> httpx.Client:
        """A client with the token."""
        return httpx.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {self.token}"}, timeout=20, **more
        )

    def get(self, path: str = TICKETS, token: str = "", **headers: str) -> httpx.Response:
        """An answer for the connection `full`."""
        headers = {"Authorization": f"Bearer {token or self.token}", **headers}
        return httpx.get(
            f"{self.url}{path}?integrated_account_id=full&limit=1", headers=headers, timeout=20
        )

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Body of an answer, asked for with nothing but what every Python has."""
        target = f"{self.url}{path}?integrated_account_id=full"
        data = None if body is None else json.dumps(body).encode()
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            **headers,
        }
        request = urllib.request.Request(target, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str, float]:
        """Exit code, stderr, and how long the signal took."""
        start = time.monotonic()
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said, time.monotonic() - start


def raw(shop: Shop, text: str) -> tuple[int, bytes]:
    """Status and all bytes of the answer to a request written by hand."""
    with socket.create_connection(("127.0.0.1", shop.port), timeout=60) as connection:
        connection.sendall(text.replace("\n", "\r\n").encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return int(answer.split(b" ", 2)[1]), answer
