"""Many files into one folder: none overwritten, none lost, each named in a manifest that a second run goes on from."""

import hashlib
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from unified_cli.bulk.batch_download.file_download import Download, Saved
from unified_cli.bulk.client_pool import ClientPool
from unified_cli.bulk.worker_pool import WorkerPool
from unified_cli.errors import StorageError, UnifiedError
from unified_cli.http.client import Client
from unified_cli.http.request import Request
from unified_cli.runtime import Runtime
from unified_cli.storage import atomic_file, file_names
from unified_cli.storage.append_file import AppendFile
from unified_cli.storage.atomic_file import AtomicFile
from unified_cli.storage.file_lock import HeldLock

MANIFEST = "manifest.ndjson"
_LABEL = "manifest"
_MOST_TOLD = 10


@dataclass(frozen=True, slots=True)
class DownloadItem:
    """A file that is wanted: the line that asks for it, its record's id, the request, and names for it.

    `wrong` says why there is no request.
    """

    line: int
    id: str
    request: Request | None
    proposals: tuple[str, ...]
    wrong: str = ""

    @property
    def fingerprint(self) -> str:
        """What tells this file from others, whatever line it is asked for in."""
        asked = f"{self.request.method} {self.request.url}\n".encode() if self.request else b""
        return hashlib.sha256(asked + ((self.request and self.request.body) or b"")).hexdigest()[:32]


class DownloadEntry(msgspec.Struct, omit_defaults=True):
    """A line of the manifest: the file with its size and checksum, or the error."""

    line: int
    id: str
    asked: str
    file: str = ""
    bytes: int = 0
    sha256: str = ""
    error: str = ""


@dataclass(slots=True)
class DownloadSummary:
    """How it went: files `saved` now and `there` before, those that `failed`, and the error that `stopped` it all."""

    saved: int = 0
    there: int = 0
    failed: int = 0
    stopped: UnifiedError | None = None


@dataclass(slots=True)
class TargetFolder:
    """The folder, where no two files get the same name even on a disk that ignores case; for many threads."""

    folder: Path
    label: str = _LABEL
    taken: set[str] = field(
        default_factory=lambda: {file_names.folded(MANIFEST), file_names.folded(f"{MANIFEST}.lock")}
    )
    lock: threading.Lock = field(default_factory=threading.Lock)

    def publish(self, beside: AtomicFile, proposals: tuple[str, ...]) -> Path:
        """Give the file the first name like the proposed one that is free."""
        name = file_names.safe(*proposals)
        with self.lock:
            number = 0
            while True:
                number += 1
                candidate = file_names.numbered(name, number)
                if file_names.folded(candidate) in self.taken:
                    continue
                self.taken.add(file_names.folded(candidate))
                try:
                    beside.publish(self.folder / candidate, replace=False)
                except FileExistsError:
                    continue
                return self.folder / candidate


def run(
    wanted: Iterator[DownloadItem],
    folder: Path,
    client: Callable[[], Client],
    runtime: Runtime,
    *,
    workers: int,
    retries: int,
) -> DownloadSummary:
    """Save all that is wanted and is not there.

    Raises StateError where another process fills the folder, and StorageError.
    """
    held = HeldLock(folder / f"{MANIFEST}.lock")
    held.take(str(folder))
    try:
        atomic_file.sweep(folder / _LABEL)
        return _fill(wanted, folder, client, runtime, workers, retries)
    finally:
        held.release()


def _fill(
    wanted: Iterator[DownloadItem],
    folder: Path,
    client: Callable[[], Client],
    runtime: Runtime,
    workers: int,
    retries: int,
) -> DownloadSummary:
    shelf, tally = TargetFolder(folder), DownloadSummary()
    manifest = _DownloadManifest(folder / MANIFEST)
    there = {entry.asked for entry in manifest.entries if entry.file and _is_there(folder, entry)}

    def jobs() -> Iterator[DownloadItem]:
        for item in wanted:
            if tally.stopped:
                return
            if item.fingerprint in there:
                tally.there += 1
            elif item.request is None:
                _note(item, StorageError(item.wrong), manifest, tally, runtime)
            else:
                yield item

    def save(item: DownloadItem) -> Generator[tuple[DownloadItem, Saved | UnifiedError]]:
        assert item.request is not None  # noqa: S101  others are no jobs
        with clients.lend(client) as lent:
            download = Download(lent, runtime, retries)
            try:
                yield item, download.save(item.request, shelf, only_files=True, proposals=item.proposals)
            except StorageError:
                raise
            except UnifiedError as error:
                yield item, error

    clients = ClientPool(workers)
    with closing(manifest), closing(clients), WorkerPool(workers, save) as pool:
        for item, found in pool.results(jobs()):
            _note(item, found, manifest, tally, runtime)
    return tally


def _note(
    job: DownloadItem,
    found: Saved | UnifiedError,
    manifest: "_DownloadManifest",
    tally: DownloadSummary,
    runtime: Runtime,
) -> None:
    entry = DownloadEntry(job.line, job.id, job.fingerprint)
    if isinstance(found, Saved):
        tally.saved += 1
        entry.file, entry.bytes, entry.sha256 = found.path.name, found.size, found.sha256
    else:
        tally.failed += 1
        entry.error = found.message
        if tally.failed <= _MOST_TOLD:
            runtime.stderr.note(f"line {job.line} failed: {found.message}")
        if found.stops_connection:
            tally.stopped = tally.stopped or found
    manifest.add(entry)


def _is_there(folder: Path, entry: DownloadEntry) -> bool:
    try:
        # Somebody may have edited the manifest.
        return Path(entry.file).name == entry.file and (folder / entry.file).lstat().st_size == entry.bytes
    except OSError:
        return False


class _DownloadManifest:
    """The list of files, written line by line as they come; a torn last line is cut off."""

    def __init__(self, path: Path) -> None:
        self._file = AppendFile(path, mode=0o644)
        try:
            self._file.open(missing_ok=True)
            with self._file.reader() as content:
                whole = content.read().rpartition(b"\n")[0]
            self._file.cut(len(whole) + 1 if whole else 0)
            self.entries = [msgspec.json.decode(line, type=DownloadEntry) for line in whole.splitlines()]
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror}") from None
        except msgspec.DecodeError:
            raise StorageError(f"{path} is no list of downloads (move it away)") from None

    def add(self, entry: DownloadEntry) -> None:
        """Write a line."""
        try:
            self._file.append(msgspec.json.encode(entry) + b"\n")
            self._file.sync()
        except OSError as error:
            raise StorageError(f"cannot write {self._file.path}: {error.strerror}") from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()
