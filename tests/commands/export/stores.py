"""Servers of S3 and of Azure as processes, and exports to them as their users run
them.
"""

import base64
import hmac
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from email.utils import formatdate
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import forking
from forking import Forked
from nights import Place
from pages import cursor_of, served, tickets
from server import QuietServer, Reply, Seen, Service

# Small chunks, so that a list has many, and a renewal of the lease each second.
EXPORT = """
from unified_cli.commands.export import chunked_list, store_lease
chunked_list.BYTES = 1000
store_lease._BEAT_SECONDS = 1.0
from unified_cli.__main__ import run
run()
"""
# The same, taken for dead soon; it stops before a chunk is written, and dies right
# after that, as it may. With WAKES it lives on, stopped before or after that chunk, and
# notes in a file all that it writes once it knows that another run has taken over.
FROZEN = EXPORT.replace(
    "from unified_cli.__main__ import run\n",
    """
import os, signal, threading
from unified_cli.exported.list_export import TakenOverError
from unified_cli.storage.object_store import StoredObjects
store_lease._DEAD_SECONDS = 2.5
seen, known = [], []
wakes = os.environ.get("WAKES")
init = TakenOverError.__init__

def learn(self, *given):
    known.append(None)
    init(self, *given)

TakenOverError.__init__ = learn

def stop():
    # To this thread: any other might notice it late, on a busy machine.
    signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)

def before(write):
    def put(self, path, data, *more):
        if known and wakes:
            with open(os.environ["NOTES"], "a") as notes:
                notes.write(path + "\\n")
        is_chunk = path.endswith((".ndjson", ".parquet"))
        seen.extend([path] * is_chunk)
        last = is_chunk and len(seen) == int(os.environ.get("FREEZE", "0"))
        if last and wakes != "after":
            stop()
        made = write(self, path, data, *more)
        if last and wakes == "after":
            stop()
        if last and not wakes:
            os._exit(9)
        return made

    return put

for name in {"put", "created"} & {*vars(StoredObjects)}:
    setattr(StoredObjects, name, before(getattr(StoredObjects, name)))
from unified_cli.__main__ import run
""",
)
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "s3cr3t-of-the-store",
    "AWS_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
}


# The account that Azurite, the stand-in for Azure, publishes.
_ACCOUNT = "devstoreaccount1"
_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
AZURE = {
    "AZURE_STORAGE_ACCOUNT_NAME": _ACCOUNT,
    "AZURE_STORAGE_ACCOUNT_KEY": _KEY,
    "AZURE_ALLOW_HTTP": "true",
}


class Bucket:
    """A bucket of the server, looked at without the program."""

    scheme = "s3"

    def __init__(self, url: str, name: str) -> None:
        self.name = name
        self.url = f"{self.scheme}://{name}"
        self.environ = {**CREDENTIALS, "AWS_ENDPOINT_URL": url}
        urllib.request.urlopen(
            urllib.request.Request(f"{url}/{name}", method="PUT"), timeout=10
        ).close()

    def _store(self) -> Any:
        from obstore.store import S3Store  # noqa: PLC0415  an extra

        known = {
            name.lower(): value for name, value in self.environ.items() if name != "AWS_ALLOW_HTTP"
        }
        return S3Store(self.name, config=known, client_options={"allow_http": True})

    @property
    def place(self) -> Place:
        """A folder in it, for exports and their readers."""
        return Place(f"{self.url}/dump", f"{self.url}/dump", self.environ)

    def names(self, under: str = "") -> list[str]:
        return sorted(meta["path"] for batch in self._store().list(under or None) for meta in batch)

    def get(self, name: str) -> bytes:
        data: bytes = self._store().get(name).bytes().to_bytes()
        return data

    def put(self, name: str, data: bytes) -> None:
        self._store().put(name, data)

    def copy(self, folder: str, to: str) -> None:
        store = self._store()
        for name in self.names(folder):
            store.copy(name, to + name.removeprefix(folder))

    def delete(self, name: str) -> None:
        self._store().delete(name)

    def chunks(self, folder: str) -> list[str]:
        return [name for name in self.names(folder) if not name.startswith(f"{folder}/.")]

    def content(self, folder: str) -> bytes:
        """All chunks of a list, one after the other."""
        return b"".join(self.get(name) for name in self.chunks(folder))


class Container(Bucket):
    """A container of Azure, looked at without the program."""

    scheme = "az"

    def __init__(self, url: str, name: str) -> None:
        self.name = name
        self.url = f"{self.scheme}://{name}"
        self.environ = {**AZURE, "AZURE_STORAGE_ENDPOINT": f"{url}/{_ACCOUNT}"}
        # The library makes no containers.
        headers = {
            "x-ms-date": formatdate(usegmt=True),
            "x-ms-version": "2021-08-06",
            "Content-Length": "0",
        }
        signed = "".join(f"{key}:{headers[key]}\n" for key in ("x-ms-date", "x-ms-version"))
        text = "PUT" + "\n" * 12 + f"{signed}/{_ACCOUNT}/{_ACCOUNT}/{name}\nrestype:container"
        key = base64.b64decode(_KEY)
        signature = base64.b64encode(hmac.digest(key, text.encode(), "sha256")).decode()
        headers["Authorization"] = f"SharedKey {_ACCOUNT}:{signature}"
        where = f"{url}/{_ACCOUNT}/{name}?restype=container"
        urllib.request.urlopen(
            urllib.request.Request(where, method="PUT", headers=headers), timeout=10
        ).close()

    def _store(self) -> Any:
        from obstore.store import AzureStore  # noqa: PLC0415  an extra

        known = {
            name.lower(): value
            for name, value in self.environ.items()
            if name != "AZURE_ALLOW_HTTP"
        }
        return AzureStore(self.name, config=known, client_options={"allow_http": True})


@contextmanager
def s3_server(log: Path) -> Iterator[str]:
    """The URL of a server of S3, a process of its own."""
    with _server(
        [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"], log
    ) as url:
        yield url


@contextmanager
def slow_to_list(url: str, seconds: float) -> Iterator[str]:
    """The URL of the same server of S3, whose lists show an object only when it is so
    old.
    """

    class Handler(_Forwarder):
        target = url

        def changed(self, text: bytes) -> bytes:
            listed = "list-type=2" in self.path
            return (
                re.sub(rb"<Contents>.*?</Contents>", self.shown, text, flags=re.DOTALL)
                if listed
                else text
            )

        def shown(self, found: re.Match[bytes]) -> bytes:
            at = re.search(rb"<LastModified>(.*?)</LastModified>", found[0])
            assert at
            age = time.time() - datetime.fromisoformat(at[1].decode()).timestamp()
            return found[0] if age > seconds else b""

    with _forwarding(Handler) as there:
        yield there


@contextmanager
def killing_at_writes(url: str) -> Iterator[str]:
    """The URL of the same server, where `/.kill/PID/N/SIGNAL` has the process get a
    signal at its Nth write from then on.

    Every other one is done before, and its answer lost.
    """
    lock, asked = threading.Lock(), {"pid": 0, "left": 0, "after": 0, "signal": 0}

    class Handler(_Forwarder):
        target = url

        def answers(self) -> bool:
            if found := re.fullmatch(r"/\.kill/(\d+)/(\d+)/(\d+)", self.path):
                pid, number, kind = map(int, found.groups())
                with lock:
                    asked.update(pid=pid, left=(number + 1) // 2, after=(number + 1) % 2)
                    asked.update(signal=kind)
                self.send_response(204)
                self.end_headers()
                return True
            with lock:
                writes = self.command not in {"GET", "HEAD"}
                asked["left"] -= writes
                deadly = asked["pid"] if writes and asked["left"] == 0 else 0
                after = asked["after"]
            if deadly and after:
                self.forwarded()
            if deadly:
                with suppress(ProcessLookupError):
                    # Any other signal than KILL it may have followed already.
                    os.kill(deadly, asked["signal"])
                self.close_connection = True
            return bool(deadly)

    with _forwarding(Handler) as there:
        yield there


class _Forwarder(BaseHTTPRequestHandler):
    """Hands requests on to a server, and may change the answers or answer itself."""

    protocol_version = "HTTP/1.1"
    # Head and body leave in two writes, and the second would wait for the first to be
    # acknowledged.
    disable_nagle_algorithm = True
    target = ""

    def do_GET(self) -> None:
        if self.answers():
            return
        status, headers, text = self.forwarded()
        length = dict(headers).get("Content-Length") if self.command == "HEAD" else None
        text = self.changed(text)
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in {
                "content-length",
                "connection",
                "date",
                "server",
                "transfer-encoding",
            }:
                self.send_header(name, value)
        self.send_header("Content-Length", length or str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_PUT = do_HEAD = do_DELETE = do_POST = do_GET  # noqa: N815  the names that the library calls

    def answers(self) -> bool:
        """Whether this is no request to hand on."""
        return False

    def changed(self, text: bytes) -> bytes:
        """The body that is answered."""
        return text

    def forwarded(self) -> tuple[int, list[tuple[str, str]], bytes]:
        """The server's answer."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        server = HTTPConnection(urlsplit(self.target).netloc, timeout=30)
        server.request(self.command, self.path, body, dict(self.headers))
        answer = server.getresponse()
        found = answer.status, answer.getheaders(), answer.read()
        server.close()
        return found

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def _forwarding(handler: type[_Forwarder]) -> Iterator[str]:
    server = QuietServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@contextmanager
def azure_server(program: str, log: Path) -> Iterator[str]:
    """The URL of Azurite, a process of its own."""
    options = [
        "--blobPort",
        "0",
        "--inMemoryPersistence",
        "--skipApiVersionCheck",
        "--disableTelemetry",
    ]
    with _server([program, *options], log) as url:
        yield url


@contextmanager
def _server(argv: Sequence[str], log: Path) -> Iterator[str]:
    """The URL that a server prints, while it runs."""
    with log.open("wb") as output:
        process = subprocess.Popen(argv, stdout=output, stderr=output)
    try:
        until = time.monotonic() + 60
        while not (found := re.search(r"\bhttp://127\.0\.0\.1:[1-9]\d*(?=/?\s)", log.read_text())):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.05)
        yield found[0]
    finally:
        process.terminate()
        process.wait(60)


def start(argv: list[str], home: Path, environ: Mapping[str, str], program: str = EXPORT) -> Forked:
    """The export as a process, with small chunks."""
    home.mkdir(exist_ok=True)
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), **environ}
    return forking.start(argv, environ, preload=forking.EXPORT, program=program)


def wait_for(process: Forked, there: Callable[[], object]) -> None:
    """Wait until something is there that the process makes."""
    while not there():
        assert process.poll() is None, ended(process)
        time.sleep(0.05)


def ended(process: Forked) -> tuple[int, str]:
    """The exit code, and what stood on stderr."""
    try:
        _, stderr = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return process.returncode, stderr.decode()


def kill_after(process: Forked, seconds: float) -> int:
    """Kill the process after some seconds, if it runs so long; its exit code."""
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
    return process.returncode


def serve_lists(service: Service, pages: int, size: int = 10, seconds: float = 0) -> None:
    """Lists of this many pages, different for each path, each page after a wait."""

    def reply(seen: Seen) -> Reply:
        service.over.wait(seconds)
        at = int(cursor_of(seen) or 0)
        records = [{**one, "of": seen.segments[-1]} for one in tickets(size, at * size)]
        return served({"result": records, "next_cursor": str(at + 1) if at + 1 < pages else None})

    service.reply = reply


def lines(content: bytes) -> list[str]:
    """The ids of records."""
    return [json.loads(line)["id"] for line in content.splitlines()]


def kills(count: int, service: Service, bucket: Bucket, home: Path) -> tuple[int, int]:
    """Kill an export so often at random times, and let it end: how many kills, and how
    many pages were asked twice.
    """
    what = ["ticketing/tickets", "ticketing/users", "ticketing/teams"]
    environ = {**bucket.environ, **service.environ}
    rng = random.Random(1)
    serve_lists(service, pages=40, seconds=0.01)
    argv = ["export", *what, "--rate", "0", "--workers", "2", "--to"]
    folders = [f"acct-1/{name}" for name in what]
    assert ended(start([*argv, f"{bucket.url}/whole"], home, environ))[0] == 0
    expected = [bucket.content(f"whole/{folder}") for folder in folders]
    killed, number, again = 0, 0, 0
    while killed < count:
        number += 1
        place, before = f"again{number}", len(service.seen)
        to = [*argv, f"{bucket.url}/{place}"]
        # Several times in one export, too.
        while (
            code := kill_after(start(to, home, environ), rng.uniform(0.5, 1.8))
        ) == -signal.SIGKILL and killed < count:
            killed += 1
        killed += code == -signal.SIGKILL
        assert code in {0, -signal.SIGKILL}
        code, stderr = ended(start(to, home, environ))
        assert code == 0, stderr
        assert [bucket.content(f"{place}/{folder}") for folder in folders] == expected
        again += len(service.seen) - before - 120
        before = len(service.seen)
        code, stderr = ended(start(to, home, environ))
        assert (code, len(service.seen)) == (0, before), stderr
    return killed, again
