"""A server of S3 as a process, and exports to it as their users run them."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from front_door import ROOT
from pages import cursor_of, served, tickets
from server import Reply, Seen, Service

# Small chunks, so that a list has many, and a sign of life each second.
EXPORT = """
from unified_cli.bulk.export.destinations import chunked_list, store_lease
chunked_list.BYTES = 1000
store_lease._BEAT_SECONDS = 1.0
from unified_cli.__main__ import run
run()
"""
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "s3cr3t-of-the-store",
    "AWS_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
}


class Bucket:
    """A bucket of the server, looked at without the program."""

    def __init__(self, url: str, name: str) -> None:
        self.name = name
        self.environ = {**CREDENTIALS, "AWS_ENDPOINT_URL": url}
        urllib.request.urlopen(urllib.request.Request(f"{url}/{name}", method="PUT"), timeout=10).close()

    def _store(self) -> Any:
        from obstore.store import S3Store  # noqa: PLC0415  an extra

        known = {name.lower(): value for name, value in self.environ.items() if name != "AWS_ALLOW_HTTP"}
        return S3Store(self.name, config=known, client_options={"allow_http": True})

    def names(self, under: str = "") -> list[str]:
        return sorted(meta["path"] for batch in self._store().list(under or None) for meta in batch)

    def get(self, name: str) -> bytes:
        data: bytes = self._store().get(name).bytes().to_bytes()
        return data

    def put(self, name: str, data: bytes) -> None:
        self._store().put(name, data)

    def delete(self, name: str) -> None:
        self._store().delete(name)

    def chunks(self, folder: str) -> list[str]:
        return [name for name in self.names(folder) if not name.startswith(f"{folder}/.")]

    def content(self, folder: str) -> bytes:
        """All chunks of a list, one after the other."""
        return b"".join(self.get(name) for name in self.chunks(folder))


@contextmanager
def s3_server(log: Path) -> Iterator[str]:
    """The URL of a server of S3, a process of its own."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"],
            stdout=output,
            stderr=output,
        )
    try:
        until = time.monotonic() + 60
        while not (found := [word for word in log.read_text().split() if word.startswith("http://127.0.0.1:")]):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.05)
        yield found[0].rstrip("/")
    finally:
        process.terminate()
        process.wait(10)


def start(argv: list[str], home: Path, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """The export as a process, with small chunks."""
    home.mkdir(exist_ok=True)
    path = os.pathsep.join((str(ROOT), *(entry for entry in sys.path if entry)))
    return subprocess.Popen(
        [sys.executable, "-c", EXPORT, *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": path, **environ},
    )


def wait_for(process: subprocess.Popen[bytes], there: Callable[[], object]) -> None:
    """Wait until something is there that the process makes."""
    while not there():
        assert process.poll() is None, ended(process)
        time.sleep(0.05)


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    """The exit code, and what stood on stderr."""
    _, stderr = process.communicate(timeout=60)
    return process.returncode, stderr.decode()


def kill_after(process: subprocess.Popen[bytes], seconds: float) -> int:
    """Kill the process after some seconds, if it runs so long; its exit code."""
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
    return process.returncode


def serve_lists(service: Service, pages: int, size: int = 10, seconds: float = 0) -> None:
    """Lists of so many pages, different for each path, each page after some seconds."""

    def reply(seen: Seen) -> Reply:
        service.over.wait(seconds)
        at = int(cursor_of(seen) or 0)
        records = [{**one, "of": seen.segments[-1]} for one in tickets(size, at * size)]
        return served({"result": records, "next_cursor": str(at + 1) if at + 1 < pages else None})

    service.reply = reply


def lines(content: bytes) -> list[str]:
    """The ids of records."""
    return [json.loads(line)["id"] for line in content.splitlines()]
