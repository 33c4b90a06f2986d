"""Run a command with its exchanges recorded to a HAR file, or answered from one."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from unified_cli.catalogue import Service
from unified_cli.errors import ServiceError, StorageError, UnifiedError, UsageError
from unified_cli.http.recording import Recording
from unified_cli.http.replay import HarIndex, Replay, ReplayClock, UnrecordedError
from unified_cli.runtime import Runtime
from unified_cli.storage.spool_file import SpoolFile


class Evidence(NamedTuple):
    """The file to record to, or the one to answer from; both None for an ordinary command."""

    record: str | None = None
    replay: str | None = None


@contextmanager
def kept(runtime: Runtime, service: Service, evidence: Evidence) -> Iterator[Runtime]:
    """The runtime of a command that records its exchanges, or is answered from a recording.

    Raises UsageError for both at once; ServiceError for a request that the recording does not answer; StorageError and
    StateError for a file that cannot be used.
    """
    if evidence.record is not None and evidence.replay is not None:
        raise UsageError("--record and --replay exclude each other", hint="leave one of them out")
    if evidence.replay is not None:
        with _replayed(runtime, service, _path("--replay", evidence.replay)) as changed:
            yield changed
    else:
        with _recorded(runtime, service, _path("--record", evidence.record or "")) as changed:
            yield changed


@contextmanager
def _recorded(runtime: Runtime, service: Service, path: Path) -> Iterator[Runtime]:
    recording = Recording(path, runtime, service.accounts)
    # What is known from before would not be asked, and be missing in a replay.
    folders = _folders(runtime, runtime.folder("data"))
    try:
        yield runtime._replace(exchanges=recording, folders=folders, wall=_wall(recording.started, runtime.monotonic))
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
    # Journals and runs of a replay are gone with it: nothing of them was done.
    with SpoolFile(runtime.folder("cache"), runtime.wall()) as copy, _temporary_folder() as data:
        index = HarIndex(path, copy, service.accounts)
        runtime.stderr.names_runs = False
        try:
            yield runtime._replace(
                exchanges=Replay(index, clock, service.connection),
                monotonic=clock.now,
                wall=runtime.wall if index.started is None else _wall(index.started, clock.now),
                sleep=clock.sleep,
                folders=_folders(runtime, data),
            )
        except UnrecordedError as error:
            raise ServiceError(error.reason, hint=error.hint, retryable=False) from None
        except UnifiedError as error:
            # It would go on with a run that is gone by then.
            error.next_command = None
            raise


def _wall(started: float, monotonic: Callable[[], float]) -> Callable[[], float]:
    """The time of day of a command that began then, in whole seconds: it stands in requests, as with --since."""
    before = monotonic()
    return lambda: float(int(started + monotonic() - before))


def _folders(runtime: Runtime, data: Path | None) -> dict[str, Path]:
    """The user's folders, with this one for data and none for what is cached."""
    found = {"config": runtime.folder("config"), "data": data}
    return {kind: folder for kind, folder in found.items() if folder is not None}


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    try:
        folder = tempfile.TemporaryDirectory(prefix="unified-replay-", ignore_cleanup_errors=True)
    except OSError as error:
        raise StorageError(f"cannot make a temporary folder: {error.strerror}") from None
    with folder as name:
        yield Path(name)


def _path(option: str, name: str) -> Path:
    if not name:
        raise UsageError(f"{option} is empty", hint=f"{option} FILE.har")
    return Path(name)
