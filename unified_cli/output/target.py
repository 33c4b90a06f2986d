"""A file that appears whole or not at all."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from unified_cli.errors import StorageError
from unified_cli.talk import Talk


def write(name: str, chunks: Iterable[bytes], *, force: bool, talk: Talk) -> None:
    """Write the chunks to the file of that name, which must not exist unless `force`.

    It is written beside its place, synced, and only then given its name. Raises StorageError; then nothing is left.
    """
    path = Path(name)
    check(path, force=force)
    beside = path.with_name(f".{path.name[:200]}.{secrets.token_hex(6)}.part")
    try:
        try:
            size = _fill(beside, chunks)
            _publish(beside, path, force=force)
        finally:
            beside.unlink(missing_ok=True)
        sync_folder(path.parent)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from None
    talk.note(f"wrote {size} bytes to {path}")


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
    """Raise StorageError where the file's folder does not take it."""
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


def _fill(path: Path, chunks: Iterable[bytes]) -> int:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(handle, "wb") as file:
        for chunk in chunks:
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
        return file.tell()


def _publish(beside: Path, path: Path, *, force: bool) -> None:
    if force:
        beside.replace(path)
        return
    try:
        path.hardlink_to(beside)
    except FileExistsError:
        raise StorageError(f"{path} exists (--force overwrites it)") from None
    except OSError:
        # A file system without hard links: nothing better than looking once more, then renaming.
        check(path, force=False)
        beside.replace(path)
