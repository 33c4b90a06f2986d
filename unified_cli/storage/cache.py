"""Facts kept for a day, which save time in later runs. No run depends on them."""

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
"""The seconds after which a fact is too old to be believed."""
_LARGEST = 64 * 1024


class Fact(NamedTuple):
    """A JSON value and its age in seconds."""

    value: Any
    age: float


class Cache:
    """Facts of one kind, each in a private file of its own, below the user's cache
    folder.

    A fact is treated as missing if it cannot be read, is damaged or too old, or is in a
    file that other users can write.
    """

    def __init__(
        self, folder: Path | None, kind: str, wall: Callable[[], float], *, largest: int = _LARGEST
    ) -> None:
        """`folder` is None if the user has no home. Then nothing is kept. `wall` gives
        seconds since 1970.

        A fact of more than `largest` bytes is not read.
        """
        self._largest = largest
        self._folder = folder / kind if folder else None
        self._wall = wall

    def read(self, *key: str) -> Fact | None:
        """Return the fact with this key, or None."""
        if self._folder is None:
            return None
        try:
            path = self._folder / _name(key)
            with os.fdopen(regular_file.descriptor(path), "rb") as file:
                obeyed = permissions.problem(path, os.fstat(file.fileno())) is None
                content = file.read(self._largest) if obeyed else b""
            found = json.loads(content)
            kept, at, value = found["key"], float(found["at"]), found["value"]
        except (OSError, ValueError, TypeError, KeyError, RecursionError, OverflowError):
            return None
        age = self._wall() - at
        return Fact(value, age) if kept == [*key] and 0 <= age < LIFETIME else None

    def write(self, value: object, *key: str) -> None:
        """Keep a JSON value, unless it holds a known secret. Raises OSError."""
        content = json.dumps({"at": self._wall(), "key": key, "value": value})
        # A service may put the token into a cached value.
        if self._folder is None or masked(content) != content:
            return

        folders.make_private(self._folder)
        replace(self._folder / _name(key), content.encode())

    def remove(self, *key: str) -> None:
        """Remove the fact with this key, if any. Raises OSError."""
        if self._folder is not None:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                (self._folder / _name(key)).unlink()

    def sweep(self) -> None:
        """Remove old files, and files that killed processes left behind. Raises
        OSError.
        """
        if self._folder is None or not self._folder.is_dir():
            return

        atomic_file.sweep_unheld(self._folder)
        for path in self._folder.iterdir():
            # Another process may remove it at the same time.
            with contextlib.suppress(FileNotFoundError):
                if path.lstat().st_mtime < self._wall() - LIFETIME:
                    path.unlink()


def replace(path: Path, content: bytes) -> None:
    """Replace the content of a private file.

    A reader sees either the old or the new content, but after a power failure the file
    may have neither. Raises OSError.
    """
    with AtomicFile.beside(path) as file:
        file.write(content)
        file.publish_soon(path)


def _name(key: tuple[str, ...]) -> str:
    return (
        hashlib.sha256("\0".join(key).encode("utf-8", "surrogateescape")).hexdigest()[:32] + ".json"
    )
