"""Write a file completely or not at all: it gets its name only after it is written and
synced.
"""

import contextlib
import errno
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

from unified_cli.storage import folders, regular_file
from unified_cli.storage.append_file import AppendFile

_CHUNK = 1024 * 1024


class NotSyncedError(OSError):
    """A file has its name and its content, but a power failure may undo this.

    `message` says so, and names the file.
    """

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(error.errno, error.strerror, str(path.parent))
        self.message = f"{path} is written, but may be lost in a power cut: {error.strerror}"


class AtomicFile:
    """A new file under a temporary name, private to this user; `publish` gives it its
    own name.

    It is a context manager that removes an unpublished file at its end. Raises OSError
    as the operating system does.
    """

    def __init__(self, temporary: Path) -> None:
        self._file = AppendFile(temporary)
        self._file.create()
        self._file.hold()
        self._synced = False

    @classmethod
    def beside(cls, path: Path) -> Self:
        """Return a new file that will become `path`. It is in the same folder.

        Any number of processes can make one for the same path.
        """
        while True:
            made = cls(path.with_name(f".{_short(path.name)}.{os.urandom(6).hex()}.part"))
            if made._file.status.st_nlink:
                return made
            # Another process removed it as a leftover, just before it was locked.
            made._file.close()

    @property
    def folder(self) -> Path:
        """The folder of the file."""
        return self._file.path.parent

    @property
    def size(self) -> int:
        """The number of bytes written."""
        return self._file.size

    def write(self, chunk: bytes) -> None:
        """Add some bytes."""
        self._file.append(chunk)

    def restart(self) -> None:
        """Discard the written content."""
        self._file.cut(0)

    def digest(self, name: str) -> bytes:
        """Return a digest of the content, such as `sha256`."""
        with self._file.reader() as content:
            return hashlib.file_digest(content, name).digest()

    def chunks(self) -> Iterator[bytes]:
        """Yield all that was written."""
        with self._file.reader() as content:
            while chunk := content.read(_CHUNK):
                yield chunk

    def publish(
        self, path: Path, *, replace: bool, before: Callable[[], None] = lambda: None
    ) -> None:
        """Sync the content, then give the file the name `path`.

        The name is synced, too.

        `before` is called just before the file gets its name; if it raises, nothing has
        changed. Raises FileExistsError if the name is taken, unless `replace`; the
        caller may then try another name.
        """
        if not self._synced:
            self._file.sync()
            self._synced = True
        before()
        give_name(self._file.path, path, replace=replace)

    def publish_soon(self, path: Path) -> None:
        """Give the file the name `path` at once.

        After a power failure the file may hold anything. Raises OSError.
        """
        self._file.path.replace(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Leftovers are swept later: the file is published, so this is not a failure.
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(OSError):
            self._file.path.unlink(missing_ok=True)


def give_name(temporary: Path, path: Path, *, replace: bool) -> None:
    """Give a synced file the name `path`, and sync it.

    Without `replace` it also keeps its temporary name.

    Raises FileExistsError if the name is taken, unless `replace`, NotSyncedError if the
    file has its name but the folder cannot be synced, and another OSError if anything
    else fails.
    """
    if replace:
        temporary.replace(path)
    else:
        _link(temporary, path)
    try:
        folders.sync(path.parent)
    except OSError as error:
        raise NotSyncedError(path, error) from None


def replace(path: Path, content: bytes, before: Callable[[], None] = lambda: None) -> None:
    """Give the file at `path` this content, atomically.

    It always has the complete old or new content.

    `before` is called first, and again just before the new file gets its name; if it
    raises, the old content stays. The caller must hold a lock: a file under the
    temporary name is treated as a leftover of a killed process. Raises OSError, and the
    errors of `before`.
    """
    before()
    temporary = path.with_name(f"{path.name}.tmp")
    temporary.unlink(missing_ok=True)
    with AtomicFile(temporary) as file:
        file.write(content)
        file.publish(path, replace=True, before=before)


def sync(path: Path) -> None:
    """Sync a file that a library wrote, and its name, to disk. Raises OSError."""
    with os.fdopen(regular_file.descriptor(path), "rb") as file:
        os.fsync(file.fileno())
    folders.sync(path.parent)


def sweep(path: Path) -> None:
    """Remove the temporary files that killed processes left beside `path`.

    The caller must know that no process is writing the file. Raises OSError.
    """
    for other in _temporary_files(path.parent, path.name):
        other.unlink(missing_ok=True)


def sweep_unheld(folder: Path, name: str | None = None) -> None:
    """Remove leftovers of killed processes.

    With `name`, only the leftovers of that file are removed.

    A file that another process is writing stays. Raises OSError.

    Older versions do not lock the file that they write, so it may be removed, and must
    then be written again.
    """
    for other in _temporary_files(folder, name):
        regular_file.remove_unheld(other)


def _temporary_files(folder: Path, name: str | None) -> list[Path]:
    return [other for other in folder.iterdir() if is_unfinished(other.name, name)]


def is_unfinished(name: str, of: str | None = None) -> bool:
    """Return whether a name is that of a temporary file.

    With `of`, only the temporary files for that name count.
    """
    begin = r"\..+" if of is None else re.escape(f".{_short(of)}")
    return re.fullmatch(begin + r"\.[0-9a-f]{12}\.part", name) is not None


def _link(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        # Without hard links, the best that is left is to check again and rename.
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        temporary.replace(path)


def _short(name: str) -> str:
    # A name may have 255 bytes, and this many letters may be four times as many bytes.
    return os.fsdecode(os.fsencode(name)[:200].decode("utf-8", "ignore").encode())
