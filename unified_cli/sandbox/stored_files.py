"""Store uploaded files in the sandbox's database.

A file is stored in parts, so that a large file is never completely in memory.
"""

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import NamedTuple

Scope = tuple[str, str, str]
"""Connection, API and resource."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS file_parts (
    account TEXT NOT NULL, api TEXT NOT NULL, resource TEXT NOT NULL, id TEXT NOT NULL,
    number INTEGER NOT NULL, size INTEGER NOT NULL, checksum INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (account, api, resource, id, number)
);
"""
_OF = "WHERE account = ? AND api = ? AND resource = ? AND id = ?"


class StoredFile(NamedTuple):
    """An uploaded file: the sizes of its parts, its checksum, and a function that reads
    a part.
    """

    sizes: tuple[int, ...]
    checksum: int
    part: Callable[[int], bytes]

    @classmethod
    def from_content(cls, content: bytes) -> "StoredFile":
        """Return a file with this content."""
        return cls((len(content),), zlib.crc32(content), lambda _: content)

    @property
    def size(self) -> int:
        """The size of the whole file in bytes."""
        return sum(self.sizes)

    def pieces(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes from `start` up to, but not including, `end`."""
        at = 0
        for number, size in enumerate(self.sizes):
            if start < at + size and end > at:
                yield self.part(number)[max(0, start - at) : end - at]
            at += size


class StoredFiles:
    """The files in a database. `turn` returns a context manager that locks the
    database.
    """

    def __init__(
        self,
        database: sqlite3.Connection,
        turn: Callable[[], AbstractContextManager[None]],
        *,
        in_memory: bool,
    ) -> None:
        """With `in_memory`, the files are in a temporary file of SQLite."""
        self._database = database
        self._turn = turn
        with turn():
            # Databases of older versions lack this table.
            database.execute(SCHEMA.replace("TABLE", "TEMP TABLE") if in_memory else SCHEMA)

    def put(self, scope: Scope, identity: str, pieces: Iterable[bytes]) -> None:
        """Store or replace the file of a record."""
        place = (*scope, identity)
        with self._turn():
            # Older versions stored a file in one value.
            for table in ("files", "file_parts"):
                # The names of the tables are constants.
                self._database.execute(f"DELETE FROM {table} {_OF}", place)  # noqa: S608
            number = 0
            for piece in pieces:
                self._add(place, number, piece)
                number += 1
            if not number:
                self._add(place, 0, b"")

    def _add(self, place: Sequence[str], number: int, piece: bytes) -> None:
        row = (*place, number, len(piece), zlib.crc32(piece), piece)
        self._database.execute("INSERT INTO file_parts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def find(self, scope: Scope, identity: str) -> StoredFile | None:
        """Return the file of a record, or None."""
        place = (*scope, identity)
        statement = f"SELECT size, checksum FROM file_parts {_OF} ORDER BY number"  # noqa: S608
        with self._turn():
            parts: list[tuple[int, int]] = self._database.execute(statement, place).fetchall()
            if parts:
                sizes, checksums = zip(*parts, strict=True)
                checksum = checksums[0] if len(parts) == 1 else zlib.crc32(repr(checksums).encode())
                return StoredFile(sizes, checksum, partial(self._part, place))
            statement = f"SELECT content FROM files {_OF}"  # noqa: S608
            row = self._database.execute(statement, place).fetchone()
        return StoredFile.from_content(row[0]) if row else None

    def _part(self, place: Sequence[str], number: int) -> bytes:
        """Return a part of a file, or nothing if the file was deleted."""
        statement = f"SELECT content FROM file_parts {_OF} AND number = ?"  # noqa: S608  as above
        with self._turn():
            row = self._database.execute(statement, (*place, number)).fetchone()
        return row[0] if row else b""
