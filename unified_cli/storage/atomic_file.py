"""Write files atomically: a file gets its name only after its content was synced."""

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
    """A file was written, but not synced, so a power failure may undo the write.
    `message` names the file.
    """

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(error.errno, error.strerror, str(path.parent))
        self.message = f"{path} is written, but may be lost in a power cut: {error.strerror}"


class AtomicFile:
    """A private temporary file that `publish` renames.

    As a context manager, it removes an unpublished file at the end of the block. Raises
    OSError.
    """

    def __init__(self, temporary: Path) -> None:
        self._file = AppendFile(temporary)
        self._file.create()
        self._file.hold()
        self._synced = False

    @classmethod
    def beside(cls, path: Path) -> Self:
        """Create a temporary file that will become `path`, in the same folder.

        Several processes can do this for the same path at the same time.
        """
        while True:
            made = cls(path.with_name(f".{_short(path.name)}.{os.urandom(6).hex()}.part"))
            if made._file.status.st_nlink:
                return made
            # Before this process locked the file, another process has removed it as a
            # leftover.
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
        """Append some bytes."""
        self._file.append(chunk)

    def restart(self) -> None:
        """Discard the written content."""
        self._file.cut(0)

    def digest(self, name: str) -> bytes:
        """Return a digest of the content, such as `sha256`."""
        with self._file.reader() as content:
            return hashlib.file_digest(content, name).digest()

    def chunks(self) -> Iterator[bytes]:
        """Yield the written content."""
        with self._file.reader() as content:
            while chunk := content.read(_CHUNK):
                yield chunk

    def publish(
        self, path: Path, *, replace: bool, before: Callable[[], None] = lambda: None
    ) -> None:
        """Sync the content, rename the file to `path`, and sync the name.

        `before` is called just before renaming, and may prevent it by raising an error.
        Without `replace`, raises FileExistsError if `path` exists. The caller may then
        try another name.
        """
        if not self._synced:
            self._file.sync()
            self._synced = True
        before()
        try:
            give_name(self._file.path, path, replace=replace)
        except FileNotFoundError:
            # The folder may have been replaced after the check.
            before()
            raise

    def publish_soon(self, path: Path) -> None:
        """Rename the file to `path` without syncing it.

        After a power failure, the file may have any content. Raises OSError.
        """
        self._file.path.replace(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Ignore errors: the file was published, and a later sweep removes leftovers.
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(OSError):
            self._file.path.unlink(missing_ok=True)


def give_name(temporary: Path, path: Path, *, replace: bool) -> None:
    """Give a synced file the name `path`, and sync the folder.

    With `replace`, this replaces an existing file, and removes the temporary name.
    Without `replace`, the temporary name stays, and FileExistsError is raised if `path`
    exists. Raises NotSyncedError if only syncing the folder fails, and OSError.
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
    """Replace the content of a file atomically.

    `before` is called at the beginning and again just before renaming, and may prevent
    the replacement by raising an error. The caller must hold a lock, because an
    existing temporary file is removed as a leftover. Raises OSError if writing fails,
    and any error that `before` raises.
    """
    before()
    temporary = path.with_name(f"{path.name}.tmp")
    temporary.unlink(missing_ok=True)
    with AtomicFile(temporary) as file:
        file.write(content)
        file.publish(path, replace=True, before=before)


def sync(path: Path) -> None:
    """Sync a file and its name to disk, after a library wrote it. Raises OSError."""
    with os.fdopen(regular_file.descriptor(path), "rb") as file:
        os.fsync(file.fileno())
    folders.sync(path.parent)


def sweep(path: Path) -> None:
    """Remove the temporary files of killed processes beside `path`.

    Call it only if no process is writing the file. Raises OSError.
    """
    for other in _temporary_files(path.parent, path.name):
        other.unlink(missing_ok=True)


def sweep_unheld(folder: Path, name: str | None = None) -> None:
    """Remove the temporary files of killed processes, or only those for the file
    `name`.

    Keeps the files that other processes are writing. Older versions of this program do
    not lock their files, so files of running older versions are removed, too. Raises
    OSError.
    """
    for other in _temporary_files(folder, name):
        regular_file.remove_unheld(other)


def _temporary_files(folder: Path, name: str | None) -> list[Path]:
    return [other for other in folder.iterdir() if is_unfinished(other.name, name)]


def is_unfinished(name: str, target: str | None = None) -> bool:
    """Return whether this is the name of a temporary file.

    With `target`, return whether it is the name of a temporary file for `target`.
    """
    begin = r"\..+" if target is None else re.escape(f".{_short(target)}")
    return re.fullmatch(begin + r"\.[0-9a-f]{12}\.part", name) is not None


def _link(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        # Without hard links, check again and rename.
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        temporary.replace(path)


def _short(name: str) -> str:
    # A file name may have 255 bytes, so leave room for the suffix. Do not cut the name
    # within a character.
    return os.fsdecode(os.fsencode(name)[:200].decode("utf-8", "ignore").encode())
