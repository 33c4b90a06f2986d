"""Answer the requests of a command from a recording: no socket is opened, no token is read, nothing is waited for."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

import httpx

from unified_cli.http.answer.decoding import DamageError
from unified_cli.http.attempt import Outcome
from unified_cli.http.har.exchange import BodyEnd
from unified_cli.http.har.har_index import HarIndex
from unified_cli.http.har.har_reader import HarEntry, HarFailure
from unified_cli.http.transport.broken_exchange import BrokenExchange, ReplayedError
from unified_cli.http.transport.network_errors import NetworkFailure

if TYPE_CHECKING:
    from unified_cli.http.transport.broken_exchange import Describe

_RECORDED = {"content-encoding", "transfer-encoding"}


class UnrecordedError(Exception):
    """A request that a recording does not answer.

    It is no UnifiedError, so that no part of a run takes it for a failure of its own and goes on.
    """

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


class ReplayClock:
    """A clock for spans in which waits pass at once, each in the thread that waits."""

    def __init__(self) -> None:
        self._passed = threading.local()

    def now(self) -> float:
        """Seconds that never go back."""
        return time.monotonic() + getattr(self._passed, "seconds", 0.0)

    def sleep(self, seconds: float) -> None:
        """Let this time pass."""
        self._passed.seconds = getattr(self._passed, "seconds", 0.0) + seconds


class Replay:
    """The transports of a command that is answered from a recording."""

    replays = True

    def __init__(self, index: HarIndex, clock: ReplayClock, connection: str) -> None:
        self._index = index
        self._clock = clock
        self._connection = connection

    def transport(self, opened: Callable[[], httpx.BaseTransport], describe: "Describe") -> httpx.BaseTransport:
        """A transport that answers from the recording; none is opened."""
        del opened, describe
        return _ReplayTransport(self.answer)

    def answer(self, request: httpx.Request) -> httpx.Response:
        """The recorded answer. Raises UnrecordedError if there is none, ReplayedError if there was none."""
        taken = self._index.take(request)
        if taken is None:
            raise self._unrecorded(request)
        number, entry = taken
        self._clock.sleep(entry.time / 1000)
        content = entry.response.content
        if content.end in {BodyEnd.CUT, BodyEnd.OMITTED}:
            why = f"the body of {self._name(request)} is not whole in entry {number} of {self._index.path}"
            raise UnrecordedError(why, "downloads are recorded up to 1 MiB, and no credentials are")
        if entry.response.status == 0:
            raise _error(entry)
        return _response(entry, f"{self._index.path} holds no more of the body of {self._name(request)}")

    def _unrecorded(self, request: httpx.Request) -> UnrecordedError:
        times, name, path = self._index.times(request), self._name(request), self._index.path
        if times:
            again = "once" if times == 1 else f"{times} times"
            return UnrecordedError(f"{name} was recorded {again} in {path} and is asked for once more", _ANEW)
        return UnrecordedError(f"{name} is not in {path}, which holds {self._index.size}", _ANEW)

    def _name(self, request: httpx.Request) -> str:
        """The request in words: what it asks for, and of which connection."""
        parts = urlsplit(str(request.url))
        query = parse_qsl(parts.query, keep_blank_values=True)
        account = next((value for name, value in query if name == self._connection), "")
        others = "&".join(f"{name}={value}" for name, value in query if name != self._connection)
        whose = f" of account {account}" if account else ""
        return f"{request.method} {parts.path}{'?' if others else ''}{others}{whose} at {parts.netloc}"


_ANEW = "record the same command again with --record"


class _ReplayTransport(httpx.BaseTransport):
    def __init__(self, answer: Callable[[httpx.Request], httpx.Response]) -> None:
        self._answer = answer

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._answer(request)


class _ReplayedStream(httpx.SyncByteStream):
    """A recorded body, which ends as it ended when it was recorded."""

    def __init__(self, body: bytes, ending: Exception | None) -> None:
        self._body = body
        self._ending = ending

    def __iter__(self) -> Iterator[bytes]:
        yield self._body
        if self._ending:
            raise self._ending


def _response(entry: HarEntry, no_more: str) -> httpx.Response:
    content = entry.response.content
    body = content.decoded()
    headers = [(pair.name, pair.value) for pair in entry.response.headers if pair.name.lower() not in _RECORDED]
    if content.end is BodyEnd.COMPLETE:
        # What is recorded is decoded, and without secrets.
        size = str(len(body))
        headers = [(name, size if name.lower() == "content-length" else value) for name, value in headers]
    endings = {
        BodyEnd.UNREAD: UnrecordedError(no_more, _ANEW),
        BodyEnd.BROKEN: _error(entry),
        BodyEnd.DAMAGED: DamageError(content.reason),
    }
    stream = _ReplayedStream(body, endings.get(content.end))
    # A service may send other characters than those of ASCII, which httpx takes as bytes only.
    encoded = [(name.encode("utf-8"), value.encode("utf-8")) for name, value in headers]
    return httpx.Response(entry.response.status, headers=encoded, stream=stream)


def _error(entry: HarEntry) -> ReplayedError:
    found = entry.error or HarFailure("the exchange broke off")
    failure = NetworkFailure(Outcome[found.outcome], found.reason, found.hint, found.malformed)
    return ReplayedError(BrokenExchange(failure, found.stale))
