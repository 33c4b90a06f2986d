"""The database of one run: in memory, with a private folder to spill into, locked
before the statement runs in a worker that a signal or the time ends.
"""

import contextlib
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import Empty, Full, Queue
from typing import Any, NamedTuple

import duckdb

from unified_cli.commands.sql.statement import refusal
from unified_cli.errors import StorageError, UsageError
from unified_cli.storage import output_file

_MEMORY = "400 MiB"
_LARGEST_SPILL = 10 << 30
_ROWS = 1000
_PIECE = 1 << 20
_MOMENT = 0.05
_GRACE = 1.0
"""Seconds after which a statement that an interrupt does not end is left alone."""


def opened(folder: Path) -> duckdb.DuckDBPyConnection:
    """Return an empty database that spills into the folder."""
    none, free = str(folder / "none"), shutil.disk_usage(folder).free
    (folder / "spill").mkdir(0o700)
    made = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": _MEMORY,
            "threads": str(min(os.cpu_count() or 1, 4)),
            "temp_directory": str(folder / "spill"),
            "max_temp_directory_size": f"{min(_LARGEST_SPILL, free // 2)}B",
            "preserve_insertion_order": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "allow_persistent_secrets": "false",
            "python_enable_replacements": "false",
            "extension_directory": none,
            "secret_directory": none,
        },
    )
    made.execute("SET TimeZone = 'UTC'")
    # It is drawn on standard output.
    made.execute("SET enable_progress_bar = false")
    return made


def keep(database: duckdb.DuckDBPyConnection, folder: Path, path: Path, *, force: bool) -> None:
    """Write the tables to a file, which appears whole. Raises StorageError."""
    made = folder / "kept.duckdb"
    text = str(made).replace("'", "''")
    database.execute(f"ATTACH '{text}' AS kept")
    database.execute("COPY FROM DATABASE memory TO kept")
    database.execute("DETACH kept")
    with made.open("rb") as content:
        output_file.write(path, iter(lambda: content.read(_PIECE), b""), force=force)
    made.unlink()


def _lock(database: duckdb.DuckDBPyConnection) -> None:
    """Keep every later statement from files, the network, extensions and settings."""
    database.execute("SET enable_external_access=false")
    # For a second try; no statement that is checked can change it.
    database.execute("SET allowed_configs=['threads']")
    database.execute("SET lock_configuration=true")


class Rows(NamedTuple):
    """Some rows of a result, with the names and the types of its columns."""

    names: Sequence[str]
    types: Sequence[Any]
    rows: Sequence[tuple[Any, ...]]


class RunningStatement:
    """A statement that runs in a worker, at most this many `seconds`; at the end of the
    block it is interrupted.

    `prepare` fills the database before, which is locked then.
    """

    def __init__(
        self,
        database: duckdb.DuckDBPyConnection,
        prepare: Callable[[duckdb.DuckDBPyConnection], None],
        text: str,
        seconds: float | None,
    ) -> None:
        self._database, self._prepare, self._text = database, prepare, text
        self._seconds = seconds
        self._began: float | None = None
        self._found: Queue[Rows | BaseException | None] = Queue(2)
        self._over = threading.Event()
        self._worker = threading.Thread(target=self._work, name="sql", daemon=True)

    def __enter__(self) -> Iterator[Rows]:
        self._worker.start()
        return self._results()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        until = time.monotonic() + _GRACE
        while self._worker.is_alive() and time.monotonic() < until:
            # Again each time: one that comes before the work has begun is lost. Within
            # one large expression DuckDB obeys none; then the process ends without it.
            self._database.interrupt()
            self._worker.join(_MOMENT)
        if not self._worker.is_alive():
            self._database.close()

    def _results(self) -> Iterator[Rows]:
        while True:
            with contextlib.suppress(Empty):
                found = self._found.get(timeout=_MOMENT)
                if isinstance(found, BaseException):
                    raise self._told(found) from None
                if found is None:
                    return
                yield found
            if self._seconds and self._began and time.monotonic() > self._began + self._seconds:
                raise UsageError(
                    f"the statement did not end within {self._seconds:g} s",
                    hint="--timeout S gives it longer",
                )

    def _work(self) -> None:
        try:
            self._prepare(self._database)
            _lock(self._database)
            self._began = time.monotonic()
            self._execute()
            described = self._database.description or []
            names, types = _different([one[0] for one in described]), [one[1] for one in described]
            self._put(Rows(names, types, []))
            while not self._over.is_set() and (rows := self._database.fetchmany(_ROWS)):
                self._put(Rows(names, types, rows))
            self._put(None)
        except BaseException as error:  # noqa: BLE001  it is raised in the main thread
            self._put(error)

    def _execute(self) -> None:
        try:
            self._database.execute(self._text)
        except duckdb.OutOfMemoryException:
            # A sort of wide rows needs less memory with one thread.
            self._database.execute("SET threads=1")
            self._database.execute(self._text)

    def _told(self, error: BaseException) -> BaseException:
        """Return what to raise for what the worker raised."""
        if isinstance(error, duckdb.OutOfMemoryException):
            return StorageError(
                f"the statement does not fit into {_MEMORY} of memory and the disk",
                hint="fewer columns, or a filter",
            )
        if isinstance(error, duckdb.IOException):
            return StorageError(str(error).splitlines()[0])
        # Earlier errors are not caused by the statement.
        wrong = isinstance(error, duckdb.Error) and self._began is not None
        return refusal(error) if wrong else error

    def _put(self, found: Rows | BaseException | None) -> None:
        while not self._over.is_set():
            with contextlib.suppress(Full):
                self._found.put(found, timeout=_MOMENT)
                return


def _different(names: Sequence[str]) -> list[str]:
    """Return the names with a number after each that was there before."""
    found: list[str] = []
    for name in names:
        number, one = 0, name
        while one in found:
            number += 1
            one = f"{name}_{number}"
        found.append(one)
    return found
