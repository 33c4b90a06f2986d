"""The manifest of a folder of downloads: a line for each file, or for the error that there is instead of it."""

import threading
from pathlib import Path

import msgspec

from unified_cli.errors import StorageError
from unified_cli.masking import NO_TEXT, MaskedText
from unified_cli.storage import folders, regular_file, state
from unified_cli.storage.append_file import AppendFile
from unified_cli.storage.state import StateLine

_REMEDY = "move it away to download everything again"


class DownloadEntry(msgspec.Struct, omit_defaults=True):
    """A line of the manifest: the file with its size and checksum, or the error.

    `asked` is the fingerprint of what was asked for.
    """

    line: int
    id: str
    asked: str
    file: str = ""
    bytes: int = 0
    sha256: str = ""
    error: MaskedText = NO_TEXT


class DownloadManifest:
    """An open manifest, which only grows; a torn last line is cut off."""

    def __init__(self, path: Path) -> None:
        """Raises StateError for what is no list of downloads, StorageError."""
        self._file = AppendFile(path)
        self._lock = threading.Lock()
        try:
            self._file.open(missing_ok=True)
            folders.sync(path.parent)
            self._entries = [self._entry(line) for line in state.lines(self._file, _REMEDY)]
        except regular_file.NotRegularError:
            raise state.not_regular(path, _REMEDY) from None
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror}") from None
        except BaseException:
            self._file.close()
            raise

    def fingerprints(self) -> set[str]:
        """What was asked for by earlier runs, and is in the folder with the size that it had."""
        return {entry.asked for entry in self._entries if entry.file and self._is_there(entry)}

    def add(self, entry: DownloadEntry) -> None:
        """Write a line, on the disk when this returns; for any thread. Raises StorageError."""
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
            # Somebody may have edited the manifest.
            return Path(entry.file).name == entry.file and (folder / entry.file).lstat().st_size == entry.bytes
        except OSError:
            return False
