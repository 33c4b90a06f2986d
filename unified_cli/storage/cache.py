"""Cache values for a day. The program works without the cached values, too."""

import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from unified_cli.masking import masked
from unified_cli.storage import atomic_file, folders, permissions, regular_file
from unified_cli.storage.atomic_file import AtomicFile

LIFETIME = 24 * 3600.0
"""How long a value is valid, in seconds."""
_LARGEST = 64 * 1024


class Fact(NamedTuple):
    """A cached JSON value, and its age in seconds."""

    value: Any
    age: float


class Cache:
    """Cached values of one kind, each in a private file in the user's cache folder.

    A value is missing if its file is unreadable, damaged, too old, or writable by
    others.
    """

    def __init__(
        self, folder: Path | None, kind: str, wall: Callable[[], float], *, largest: int = _LARGEST
    ) -> None:
        """Open the cache. Nothing is cached if `folder` is None because the user has no
        home directory.

        `wall` returns seconds since 1970. Values of more than `largest` bytes are not
        read.
        """
        self._largest = largest
        self._folder = folder / kind if folder else None
        self._wall = wall

    def read(self, *key: str) -> Fact | None:
        """Return the value for this key, or None."""
        if self._folder is None:
            return None
        try:
            path = self._folder / _name(key)
            with os.fdopen(regular_file.descriptor(path), "rb") as file:
                obeyed = permissions.problem(path, os.fstat(file.fileno())) is None
                content = file.read(self._largest) if obeyed else b""
            found = json.loads(content)
            stored_key, at, value = found["key"], float(found["at"]), found["value"]
        except (OSError, ValueError, TypeError, KeyError, RecursionError, OverflowError):
            return None
        age = self._wall() - at
        return Fact(value, age) if stored_key == [*key] and 0 <= age < LIFETIME else None

    def write(self, value: object, *key: str) -> None:
        """Cache a JSON value, unless it contains a known secret. Raises OSError."""
        content = json.dumps({"at": self._wall(), "key": key, "value": value})
        # The service may include the token in the value.
        if self._folder is None or masked(content) != content:
            return

        folders.make_private(self._folder)
        replace(self._folder / _name(key), content.encode())

    def remove(self, *key: str) -> None:
        """Remove the value for this key, if there is one. Raises OSError."""
        if self._folder is not None:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                (self._folder / _name(key)).unlink()

    def sweep(self) -> None:
        """Remove old files, and files of killed processes. Raises OSError."""
        if self._folder is None or not self._folder.is_dir():
            return

        atomic_file.sweep_unheld(self._folder)
        for path in self._folder.iterdir():
            # Another process may have removed the file.
            with contextlib.suppress(FileNotFoundError):
                if path.lstat().st_mtime < self._wall() - LIFETIME:
                    path.unlink()


def replace(path: Path, content: bytes) -> None:
    """Replace the content of a private file, without syncing it.

    A reader sees either the old or the new content, but a power failure may destroy
    both. Raises OSError.
    """
    with AtomicFile.beside(path) as file:
        file.write(content)
        file.publish_soon(path)


def _name(key: tuple[str, ...]) -> str:
    return (
        hashlib.sha256("\0".join(key).encode("utf-8", "surrogateescape")).hexdigest()[:32] + ".json"
    )
