"""A file that somebody named for a result: checked before anything is asked of the service, and written whole."""

import os
from collections.abc import Iterable
from pathlib import Path

from unified_cli.errors import StorageError
from unified_cli.storage import output_stream
from unified_cli.storage.atomic_file import AtomicFile


def write(path: Path, chunks: Iterable[bytes], *, force: bool) -> int:
    """Write the chunks to the file, which must not exist unless `force`; gives how many bytes they are.

    Raises StorageError; then nothing is left of it.
    """
    check(path, force=force)
    try:
        with AtomicFile.beside(path) as file:
            for chunk in chunks:
                file.write(chunk)
            file.publish(path, replace=force)
    except FileExistsError:
        raise StorageError(f"{path} exists", hint="--force overwrites it") from None
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from None
    return file.size


def check(path: Path, *, force: bool) -> None:
    """Raise StorageError, before anything is asked of the service, for a file that could not be written."""
    if path.is_symlink():
        raise StorageError(f"{path} is a symbolic link; name the file itself")
    if path.is_dir():
        raise StorageError(f"{path} is a folder; name a file in it")
    if output_stream.is_special(path):
        raise StorageError(f"{path} is not a regular file and is left alone")
    if path.exists() and not force:
        raise StorageError(f"{path} exists", hint="--force overwrites it")
    check_folder(path)


def check_new(path: Path) -> None:
    """The same for a file that is never overwritten."""
    if path.is_file() and not path.is_symlink():
        raise StorageError(f"{path} exists", hint="name another file, or remove it")
    check(path, force=False)


def check_folder(path: Path) -> None:
    """Raise StorageError for what names no file, and where the file's folder does not take it."""
    if not path.name or path.name == "..":
        raise StorageError(f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise StorageError(f"there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise StorageError(f"the folder {path.parent} cannot be written")
