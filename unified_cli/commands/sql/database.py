"""The database of one run: in memory, with a private folder to spill into. Files and
the configuration are locked before the statement runs, in a worker that a signal or
the timeout interrupts.
"""

import os
import shutil
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from unified_cli.commands.sql.statement import Plan, refusal
from unified_cli.errors import StorageError, UnifiedError, UsageError
from unified_cli.fleet import pool
from unified_cli.storage import output_file

_MEMORY = "400 MiB"
_LARGEST_SPILL = 10 << 30
_ROWS = 1000
_PIECE = 1 << 20
_MOMENT = 0.05
_GRACE = 1.0
"""Seconds after which a statement that an interrupt does not end is left alone."""


class Rows(NamedTuple):
    """Some rows of a result, with the names and the types of its columns."""

    names: Sequence[str]
    types: Sequence[Any]
    rows: Sequence[tuple[Any, ...]]


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
    # DuckDB would draw its progress bar on standard output, among the rows.
    made.execute("SET enable_progress_bar = false")
    return made


def _text(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def keep(database: duckdb.DuckDBPyConnection, folder: Path, path: Path, *, force: bool) -> None:
    """Write the tables to a file, which appears whole. Raises StorageError."""
    made = folder / "kept.duckdb"
    database.execute(f"ATTACH {_text(made)} AS kept")
    database.execute("COPY FROM DATABASE memory TO kept")
    database.execute("DETACH kept")
    with made.open("rb") as content:
        output_file.write(path, iter(lambda: content.read(_PIECE), b""), force=force)
    made.unlink()


def results(
    database: duckdb.DuckDBPyConnection,
    prepare: Callable[[], None],
    plan: Plan,
    seconds: float | None,
) -> Generator[Rows]:
    """Yield the rows of the statement, which may run this many seconds.

    `prepare` fills the database, before its configuration is locked. Use with
    `contextlib.closing`, which stops the statement. Raises UsageError, StorageError.
    """
    began, over = list[float](), threading.Event()

    def work(_: None) -> Generator[Rows]:
        try:
            prepare()
            _lock(database)
            began.append(time.monotonic())
            yield from _executed(database, plan)
        finally:
            over.set()

    def check() -> None:
        if seconds and began and time.monotonic() > began[0] + seconds:
            hint = "--timeout S gives it longer"
            raise UsageError(f"the statement did not end within {seconds:g} s", hint=hint)

    try:
        with closing(pool.results_of([None], work, 1, poll=check)) as found:
            for rows in found:
                yield rows
                check()
    except duckdb.Error as error:
        # An error before the statement began has another cause, so it is raised
        # unchanged.
        raise (_refused(error) if began else error) from None
    finally:
        until = time.monotonic() + _GRACE
        while not over.wait(_MOMENT) and time.monotonic() < until:
            # Interrupt repeatedly, because an interrupt before the work begins is lost.
            # DuckDB ignores interrupts within one large expression; after `_GRACE` the
            # process ends without waiting for the worker.
            database.interrupt()
        if over.is_set():
            database.close()


def _lock(database: duckdb.DuckDBPyConnection) -> None:
    # From here on DuckDB opens files in its folder for the spill only.
    database.execute("SET enable_external_access = false")
    # `_executed` reduces the threads for its second try. A checked statement cannot
    # change any setting.
    database.execute("SET allowed_configs = ['threads']")
    database.execute("SET lock_configuration = true")


def _executed(database: duckdb.DuckDBPyConnection, plan: Plan) -> Generator[Rows]:
    try:
        database.execute(plan.text)
    except duckdb.OutOfMemoryException:
        # A sort of wide rows needs less memory with one thread.
        database.execute("SET threads=1")
        database.execute(plan.text)
    described = database.description or []
    names, types = _different(plan, [one[0] for one in described]), [one[1] for one in described]
    yield Rows(names, types, [])
    while rows := database.fetchmany(_ROWS):
        yield Rows(names, types, rows)


def _different(plan: Plan, names: Sequence[str]) -> list[str]:
    """Return distinct names: a repeated name gets a number. Only a `record` that is
    selected beside `*` keeps its name, because both are the same column.
    """
    found: list[str] = []
    for name in names:
        number, one = 0, name
        while one in found and not (plan.repeats and name == "record"):
            number += 1
            one = f"{name}_{number}"
        found.append(one)
    return found


def _refused(error: duckdb.Error) -> UnifiedError:
    if isinstance(error, duckdb.OutOfMemoryException):
        reason = f"the statement does not fit into {_MEMORY} of memory and the disk"
        return StorageError(reason, hint="fewer columns, or a filter")
    if isinstance(error, duckdb.IOException):
        return StorageError(str(error).splitlines()[0])
    return refusal(error)
