"""What differs from the seed, in SQLite: processes may share one file, and an acknowledged write survives a kill."""

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from unified_cli.errors import StateError, StorageError
from unified_cli.sandbox.data.generate import World
from unified_cli.storage import file_lock, folders

DEFAULT_SEED = "northwind"
_LAYOUT = 1
_SCHEMA = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE changes (
    account TEXT NOT NULL, api TEXT NOT NULL, resource TEXT NOT NULL, position INTEGER NOT NULL,
    id TEXT NOT NULL, record TEXT,
    PRIMARY KEY (account, api, resource, position)
) WITHOUT ROWID;
CREATE UNIQUE INDEX changes_by_id ON changes (account, api, resource, id);
CREATE TABLE files (
    account TEXT NOT NULL, api TEXT NOT NULL, resource TEXT NOT NULL, id TEXT NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (account, api, resource, id)
);
CREATE TABLE replies (
    account TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL,
    status INTEGER NOT NULL, type TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (account, path, key)
);
CREATE TABLE effects (
    account TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL, effects INTEGER NOT NULL,
    PRIMARY KEY (account, method, path, key)
) WITHOUT ROWID;
"""
_TABLES = ("changes", "files", "replies", "effects")

_NEWEST = (
    "SELECT position, record FROM changes WHERE account = ? AND api = ? AND resource = ?"
    " AND position > ? AND position < ? AND record IS NOT NULL ORDER BY position DESC LIMIT ?"
)
_OLDEST = _NEWEST.replace(" DESC", "")

# Created records come after all that could be seeded, however many are asked for.
CREATED = 1_000_000_000_000

Scope = tuple[str, str, str]
"""Connection, API and resource."""


class SandboxStore:
    """The changes made to the seeded records, safe for many threads.

    One database connection serves all threads, one after the other: what is done with it takes microseconds.
    """

    def __init__(self, database: sqlite3.Connection, seed: str, records: Mapping[tuple[str, str], int]) -> None:
        self._database = database
        self._lock = threading.RLock()
        self._records = records
        self._worlds: dict[str, World] = {}
        self.seed = seed
        self.path: Path | None = None
        """The file; None for a store in memory."""

    @classmethod
    def open(
        cls, path: Path | None, seed: str | None = None, *, records: Mapping[tuple[str, str], int] | None = None
    ) -> Self:
        """The store in this file, made if it is not there; in memory where `path` is None.

        `seed` None takes the one the file was made with. `records` says how many records of (API, resource) there are.
        Raises StorageError if the file cannot be made or read, StateError if it is no store or of another seed.
        """
        try:
            database = _connect(path)
            with database:
                known = database.execute("SELECT value FROM facts WHERE name = 'seed'").fetchone()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise StorageError(f"cannot open the sandbox's state {path}: {error}") from error
            raise StateError(f"{path} is not the sandbox's state: {error} (move it away to start afresh)") from error
        store = cls(database, known[0] if known else seed or DEFAULT_SEED, records or {})
        store.path = path
        if known is None or (seed is not None and seed != known[0]):
            store._adopt(seed or DEFAULT_SEED, path)
        return store

    def _adopt(self, seed: str, path: Path | None) -> None:
        with self.transaction():
            if self._row("SELECT 1 FROM changes LIMIT 1"):
                raise StateError(f"{path or 'the sandbox'} holds changes to seed {self.seed!r} (unified sandbox reset)")
            self._set_seed(seed)

    def _set_seed(self, seed: str) -> None:
        self._write("INSERT OR REPLACE INTO facts VALUES ('seed', ?)", seed)
        self.seed = seed
        self._worlds.clear()

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._database.close()

    def reset(self, seed: str | None = None) -> None:
        """Forget every change, in all connections, and start from this seed, by default from the same."""
        with self.transaction():
            for table in _TABLES:
                self._write(f"DELETE FROM {table}")  # noqa: S608  the names stand above
            self._set_seed(seed or self.seed)

    def world(self, account: str) -> World:
        """The seeded records of a connection."""
        world = self._worlds.get(account)
        if world is None:
            world = self._worlds[account] = World(self.seed, account, self._records)
        return world

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written inside is kept, or nothing if it ends with an exception; others wait meanwhile."""
        with self._lock:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def changed(self, scope: Scope, low: int, high: int) -> list[tuple[int, str | None]]:
        """Position and record, None where deleted, of what was changed from `low` to `high`, both included."""
        return self._rows(
            "SELECT position, record FROM changes WHERE account = ? AND api = ? AND resource = ?"
            " AND position BETWEEN ? AND ? ORDER BY position",
            *scope, low, high,
        )  # fmt: skip

    def created(self, scope: Scope, low: int, high: int, limit: int, *, newest: bool) -> list[tuple[int, str]]:
        """At most `limit` records, not in the seed, strictly between two positions, from one end or the other."""
        return self._rows(_NEWEST if newest else _OLDEST, *scope, max(low, CREATED), high, limit)

    def by_id(self, scope: Scope, identity: str) -> tuple[int, str | None] | None:
        """Position and record of what was created or changed under this id."""
        rows: list[tuple[int, str | None]] = self._rows(
            "SELECT position, record FROM changes WHERE account = ? AND api = ? AND resource = ? AND id = ?",
            *scope, identity,
        )  # fmt: skip
        return rows[0] if rows else None

    def put(self, scope: Scope, position: int, identity: str, record: str | None) -> None:
        """Keep a record, or with None that it was deleted."""
        self._write("INSERT OR REPLACE INTO changes VALUES (?, ?, ?, ?, ?, ?)", *scope, position, identity, record)

    def next_position(self, scope: Scope) -> int:
        """Where the next created record goes."""
        row = self._row(
            "SELECT max(position) FROM changes WHERE account = ? AND api = ? AND resource = ? AND position > ?",
            *scope, CREATED,
        )  # fmt: skip
        return (row[0] if row and row[0] else CREATED) + 1

    def file(self, scope: Scope, identity: str) -> bytes | None:
        """The bytes uploaded for a record."""
        row = self._row(
            "SELECT content FROM files WHERE account = ? AND api = ? AND resource = ? AND id = ?", *scope, identity
        )
        return row[0] if row else None

    def put_file(self, scope: Scope, identity: str, content: bytes) -> None:
        """Keep the bytes uploaded for a record."""
        self._write("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", *scope, identity, content)

    def reply(self, account: str, path: str, key: str) -> tuple[int, str, bytes] | None:
        """Status, content type and body of what was answered under this idempotency key."""
        rows: list[tuple[int, str, bytes]] = self._rows(
            "SELECT status, type, body FROM replies WHERE account = ? AND path = ? AND key = ?", account, path, key
        )
        return rows[0] if rows else None

    def put_reply(self, account: str, path: str, key: str, reply: tuple[int, str, bytes]) -> None:
        """Keep an answer for repeats."""
        self._write("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?)", account, path, key, *reply)

    def count_effect(self, account: str, method: str, path: str, key: str) -> None:
        """Count that a write took effect; `key` is empty where none was sent."""
        self._write(
            "INSERT INTO effects VALUES (?, ?, ?, ?, 1)"
            " ON CONFLICT (account, method, path, key) DO UPDATE SET effects = effects + 1",
            account, method, path, key,
        )  # fmt: skip

    def effects(self) -> list[tuple[str, str, str, str, int]]:
        """Account, method, path, key and how often: everything that took effect."""
        return self._rows("SELECT account, method, path, key, effects FROM effects ORDER BY account, path, key, method")

    def sizes(self) -> list[tuple[str, str, str, int]]:
        """Account, API, resource and how many records were created, changed or deleted."""
        return self._rows("SELECT account, api, resource, count(*) FROM changes GROUP BY account, api, resource")

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        with self._lock:
            return self._database.execute(statement, values).fetchall()

    def _row(self, statement: str, *values: Any) -> Any:
        with self._lock:
            return self._database.execute(statement, values).fetchone()

    def _write(self, statement: str, *values: Any) -> None:
        with self._lock:
            self._database.execute(statement, values)


def _connect(path: Path | None) -> sqlite3.Connection:
    if path is None:
        database = _database(":memory:")
        database.executescript(_SCHEMA)
        return database
    if not path.exists():
        _make(path)
    database = _database(str(path))
    layout = database.execute("PRAGMA user_version").fetchone()[0]
    if layout != _LAYOUT:
        raise StateError(f"{path} was written by another version of the sandbox (move it away to start afresh)")
    return database


def _make(path: Path) -> None:
    """Make the file, whole or not at all, however many processes want it at once."""
    try:
        folders.make_private(path.parent)
        with file_lock.waiting(path.with_name(f"{path.name}.lock"), -1):
            if path.exists():
                return
            part = path.with_name(f"{path.name}.part")
            part.unlink(missing_ok=True)
            os.close(os.open(part, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600))
            database = _database(str(part))
            database.execute("PRAGMA journal_mode = WAL")
            database.executescript(f"{_SCHEMA}PRAGMA user_version = {_LAYOUT};")
            database.close()
            part.replace(path)
    except OSError as error:
        raise StorageError(f"cannot make the sandbox's state {path}: {error.strerror}") from error


def _database(name: str) -> sqlite3.Connection:
    database = sqlite3.connect(name, timeout=30, isolation_level=None, check_same_thread=False)
    # What a process has committed is with the operating system: a kill cannot take it back, only a power cut can.
    database.execute("PRAGMA synchronous = OFF")
    return database
