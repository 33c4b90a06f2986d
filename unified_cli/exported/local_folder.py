"""Export to a local folder."""

import hashlib
import os
from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import BinaryIO

from unified_cli import os_limits
from unified_cli.errors import StateError, StorageError, UnsafeError
from unified_cli.exported import checkpoint, parquet_file
from unified_cli.exported.checkpoint import REPLACE, START_ANEW, Checkpoint, ListIdentity
from unified_cli.exported.list_export import ListExportOptions
from unified_cli.exported.manifest import ManifestEntry
from unified_cli.exported.partial_file import PartialFile
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.storage import (
    atomic_file,
    folders,
    output_file,
    permissions,
    regular_file,
    state,
)
from unified_cli.storage.atomic_file import AtomicFile
from unified_cli.storage.file_lock import HeldLock
from unified_cli.storage.folders import FixedFolder

_BLOCK = 1024 * 1024
# The largest manifest, in bytes. A list takes a few hundred bytes of it, so this is
# enough for all lists of ten thousand connections.
_LARGEST = 1024 * 1024 * 1024
# A finished list keeps two files open until it is in the manifest. These lists may use
# only a share of the allowed open files.
_LEAST_UNREPORTED, _SHARE = 4, 8


class LocalFolder:
    """A folder with a file for each list. Links in it are not followed."""

    save_seconds = 1.0

    def __init__(self, runtime: Runtime, folder: Path) -> None:
        """Raises StorageError if the folder is relative and the working directory was
        removed.
        """
        os_limits.absolute(folder)
        self.most_unreported = max(_LEAST_UNREPORTED, os_limits.open_files() // _SHARE)
        self._runtime = runtime
        self._folder = folder
        self._root = FixedFolder(folder)
        self._writes = False

    def __str__(self) -> str:
        return str(self._folder)

    @contextmanager
    def hold(self, manifest: str) -> Generator[None]:
        """Create the folder, and lock the manifest during the block.

        Raises StateError if another run has the lock, UnsafeError if a link is
        dangling, and StorageError if the folder cannot be used.
        """
        lock = HeldLock(self._folder / f"{manifest}.lock", "--to a folder on another disk")
        if not self._folder.exists():
            self._make()
        elif not self._folder.is_dir():
            raise StorageError(f"{self._folder} is not a folder", hint="give another name to --to")
        self._root.fix()
        lock.take(f"the export to {self._folder}")
        self._writes = True
        try:
            yield
        finally:
            lock.release()

    def is_held(self, manifest: str) -> bool:
        """Return whether another run has locked the manifest."""
        path = self._folder / f"{manifest}.lock"
        if not path.exists():
            return False
        lock = HeldLock(path)
        try:
            lock.take(manifest)
        except StateError:
            return True
        lock.release()
        return False

    def _make(self) -> None:
        for parent in (self._folder, *self._folder.parents):
            if parent.is_symlink() and not parent.exists():
                # The creator of the link would choose where the files go.
                raise UnsafeError(
                    f"{parent} is a symbolic link that leads nowhere",
                    hint="give the folder itself to --to",
                )
        output_file.check_folder(self._folder)
        _make(self._folder)

    def check_held(self) -> None:
        """Do nothing: no other run can take over a held lock."""

    def check(self, folder: str) -> None:
        """Raise UnsafeError if the folder or a parent is a link.

        Raises StorageError if it cannot be checked.
        """
        self._checked(f"{folder}/any")

    def _checked(self, name: str) -> Path:
        path = self._folder / name
        self._root.check(path)
        return path

    def read(self, name: str) -> bytes | None:
        """Return a small file, or None.

        Raises StateError if the file is too large, UnsafeError if its folder is a link,
        ConfigError if this is a run and others can write the file, and StorageError if
        reading fails.
        """
        path = self._folder / name
        folders.check_below(self._folder, path)
        if self._writes:
            # A run trusts this file, so others must not be able to write it. Other
            # commands may read exports of other users.
            permissions.check_if_there(path)
        return state.whole(path, START_ANEW, largest=_LARGEST)

    def replace(self, name: str, text: bytes) -> None:
        """Write a small file atomically.

        Raises UnsafeError if the folder was replaced, and StorageError if writing
        fails.
        """
        path = self._folder / name
        if not path.parent.exists():
            self._root.check(path)
            _make(path.parent)
        with _storage_errors(f"write {path}"):
            atomic_file.replace(path, text, lambda: self._root.check(path))

    def create(self, name: str, text: bytes) -> bool:
        """Write a small file unless it exists, and return whether it was written.

        Raises the same errors as `replace`.
        """
        path = self._checked(name)
        _make(path.parent)
        try:
            with AtomicFile.beside(path) as file:
                file.write(text)
                file.publish(path, replace=False, before=lambda: self._root.check(path))
        except FileExistsError:
            return False
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror}") from None
        return True

    def listed(self, folder: str) -> list[str]:
        """Return the names in a folder, if it exists.

        Raises UnsafeError if it is a link, and StorageError if it cannot be read.
        """
        path = self._folder / folder
        self.check(folder)
        with _storage_errors(f"read the folder {path}"):
            return [child.name for child in path.iterdir()] if os.path.lexists(path) else []

    def drop(self, names: Collection[str]) -> None:
        """Remove small files. Raises the same errors as `remove`."""
        for name in names:
            self.remove(name)

    def target(self, file: str, identity: ListIdentity, options: ListExportOptions) -> PartialFile:
        """Return the file of a list, and create its folder.

        Raises UnsafeError if the folder is a link, and StorageError if it cannot be
        created.
        """
        path = self._checked(file)
        _make(path.parent)
        return PartialFile(
            path,
            identity,
            self._runtime,
            instead=REPLACE,
            root=self._root,
            convert=partial(parquet_file.write, columns=options.parquet)
            if options.parquet
            else None,
        )

    def holds(self, entry: ManifestEntry) -> bool:
        """Return whether the file exists.

        Compares the content only if the modification time has changed. Raises
        StateError if the file was changed, UnsafeError if there is a link, and
        StorageError if it cannot be read.
        """
        path = self._folder / entry.file
        folders.check_below(self._folder, path)
        if not entry.complete or not os.path.lexists(path):
            return False
        try:
            with os.fdopen(regular_file.descriptor(path), "rb") as file:
                found = os.fstat(file.fileno())
                same = found.st_size == entry.bytes
                if same and found.st_mtime_ns != entry.modified:
                    same = hashlib.file_digest(file, "sha256").hexdigest() == entry.sha256
        except regular_file.NotRegularError:
            same = False
        except OSError as error:
            raise StorageError(f"cannot read {path}: {error.strerror}") from None
        if not same:
            raise StateError(f"{path} is not the file that was exported", hint=REPLACE)
        entry.modified = found.st_mtime_ns
        return True

    def begin_anew(self, file: str, *, keep: bool) -> None:
        """Remove the unfinished parts of a file, unless `keep`.

        Raises UnsafeError if its folder is a link.
        """
        if keep:
            # Keep the file as the start of its list.
            return
        path = self._checked(file)
        if path.with_name(f"{path.name}.ckpt").exists():
            atomic_file.sweep(path)
        self._remove_beside(file)

    def read_checkpoint(self, file: str) -> Checkpoint | None:
        """Return the checkpoint of an unfinished file, or None.

        Raises StateError if the checkpoint is damaged.
        """
        path = self._checked(file)
        return checkpoint.read(path.with_name(f"{path.name}.ckpt"))

    def sweep(self, entry: ManifestEntry) -> None:
        """Remove the files that a killed run left beside a complete file."""
        self._remove_beside(entry.file)

    def _remove_beside(self, file: str) -> None:
        path = self._folder / file
        for end in ("ckpt", "ckpt.tmp", "part", "lock"):
            path.with_name(f"{path.name}.{end}").unlink(missing_ok=True)

    def records(self, file: str) -> Iterator[bytes]:
        """Yield the records of a file. Raises StorageError."""
        path = self._folder / file
        with (
            _storage_errors(f"read {path}"),
            os.fdopen(regular_file.descriptor(path), "rb") as content,
        ):
            if path.suffix == ".parquet":
                yield from parquet_file.records(content)
            else:
                yield from (line.removesuffix(b"\n") for line in content)

    def remove(self, name: str) -> None:
        """Remove a file, if it exists.

        Raises UnsafeError if its folder is a link, and StorageError if removing fails.
        """
        path = self._checked(name)
        with _storage_errors(f"remove {path}"):
            path.unlink(missing_ok=True)

    def clear(self, file: str) -> None:
        """Remove a list, finished or not, with all files beside it.

        Raises the same errors as `remove`.
        """
        # Remove the checkpoint first. After a kill, the next run ignores the other
        # files.
        self._remove_beside(file)
        self.remove(file)

    def place(self, file: str) -> str:
        """Return the name of a list's file, as the manifest has it."""
        return file

    def manifests(self) -> list[str]:
        """Return the names of all manifests.

        Raises StateError if there is no such folder, and StorageError if it cannot be
        read.
        """
        try:
            return sorted(
                path.name for path in self._folder.iterdir() if fnmatch(path.name, "manifest*.json")
            )
        except FileNotFoundError:
            raise StateError(f"there is no folder {self._folder}") from None
        except NotADirectoryError:
            raise StateError(
                f"{self._folder} is a file, not the folder of an export",
                hint="name the folder that export --to wrote",
            ) from None
        except OSError as error:
            raise StorageError(f"cannot read the folder {self._folder}: {error.strerror}") from None

    def differences(self, entry: ManifestEntry) -> Iterator[str]:
        """Yield the differences between a file and its entry.

        Raises UnsafeError if its folder is a link.
        """
        path = self._folder / entry.file
        try:
            folders.check_below(self._folder, path)
            with os.fdopen(regular_file.descriptor(path), "rb") as file:
                size = os.fstat(file.fileno()).st_size
                if size != entry.bytes:
                    yield f"{counted(size, 'byte')}, not {entry.bytes}"
                elif hashlib.file_digest(file, "sha256").hexdigest() != entry.sha256:
                    yield "not the bytes that were written"
                elif path.suffix == ".ndjson" and (lines := _lines(file)) != entry.records:
                    yield f"{counted(lines, 'record')}, not {entry.records}"
        except OSError as error:
            yield error.strerror or "cannot be read"


@contextmanager
def _storage_errors(what: str) -> Iterator[None]:
    """Turn an OSError into a StorageError that says what cannot be done."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"cannot {what}: {error.strerror}") from None


def _make(folder: Path) -> None:
    try:
        folders.make_private(folder)
    except OSError as error:
        raise StorageError(
            f"cannot make the folder {folder}: {error.filename}: {error.strerror}"
        ) from None


def _lines(file: BinaryIO) -> int:
    file.seek(0)
    return sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b""))
