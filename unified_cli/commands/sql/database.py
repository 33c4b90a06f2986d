"""The database of a run: in memory, with a private folder to spill to.

Before the statement runs, access to files and changes of the configuration are
disabled. The statement runs in a worker, which a signal or the timeout interrupts.
"""

import shutil
import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing
from itertools import chain, count
from pathlib import Path
from typing import Any

import duckdb
import msgspec
from duckdb import DuckDBPyConnection

from unified_cli.commands.sql.statement import refusal
from unified_cli.errors import StorageError, UnifiedError, UsageError
from unified_cli.fleet import pool
from unified_cli.json_text.members import Record
from unified_cli.storage import output_file

_MEMORY = "300 MiB"
_LARGEST_SPILL = 10 << 30
_ROWS = 1000
_PIECE = 1 << 20
_MOMENT = 0.05
_GRACE = 1.0
"""How long to wait for an interrupted statement to end, in seconds."""

_encode = msgspec.json.Encoder(decimal_format="number", enc_hook=str).encode

Rows = tuple[list[str], list[Record]]
"""The names of the columns, and some rows as JSON objects."""


def open_in_memory(folder: Path) -> DuckDBPyConnection:
    """Return an empty database that spills into the folder."""
    (folder / "spill").mkdir(0o700)
    free = shutil.disk_usage(folder).free
    database = duckdb.connect(
        config={
            "memory_limit": _MEMORY,
            # More threads would leave too little memory for each to sort wide rows, and
            # most of the time is spent reading anyway.
            "threads": "1",
            "temp_directory": str(folder / "spill"),
            "max_temp_directory_size": f"{min(_LARGEST_SPILL, free // 2)}B",
            "preserve_insertion_order": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
        }
    )
    # DuckDB would draw its progress bar on standard output, among the rows.
    database.execute("SET enable_progress_bar = false; SET TimeZone = 'UTC'")
    return database


def keep(database: DuckDBPyConnection, folder: Path, path: Path, *, force: bool) -> None:
    """Write the tables to a file, atomically. Raises StorageError."""
    made = folder / "kept.duckdb"
    place = str(made).replace("'", "''")
    database.execute(f"ATTACH '{place}' AS kept; COPY FROM DATABASE memory TO kept; DETACH kept")
    with made.open("rb") as content:
        output_file.write(path, iter(lambda: content.read(_PIECE), b""), force=force)
    made.unlink()


def rows_of(
    database: DuckDBPyConnection, load: Callable[[], None], text: str, seconds: float | None
) -> Generator[Rows]:
    """Run the statement for at most this many seconds, and yield its rows.

    `load` fills the database before access is disabled. Use with `contextlib.closing`,
    which stops the statement. Raises UsageError and StorageError.
    """
    began, over = list[float](), threading.Event()

    def work(_: None) -> Generator[Rows]:
        try:
            load()
            # From here on, DuckDB can only open files in the folder to spill to.
            database.execute("SET enable_external_access = false; SET lock_configuration = true")
            began.append(time.monotonic())
            yield from _execute(database, text)
        finally:
            over.set()

    def check() -> None:
        if seconds and began and time.monotonic() > began[0] + seconds:
            hint = "a larger --timeout gives the statement more time"
            raise UsageError(f"the statement did not end within {seconds:g} s", hint=hint)

    try:
        with closing(pool.results_of([None], work, 1, poll=check)) as found:
            for rows in found:
                yield rows
                check()
    except duckdb.Error as error:
        # The statement did not cause an error that occurred before it began, so raise
        # that error unchanged.
        raise (_refused(error) if began else error) from None
    finally:
        until = time.monotonic() + _GRACE
        while not over.wait(_MOMENT) and time.monotonic() < until:
            # Interrupt repeatedly, because an interrupt before the work begins is lost.
            # DuckDB ignores interrupts during one large expression, so do not wait
            # longer than `_GRACE`.
            database.interrupt()
        if over.is_set():
            database.close()


def _execute(database: DuckDBPyConnection, text: str) -> Generator[Rows]:
    columns = database.execute(text).description or []
    names: list[str] = []
    for name, *_ in columns:
        numbered = chain([name], (f"{name}_{number}" for number in count(1)))
        names.append(next(one for one in numbered if one not in names))
    kinds = {name: column[1] for name, column in zip(names, columns, strict=True)}
    with_json = [(name, kind) for name, kind in kinds.items() if "JSON" in str(kind)]

    def record(row: tuple[Any, ...]) -> Record:
        values = dict(zip(names, row, strict=True))
        for name, kind in with_json:
            values[name] = _with_json(values[name], kind)
        return Record(_encode(values))

    yield names, []
    while rows := database.fetchmany(_ROWS):
        yield names, [record(row) for row in rows]


def _with_json(value: Any, kind: Any) -> Any:
    """Return a value of this type, with JSON in it as unchanged text."""
    if value is None:
        return None
    if str(kind) == "JSON":
        return Record(value.encode())
    if kind.id in {"list", "array"}:
        return [_with_json(item, kind.children[0][1]) for item in value]
    if kind.id == "struct":
        return {name: _with_json(value[name], child) for name, child in kind.children}
    return value


def _refused(error: duckdb.Error) -> UnifiedError:
    if isinstance(error, duckdb.OutOfMemoryException):
        reason = f"the statement does not fit into {_MEMORY} of memory and the disk"
        return StorageError(reason, hint="select fewer columns, or add a filter")
    if isinstance(error, duckdb.IOException):
        return StorageError(str(error).splitlines()[0])
    return refusal(error)
