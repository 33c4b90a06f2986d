"""Download many files into one folder. No file is overwritten, and a manifest lists the
files for the next run.
"""

import hashlib
import os
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

import msgspec

from unified_cli.call import Call, download_targets
from unified_cli.call.download_targets import Proposals
from unified_cli.call.file_download import Download, SavedFile
from unified_cli.errors import StorageError, UnifiedError
from unified_cli.fleet.conclude import Ending
from unified_cli.fleet.read import FairReaders
from unified_cli.http.request import Request
from unified_cli.masking import NO_TEXT, MaskedText
from unified_cli.output.progress import Progress
from unified_cli.storage import atomic_file, names, permissions, regular_file, state
from unified_cli.storage.append_file import AppendFile
from unified_cli.storage.atomic_file import AtomicFile
from unified_cli.storage.file_lock import HeldLock
from unified_cli.storage.state import StateLine

MANIFEST = "manifest.ndjson"
_LOCK = f"{MANIFEST}.lock"
_LABEL = "manifest"
_MOST_PRINTED = 10
_REMEDY = "move it away to download everything again"


class DownloadEntry(msgspec.Struct, omit_defaults=True):
    """A line of the manifest: the file with its size and checksum, or the error.

    `asked` is the fingerprint of the request.
    """

    line: int
    id: str
    asked: str
    file: str = ""
    bytes: int = 0
    sha256: str = ""
    error: MaskedText = NO_TEXT


class DownloadManifest:
    """An open manifest, to append to. A partial last line is removed."""

    def __init__(self, path: Path) -> None:
        """Raises StateError if the file is not a manifest.

        Raises ConfigError if others can write it, and StorageError if it cannot be
        read.
        """
        permissions.check_if_there(path)
        self._file = AppendFile(path)
        self._lock = threading.Lock()
        try:
            self._file.open(missing_ok=True)
            self._file.sync_name()
            self._entries = [self._entry(line) for line in state.lines(self._file, _REMEDY)]
        except regular_file.NotRegularError:
            raise state.not_regular(path, _REMEDY) from None
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror}") from None
        except BaseException:
            self._file.close()
            raise

    def fingerprints(self) -> set[str]:
        """Return the fingerprints of the listed files that exist and have the listed
        size.
        """
        return {entry.asked for entry in self._entries if entry.file and self._is_there(entry)}

    def add(self, entry: DownloadEntry) -> None:
        """Append a line, and sync it to disk.

        Thread-safe. Raises StorageError.
        """
        try:
            with self._lock:
                self._file.append(msgspec.json.encode(entry) + b"\n")
                self._file.sync()
        except OSError as error:
            raise StorageError(f"cannot write {self._file.path}: {error.strerror}") from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _entry(self, line: StateLine) -> DownloadEntry:
        entry = state.decoded(line.text, DownloadEntry)
        if entry is None:
            raise state.damage(self._file.path, line.number, _REMEDY)
        return entry

    def _is_there(self, entry: DownloadEntry) -> bool:
        folder = self._file.path.parent
        try:
            # The manifest may have been edited, so do not follow a name out of the
            # folder.
            return (
                Path(entry.file).name == entry.file
                and (folder / entry.file).lstat().st_size == entry.bytes
            )
        except OSError:
            return False


@dataclass(frozen=True, slots=True)
class DownloadItem:
    """A file to download: its input line, its record's id, its request, and possible
    names for the file.

    With a `lookup`, `request` only identifies the file. The lookup reads the record,
    and `found` returns the request for its file. `wrong` says why there is no request.
    """

    line: int
    id: str
    request: Request | None
    proposals: tuple[str, ...]
    wrong: str = ""
    lookup: Request | None = None
    found: Callable[[bytes], tuple[Request, tuple[str, ...]]] | None = None

    @property
    def fingerprint(self) -> str:
        """The identity of a file, which does not depend on the line."""
        asked = f"{self.request.method} {self.request.url}\n".encode() if self.request else b""
        return hashlib.sha256(asked + ((self.request and self.request.body) or b"")).hexdigest()[
            :32
        ]


@dataclass(slots=True)
class DownloadSummary:
    """The results of a run: the number of files that were `saved`, that already existed
    (`there`), or that `failed`.

    `stopped` is the error that ended the run early, if any.
    """

    saved: int = 0
    there: int = 0
    failed: int = 0
    stopped: UnifiedError | None = None

    def ending(self, total: int, manifest: Path) -> Ending:
        """Return how the download of `total` files ended. `manifest` is the list of
        these files.
        """
        left = total - self.saved - self.there - self.failed
        stopped = self.stopped if left else None
        return Ending(
            "file",
            total,
            not_tried=left,
            stopped=stopped,
            see={"failed": manifest},
            unnamed=self.failed,
        )


def run(
    items: Iterator[DownloadItem], folder: Path, call: Call, readers: FairReaders, shown: Progress
) -> DownloadSummary:
    """Save all files that are not in the folder yet.

    `shown` counts the files and their bytes.

    Raises StateError if another process uses the folder, ConfigError if others can
    write the manifest, and StorageError if the folder cannot be used.
    """
    lock = HeldLock(folder / _LOCK, "--out a folder on another disk")
    lock.take(str(folder))
    try:
        atomic_file.sweep(folder / _LABEL)
        with closing(DownloadManifest(folder / MANIFEST)) as manifest:
            return _DownloadBatch(folder, call, readers, shown, manifest).run(items)
    finally:
        lock.release()


@dataclass(frozen=True, slots=True)
class _ListedFile:
    """The target for an item's file. The file is added to the manifest before it gets
    its final name.
    """

    item: DownloadItem
    batch: "_DownloadBatch"
    folder: Path
    label: str = _LABEL
    """The temporary name of the file."""

    def publish(self, file: AtomicFile, proposals: Proposals, sha256: str) -> Path:
        """Add the file to the manifest, and rename it to its final name. Raises
        StorageError or OSError if that fails.
        """
        item = self.item
        entry = DownloadEntry(item.line, item.id, item.fingerprint, bytes=file.size, sha256=sha256)
        return self.batch.publish(file, proposals, entry)


class _DownloadBatch:
    """A run, with the folder's lock and manifest.

    No name is used twice, even if the disk ignores case.
    """

    def __init__(
        self,
        folder: Path,
        call: Call,
        readers: FairReaders,
        shown: Progress,
        manifest: DownloadManifest,
    ) -> None:
        self._folder, self._call, self._readers = folder, call, readers
        self._shown, self._manifest = shown, manifest
        self._lock = threading.Lock()
        self._taken = {names.folded(name) for name in (MANIFEST, _LOCK)}
        self._summary = DownloadSummary()

    def publish(self, file: AtomicFile, proposals: Proposals, entry: DownloadEntry) -> Path:
        """Add a file to the manifest, then rename it to the first free name that is
        like a proposed name.

        Thread-safe. If the run is killed, every file with its final name is listed, but
        a listed file may be missing.
        """
        name = download_targets.safe_name(*proposals)
        with self._lock:
            for number in count(1):
                candidate = download_targets.numbered(name, number)
                path = self._folder / candidate
                if names.folded(candidate) in self._taken or os.path.lexists(path):
                    continue
                self._taken.add(names.folded(candidate))
                listed = msgspec.structs.replace(entry, file=candidate)
                with suppress(FileExistsError):
                    file.publish(path, replace=False, before=partial(self._manifest.add, listed))
                    break
        return path

    def run(self, items: Iterator[DownloadItem]) -> DownloadSummary:
        """Download the items. Raises StorageError."""
        with closing(
            self._readers.read(self._items_to_download(items), self._save, connections=1)
        ) as results:
            for item, outcome in results:
                self._note(item, outcome)
        return self._summary

    def _items_to_download(self, items: Iterator[DownloadItem]) -> Iterator[DownloadItem]:
        saved = self._manifest.fingerprints()
        for item in items:
            if self._summary.stopped:
                return
            if item.fingerprint in saved:
                self._summary.there += 1
                self._shown.skip(parts=1)
            elif item.request is None:
                self._note(item, StorageError(item.wrong))
            else:
                yield item

    def _save(self, item: DownloadItem) -> Generator[tuple[DownloadItem, SavedFile | UnifiedError]]:
        assert item.request is not None  # noqa: S101  others are not missing
        settings = self._call.settings
        with self._readers.lend("", partial(self._readers.clients.open_bulk, settings)) as client:
            download = Download(client, self._call.runtime, settings.retries, self._shown)
            target = _ListedFile(item, self, self._folder)
            request, proposals = item.request, item.proposals
            try:
                if item.lookup and item.found:
                    request, proposals = item.found(client.send(item.lookup).body or b"")
                saved = download.save(request, target, only_files=True, proposals=proposals)
            except StorageError:
                raise
            except UnifiedError as error:
                yield item, error
            else:
                yield item, saved

    def _note(self, item: DownloadItem, outcome: SavedFile | UnifiedError) -> None:
        self._shown.add(parts=1, failed=not isinstance(outcome, SavedFile))
        if isinstance(outcome, SavedFile):
            self._summary.saved += 1
            return
        self._summary.failed += 1
        if self._summary.failed <= _MOST_PRINTED:
            self._call.runtime.stderr.line(f"line {item.line} failed: {outcome.one_line}")
        if outcome.stops_connection:
            self._summary.stopped = self._summary.stopped or outcome
        self._manifest.add(
            DownloadEntry(item.line, item.id, item.fingerprint, error=outcome.one_line)
        )
