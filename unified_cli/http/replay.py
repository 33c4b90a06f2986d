"""Replay a command's requests from a recording, without a socket, a token or a wait."""

import hashlib
import os
import re
import threading
import time
from array import array
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import parse_qsl, urlsplit

import httpx

from unified_cli.catalogue import Service
from unified_cli.errors import StateError, StorageError
from unified_cli.http import har_entry, har_reader
from unified_cli.http.attempt import NetworkFailure, Outcome
from unified_cli.http.decoding import DamageError
from unified_cli.http.har_entry import BodyEnd
from unified_cli.http.har_reader import HarEntry, HarFailure
from unified_cli.http.har_redaction import REPLACED, Redaction
from unified_cli.http.http_connection import ReplayedError
from unified_cli.json_text.json_stream import TooLongError
from unified_cli.masking import excerpt
from unified_cli.plural import counted
from unified_cli.storage import regular_file
from unified_cli.storage.regular_file import NotRegularError
from unified_cli.storage.spool_file import SpoolFile

_RECORDED = {"content-encoding", "transfer-encoding"}
_MOST = 1_000_000


class HarIndex:
    """Finds exchanges in a copy of a HAR file. The file itself may change.

    Raises StorageError if the file cannot be read, and StateError if an entry is
    invalid.
    """

    def __init__(self, path: Path, copy: SpoolFile, service: Service) -> None:
        self.path = path
        self._service = service
        self._copy = copy
        self.started: float | None = None
        """When the command began, in seconds since 1970, if known."""
        self._lock = threading.Lock()
        self._ends = array("Q", [0])
        self._left: dict[bytes, deque[int]] = {}
        self._counts: dict[bytes, int] = {}
        self._echoed: list[tuple[re.Pattern[str], bytes]] = []
        with _opened(path) as file:
            for number, text in enumerate(self._texts(file), 1):
                self._add(number, text)
        copy.flush()

    @property
    def size(self) -> str:
        """The number of exchanges, in words."""
        return counted(len(self._ends) - 1, "exchange")

    def take(self, request: httpx.Request) -> tuple[int, HarEntry] | None:
        """Return the number and the next exchange for this request, or None."""
        key = self._key_of(request)
        with self._lock:
            left = self._left.get(key)
            if not left:
                return None
            number = left.popleft()
        begin, end = self._ends[number - 1], self._ends[number]
        return number, har_reader.entry(self._copy.read(end - begin, begin))

    def times(self, request: httpx.Request) -> int:
        """Return how often this request was recorded."""
        return self._counts.get(self._key_of(request), 0)

    def _key_of(self, request: httpx.Request) -> bytes:
        parts = (request.method, *har_entry.sent(request, self._service, Redaction()))
        key = _digest(*parts)
        if key in self._counts:
            return key
        # A credential from the response was replaced in the request, too.
        text = "\n".join(parts)
        return next((found for echo, found in self._echoed if echo.fullmatch(text)), key)

    def _texts(self, file: BinaryIO) -> Iterator[bytes]:
        try:
            yield from har_reader.entries(file, self._begun)
        except ValueError as error:
            raise StateError(
                f"{self._place} {error}", hint="record the command again with --record"
            ) from None
        except TooLongError:
            longest = har_reader.LONGEST_ENTRY >> 20
            raise StateError(f"{self._place} is longer than {longest} MiB") from None
        except OSError as error:
            raise StorageError(f"cannot read {self.path}: {error.strerror}") from None

    def _begun(self, started: float) -> None:
        self.started = started

    @property
    def _place(self) -> str:
        read = len(self._ends) - 1
        return f"{self.path}, after entry {read}," if read else f"{self.path}"

    def _add(self, number: int, text: bytes) -> None:
        try:
            found = har_reader.entry(text)
        except (ValueError, RecursionError) as error:
            raise StateError(
                f"entry {number} of {self.path} is damaged: {excerpt(str(error), 200)}"
            ) from None
        if number > _MOST:
            raise StateError(f"{self.path} has more than {_MOST} entries")
        body = found.request.body.text if found.request.body else ""
        parts = (found.request.method, found.request.url, body)
        key = _digest(*parts)
        if found.request.echoed and key not in self._counts:
            words = map(re.escape, "\n".join(parts).split(REPLACED))
            self._echoed.append((re.compile(".+?".join(words), re.DOTALL), key))
        self._left.setdefault(key, deque()).append(number)
        self._counts[key] = self._counts.get(key, 0) + 1
        self._copy.append(text)
        self._ends.append(self._ends[-1] + len(text))


def _digest(*parts: str) -> bytes:
    """Return a digest of a request without its headers.

    Headers differ from run to run.
    """
    found = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        found.update(b"%d:%b" % (len(data), data))
    return found.digest()


def _opened(path: Path) -> BinaryIO:
    try:
        return os.fdopen(regular_file.descriptor(path, follow=True), "rb")
    except NotRegularError:
        raise StorageError(f"{path} is not a file") from None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None


class UnrecordedError(Exception):
    """The recording does not contain a request.

    Not a UnifiedError, because a run would catch that and continue. `evidence` converts
    it at the end.
    """

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


class ReplayClock:
    """A monotonic clock for each thread. `sleep` advances it without waiting."""

    def __init__(self) -> None:
        self._passed = threading.local()

    def now(self) -> float:
        """Return the time in seconds."""
        return time.monotonic() + getattr(self._passed, "seconds", 0.0)

    def sleep(self, seconds: float) -> None:
        """Advance the clock."""
        self._passed.seconds = getattr(self._passed, "seconds", 0.0) + seconds


class Replay(httpx.BaseTransport):
    """The transport of all connections of a replayed command."""

    replays = True

    def __init__(self, index: HarIndex, clock: ReplayClock, connection: str) -> None:
        self._index = index
        self._clock = clock
        self._connection = connection

    def transport(self, _opened: object, _describe: object) -> httpx.BaseTransport:
        """Return this transport instead of opening a network transport."""
        return self

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the recorded response.

        Raises UnrecordedError if the request was not recorded, and ReplayedError if it
        had no response.
        """
        found = self._index.take(request)
        if found is None:
            raise self._unrecorded(request)
        number, entry = found
        self._clock.sleep(entry.time / 1000)
        content = entry.response.content
        if content.end in {BodyEnd.CUT, BodyEnd.OMITTED}:
            why = (
                f"the body of {self._name(request)} is not complete in entry {number} of"
                f" {self._index.path}"
            )
            raise UnrecordedError(why, "only 1 MiB of a download is recorded, and no credentials")
        if entry.response.status == 0:
            raise _error(entry)
        return _response(
            entry, f"{self._index.path} has only a part of the body of {self._name(request)}"
        )

    def _unrecorded(self, request: httpx.Request) -> UnrecordedError:
        times, name, path = self._index.times(request), self._name(request), self._index.path
        if times:
            again = "once" if times == 1 else f"{times} times"
            return UnrecordedError(
                f"{name} was recorded {again} in {path}, but is requested again", _ANEW
            )
        return UnrecordedError(f"{name} is not in {path}, which holds {self._index.size}", _ANEW)

    def _name(self, request: httpx.Request) -> str:
        parts = urlsplit(str(request.url))
        query = parse_qsl(parts.query, keep_blank_values=True)
        account = next((value for name, value in query if name == self._connection), "")
        others = "&".join(f"{name}={value}" for name, value in query if name != self._connection)
        of_account = f" of account {account}" if account else ""
        target = f"{parts.path}{'?' if others else ''}{others}"
        return f"{request.method} {target}{of_account} at {parts.netloc}"


_ANEW = "record the same command again with --record"


class _ReplayedStream(httpx.SyncByteStream):
    """A recorded body. Raises the recorded error at its end, if any."""

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
    headers = [
        (pair.name, pair.value)
        for pair in entry.response.headers
        if pair.name.lower() not in _RECORDED
    ]
    if content.end is BodyEnd.COMPLETE:
        # Recorded bodies are decoded and redacted, so their size has changed.
        size = str(len(body))
        headers = [
            (name, size if name.lower() == "content-length" else value) for name, value in headers
        ]
    endings = {
        BodyEnd.UNREAD: UnrecordedError(no_more, _ANEW),
        BodyEnd.BROKEN: _error(entry),
        BodyEnd.DAMAGED: DamageError(content.reason),
    }
    stream = _ReplayedStream(body, endings.get(content.end))
    # httpx accepts headers that are not ASCII only as bytes.
    encoded = [(name.encode("utf-8"), value.encode("utf-8")) for name, value in headers]
    return httpx.Response(entry.response.status, headers=encoded, stream=stream)


def _error(entry: HarEntry) -> ReplayedError:
    found = entry.error or HarFailure("the exchange was interrupted")
    outcome = Outcome[found.outcome]
    return ReplayedError(
        NetworkFailure(outcome, found.reason, found.hint, found.malformed, found.stale)
    )
