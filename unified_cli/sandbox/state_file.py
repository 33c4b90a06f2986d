"""Store the sandbox's state in a SQLite file, which several processes may share.
Finished writes are not lost if a process is killed.
"""

import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

from unified_cli.errors import StateError, StorageError
from unified_cli.sandbox import stored_files
from unified_cli.storage import atomic_file, file_lock, folders, permissions, regular_file, state

REMEDY = "move the file away to start with a new sandbox"
_LAYOUT = 1
_SCHEMA = f"""
{stored_files.SCHEMA}
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE changes (
    account TEXT NOT NULL, api TEXT NOT NULL, resource TEXT NOT NULL, position INTEGER NOT NULL,
    id TEXT NOT NULL, record TEXT,
    PRIMARY KEY (account, api, resource, position)
) WITHOUT ROWID;
CREATE UNIQUE INDEX changes_by_id ON changes (account, api, resource, id);
CREATE TABLE files (
    account TEXT NOT NULL, api TEXT NOT NULL, resource TEXT NOT NULL, id TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (account, api, resource, id)
);
CREATE TABLE replies (
    account TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL,
    status INTEGER NOT NULL, type TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (account, path, key)
);
CREATE TABLE effects (
    account TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL,
    effects INTEGER NOT NULL,
    PRIMARY KEY (account, method, path, key)
) WITHOUT ROWID;
"""


def connect(path: Path | None) -> sqlite3.Connection:
    """Open or create the database in this file, or in memory without a `path`.

    Raises StorageError if the file cannot be created, StateError if another version
    wrote the file or it is not a regular file, ConfigError if another user may have
    changed the file, and the errors of sqlite3.
    """
    if path is None:
        database = _database(":memory:")
        database.executescript(_SCHEMA)
        return database
    try:
        regular_file.check(path, follow=True)
        if path.exists():
            permissions.check_with_folder(path, path.stat())
    except regular_file.NotRegularError:
        raise state.not_regular(path, REMEDY) from None
    except OSError as error:
        raise StorageError(f"cannot read the sandbox's state {path}: {error.strerror}") from None
    if not path.exists():
        _create(path)
    with ExitStack() as opened:
        database = opened.enter_context(closing(_database(str(path))))
        layout = database.execute("PRAGMA user_version").fetchone()[0]
        if layout != _LAYOUT:
            raise StateError(f"{path} was written by another version of the sandbox", hint=REMEDY)
        opened.pop_all()
    return database


def has_changes_beside(path: Path) -> bool:
    """Return whether SQLite's write-ahead log beside this file has changes."""
    beside = path.with_name(f"{path.name}-wal")
    return beside.exists() and beside.stat().st_size > 0


def _create(path: Path) -> None:
    """Create the file atomically, even if several processes try at once."""
    try:
        folders.make_private(path.parent)
        with file_lock.hold(path.with_name(f"{path.name}.lock"), -1):
            if path.exists():
                return
            part = path.with_name(f"{path.name}.part")
            part.unlink(missing_ok=True)
            part.touch(0o600, exist_ok=False)
            with closing(_database(str(part))) as database:
                database.execute("PRAGMA journal_mode = WAL")
                database.executescript(f"{_SCHEMA}PRAGMA user_version = {_LAYOUT};")
            atomic_file.give_name(part, path, replace=True)
    except file_lock.NoLocksError as error:
        hint = "choose a file on another disk with --state, or use --state :memory:"
        raise StorageError(error.reason, hint=hint) from error
    except OSError as error:
        raise StorageError(f"cannot make the sandbox's state {path}: {error.strerror}") from error


def _database(name: str) -> sqlite3.Connection:
    with ExitStack() as opened:
        connected = sqlite3.connect(name, timeout=30, isolation_level=None, check_same_thread=False)
        database = opened.enter_context(closing(connected))
        # Committed data survives a kill, but may be lost in a power failure.
        database.execute("PRAGMA synchronous = OFF")
        opened.pop_all()
    return database
