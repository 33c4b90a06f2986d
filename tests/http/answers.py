"""Answers of every shape, made and spoilt by chance, and how others read them: h11, and
curl over a socket.
"""

import random
import re
import secrets
import socket
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import h11
import httpx

from unified_cli.http.transport.response_reader import ResponseReader
from unified_cli.http.transport.sockets import DeadlineSocket

_STATUS_LINES = [
    *[b"HTTP/1.1 200 OK"] * 12,
    b"HTTP/1.0 200 OK",
    b"HTTP/1.1 201",
    b"HTTP/1.1 204 No Content",
    b"HTTP/1.1 304 Same",
    b"HTTP/1.1 404 \xe9 ",
    b"HTTP/1.1 500 a\tb",
    b"HTTP/1.1 999 Odd",
    b"HTTP/1.2 200 OK",
    b"HTTP/2 200",
    b"http/1.1 200 OK",
    b"HTTP/1.1  200 OK",
    b"HTTP/1.1 20 OK",
    b"HTTP/1.1 099 OK",
    b"HTTP/1.1 101 Other",
    b"HTTP/1.1 200OK",
    b"ICE/1.0 200 OK",
]
_HEADERS = [
    b"Content-Type: application/json",
    b"X:",
    b"X-Empty: ",
    b"Set-Cookie: a=\x01\x7f\xff",
    b"Date: Mon, 01 Jan 2024 00:00:00 GMT",
    b"Connection: close",
    b"Connection: keep-alive, x",
    b"Connection: Close , te",
    b"Upgrade: h2c",
    b"Connection: upgrade",
    b"Trailer: X-Sum",
    b"Name with blank: 1",
    b"Blank : 1",
    b" Folded: 1",
    b"\tfolded",
    b"No colon",
    b": no name",
    b"X: a\0b",
    b"X: a\vb\fc",
    b"X: a\rb",
    b"X: a\nb",
    b"Content-Length : 3",
    b"Transfer-Encoding : chunked",
    b"Proxy-Connection: close",
    b"(odd): 1",
    b"X\xe9: 1",
    b"Location: /x",
    b"Keep-Alive: timeout=5",
    b"content-encoding: identity",
]
_LENGTHS = [b"%d"] * 8 + [
    b" %d",
    b"%d ",
    b"%d\t",
    b"+%d",
    b"-%d",
    b"0x%d",
    b"%d, %d",
    b"%d,7",
    b"00%d",
    b"%d.0",
    b"%d %d",
    b"",
    b"%d\0",
    b"%d;",
    b"18446744073709551616%d",
    b"0000000000000000000000%d",
]
_CODINGS = [b"chunked"] * 8 + [
    b"Chunked",
    b"chunked ",
    b"chunked, chunked",
    b"gzip, chunked",
    b"chunked, gzip",
    b"identity",
    b"xchunked",
    b"chunked;q=1",
    b"",
    b"\x0bchunked",
    b'"chunked"',
    b"chunked,",
]
_SIZES = [b"%x"] * 10 + [
    b"%X",
    b"0%x",
    b"000000000000000%x",
    b" %x",
    b"%x ",
    b"%x\t",
    b"0x%x",
    b"-%x",
    b"+%x",
    b"%xg",
    b"",
    b"%x;a",
    b"%x;a=b",
    b'%x;a="b;c"',
    b"%x ;a=b",
    b"%x; a=b",
    b"%x;",
    b'%x;a="\\""',
    b"%x;\xe9",
    b"%x\0",
    b"10000000000000000%x",
    b"%x;a\nb",
]
_ENDS = [b"\r\n"] * 30 + [b"\n", b"\r", b"\r\r\n", b"\n\r", b""]
_SURPLUS = [b"", b"", b"", b"\r\n", b"\n", b"x", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno"]
_TRAILERS = [b"", b"X-Sum: 1\r\n", b"Content-Length: 9\r\n", b" x\r\n", b"X : 1\r\n"]
_SPOILT = [
    b"\0",
    b"\r",
    b"\n",
    b"\r\n",
    b" ",
    b"\t",
    b":",
    b";",
    b",",
    b"0",
    b"f",
    b"\xff",
    b"HTTP/1.1 200 OK\r\n\r\n",
    b"\x0b",
]


class Outcome(NamedTuple):
    """How an answer was read: its status, its body and whether the connection was kept;
    or why it was refused.
    """

    status: int = 0
    body: bytes = b""
    kept: bool = False
    refused: str = ""


def made(chance: random.Random) -> bytes:
    """One answer: mostly a proper one, with something odd in it."""
    body = bytes(chance.choices(b"ab{}01\r\n", k=chance.choice([0, 0, 1, 2, 3, 5, 17, 40])))
    headers = chance.sample(
        _HEADERS[: chance.choice([2, 5, 5, len(_HEADERS)])], k=chance.randrange(3)
    )
    framing = chance.choice(
        ["length", "length", "length", "chunks", "chunks", "chunks", "end", "both", "twice"]
    )
    if framing in ("length", "both", "twice"):
        headers += [_length(chance, len(body)) for _ in range(2 if framing == "twice" else 1)]
    if framing in ("chunks", "both"):
        headers += [b"Transfer-Encoding: " + chance.choice(_CODINGS)] * chance.choice(
            [1, 1, 1, 1, 2]
        )
        body = _chunked(chance, body)
    chance.shuffle(headers)
    ends = _ENDS[:1] if chance.random() < 0.7 else _ENDS
    lines = [chance.choice(_STATUS_LINES[: chance.choice([12, len(_STATUS_LINES)])]), *headers, b""]
    head = b"".join(line + chance.choice(ends) for line in lines)
    before = b"HTTP/1.1 103 Soon\r\nLink: x\r\n\r\n" * chance.choice([0, 0, 0, 0, 0, 0, 1, 2])
    return _spoilt(chance, before + head + body + chance.choice(_SURPLUS))


def _length(chance: random.Random, size: int) -> bytes:
    form = chance.choice(_LENGTHS[: chance.choice([8, len(_LENGTHS)])])
    size += chance.choice([0, 0, 0, 0, 0, 0, 1, -1])
    return b"Content-Length: " + form.replace(b"%d", b"%d" % max(0, size))


def _chunked(chance: random.Random, body: bytes) -> bytes:
    sizes = _SIZES[: chance.choice([10, 10, len(_SIZES)])]
    ends = _ENDS[:1] if chance.random() < 0.7 else _ENDS
    chunks = b""
    while body:
        piece, body = body[: (cut := chance.randrange(1, 9))], body[cut:]
        chunks += (
            chance.choice(sizes).replace(b"%x", b"%x" % len(piece))
            + chance.choice(ends)
            + piece
            + chance.choice(ends)
        )
    trailers = chance.choices(
        [b"", b"X-Sum: 1\r\n", b"Content-Length: 9\r\n", b" x\r\n", b"X : 1\r\n"], [20, 4, 1, 1, 1]
    )[0]
    return (
        chunks
        + chance.choice(sizes).replace(b"%x", b"0")
        + chance.choice(ends)
        + trailers
        + chance.choice(ends)
    )


def _spoilt(chance: random.Random, data: bytes) -> bytes:
    for _ in range(chance.choice([0, 0, 0, 0, 1, 1, 2])):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            data = data[:at] + chance.choice(_SPOILT) + data[at:]
        elif kind == 1:
            data = data[:at] + data[at + 1 :]
        elif kind == 2:
            data = data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
        else:
            data = data[:at]
    return data


class Given(DeadlineSocket):
    """A connection on which the answer comes in those pieces, and ends."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self.pieces = [*filter(None, pieces)]
        self.kept = False

    def receive(self) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""

    def keep(self) -> None:
        self.kept = True

    def close(self) -> None:
        self.kept = False


def ours(pieces: Sequence[bytes], method: str) -> Outcome:
    """As the transport reads it, from those pieces."""
    connection = Given(pieces)
    try:
        reader = ResponseReader(connection, method)
        body = b"".join(reader)
    except httpx.RemoteProtocolError as error:
        return Outcome(refused=str(error))
    return Outcome(reader.status, body, connection.kept and not connection.pieces)


def of_h11(data: bytes, method: str) -> Outcome:
    """As h11 reads it."""
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method=method, target="/", headers=[("Host", "x")]))
    connection.send(h11.EndOfMessage())
    connection.receive_data(data)
    status, body, ended = 0, b"", False
    try:
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                if ended:
                    return Outcome(refused="cut short")
                connection.receive_data(b"")
                ended = True
            elif isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage):
                kept = connection.their_state is h11.DONE and not connection.trailing_data[0]
                return Outcome(status, body, kept)
            elif isinstance(event, h11.ConnectionClosed):
                return Outcome(refused="cut short")
    except h11.RemoteProtocolError as error:
        return Outcome(refused=re.sub(r"[:(].*", "", str(error), flags=re.DOTALL).strip())


class Curl:
    """Asks curl for answers, many in one process, each over a connection of its own."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._answers: Sequence[bytes] = ()
        self._mark = secrets.token_hex(16)
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def origin(self) -> str:
        """Where the answers are asked for, each by its number."""
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                with connection, suppress(OSError):
                    asked = b""
                    while b"\r\n\r\n" not in asked:
                        asked += connection.recv(4096)
                    # Where a redirect leads there is no answer.
                    path = re.match(rb"\S+ /(\d+)[ ?]", asked)
                    number = int(path[1]) if path else len(self._answers)
                    connection.sendall(b"".join(self._answers[number : number + 1]))

    def read(self, answers: Sequence[bytes], method: str) -> list[Outcome]:
        """How curl reads each of them."""
        self._answers = answers
        found: list[Outcome] = []
        while len(found) < len(answers):
            # An error in its own use, which some folded headers lead it to, ends curl
            # before the others.
            more = self._some(range(len(found), len(answers)), method)
            assert more
            found += more
        return found

    def _some(self, numbers: Sequence[int], method: str) -> list[Outcome]:
        own = ["silent", "globoff", 'header = "Connection: close"', "max-time = 60", 'output = "-"']
        own += [
            f'write-out = "{self._mark}%{{exitcode}} %{{http_code}}{self._mark}"',
            *(["head"] * (method == "HEAD")),
        ]
        config = "\nnext\n".join(
            "\n".join([f'url = "{self.origin}/{number}"', *own]) for number in numbers
        )
        command = ["curl", "--disable", "--noproxy", "*", "--config", "-"]
        done = subprocess.run(command, input=config.encode(), capture_output=True, check=False)
        parts = done.stdout.split(self._mark.encode())
        return [_of_curl(parts[n], parts[n + 1], method) for n in range(0, len(parts) - 1, 2)]

    def close(self) -> None:
        """Stop listening."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


def _of_curl(body: bytes, facts: bytes, method: str) -> Outcome:
    code, status = map(int, facts.split())
    return (
        Outcome(refused=f"curl ends with {code}")
        if code
        else Outcome(status, b"" if method == "HEAD" else body)
    )
