"""Write a file page by page. It can be resumed after a kill, and gets its name when it
is complete.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from unified_cli.errors import StateError, StorageError
from unified_cli.exported import checkpoint
from unified_cli.exported.checkpoint import START_ANEW, Checkpoint, ListIdentity
from unified_cli.exported.manifest import timestamp
from unified_cli.runtime import Runtime
from unified_cli.storage import (
    atomic_file,
    folders,
    output_file,
    permissions,
    regular_file,
    state,
)
from unified_cli.storage.append_file import AppendFile
from unified_cli.storage.atomic_file import AtomicFile
from unified_cli.storage.file_lock import HeldLock
from unified_cli.storage.folders import FixedFolder

# Sync pages to disk after this many seconds or bytes.
_SECONDS, _BYTES = 1.0, 8 * 1024 * 1024
_WITHOUT_LOCKS = "--out a file on another disk, or > FILE"
Convert = Callable[[BinaryIO, Callable[[bytes], None]], None]
"""Converts NDJSON in the file to another format, and passes the bytes to the
function.
"""


class PartialFile:
    """`T.part`, `T.ckpt` and `T.lock` beside the target `T`.

    Even after a kill, the part file begins with the complete pages that the checkpoint
    counts. All methods raise StorageError if the file system fails.
    """

    def __init__(
        self,
        path: Path,
        identity: ListIdentity,
        runtime: Runtime,
        *,
        instead: str = "--force overwrites it",
        root: FixedFolder | None = None,
        convert: Convert | None = None,
    ) -> None:
        """`instead` is the hint if the file already exists.

        Links below `root` are not followed. `convert` creates the final file from the
        part file.
        """
        self.path = path
        self._root = root or FixedFolder(path.parent)
        self._exists = f"{path} exists ({instead})"
        self._part = path.with_name(f"{path.name}.part")
        self._ckpt = path.with_name(f"{path.name}.ckpt")
        self._lock = HeldLock(path.with_name(f"{path.name}.lock"), _WITHOUT_LOCKS)
        self._monotonic, self._wall = runtime.monotonic, runtime.wall
        self._file = AppendFile(self._part)
        self._hash = self._counted = hashlib.sha256()
        self._safe_bytes, self._safe_at = 0, 0.0
        self._identity = identity
        self._convert = convert
        self.state = self._fresh()

    def _fresh(self) -> Checkpoint:
        return Checkpoint.begin(self._identity, timestamp(self._wall()))

    def open(self, *, force: bool, restart: bool = False, keep: bool = False) -> None:
        """Take the lock, and resume an earlier run or begin.

        `restart` discards the earlier run, but `keep` retains its pages. Raises
        StateError if the earlier run had other options, is damaged, or is still
        running, and UnsafeError if a folder is a link.
        """
        self._check()
        output_file.check_folder(self.path)
        self._root.fix()
        self._lock.take(str(self.path))
        try:
            self._open(force=force, restart=restart, keep=keep)
        except regular_file.NotRegularError:
            raise state.not_regular(self._part, START_ANEW) from None
        except OSError as error:
            raise self._failure(error, self._part) from None

    def _open(self, *, force: bool, restart: bool, keep: bool) -> None:
        if restart and not keep:
            if self._ckpt.exists():
                atomic_file.sweep(self.path)
            self._ckpt.unlink(missing_ok=True)
            self._part.unlink(missing_ok=True)
        earlier = self._earlier()
        if earlier is not None and earlier.complete and not restart and self._is_published(earlier):
            self._part.unlink(missing_ok=True)
            self.state = earlier
            return
        if self.path.exists() and not force:
            raise StorageError(self._exists)
        output_file.check(self.path, force=force)
        if earlier is None:
            if self._part.exists() or self._part.is_symlink():
                raise StateError(
                    f"{self._part} exists without its checkpoint (--restart removes it)"
                )
            # Write the checkpoint first: we only use a part file with a checkpoint.
            self._write_state()
            self._file.create()
            folders.sync(self.path.parent)
        else:
            self._resume(earlier)
            if restart:
                self.state = self.state.begun_again()
        self._safe_bytes, self._safe_at = self.state.bytes, self._monotonic()

    def _earlier(self) -> Checkpoint | None:
        """Return the checkpoint of an earlier run.

        Raises StateError if it exported another list, and ConfigError if others can
        write the checkpoint.
        """
        permissions.check_if_there(self._ckpt)
        earlier = checkpoint.read(self._ckpt)
        if earlier is None:
            return None
        atomic_file.sweep(self.path)
        if self._identity.begins_elsewhere(earlier.options):
            self._part.unlink(missing_ok=True)
            self._ckpt.unlink(missing_ok=True)
            return None
        if earlier.fingerprint != self.state.fingerprint:
            other = self._identity.differing_options(earlier.options)
            raise StateError(f"{self._ckpt} belongs to an export with {other}", hint=START_ANEW)
        return earlier

    def _resume(self, earlier: Checkpoint) -> None:
        try:
            self._file.open(missing_ok=earlier.bytes == 0)
        except FileNotFoundError:
            raise StateError(
                f"{self._part} is missing, but its checkpoint exists", hint=START_ANEW
            ) from None
        self._hash = self._file.sha256(earlier.bytes)
        if self._file.size < earlier.bytes or self._hash.hexdigest() != earlier.sha256:
            raise StateError(f"{self._part} does not match its checkpoint", hint=START_ANEW)
        self._counted = self._hash.copy()
        self._file.cut(earlier.bytes)
        self.state = earlier

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the part file. Do not append while iterating."""
        with self._file.reader() as file:
            yield from (line.removesuffix(b"\n") for line in file)

    @property
    def is_published(self) -> bool:
        """Whether the earlier run published the file.

        If so, the run was killed before it removed the checkpoint.
        """
        return not self._file.is_open

    def append(self, data: bytes) -> None:
        """Append a part of a page. The next run discards it unless `count` follows."""
        with self._writing(self._part):
            self._file.append(data)
        self._hash.update(data)

    def count(self, state: Checkpoint) -> None:
        """Mark the page as complete.

        `state` is the state after the page, without size and hash.
        """
        with self._writing(self._part):
            self._note(state)
            due = (
                self.state.bytes - self._safe_bytes >= _BYTES
                or self._monotonic() - self._safe_at >= _SECONDS
            )
            # After the last page, do not sync: the caller publishes the file at once,
            # which syncs it.
            if due and state.next_cursor is not None:
                self._make_safe()

    def keep(self) -> None:
        """Sync all complete pages to disk."""
        with self._writing(self._part):
            if self._file.is_open:
                self._make_safe()

    def _publish_converted(self, convert: Convert, *, force: bool) -> None:
        self._check()
        with self._writing(self.path):
            with AtomicFile.beside(self.path) as made, self._file.reader() as content:
                convert(content, made.write)
                # After a crash, the next run recognises the target by size and hash.
                published = made.size, made.digest("sha256").hex()
                self._note(replace(self.state, complete=True, published=published))
                self._make_safe()
                made.publish(self.path, replace=force, before=self._check)
            self._file.close()
            self._part.unlink(missing_ok=True)

    def publish(self, end: bytes, *, force: bool) -> None:
        """Write the end, and give the complete file its name."""
        if self._convert:
            self._publish_converted(self._convert, force=force)
            return
        with self._writing(self._part):
            # Count the end and mark the file complete in one step, so that the next run
            # does not write the end again after a crash.
            self.append(end)
            self._note(replace(self.state, complete=True))
            self._make_safe()
            self._file.close()
        self._check()
        with self._writing(self.path):
            atomic_file.give_name(self._part, self.path, replace=force)
            self._part.unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove the checkpoint of a published file, and close it."""
        self._check()
        self._ckpt.unlink(missing_ok=True)
        self.close()

    def abandon(self) -> None:
        """Remove the files if they have no records."""
        if self.state.bytes:
            # The checkpoint must not count the removed bytes.
            self.state = self._fresh()
            self._write_state()
        self._check()
        # Remove the part file first: we only use a part file with a checkpoint.
        self._part.unlink(missing_ok=True)
        self._ckpt.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Close the files and release the lock. An unfinished file stays for the next
        run.
        """
        self._file.close()
        self._lock.release()

    def _note(self, state: Checkpoint) -> None:
        self._counted = self._hash.copy()
        self.state = replace(state, bytes=self._file.size)

    def _is_published(self, earlier: Checkpoint) -> bool:
        size, sha256 = earlier.target
        if not self.path.is_file() or self.path.is_symlink() or self.path.stat().st_size != size:
            return False
        with os.fdopen(regular_file.descriptor(self.path), "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256

    def _make_safe(self) -> None:
        self._file.sync()
        self.state.sha256 = self._counted.hexdigest()
        self._write_state()
        self._safe_bytes, self._safe_at = self.state.bytes, self._monotonic()

    def _write_state(self) -> None:
        self.state.updated = timestamp(self._wall())
        with self._writing(self._ckpt):
            # The folder may have been replaced since it was opened.
            atomic_file.replace(self._ckpt, self.state.text(), self._check)

    def _check(self) -> None:
        self._root.check(self.path)

    @contextmanager
    def _writing(self, path: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if isinstance(error, FileExistsError) and path == self.path:
                raise StorageError(self._exists) from None
            raise self._failure(error, path) from None

    def _failure(self, error: OSError, path: Path) -> StorageError:
        # Errors of an open file do not name the file.
        return StorageError(
            f"cannot write {error.filename or path}: {error.strerror}; the complete pages are"
            " kept for the next run"
        )
