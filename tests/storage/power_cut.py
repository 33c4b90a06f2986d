"""The files that a power cut would leave of a folder, at every moment of a command.

A kill cannot show a missing fsync: the kernel still has the data of a killed process.
So the system calls are watched. Of a file only what it held at its last fsync is on the
disk, and of a folder only the names it had at its own last fsync. Later changes of
names may have reached the disk all the same: all of them, or the last one without those
before it.
"""

import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Files = dict[str, bytes]
"""The files on the disk after the power cut: content by path below the folder."""

Check = Callable[[Files], None]
"""Raises AssertionError for files that a power cut must not leave."""


class Disk:
    """The disk below a folder, which holds the present files. `always` is checked at
    every moment from now on.

    The moments are in all threads of the program, so what a check finds is kept in
    `broken` for the test to look at.
    """

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, *, seconds: float = 0) -> None:
        """Each fsync takes this many `seconds`."""
        self._seconds = seconds
        self.always: Check = lambda _: None
        self.broken: list[str] = []
        self._root = root
        self._lock = threading.RLock()
        self._open: list[int] = []
        self._content: dict[int, bytes] = {}
        self._names: dict[int, dict[str, int]] = {}
        self._last: tuple[int, dict[str, int]] = (0, {})
        for folder, _, names in os.walk(root):
            for path in (Path(folder), *(Path(folder, name) for name in names)):
                handle = os.open(path, os.O_RDONLY)
                self._sync(handle)
                os.close(handle)
        monkeypatch.setattr(os, "fsync", self._fsync)
        for call in ("replace", "rename", "link", "unlink", "mkdir"):
            monkeypatch.setattr(os, call, self._naming(call, getattr(os, call)))

    def check(self, moment: str, check: Check) -> None:
        """Look at all that may be left if the power fails at this moment."""
        with self._lock:
            for which in ("synced", "current", "last"):
                try:
                    check(dict(self._files(self._root, self._root.stat().st_ino, which)))
                except AssertionError as error:
                    self.broken.append(f"{moment} ({which} names): {error}")

    def close(self) -> None:
        for handle in self._open:
            os.close(handle)

    def _fsync(self, handle: int) -> None:
        time.sleep(self._seconds)
        with self._lock:
            self._sync(handle)
            self.check("fsync", self.always)

    def _naming(self, call: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **more: Any) -> Any:
            path = Path(args[0] if call in {"unlink", "mkdir"} else args[1])
            with self._lock:
                before = names_in(path.parent)
                found = real(*args, **more)
                if path.is_relative_to(self._root):
                    self._note(path.parent, before)
                    self.check(f"{call} {path.name}", self.always)
            return found

        return watched

    def _note(self, folder: Path, before: dict[str, int]) -> None:
        """Remember the names of the folder as they are if of all changes since it was
        synced only this one is there.
        """
        number, now = folder.stat().st_ino, names_in(folder)
        names = {
            name: file
            for name, file in self._names.get(number, {}).items()
            if name not in before.keys() - now
        }
        names |= {name: file for name, file in now.items() if before.get(name) != file}
        self._last = (number, names)

    def _sync(self, handle: int) -> None:
        status = os.fstat(handle)
        if status.st_ino not in self._content.keys() | self._names.keys():
            # As long as it is open, no other file is given its number.
            self._open.append(os.dup(handle))
        if stat.S_ISDIR(status.st_mode):
            self._names[status.st_ino] = names_in(handle)
            if self._last[0] == status.st_ino:
                self._last = (0, {})
        else:
            self._content[status.st_ino] = os.pread(handle, status.st_size, 0)

    def _files(
        self, folder: Path, number: int, which: str, below: str = ""
    ) -> Iterator[tuple[str, bytes]]:
        names = self._names.get(number, {})
        if which == "current" and folder.is_dir():
            names = names_in(folder)
        elif which == "last" and self._last[0] == number:
            names = self._last[1]
        for name, file in sorted(names.items()):
            if file in self._names or (folder / name).is_dir():
                yield from self._files(folder / name, file, which, f"{below}{name}/")
            else:
                yield f"{below}{name}", self._content.get(file, b"")


def names_in(folder: Path | int) -> dict[str, int]:
    """The names in a folder, with the numbers of their files."""
    with os.scandir(folder) as entries:
        return {entry.name: entry.inode() for entry in entries}
