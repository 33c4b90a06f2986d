"""A file that grows page by page, survives whatever ends the process, and gets its name when it is complete."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from unified_cli.bulk.export import checkpoint
from unified_cli.bulk.export.checkpoint import Checkpoint
from unified_cli.errors import StateError, StorageError
from unified_cli.storage import atomic_file
from unified_cli.storage.file_lock import HeldLock

# Pages are made safe together: at the latest after so many seconds or bytes.
_SECONDS, _BYTES = 1.0, 8 * 1024 * 1024
_BLOCK = 1024 * 1024
_OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC


class PartialFile:
    """`T.part`, `T.ckpt` and `T.lock` beside the target `T`.

    Whatever is killed when, the part file begins with the whole pages that the checkpoint counts. All methods raise
    StorageError where the file system refuses.
    """

    def __init__(
        self,
        path: Path,
        fingerprint: str,
        *,
        monotonic: Callable[[], float],
        wall: Callable[[], float],
        instead: str = "--force overwrites it",
    ) -> None:
        """`instead` is what to tell whoever has a file of that name already."""
        self.path = path
        self._exists = f"{path} exists ({instead})"
        self._part = path.with_name(f"{path.name}.part")
        self._ckpt = path.with_name(f"{path.name}.ckpt")
        self._lock = HeldLock(path.with_name(f"{path.name}.lock"))
        self._monotonic = monotonic
        self._wall = wall
        self._handle = -1
        self._hash = hashlib.sha256()
        self._safe_bytes = 0
        self._safe_at = 0.0
        self.state = Checkpoint(fingerprint, self._now())

    def open(self, *, force: bool, restart: bool = False, keep: bool = False) -> None:
        """Take the lock and go on where an earlier run stopped, or begin.

        `restart` forgets the earlier run, but with `keep` not what it wrote. Raises StateError for an earlier run with
        other options, a damaged one, and one under way.
        """
        atomic_file.check_folder(self.path)
        self._lock.take(str(self.path))
        try:
            self._open(force=force, restart=restart, keep=keep)
        except OSError as error:
            raise self._failure(error) from None

    def _open(self, *, force: bool, restart: bool, keep: bool) -> None:
        if restart and not keep:
            self._ckpt.unlink(missing_ok=True)
            self._part.unlink(missing_ok=True)
        earlier = checkpoint.read(self._ckpt)
        if earlier is not None and earlier.fingerprint != self.state.fingerprint:
            raise StateError(f"{self._ckpt} is of an export with other options (--restart starts anew)")
        if earlier is not None and earlier.complete and not restart and self._is_published(earlier):
            self._part.unlink(missing_ok=True)
            self.state = earlier
            return
        if self.path.exists() and not force:
            raise StorageError(self._exists)
        atomic_file.check(self.path, force=force)
        if earlier is None:
            if os.path.lexists(self._part):
                raise StateError(f"{self._part} is there without its checkpoint (--restart removes it)")
            # The checkpoint comes first: a part file without one is somebody else's.
            self._write_state()
            self._handle = os.open(self._part, _OPEN | os.O_CREAT | os.O_EXCL, 0o600)
            atomic_file.sync_folder(self.path.parent)
        else:
            self._go_on(earlier)
            if restart:
                self.state.next_cursor, self.state.pages, self.state.seen = None, 0, []
                self.state.partial_pages, self.state.complete = [], False
        self._safe_bytes, self._safe_at = self.state.bytes, self._monotonic()

    def _go_on(self, earlier: Checkpoint) -> None:
        flags = _OPEN | (os.O_CREAT if earlier.bytes == 0 else 0)
        try:
            self._handle = os.open(self._part, flags, 0o600)
        except FileNotFoundError:
            raise StateError(f"{self._part} is gone, and its checkpoint is there (--restart starts anew)") from None
        left = earlier.bytes
        while left and (block := os.read(self._handle, min(left, _BLOCK))):
            self._hash.update(block)
            left -= len(block)
        if left or self._hash.hexdigest() != earlier.sha256:
            raise StateError(f"{self._part} is not what its checkpoint says (--restart starts anew)")
        os.ftruncate(self._handle, earlier.bytes)
        os.lseek(self._handle, earlier.bytes, os.SEEK_SET)
        self.state = earlier

    def lines(self) -> list[bytes]:
        """What is in the part file so far, line by line."""
        with self._part.open("rb") as file:
            return file.read(self.state.bytes).splitlines()

    @property
    def is_published(self) -> bool:
        """Whether the earlier run had given the file its name, and was killed while tidying up."""
        return self._handle < 0

    def append(self, data: bytes, **state: Any) -> None:
        """Add a whole page, and what the state is after it."""
        try:
            checkpoint.write_all(self._handle, data)
            self._hash.update(data)
            self.state = replace(self.state, bytes=self.state.bytes + len(data), **state)
            due = self.state.bytes - self._safe_bytes >= _BYTES or self._monotonic() - self._safe_at >= _SECONDS
            if due:
                self._make_safe()
        except OSError as error:
            raise self._failure(error) from None

    def keep(self) -> None:
        """Make all pages so far safe, for the next run to go on from here."""
        try:
            if self._handle >= 0:
                self._make_safe()
        except OSError as error:
            raise self._failure(error) from None

    def publish(self, end: bytes, *, force: bool) -> None:
        """Write the end and give the complete file its name."""
        try:
            # One step for the checkpoint: an end that is safe and not yet said to be one would be written twice.
            checkpoint.write_all(self._handle, end)
            self._hash.update(end)
            self.state = replace(self.state, bytes=self.state.bytes + len(end), complete=True)
            self._make_safe()
            os.close(self._handle)
            self._handle = -1
            if force:
                os.replace(self._part, self.path)  # noqa: PTH105  a system call of the protocol
            else:
                self._link()
            atomic_file.sync_folder(self.path.parent)
            self._part.unlink(missing_ok=True)
        except FileExistsError:
            raise StorageError(self._exists) from None
        except OSError as error:
            raise self._failure(error) from None

    def tidy(self) -> None:
        """Remove the checkpoint of a published file, and let go of it."""
        self._ckpt.unlink(missing_ok=True)
        self.close()

    def abandon(self) -> None:
        """Remove what was begun and holds nothing."""
        self._ckpt.unlink(missing_ok=True)
        self._part.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Let go of the files; an unfinished one stays for the next run."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
        self._lock.release()

    def _link(self) -> None:
        try:
            os.link(self._part, self.path, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:
            # A file system without hard links: nothing better than looking once more, then renaming.
            atomic_file.check(self.path, force=False)
            os.replace(self._part, self.path)  # noqa: PTH105  as above

    def _is_published(self, earlier: Checkpoint) -> bool:
        """Whether the target is what the part file was."""
        if not self.path.is_file() or self.path.is_symlink() or self.path.stat().st_size != earlier.bytes:
            return False
        return digest(self.path) == earlier.sha256

    def _make_safe(self) -> None:
        os.fsync(self._handle)
        self.state.sha256 = self._hash.hexdigest()
        self._write_state()
        self._safe_bytes, self._safe_at = self.state.bytes, self._monotonic()

    def _write_state(self) -> None:
        self.state.updated = self._now()
        checkpoint.write(self._ckpt, self.state.text())

    def _now(self) -> str:
        return datetime.fromtimestamp(self._wall(), UTC).isoformat(timespec="seconds")

    def _failure(self, error: OSError) -> StorageError:
        return StorageError(
            f"cannot write {error.filename or self._part}: {error.strerror}; what is safe stays for the next run"
        )


def sweep(path: Path) -> None:
    """Remove what a run left beside a published file when it was killed while tidying up."""
    for end in ("part", "ckpt", "ckpt.tmp", "lock"):
        path.with_name(f"{path.name}.{end}").unlink(missing_ok=True)


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
