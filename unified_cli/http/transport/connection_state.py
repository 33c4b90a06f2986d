"""The state of the request on a connection: its deadline, and how much of the answer has arrived."""

from collections.abc import Callable

import httpcore

_ATTEMPT = 60.0
_PREFIX = b"HTTP/1."
_STATUS_LINE = len(b"HTTP/1.1 200")
_HEAD_END = b"\r\n\r\n"
_LARGEST_HEAD = 64 * 1024
_LAST_CHUNK = b"\r\n0\r\n\r\n"


class ConnectionState:
    """The deadline of the current request of a connection, and what has been received for it."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._until = float("inf")
        self._start = b""
        self._head = b""
        self._tail = b""
        self._body_at = -1
        self.connections = 0
        """The number of connections opened so far; a request on an open one does not change it."""
        self.handshakes = 0
        """The number of TLS handshakes on the current connection; two through a proxy that uses TLS."""
        self.handshake_seconds = 0.0
        """Seconds that the peer has for the TLS handshake that is under way; 0 outside of one."""
        self.speaks_tls = False
        """A handshake has succeeded, on this connection or an earlier one."""
        self.received = 0
        """The number of bytes received since the request began."""
        self.closed = False
        """The peer has closed the connection since the request began."""
        self.unusable = False
        """The connection must not be used for another request."""
        self.uploads = False
        """The request has a long body, which may be answered before its end."""
        self.answered_early = False
        """It was, or the connection was closed: the rest of the body was not sent."""

    def opened(self) -> None:
        """Note that there is a new connection."""
        self.connections += 1
        self.handshakes = 0
        self.unusable = False

    def secured(self) -> None:
        """Note that a TLS handshake is done: what is received from here on is another stream of bytes."""
        self.handshakes += 1
        self.handshake_seconds = 0.0
        self.speaks_tls = True
        self.restart()

    def start(self, until: float, *, uploads: bool = False) -> None:
        """Begin an attempt, whose deadline is `until`, or in a minute if that is earlier."""
        self.uploads, self.answered_early = uploads, False
        self._until = min(until, self._monotonic() + _ATTEMPT)
        self.handshake_seconds = 0.0
        self.restart()

    def restart(self) -> None:
        """Forget what was received: the next byte is the first of an answer."""
        self._start = self._head = self._tail = b""
        self._body_at = -1
        self.received = 0
        self.closed = False

    def extend(self) -> None:
        """Move the deadline to a minute from now, because a download or an upload makes progress."""
        self._until = self._monotonic() + _ATTEMPT

    def remaining(self, most: float, failure: type[Exception] = httpcore.ReadTimeout) -> float:
        """Seconds to the deadline, at most `most`. Raises `failure` if it has passed."""
        seconds = min(most, self._until - self._monotonic())
        if seconds <= 0:
            raise failure("the deadline has passed")
        return seconds

    @property
    def status(self) -> int:
        """The status of the current answer; 0 before it has arrived."""
        digits = self._start[-3:]
        return int(digits) if len(self._start) == _STATUS_LINE and digits.isdigit() else 0

    def receive(self, data: bytes) -> None:
        """Note received bytes; none of them means that the peer has closed the connection.

        Raises RemoteProtocolError if they are not the beginning of an HTTP answer, or its headers are too large.
        """
        self.closed = not data
        self.received += len(data)
        if len(self._start) < _STATUS_LINE:
            self._start = (self._start + data)[:_STATUS_LINE]
            if not self._start.startswith(_PREFIX[: len(self._start)]):
                raise httpcore.RemoteProtocolError("it does not begin as HTTP does")
        self._tail = self._tail[1 - len(_LAST_CHUNK) :] + data
        if self._body_at < 0:
            self._find_body(data)

    def _find_body(self, data: bytes) -> None:
        self._head += data
        end = self._head.find(_HEAD_END)
        if (len(self._head) if end < 0 else end) > _LARGEST_HEAD:
            # h11 has a bound too, which applies earlier or later, depending on the size of the pieces.
            raise httpcore.RemoteProtocolError("its headers are larger than 64 KiB")
        if end >= 0:
            self._body_at = end + len(_HEAD_END)
            self._head = b""

    def finish(self, length: int | None) -> None:
        """Note that the answer is complete; `length` is its Content-Length, None if it was sent in chunks.

        Bytes after its end would be read as the next answer, so they make the connection unusable.
        """
        if length is not None:
            self.unusable = self.received != self._body_at + length
        else:
            self.unusable = not self._tail.endswith(_LAST_CHUNK) or self._tail.count(_LAST_CHUNK) != 1
