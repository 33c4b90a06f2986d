"""A file that somebody named for a result: checked before anything is asked of the service, and written whole."""

import os
from collections.abc import Iterable
from pathlib import Path

from unified_cli.errors import StorageError
from unified_cli.storage import atomic_file, output_stream
from unified_cli.storage.atomic_file import AtomicFile

OVERWRITE = "--force overwrites it"
ANOTHER = "name another file, or remove it"


def write(path: Path, chunks: Iterable[bytes], *, force: bool, instead: str = OVERWRITE) -> int:
    """Write the chunks to the file, which must not exist unless `force`; gives how many bytes they are.

    `instead` says what to do about a file that is there. Raises StorageError; then nothing is left of it.
    """
    check(path, force=force, instead=instead)
    try:
        atomic_file.sweep_unheld(path.parent, path.name)
        with AtomicFile.beside(path) as file:
            for chunk in chunks:
                file.write(chunk)
            file.publish(path, replace=force)
    except FileExistsError:
        raise StorageError(f"{path} exists", hint=instead) from None
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from None
    return file.size


def check(path: Path, *, force: bool, instead: str = OVERWRITE) -> None:
    """Raise StorageError, before anything is asked of the service, for a file that could not be written."""
    if path.is_symlink():
        raise StorageError(f"{path} is a symbolic link; name the file itself")
    if path.is_dir():
        raise StorageError(f"{path} is a folder; name a file in it")
    if output_stream.is_special(path):
        raise StorageError(f"{path} is not a regular file and is left alone")
    if path.exists() and not force:
        raise StorageError(f"{path} exists", hint=instead)
    check_folder(path)


def check_folder(path: Path) -> None:
    """Raise StorageError for what names no file, and where the file's folder does not take it."""
    if not path.name or path.name == "..":
        raise StorageError(f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise StorageError(f"there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise StorageError(f"the folder {path.parent} cannot be written")
