"""Record the exchanges of a command in a HAR file, or replay them from one."""

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx

from unified_cli import PRODUCT
from unified_cli.catalogue import Service
from unified_cli.errors import ServiceError, StorageError, UnifiedError, UsageError
from unified_cli.http import har_entry
from unified_cli.http.attempt import NetworkFailure
from unified_cli.http.har_entry import BodyEnd, Exchange
from unified_cli.http.har_reader import STARTED
from unified_cli.http.replay import HarIndex, Replay, ReplayClock, UnrecordedError
from unified_cli.json_text import json_codec
from unified_cli.runtime import Runtime
from unified_cli.storage import output_file
from unified_cli.storage.append_file import GrowingDocument
from unified_cli.storage.owned_folder import owned_folder
from unified_cli.storage.spool_file import SpoolFile

Describe = Callable[[httpx.TransportError], NetworkFailure]

_NAME, _, _VERSION = PRODUCT.partition("/")
_BEGIN = f'{{"log":{{"version":"1.2","creator":{{"name":{json_codec.dump(_NAME)},"version":'
_FOOT = b"\n]}}\n"


def is_own(content: bytes) -> bool:
    """Return whether this program recorded the HAR file, from the start and end of its
    text.
    """
    return content.startswith(_BEGIN.encode()) and content.endswith(_FOOT)


class Recording:
    """A HAR file that is written while a command runs; thread-safe.

    Raises StorageError if the file cannot be created. If writing fails later, the
    command continues, because its writes to the service must not be interrupted, and
    `close` raises the error.
    """

    replays = False

    def __init__(self, path: Path, runtime: Runtime, service: Service) -> None:
        output_file.check(path, force=False, instead=output_file.ANOTHER)
        self._path = path
        self.runtime = runtime
        self._service = service
        self._lock = threading.Lock()
        self._error: OSError | None = None
        self._closed = False
        self.started = math.floor(runtime.wall())
        """When the command began, in whole seconds. A slightly slower replay then
        computes the same times.
        """
        started = f'"{STARTED}":{self.started}'
        head = f'{_BEGIN}{json_codec.dump(_VERSION)}}},{started},"pages":[],"entries":[\n'
        try:
            self._file = GrowingDocument(path, head.encode(), _FOOT)
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror}") from None

    def transport(
        self, opened: Callable[[], httpx.BaseTransport], describe: Describe
    ) -> httpx.BaseTransport:
        """Return a transport that records the exchanges of another transport."""
        return _RecordingTransport(opened(), self, describe)

    def add(self, exchange: Exchange) -> None:
        """Write a finished exchange."""
        made = har_entry.entry(exchange, self.runtime.monotonic(), self._service)
        with self._lock:
            if self._error or self._closed:
                return
            try:
                self._file.add(json_codec.encoded(made))
            except OSError as error:
                self._error = error

    def close(self) -> None:
        """Close the file. Raises StorageError if an exchange could not be written."""
        with self._lock:
            self._closed = True
            try:
                self._file.close()
            except OSError as error:
                self._error = self._error or error
        if self._error:
            raise StorageError(
                f"{self._path} holds only a part of the exchanges: {self._error.strerror}"
            )


class _RecordingTransport(httpx.BaseTransport):
    def __init__(
        self, inner: httpx.BaseTransport, recording: Recording, describe: Describe
    ) -> None:
        self._inner = inner
        self._recording = recording
        self._describe = describe
        self._exchange: Exchange | None = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.finish()
        runtime = self._recording.runtime
        exchange = Exchange(request, runtime.wall(), runtime.monotonic())
        try:
            response = self._inner.handle_request(request)
        except httpx.TransportError as error:
            self._exchange = exchange
            self.fail(error)
            raise
        self._exchange = exchange
        exchange.response, exchange.answered = response, runtime.monotonic()
        # A synchronous transport always returns such a stream.
        assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101
        return httpx.Response(
            response.status_code,
            headers=response.headers,
            stream=_RecordedStream(response.stream, exchange, self),
            extensions=response.extensions,
        )

    def fail(self, error: httpx.TransportError) -> None:
        if self._exchange:
            self._exchange.broken = self._describe(error)
            self._exchange.end = BodyEnd.BROKEN
            self.finish()

    def finish(self) -> None:
        exchange, self._exchange = self._exchange, None
        if exchange:
            self._recording.add(exchange)

    def close(self) -> None:
        self.finish()
        self._inner.close()


class _RecordedStream(httpx.SyncByteStream):
    """The body of a response. Adds each piece to the recording."""

    def __init__(
        self, inner: httpx.SyncByteStream, exchange: Exchange, transport: _RecordingTransport
    ) -> None:
        self._inner = inner
        self._exchange = exchange
        self._transport = transport

    def __iter__(self) -> Iterator[bytes]:
        try:
            for chunk in self._inner:
                self._exchange.receive(chunk)
                yield chunk
        except httpx.TransportError as error:
            self._transport.fail(error)
            raise
        self._exchange.end = BodyEnd.COMPLETE
        self._transport.finish()

    def close(self) -> None:
        self._inner.close()
        self._transport.finish()


class Evidence(NamedTuple):
    """The file to record to or to replay. Both are None without these options."""

    record: str | None = None
    replay: str | None = None


def record_or_replay(
    runtime: Runtime, service: Service, evidence: Evidence
) -> AbstractContextManager[Runtime]:
    """Return a runtime that records or replays exchanges.

    Raises UsageError if both are requested, ServiceError if a request is not in the
    recording, and StorageError and StateError if the file cannot be used.
    """
    if evidence.record is not None and evidence.replay is not None:
        raise UsageError("--record and --replay exclude each other", hint="leave out one of them")
    if evidence.replay is not None:
        return _replayed(runtime, service, _path("--replay", evidence.replay))
    return _recorded(runtime, service, _path("--record", evidence.record or ""))


@contextmanager
def _recorded(runtime: Runtime, service: Service, path: Path) -> Iterator[Runtime]:
    recording = Recording(path, runtime, service)
    # A recorded command must not use the cache: the recording would lack the requests
    # that the cache saved.
    folders = _user_folders(runtime, runtime.folder("data"))
    try:
        yield runtime._replace(
            exchanges=recording, folders=folders, wall=_wall(recording.started, runtime.monotonic)
        )
    except BaseException:
        try:
            recording.close()
        except StorageError as error:
            runtime.stderr.line(error.message)
        raise
    recording.close()


@contextmanager
def _replayed(runtime: Runtime, service: Service, path: Path) -> Iterator[Runtime]:
    clock = ReplayClock()
    # A replay sent nothing, so remove its journals and runs at its end.
    cache = runtime.folder("cache")
    with (
        SpoolFile(cache, runtime.wall()) as copy,
        owned_folder(cache and cache / "replay") as data,
    ):
        index = HarIndex(path, copy, service)
        runtime.stderr.names_runs = False
        try:
            yield runtime._replace(
                exchanges=Replay(index, clock, service.connection),
                monotonic=clock.now,
                wall=runtime.wall if index.started is None else _wall(index.started, clock.now),
                sleep=clock.sleep,
                folders=_user_folders(runtime, data),
            )
        except UnrecordedError as error:
            raise ServiceError(error.reason, hint=error.hint, retryable=False) from None
        except UnifiedError as error:
            # Do not suggest a command to continue, because the run no longer exists.
            error.next_command = None
            raise


def _wall(started: float, monotonic: Callable[[], float]) -> Callable[[], float]:
    """Return a clock for a command that began at `started`.

    It returns whole seconds, because some requests contain the time, for example with
    --since.
    """
    before = monotonic()
    return lambda: float(int(started + monotonic() - before))


def _user_folders(runtime: Runtime, data: Path | None) -> dict[str, Path]:
    found = {"config": runtime.folder("config"), "data": data}
    return {kind: folder for kind, folder in found.items() if folder is not None}


def _path(option: str, name: str) -> Path:
    if not name:
        raise UsageError(f"{option} is empty", hint=f"{option} FILE.har")
    return Path(name)
