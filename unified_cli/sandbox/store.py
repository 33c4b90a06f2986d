"""Store the changes to the seeded records in a database."""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from unified_cli.errors import StateError, StorageError
from unified_cli.json_text.json_codec import encoded_objects
from unified_cli.runtime import Runtime
from unified_cli.sandbox import state_file
from unified_cli.sandbox.messages import SandboxResponse
from unified_cli.sandbox.seeded_records import OwnFields, SeededRecords
from unified_cli.sandbox.stored_files import Scope, StoredFiles
from unified_cli.storage import permissions
from unified_cli.values import JsonColumns

DEFAULT_SEED = "northwind"
_TABLES = ("changes", "files", "file_parts", "replies", "effects")

_NEWEST = (
    "SELECT position, record FROM changes WHERE account = ? AND api = ? AND resource = ?"
    " AND position > ? AND position < ? AND record IS NOT NULL ORDER BY position DESC LIMIT ?"
)
_OLDEST = _NEWEST.replace(" DESC", "")

_NOTE_USE = "INSERT OR REPLACE INTO facts VALUES ('in use', ?)"

# The positions of created records, which are after all seeded records.
CREATED = 1_000_000_000_000

# Searching this many records takes a tenth of a second.
_MANY = 5000

Column = str | int | bytes | None
"""A value of a row."""
NAME = "sandbox.db"


class SandboxStore:
    """The changes to the seeded records; thread-safe.

    All threads share one database connection, because a statement takes microseconds.
    """

    def __init__(
        self,
        database: sqlite3.Connection,
        seed: str,
        counts: Mapping[tuple[str, str], int],
        *,
        in_memory: bool,
    ) -> None:
        self._database = database
        self._lock = threading.RLock()
        self._counts = counts
        self._seeded: dict[str, SeededRecords] = {}
        self.seed = seed
        self.encode: Callable[[JsonColumns], list[bytes]] = encoded_objects
        """Encodes seeded records. A server replaces it with a faster function."""
        self.own_fields: OwnFields = lambda _api, _resource: ()
        """Returns the fields of resources that the user's files add."""
        self.warn: Callable[[], None] | None = None
        """Prints a warning before the first write."""
        self._closed = False
        self.lost = False
        """Whether the latest changes are lost, because the write-ahead log of the file
        is missing.
        """
        self.path: Path | None = None
        """The file, or None for a store in memory."""
        self.files = StoredFiles(database, self._turn, in_memory=in_memory)
        """The uploaded files of records."""

    @classmethod
    def open(
        cls,
        path: Path | None,
        seed: str | None = None,
        *,
        records: Mapping[tuple[str, str], int] | None = None,
    ) -> Self:
        """Open or create the store in this file.

        The store is in memory if `path` is None. If `seed` is None, use the seed of the
        file. `records` sets the number of records by (API, resource). Raises
        StorageError if the file cannot be created or read, and StateError if the file
        is not a store or has changes for another seed.
        """
        used = path is not None and state_file.has_changes_beside(path)
        with ExitStack() as opened:
            try:
                database = opened.enter_context(closing(state_file.connect(path)))
                known = database.execute("SELECT value FROM facts WHERE name = 'seed'").fetchone()
            except sqlite3.OperationalError as error:
                raise StorageError(f"cannot open the sandbox's state {path}: {error}") from error
            except sqlite3.DatabaseError as error:
                raise StateError(
                    f"{path} is not the sandbox's state: {error}", hint=state_file.REMEDY
                ) from error
            store = cls(
                database,
                known[0] if known else seed or DEFAULT_SEED,
                records or {},
                in_memory=path is None,
            )
            store.path = path
            if path is not None and not used:
                store.lost = store._is_in_use() and not state_file.has_changes_beside(path)
            if known is None or (seed is not None and seed != known[0]):
                store._adopt(seed or DEFAULT_SEED, path)
            opened.pop_all()
        return store

    def _adopt(self, seed: str, path: Path | None) -> None:
        with self.transaction():
            if self._row("SELECT 1 FROM changes LIMIT 1"):
                raise StateError(
                    f"{path or 'the sandbox'} holds changes to seed {self.seed!r} (unified sandbox"
                    " reset)"
                )
            self._set_seed(seed)

    def _set_seed(self, seed: str) -> None:
        self._write("INSERT OR REPLACE INTO facts VALUES ('seed', ?)", seed)
        self.seed = seed
        self._seeded.clear()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if not self._closed:
                # If this fails, the next process that opens the file warns that changes
                # may be missing.
                with suppress(sqlite3.OperationalError):
                    if self.path is not None and self._is_in_use():
                        self._database.execute(_NOTE_USE, (0,))
                self._database.close()
            self._closed = True

    def reset(self, seed: str | None = None) -> None:
        """Delete all changes of all connections, and optionally change the seed."""
        with self.transaction():
            for table in _TABLES:
                self._write(f"DELETE FROM {table}")  # noqa: S608  the names are above
            self._set_seed(seed or self.seed)

    def seeded(self, account: str) -> SeededRecords:
        """Return the seeded records of a connection."""
        records = self._seeded.get(account)
        if records is None:
            records = self._seeded[account] = SeededRecords(
                self.seed, account, self._counts, self.encode, self.own_fields
            )
        return records

    @property
    def large(self) -> bool:
        """Whether searching the records of a resource may take long."""
        if max(self._counts.values(), default=0) > _MANY:
            return True
        return self._row("SELECT 1 FROM changes LIMIT 1 OFFSET ?", _MANY) is not None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit the writes of the block, or roll back if the block raises an error.
        Other threads wait for the transaction.

        Raises StorageError if the file cannot be written, for example on a full disk.
        """
        with self._lock, self._failures():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                first = self.path is not None and not self._is_in_use()
                if first:
                    self._database.execute(_NOTE_USE, (1,))
                yield
                self._database.execute("COMMIT")
                if first:
                    # Write the note that the store is in use from the write-ahead log
                    # to the file itself.
                    self._database.execute("PRAGMA wal_checkpoint(PASSIVE)")
            except BaseException:
                # After some errors, SQLite has already rolled back.
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    def _is_in_use(self) -> bool:
        row = self._database.execute("SELECT value FROM facts WHERE name = 'in use'").fetchone()
        return row is not None and row[0] == "1"

    def changed(self, scope: Scope, low: int, high: int) -> list[tuple[int, str | None]]:
        """Return the position and the record of each change from position `low` to
        `high`, inclusive. The record is None if it was deleted.
        """
        return self._rows(
            "SELECT position, record FROM changes WHERE account = ? AND api = ? AND resource = ?"
            " AND position BETWEEN ? AND ? ORDER BY position",
            *scope, low, high,
        )  # fmt: skip

    def created(
        self, scope: Scope, low: int, high: int, limit: int, *, newest: bool
    ) -> list[tuple[int, str]]:
        """Return the created records between two positions.

        The positions are exclusive. Returns at most `limit` records: the oldest or,
        with `newest`, the newest in reverse order.
        """
        return self._rows(_NEWEST if newest else _OLDEST, *scope, max(low, CREATED), high, limit)

    def by_id(self, scope: Scope, identity: str) -> tuple[int, str | None] | None:
        """Return the position and record of the change with this id, or None."""
        rows: list[tuple[int, str | None]] = self._rows(
            "SELECT position, record FROM changes WHERE account = ? AND api = ? AND resource = ?"
            " AND id = ?",
            *scope,
            identity,
        )
        return rows[0] if rows else None

    def put(self, scope: Scope, position: int, identity: str, record: str | None) -> None:
        """Store a record. If `record` is None, store that the record was deleted."""
        self._write(
            "INSERT OR REPLACE INTO changes VALUES (?, ?, ?, ?, ?, ?)",
            *scope,
            position,
            identity,
            record,
        )

    def next_position(self, scope: Scope) -> int:
        """Return the position of the next created record."""
        row = self._row(
            "SELECT max(position) FROM changes WHERE account = ? AND api = ? AND resource = ? AND"
            " position > ?",
            *scope,
            CREATED,
        )
        return (row[0] if row and row[0] else CREATED) + 1

    def reply(self, account: str, path: str, key: str) -> SandboxResponse | None:
        """Return the stored response for this idempotency key.

        Returns None if the key is new or empty.
        """
        row = key and self._row(
            "SELECT status, body, type FROM replies WHERE account = ? AND path = ? AND key = ?",
            account,
            path,
            key,
        )
        if not row:
            return None
        status, body, kind = row
        return SandboxResponse(status, body, {"content-type": kind, "idempotent-replayed": "true"})

    def put_reply(self, account: str, path: str, key: str, answer: SandboxResponse) -> None:
        """Store the response for an idempotency key, unless the key is empty."""
        if key:
            self._write(
                "INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?)",
                account,
                path,
                key,
                answer.status,
                answer.headers.get("content-type", ""),
                answer.body,
            )

    def count_effect(self, account: str, method: str, path: str, key: str) -> None:
        """Count a write that took effect. `key` may be empty."""
        if self.warn is not None:
            self.warn()
            self.warn = None
        self._write(
            "INSERT INTO effects VALUES (?, ?, ?, ?, 1)"
            " ON CONFLICT (account, method, path, key) DO UPDATE SET effects = effects + 1",
            account, method, path, key,
        )  # fmt: skip

    def effects(self) -> list[tuple[str, str, str, str, int]]:
        """Return all effects: account, method, path, key and count."""
        return self._rows(
            "SELECT account, method, path, key, effects FROM effects ORDER BY account, path, key,"
            " method"
        )

    def sizes(self) -> list[tuple[str, str, str, int]]:
        """Return the number of changed records by account, API and resource."""
        return self._rows(
            "SELECT account, api, resource, count(*) FROM changes GROUP BY account, api, resource"
        )

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Convert errors of SQLite. Raises StateError if the file is damaged, and
        otherwise StorageError.
        """
        where = self.path or "in memory"
        try:
            yield
        except sqlite3.OperationalError as error:
            raise StorageError(f"cannot use the sandbox's state {where}: {error}") from error
        except sqlite3.DatabaseError as error:
            raise StateError(
                f"the sandbox's state {where} is damaged: {error}", hint=state_file.REMEDY
            ) from error

    @contextmanager
    def _turn(self) -> Iterator[None]:
        with self._lock, self._failures():
            yield

    def _rows(self, statement: str, *values: Column) -> list[Any]:
        with self._turn():
            return self._database.execute(statement, values).fetchall()

    def _row(self, statement: str, *values: Column) -> Any:
        with self._turn():
            return self._database.execute(statement, values).fetchone()

    def _write(self, statement: str, *values: Column) -> None:
        with self._turn():
            self._database.execute(statement, values)


def own_store(
    runtime: Runtime, seed: str | None = None, records: Mapping[tuple[str, str], int] | None = None
) -> SandboxStore:
    """Open the store in the user's data folder.

    If the file cannot be written, warns and opens a store in memory. Raises ConfigError
    if other users can change the folder.
    """
    folder = runtime.folder("data")
    if folder is None:
        return _forgetful(runtime, "there is no home folder to keep them in", seed, records)
    # Opening the file reports errors.
    with suppress(OSError):
        permissions.check(folder, folder.stat())
    try:
        store = SandboxStore.open(folder / NAME, seed, records=records)
    except StorageError as error:
        return _forgetful(runtime, error.reason, seed, records)
    tell_lost(runtime, store)
    return store


def tell_lost(runtime: Runtime, store: SandboxStore) -> None:
    """Warn if the latest changes of a store are missing."""
    if store.lost:
        beside = f"{store.path}-wal"
        runtime.stderr.line(
            f"the latest changes to the sandbox are missing: they were in {beside}, which is not"
            " there"
        )


def _forgetful(
    runtime: Runtime, why: str, seed: str | None, records: Mapping[tuple[str, str], int] | None
) -> SandboxStore:
    """Return a store in memory, with a warning.

    With `--quiet`, the warning comes before the first write.
    """
    warning = f"the sandbox forgets its records when this ends: {why}"
    runtime.stderr.note(warning)
    store = SandboxStore.open(None, seed, records=records)
    if runtime.stderr.quiet:
        store.warn = lambda: runtime.stderr.line(warning)
    return store
