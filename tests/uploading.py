"""Uploads sent by the client of every command, and a service on a real socket that cuts
them at a chosen point.
"""

import hashlib
import io
import os
import re
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

import trustme

from unified_cli.catalogue import load
from unified_cli.config import file, resolution
from unified_cli.config.keys import Overrides
from unified_cli.fleet.clients import Clients
from unified_cli.http import evidence, request as requests
from unified_cli.http.request import Content, Request
from unified_cli.http.response import Response
from unified_cli.http.upload import Progress, Upload, of_bytes, of_form
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

CATALOGUE = load()
CREATED = (
    b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length:"
    b' 10\r\n\r\n{"id":"1"}'
)


def refused(status: int, headers: str = "") -> bytes:
    """An error in the service's own form."""
    body = b'{"statusCode":%d,"error":"x","message":"because"}' % status
    head = (
        f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length:"
        f" {len(body)}\r\n{headers}\r\n"
    )
    return head.encode() + body


@dataclass(frozen=True)
class Turn:
    """The service's treatment of a request: it reads this many bytes of the body, then
    answers, and may break off.
    """

    answer: bytes = CREATED
    reads: int | None = None
    """None for all."""
    first: bytes = b""
    """Its answer before it reads."""
    then: str = "go on"
    """`close`, `reset`, or `stay`: leave the connection open and read nothing more."""


@dataclass
class Got:
    """A request as it arrived."""

    head: str
    size: int
    body: bytes
    whole: bool

    def header(self, name: str) -> str:
        found = re.search(rf"(?im)^{name}: (.*?)\r?$", self.head)
        return found[1] if found else ""


@dataclass
class UploadService:
    """Plays one turn for each request, the last for all that follow; keeps at most the
    first MiB of each body.
    """

    turns: Sequence[Turn]
    got: list[Got] = field(default_factory=list)
    port: int = 0
    over: threading.Event = field(default_factory=threading.Event)
    was_waited_for: bool = False
    """A client has not looked for the answer before the connection was closed."""
    context: ssl.SSLContext | None = None

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}" if self.context else f"http://127.0.0.1:{self.port}"

    def serve(self, connection: socket.socket) -> None:
        if self.context:
            connection = self.context.wrap_socket(connection, server_side=True)
        with connection, connection.makefile("rb") as stream:
            while head := b"".join(takewhile(b"\r\n".__ne__, iter(stream.readline, b""))):
                turn = self.turns[min(len(self.got), len(self.turns) - 1)]
                length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])  # type: ignore[index]
                wanted = length if turn.reads is None else min(turn.reads, length)
                connection.sendall(turn.first)
                kept, size = b"", 0
                # A client that gives up may reset the connection: what came until then
                # counts all the same.
                with suppress(ConnectionError):
                    while size < wanted and (piece := stream.read1(min(65536, wanted - size))):  # type: ignore[attr-defined]
                        size += len(piece)
                        kept += piece[: (1 << 20) - len(kept)]
                self.got.append(Got(head.decode("latin-1"), size, kept, size == length))
                connection.sendall(turn.answer)
                if turn.then == "stay":
                    self.was_waited_for |= not self.over.wait(30)
                if turn.then == "reset":
                    connection.setsockopt(
                        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                    )
                if turn.then != "go on":
                    return


@contextmanager
def taking(*turns: Turn, authority: trustme.CA | None = None) -> Iterator[UploadService]:
    """A service that takes uploads, over TLS where it is given an authority."""
    service = UploadService(turns or (Turn(),))
    if authority is not None:
        service.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        authority.issue_cert("localhost").configure_cert(service.context)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        # So that not much of a body is on its way when it is cut.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 262144)
        service.port = listening.getsockname()[1]

        serving: list[threading.Thread] = []
        last: list[tuple[str, int]] = []

        def accept() -> None:
            while True:
                connection, peer = listening.accept()
                if peer in last:
                    connection.close()
                    return
                serving.append(
                    threading.Thread(target=_serve, args=(service, connection), daemon=True)
                )
                serving[-1].start()

        accepting = threading.Thread(target=accept, daemon=True)
        accepting.start()
        try:
            yield service
        finally:
            service.over.set()
            # A client may have sent all it had to say and be gone before it was
            # accepted: it comes before this one.
            with socket.socket() as end:
                end.bind(("127.0.0.1", 0))
                last.append(end.getsockname())
                end.connect(("127.0.0.1", service.port))
                accepting.join()
            for thread in serving:
                thread.join(30)
            assert not service.was_waited_for


def _serve(service: UploadService, connection: socket.socket) -> None:
    try:
        service.serve(connection)
    except (OSError, TypeError):
        # The client is gone.
        connection.close()


@dataclass
class Sent:
    """The outcome of an upload."""

    answer: Response | None
    stderr: str
    progress: list[tuple[int, int]]


class Clock:
    """Real time, in which sleeping takes none."""

    def __init__(self, then: Callable[[], None] = lambda: None) -> None:
        """`then` is what happens in the first sleep."""
        self.slept: list[float] = []
        self._then = then

    def now(self) -> float:
        return time.monotonic() + sum(self.slept)

    def sleep(self, seconds: float) -> None:
        if not self.slept:
            self._then()
        self.slept.append(seconds)


def request_for(
    upload: Upload, settings: Any, key: str | None = "k-1", path: str | None = None
) -> Request:
    """The request that creates an attachment of the upload, or that posts it to a
    path.
    """
    scope = requests.scope_of(settings, CATALOGUE.service)
    content = Content(upload=upload, key=key)
    if path is not None:
        return requests.for_path(scope, "POST", path, content)
    return requests.for_operation(
        scope, CATALOGUE.operation("ticketing", "attachments", "create"), None, content
    )


def send(
    url: str,
    upload: Upload,
    *,
    key: str | None = "k-1",
    path: str | None = None,
    flags: Overrides | None = None,
    token: str = "t-0123456789",
    account: str = "acct-1",
    progress: Progress | None = None,
    verbosity: int = 0,
    har: evidence.Evidence | None = None,
    clock: Clock | None = None,
    **world: Any,
) -> Sent:
    """Send an upload, which is closed afterwards. Raises the error that a command would
    end with.
    """
    environ = {
        "UNIFIED_BASE_URL": url,
        "UNIFIED_TOKEN": token,
        "UNIFIED_ACCOUNT_ID": account,
        "UNIFIED_RATE": "0",
    }
    if url == "sandbox":
        environ = {"UNIFIED_PROFILE": "sandbox"}
    told = io.BytesIO()
    clock = clock or Clock()
    world = {"folders": {}, "monotonic": clock.now, "sleep": clock.sleep, **world}
    runtime = Runtime(None, None, Stderr(told), environ, **world)
    runtime.stderr.verbosity = verbosity
    settings = resolution.resolve(flags or Overrides(), runtime, file.read(runtime))
    told_progress: list[tuple[int, int]] = []
    upload.progress = progress or (lambda sent, size: told_progress.append((sent, size)))
    try:
        with (
            (
                evidence.record_or_replay(runtime, CATALOGUE.service, har)
                if har
                else nullcontext(runtime)
            ) as runtime,
            Clients(runtime, CATALOGUE) as clients,
        ):
            client = clients.open(settings)
            try:
                answer = client.send(request_for(upload, settings, key, path))
            finally:
                client.close()
    finally:
        upload.close()
    return Sent(answer, told.getvalue().decode(), told_progress)


def content(size: int, seed: int = 0) -> Iterator[bytes]:
    """This many bytes, the same each time, of every value."""
    made = 0
    block = b""
    while made < size:
        block = hashlib.sha256(b"%d %d" % (seed, made)).digest() * 2048
        piece = block[: size - made]
        made += len(piece)
        yield piece


def written(path: Path, size: int) -> str:
    """Write a file of that size; its SHA-256."""
    digest = hashlib.sha256()
    with path.open("wb") as to:
        for piece in content(size):
            to.write(piece)
            digest.update(piece)
    return digest.hexdigest()


@contextmanager
def sandbox_beside(
    state: Path, environ: dict[str, str]
) -> Iterator[tuple[str, str, Callable[[], float]]]:
    """A served sandbox in a process of its own: its URL, its token, and what it took at
    most, in MiB.
    """
    words = [sys.executable, "-m", "unified_cli", "sandbox", "serve", "--state", str(state)]
    with subprocess.Popen(words, env=environ, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        said = dict(
            re.findall(r"export (\w+)=(\S+)", "".join(process.stdout.readline() for _ in range(3)))
        )

        def peak() -> float:
            found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())
            assert found
            return int(found[1]) / 1024

        try:
            yield said["UNIFIED_BASE_URL"], said["UNIFIED_TOKEN"], peak
        finally:
            process.terminate()


def main(url: str, token: str, account: str, form: str, path: str) -> None:
    """Send a file as a process of its own, to see how much memory it takes."""
    upload = of_form(path) if form == "form" else of_bytes(path, "application/octet-stream")
    answer = send(
        url, upload, token=token, account=account, folders={"data": Path(path).parent}
    ).answer
    assert answer is not None
    sys.stdout.write((answer.body or b"").decode())


if __name__ == "__main__":
    main(*sys.argv[1:])


@contextmanager
def unreadable_file() -> Iterator[str]:
    """A file that its user may not read, by its name."""
    with tempfile.NamedTemporaryFile() as made:
        Path(made.name).chmod(0)
        user = os.geteuid()
        if user == 0:
            # Root may read everything.
            os.seteuid(65_534)
        try:
            yield made.name
        finally:
            os.seteuid(user)
