"""Which id a record of one connection has in another: a file of lines that only grows."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Self

import msgspec

from unified_cli.errors import StateError, StorageError
from unified_cli.json_text.members import text
from unified_cli.storage import folders, regular_file, state
from unified_cli.storage.append_file import AppendFile

_REMEDY = 'each line is {"resource": "API/RESOURCE", "from": ID, "to": ID}'


class IdPair(msgspec.Struct, rename={"old": "from", "new": "to"}):
    """A record of a resource, written as API/RESOURCE: its `old` id and its `new` one, texts or numbers."""

    resource: str
    old: str | int
    new: str | int


class IdMap:
    """New ids by resource and old id. A text and a number that are written alike are the same id."""

    def __init__(self, pairs: Iterable[IdPair] = ()) -> None:
        self._found: dict[tuple[str, str], bytes] = {}
        for pair in pairs:
            self.add(pair)

    @classmethod
    def read(cls, path: Path) -> Self:
        """The map in a file, an empty one where there is none. Raises StateError for a line that is no pair."""
        found = cls()
        try:
            with os.fdopen(regular_file.descriptor(path, follow=True), "rb") as lines:
                for number, line in enumerate(lines, 1):
                    # A crash can leave half of a last line, whose pair the journal of its run still knows.
                    pair = state.decoded(line, IdPair) if line.strip() else None
                    if pair is not None and not found.add(pair):
                        raise StateError(f"{path}, line {number}: {pair.resource} {pair.old} has two new ids")
                    if pair is None and line.strip() and line.endswith(b"\n"):
                        raise StateError(f"{path}, line {number} is no pair of ids", hint=_REMEDY)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise StorageError(f"cannot read {path}: {error.strerror}") from None
        return found

    def add(self, pair: IdPair) -> bool:
        """Note a pair; False where the record is known under another new id."""
        new = msgspec.json.encode(pair.new)
        return self._found.setdefault((pair.resource, str(pair.old)), new) == new

    def new_id(self, resource: str, old: bytes) -> bytes | None:
        """The new id for an old one, both as JSON text; None where it is not known."""
        return self._found.get((resource, text(old)))


class IdFile:
    """The file of a map, open to be appended to; a context manager."""

    def __init__(self, path: Path) -> None:
        """Raises StorageError; StateError for what is no regular file."""
        self._path = path
        self._file = AppendFile(path)
        try:
            self._file.open(missing_ok=True)
            folders.sync(path.parent)
            self._end_last_line()
        except regular_file.NotRegularError:
            raise state.not_regular(path, "move it away") from None
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror}") from None

    def _end_last_line(self) -> None:
        """Cut off what a crash left of a last line."""
        size = self._file.size
        with self._file.reader() as content:
            whole = sum(len(line) for line in content if line.endswith(b"\n"))
        if whole < size and state.decoded(self._file.read(size - whole, whole), IdPair) is None:
            self._file.cut(whole)
        elif whole < size:
            self._file.append(b"\n")

    def append(self, pairs: Iterable[IdPair]) -> None:
        """Add pairs, on the disk when this returns. Raises StorageError."""
        lines = b"".join(msgspec.json.encode(pair) + b"\n" for pair in pairs)
        try:
            if lines:
                self._file.append(lines)
                self._file.sync()
        except OSError as error:
            raise StorageError(f"cannot write {self._path}: {error.strerror}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
