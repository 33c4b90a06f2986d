"""The bytes of an answer, given to the transport alone: this module's imports are all
that its process holds.
"""

from collections.abc import Mapping

import httpx
from fuzz.target import Target

from unified_cli.http.transport.response_reader import ResponseReader
from unified_cli.http.transport.sockets import DeadlineSocket


class _Wire(DeadlineSocket):
    """A connection on which bytes come in pieces of some size."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data, self._at, self._size = data, 0, size
        self.kept = False

    def receive(self) -> bytes:
        piece = self._data[self._at : self._at + self._size]
        self._at += len(piece)
        return piece

    def keep(self) -> None:
        self.kept = True

    def close(self) -> None:
        self.kept = False


def answer(data: bytes) -> None:
    """An answer off the wire: the first byte chooses the size of its pieces, and the
    method; the same in one piece.
    """
    size, method = (data[0] % 64 + 1, "HEAD" if data[0] > 200 else "GET") if data else (1, "GET")
    found = []
    for pieces in (size, 65536):
        read, refused = (0, b""), ""
        try:
            reader = ResponseReader(_Wire(data[1:], pieces), method)
            read = (reader.status, b"".join(reader))
        except httpx.RemoteProtocolError as error:
            refused = str(error)
        found.append(read)
        assert refused.isprintable()
    assert found[0] == found[1]


_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_ANSWERS = (
    b"\0" + _HEAD + b"Content-Length: 2\r\n\r\n{}",
    b"\x09HTTP/1.1 103 Soon\r\nLink: x\r\n\r\n" + _HEAD + b"Connection: close\r\n\r\n{}",
    b"\x3f"
    + _HEAD
    + b'Transfer-Encoding: chunked\r\n\r\n1;a="b"\r\n{\r\n01\r\n}\r\n0\r\nX-Sum: 1\r\n\r\n',
    b"\xf0" + _HEAD + b"Content-Length: 2\r\n\r\n",
)

TARGETS: Mapping[str, Target] = {"wire": Target(answer, _ANSWERS)}
