"""Read a response from a connection, within limits.

Refuses everything that h11 or llhttp refuses.
"""

import re
from collections.abc import Iterator

import httptools
import httpx

from unified_cli.http.transport.sockets import DeadlineSocket

# The head of a response as h11 accepts it. llhttp alone is too lenient: it accepts
# other protocols and versions, any bytes in the reason, and blank lines before the
# head. With control characters in headers it also accepts blanks before a colon, folded
# lines, and a single CR or LF as line end.
_HEAD = re.compile(
    rb"(HTTP/1\.[01]) ([1-9][0-9]{2})(?: ([^\x00\n\v\f\r]*))?\r\n"
    rb"(?:[-!#$%&'*+.^_`|~0-9A-Za-z]+:[^\x00\n\v\f\r]*\r\n)*\r\n"
)
_LENGTH = re.compile(rb"^content-length:[ \t]*([^\r\n]*?)[ \t]*\r\n", re.IGNORECASE | re.MULTILINE)
_HEAD_END = b"\r\n\r\n"
_LARGEST_HEAD = 64 * 1024
# The most bytes of chunk headers to accept for each byte of the body.
_MOST_FRAMING = 16
_BODILESS = {204, 304}
# Headers that must not be trailers, because they define the body's length.
_NO_TRAILERS = {b"content-length", b"transfer-encoding"}
# Larger than any Content-Length, because llhttp stores a length in eight bytes.
_UNTIL_CLOSED = 1 << 64
_CHUNKED = -1


class _LlhttpEvents:
    """The callbacks and results of llhttp.

    It has no reference to its reader: a cycle would keep responses in memory.
    """

    def __init__(self) -> None:
        self.headers: list[tuple[bytes, bytes]] = []
        """The headers, and later the trailers."""
        self.pieces: list[bytes] = []
        self.ended = False

    def on_message_begin(self) -> None:
        if self.ended:
            raise ValueError("the answer is complete, but more bytes follow")

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name, value.rstrip(b" \t")))

    def on_body(self, data: bytes) -> None:
        self.pieces.append(data)

    def on_message_complete(self) -> None:
        self.ended = True


def _with_one_length(head: bytes) -> bytes:
    """Return the head with only the first of several equal Content-Length headers.

    llhttp refuses the others, but curl and httpx accept them.
    """
    found = [*_LENGTH.finditer(head)]
    if len(found) < 2 or len({match[1] for match in found}) > 1:
        return head
    end = found[0].end()
    return head[:end] + _LENGTH.sub(b"", head[end:])


class ResponseReader(httpx.SyncByteStream):
    """Reads the response to a request.

    The constructor reads the head, and skips interim responses. Iterate over the reader
    to get the body. At the end of the body, the connection becomes free for another
    request, or is closed if it cannot be reused. Raises RemoteProtocolError if the
    response is not valid HTTP, and the errors of the connection.
    """

    def __init__(self, connection: DeadlineSocket, method: str) -> None:
        self._connection = connection
        self._method = method
        self.status = 0
        self._complete = False
        self._rest = b""
        """Received bytes that have not been parsed yet."""
        while self.status < 200:
            self._next_head()
        self.headers, self._parts.headers = self._parts.headers, []
        self._frame()

    def __iter__(self) -> Iterator[bytes]:
        yield from self._chunks() if self._length == _CHUNKED else self._counted()
        self._complete = True
        self._connection.keep() if self._reusable else self._connection.close()

    def close(self) -> None:
        """Close the connection unless the body was read completely."""
        if not self._complete:
            self._connection.close()

    def _next_head(self) -> None:
        self._parts = _LlhttpEvents()
        self._parser = httptools.HttpResponseParser(self._parts)
        # Some services send control characters in headers, or both a length and chunks.
        # Accept such responses, but do not reuse the connection.
        self._parser.set_dangerous_leniencies(lenient_headers=True, lenient_chunked_length=True)
        data, fed = self._rest or self._connection.receive(), 0
        while (end := data.find(_HEAD_END, max(0, fed - len(_HEAD_END)))) < 0 and len(
            data
        ) <= _LARGEST_HEAD:
            # Parse the first line at once to recognise HTTP, and all headers together.
            line = data.find(b"\n") + 1 or len(data)
            self._feed(data[fed:line])
            fed = line
            more = data and self._connection.receive()
            if not more:
                raise httpx.RemoteProtocolError("its headers are cut short")
            data += more
        if not 0 <= end <= _LARGEST_HEAD:
            raise httpx.RemoteProtocolError("its headers are larger than 64 KiB")
        end += len(_HEAD_END)
        head = _HEAD.fullmatch(data, 0, end)
        if head is None:
            raise httpx.RemoteProtocolError("its status line or a header is malformed")
        self.version, self.status, self.reason = head[1], int(head[2]), head[3] or b""
        if self.status == 101:
            raise httpx.RemoteProtocolError("it switches to a protocol that was not requested")
        self._feed(_with_one_length(data[fed:end]))
        self._rest = data[end:]

    def _frame(self) -> None:
        keeps = self.version == b"HTTP/1.1"
        length: int | None = None
        codings = []
        for name, value in self.headers:
            lower = name.lower()
            if lower == b"content-length":
                if len(value) > 20:
                    raise httpx.RemoteProtocolError("its length has too many digits")
                # llhttp has already refused a second, different number.
                length = int(value)
            elif lower == b"transfer-encoding":
                codings.append(value.lower())
            elif lower == b"connection":
                keeps &= b"close" not in [word.strip() for word in value.lower().split(b",")]
        if codings not in ([], [b"chunked"]):
            raise httpx.RemoteProtocolError("its transfer coding is not chunked")
        connected = self._method == "CONNECT" and self.status // 100 == 2
        if self._method == "HEAD" or connected or self.status in _BODILESS:
            self._length = 0
        elif codings:
            self._length = _CHUNKED
            keeps &= length is None
        else:
            self._length = _UNTIL_CLOSED if length is None else length
        self._reusable = keeps and self._length != _UNTIL_CLOSED

    def _counted(self) -> Iterator[bytes]:
        data, left = self._rest, self._length
        while len(data) < left:
            if data:
                yield data
                left -= len(data)
            data = self._connection.receive()
            if not data and self._length == _UNTIL_CLOSED:
                return
            if not data:
                raise httpx.RemoteProtocolError(
                    f"{self._length - left} of {self._length} bytes were received"
                )
        self._reusable &= len(data) == left
        if left:
            yield data[:left]

    def _chunks(self) -> Iterator[bytes]:
        # Headers after the first chunk can only be trailers. Check trailers as strictly
        # as h11 does.
        self._parser.set_dangerous_leniencies(lenient_headers=False)
        parts, spare, data, end = self._parts, _LARGEST_HEAD, self._rest, b""
        while not parts.ended:
            data = data or self._connection.receive()
            if not data:
                raise httpx.RemoteProtocolError("its last chunk is missing")
            self._feed(data)
            piece = b"".join(parts.pieces)
            parts.pieces.clear()
            # llhttp does not limit chunk extensions and trailers.
            spare = min(_LARGEST_HEAD, spare + (1 + _MOST_FRAMING) * len(piece) - len(data))
            if spare < 0:
                raise httpx.RemoteProtocolError("its chunk headers are much larger than its body")
            data, end = b"", (end + data[-5:])[-5:]
            if piece:
                yield piece
        if any(name.lower() in _NO_TRAILERS for name, _ in parts.headers):
            raise httpx.RemoteProtocolError("its trailers define the length of the body")
        # llhttp skips line ends after the last chunk, although they are not part of the
        # response.
        self._reusable &= end.endswith(_HEAD_END) and end[0] not in b"\r\n"

    def _feed(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            if not self._parts.ended:
                raise httpx.RemoteProtocolError(str(error)) from None
            self._reusable = False
