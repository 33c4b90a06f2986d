"""A file that appears whole or not at all."""

import errno
import os
import re
import secrets
from collections.abc import Iterable
from pathlib import Path

from unified_cli.errors import StorageError
from unified_cli.stderr import Stderr


class AtomicFile:
    """A file under way, beside the place it is meant for; it gets its name when it is whole, or goes without a trace.

    Raises OSError as the operating system does; `size` is how many bytes it has.
    """

    def __init__(self, folder: Path, label: str) -> None:
        self._path = folder / f".{_short(label)}.{secrets.token_hex(6)}.part"
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        self._file = os.fdopen(os.open(self._path, flags, 0o600), "w+b")
        self.size = 0

    def write(self, chunk: bytes) -> None:
        """Add some bytes."""
        self._file.write(chunk)
        self.size += len(chunk)

    def restart(self) -> None:
        """Forget what was written."""
        self._file.seek(0)
        self._file.truncate()
        self.size = 0

    def digest(self, name: str) -> bytes:
        """A digest of all that was written, such as `sha256`."""
        import hashlib  # noqa: PLC0415  only downloads have one

        self._file.flush()
        self._file.seek(0)
        return hashlib.file_digest(self._file, name).digest()

    def publish(self, path: Path, *, force: bool) -> None:
        """Have it on the disk and give it its name; FileExistsError where that is taken, unless `force`."""
        self._file.flush()
        os.fsync(self._file.fileno())
        if force:
            self._path.replace(path)
        else:
            _link(self._path, path)
        sync_folder(path.parent)

    def discard(self) -> None:
        """Remove it, unless it has been given its name."""
        self._file.close()
        self._path.unlink(missing_ok=True)


def sweep(folder: Path, label: str) -> None:
    """Remove what killed runs left of files with this label; only for whoever knows that nobody is writing one."""
    left = re.compile(re.escape(f".{_short(label)}") + r"\.[0-9a-f]{12}\.part")
    for other in folder.iterdir():
        if left.fullmatch(other.name):
            other.unlink(missing_ok=True)


def write(name: str, chunks: Iterable[bytes], *, force: bool, stderr: Stderr) -> None:
    """Write the chunks to the file of that name, which must not exist unless `force`.

    It is written beside its place, synced, and only then given its name. Raises StorageError; then nothing is left.
    """
    path = Path(name)
    check(path, force=force)
    try:
        beside = AtomicFile(path.parent, path.name)
        try:
            for chunk in chunks:
                beside.write(chunk)
            beside.publish(path, force=force)
        finally:
            beside.discard()
    except FileExistsError:
        raise StorageError(f"{path} exists (--force overwrites it)") from None
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from None
    stderr.note(f"wrote {beside.size} bytes to {path}")


def check(path: Path, *, force: bool) -> None:
    """Raise StorageError, before anything is asked of the service, for a file that could not be written."""
    if path.is_symlink():
        raise StorageError(f"{path} is a symbolic link; name the file itself")
    if path.is_dir():
        raise StorageError(f"{path} is a folder; name a file in it")
    if path.exists() and not force:
        raise StorageError(f"{path} exists (--force overwrites it)")
    check_folder(path)


def check_folder(path: Path) -> None:
    """Raise StorageError for what names no file, and where the file's folder does not take it."""
    if not path.name or path.name == "..":
        raise StorageError(f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise StorageError(f"there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise StorageError(f"the folder {path.parent} cannot be written")


def sync_folder(folder: Path) -> None:
    """Make new names in a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _link(beside: Path, path: Path) -> None:
    try:
        path.hardlink_to(beside)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links: nothing better than looking once more, then renaming.
        if path.exists() or path.is_symlink():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        beside.replace(path)


def _short(label: str) -> str:
    # A name may have 255 bytes, and so many letters may be four times as many of them.
    return label.encode("utf-8", "surrogateescape")[:200].decode("utf-8", "ignore")
