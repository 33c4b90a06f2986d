"""A private temporary file, which the system removes when the process ends."""

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Self

from unified_cli.errors import StorageError
from unified_cli.storage import folders

_PREFIX = "spool-"
# On some systems, a new file has a name for a moment, so remove only files that are
# older than this.
_NAMED_SECONDS = 60.0


class SpoolFile:
    """A temporary file to append to and to read at any position. Use it as a context
    manager.
    """

    def __init__(self, folder: Path | None, wall: float) -> None:
        """Create the file in `folder` or in the system's temporary folder.

        `wall` is the present time. Also removes files of killed processes. Raises
        StorageError.
        """
        self._size = 0
        try:
            if folder is not None:
                folders.make_private(folder)
                _sweep(folder, wall - _NAMED_SECONDS)
            # `__exit__` closes the file.
            self._file = tempfile.TemporaryFile(prefix=_PREFIX, dir=folder)  # noqa: SIM115
        except OSError as error:
            where = folder or "the folder for temporary files"
            raise StorageError(f"cannot write into {where}: {error.strerror}") from None
        self._folder = folder

    def append(self, data: bytes) -> int:
        """Append some bytes, and return their position. Raises StorageError."""
        at = self._size
        try:
            self._file.write(data)
        except OSError as error:
            raise self._failure(error) from None
        self._size += len(data)
        return at

    def flush(self) -> None:
        """Write buffered bytes, so that they can be read. Raises StorageError."""
        try:
            self._file.flush()
        except OSError as error:
            raise self._failure(error) from None

    def read(self, size: int, at: int) -> bytes:
        """Return `size` bytes from the position `at`. Call `flush` first."""
        return os.pread(self._file.fileno(), size, at)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Bytes that were not written are no longer needed.
        with contextlib.suppress(OSError):
            self._file.close()

    def _failure(self, error: OSError) -> StorageError:
        return StorageError(
            f"cannot write a temporary file in {self._folder or 'its folder'}: {error.strerror}"
        )


def _sweep(folder: Path, before: float) -> None:
    for path in folder.glob(f"{_PREFIX}*"):
        with contextlib.suppress(FileNotFoundError):
            if path.lstat().st_mtime < before:
                path.unlink()
