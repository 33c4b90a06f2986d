"""Delta tables, one for each list of the service.

Each connection has its own part of a table. Import this module only to read or write a
table: its libraries are an optional extra.
"""

import os
import random
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import chain
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
from deltalake import (
    CommitProperties,
    DeltaTable,
    PostCommitHookProperties,
    exceptions,
)
from deltalake.exceptions import CommitFailedError, TableNotFoundError
from deltalake.fs import DeltaStorageHandler
from deltalake.transaction import AddAction, RemoveAction
from pyarrow import parquet
from pyarrow.fs import PyFileSystem

from unified_cli import os_limits
from unified_cli.commands.export import delta_log, delta_rows
from unified_cli.commands.export.delta_log import application
from unified_cli.commands.export.delta_rows import PROFILE, DataFile, NewestRecords
from unified_cli.errors import StateError, StorageError
from unified_cli.exported import delta_rows as exported_rows, parquet_file
from unified_cli.exported.checkpoint import TableRead
from unified_cli.exported.destination import FilePlace
from unified_cli.exported.list_export import TablePart
from unified_cli.exported.parquet_file import ParquetColumns
from unified_cli.masking import excerpt
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.storage import atomic_file, folders, object_store

_LOG = "_delta_log"
_LOGS = 256
"""How many entries of the log are kept in memory."""
_OTHERS = 0o077
_ATTEMPTS = 20
_LONGEST_PAUSE = 2.0
_READ_BYTES = 1024 * 1024
_READER = 1
"""The newest reader version of the Delta protocol that is supported."""
_CONFIGURATION = {"delta.dataSkippingStatsColumns": ",".join(parquet_file.TIMES)}
# The library must not remove older versions, because others may read them.
_HOOKS = PostCommitHookProperties(cleanup_expired_logs=False)
_REBUILD = "unified export … --restart, without --incremental, rebuilds its part"


class ListTable:
    """The table of one list of the service; several threads may use it.

    All methods raise StateError if another program created the table or it needs a
    newer version, and StorageError if the destination fails.
    """

    def __init__(self, runtime: Runtime, text: str, files: FilePlace, name: str) -> None:
        """`name` is `<api>/<resource>`, and `text` is the destination as the user wrote
        it. Raises UsageError and UnsafeError.
        """
        url = object_store.parse_url(text)
        self._settings: dict[str, str] = {}
        if url is None or url.is_folder:
            # The library's new files get their permissions from the umask. All threads
            # share the umask, so set it once.
            os.umask(_OTHERS)
            base = str(os_limits.absolute(Path(url.prefix if url else text)))
        else:
            base = f"{url.scheme}://{url.bucket}/{quote(url.prefix)}".rstrip("/")
            self._settings = object_store.table_settings(url, runtime.environ)
        self._uri, self._url = f"{base}/{name}", url
        self._runtime = runtime
        self._files = files
        self._name = name
        self._lock = threading.RLock()
        self._opened: DeltaTable | None = None
        # After a kill, each list may look for its commit among those of all others.
        self._log_of = lru_cache(_LOGS)(self._read_log)

    def __str__(self) -> str:
        return f"{self._files}/{self._name}"

    def check_owner(self, part: TablePart, known: Collection[str]) -> None:
        """Raise StateError if the rows under this name belong to another connection.

        Also raises it if the rows of this connection have another name. Names that a
        manifest knows are ignored.
        """
        with self._lock:
            table = self._found()
            if table and (wrong := delta_log.wrong_name(table, part, known)):
                raise StateError(
                    f"{self} has {wrong}, but no manifest lists that name",
                    hint="choose another folder with --to, or rename the profile",
                )

    def current(self, part: TablePart, read: TableRead) -> TableRead | None:
        """Return the read, updated to the present state of the part.

        Returns None if there is no such read or part. Raises StateError if another
        program changed the part since this read.
        """
        with self._lock:
            table = self._found()
            if table is None:
                return None
            files = delta_log.data_files(table, part)
            if not files and table.transaction_version(application(part)) is None:
                # The table was removed, and another run has created a new table.
                return None
            self._check_unchanged(table, part, read)
            if read.version is None:
                return read
            # An interrupted run may have added a version since.
            return delta_log.after(read, table.version(), files, read.changed)

    def next_read(self, part: TablePart) -> TableRead:
        """Return a read of a part with the next unused number. Numbers that are only in
        the table's log are also used.

        Raises StateError if the place holds anything but a table with these columns.
        """
        with self._lock:
            table = self._found(part.columns)
            recorded = table.transaction_version(application(part)) if table else None
        before = part.before.number if part.before else 0
        return TableRead(max(before, recorded or 0) + 1, restart=part.restart)

    def commit(
        self,
        part: TablePart,
        read: TableRead,
        records: Callable[[], Iterable[bytes]],
        *,
        whole: bool,
    ) -> tuple[TableRead, list[str]]:
        """Commit the records of a read.

        Returns the state of the part, and sentences about records that were left out.
        Each record is in the table once, even after failed attempts. A `whole` list
        replaces the part. Otherwise the records are merged by their ids.
        """
        with self._lock:
            before: list[DataFile] | None = None
            for attempt in range(_ATTEMPTS):
                self._files.check(self._name)
                table = self._made(part.columns)
                if part.before:
                    self._check_unchanged(table, part, part.before)
                files_now = delta_log.data_files(table, part)
                if delta_log.has(table, part, read):
                    # An earlier run has committed this read.
                    self._check_unchanged(table, part, read)
                    new = NewestRecords(records)
                    state = delta_log.after(read, table.version(), files_now, len(new))
                    return state, new.left_out()
                with self._errors("write to"):
                    if before != files_now:
                        before, new = files_now, NewestRecords(records)
                        added, gone = self._write(part, read, files_now, new, whole=whole)
                    try:
                        self._write_log(table, part, read, added, gone)
                    except CommitFailedError:
                        # Another run committed first, and may have changed the part, so
                        # try again.
                        pause = min(_LONGEST_PAUSE, 0.05 * 2**attempt)
                        self._runtime.sleep(random.uniform(0, pause))  # noqa: S311
                        continue
                files = [*(file for file in files_now if file not in gone), *added]
                self._sweep(part, read, {file.name for file in files})
                state = delta_log.after(read, table.version() + 1, files, len(new))
                return state, new.left_out()
        raise StateError(f"other programs keep changing {self}", hint="run the same command again")

    def records(self, part: TablePart) -> Iterator[bytes]:
        """Yield the records of a part, from the newest version of the table."""
        with self._errors("read"):
            with self._lock:
                table, profile = self._found(), part.columns.profile
                found = exported_rows.records(table, profile) if table else iter(())
            yield from found

    def remove(self, part: TablePart) -> None:
        """Commit a version of the table without the rows of a part."""
        profile = part.columns.profile.replace("'", "''")
        with self._lock:
            table = self._found()
            if table is not None and delta_log.data_files(table, part):
                with self._errors("write to"):
                    # Only the log changes, because each profile's rows have their own
                    # files.
                    table.delete(f"{PROFILE} = '{profile}'", post_commithook_properties=_HOOKS)
                    self._make_safe(table.version())

    def difference(self, part: TablePart, read: TableRead) -> str:
        """Return how the part differs from a read, in words, or ""."""
        try:
            now, rows = self.current(part, read), sum(1 for _ in self.records(part))
        except StateError as error:
            return error.message
        if now is None:
            return "the table of this list is gone"
        return "" if rows == now.rows else f"{counted(rows, 'record')}, not {now.rows}"

    def _made(self, columns: ParquetColumns) -> DeltaTable:
        """Return the table with these columns.

        It is created if it is missing.
        """
        if self._found(columns) is None:
            # Another run may be creating the table now.
            with self._errors("write to"), suppress(CommitFailedError):
                DeltaTable.create(
                    self._uri,
                    parquet_file.schema(columns),
                    mode="ignore",
                    partition_by=[PROFILE],
                    name=self._name,
                    configuration=_CONFIGURATION,
                    storage_options=self._settings,
                )
                self._make_safe(0)
        result = self._found(columns)
        if result is None:
            raise StorageError(f"{self} was created, but cannot be found")
        return result

    def _check_unchanged(self, table: DeltaTable, part: TablePart, read: TableRead) -> None:
        changed = delta_log.change_by_others if read.digest else delta_log.change_since_commit
        if wrong := changed(table, part, read, self._log_of):
            raise StateError(
                f"another program changed {part.columns.profile} in {self}: {wrong}",
                hint=_REBUILD,
            )

    def _read_log(self, version: int) -> bytes | None:
        return self._files.read(f"{self._name}/{_LOG}/{version:020}.json")

    def _write(
        self,
        part: TablePart,
        read: TableRead,
        existing: list[DataFile],
        new: NewestRecords,
        *,
        whole: bool,
    ) -> tuple[list[DataFile], list[DataFile]]:
        """Write new files of the part, and return them with the files to remove."""
        schema, gone = delta_rows.schema(part.columns), existing
        stay: Iterator[pa.RecordBatch] = iter(())
        if not whole:
            gone, stay = delta_rows.merge(existing, self._open_file, new, schema)
        rows = chain(stay, parquet_file.batches(new, part.columns, delta_rows.BATCH_BYTES))
        name = f"{delta_log.prefix(part, read)}{secrets.token_hex(6)}"
        return delta_rows.write(rows, schema, name, self._save), gone

    def _write_log(
        self,
        table: DeltaTable,
        part: TablePart,
        read: TableRead,
        added: Sequence[DataFile],
        gone: Sequence[DataFile],
    ) -> None:
        """Commit these files as the table's next version.

        The commit adds the files `added`, and removes the files `gone`. Raises
        CommitFailedError if the version exists.
        """
        now, values = int(time.time() * 1000), {PROFILE: part.columns.profile}
        additions = [
            AddAction(file.name, file.size, values, now, True, file.statistics) for file in added
        ]
        removals = [RemoveAction(file.name, True, now, file.size, values) for file in gone]
        table.create_write_transaction(
            [*additions, *removals],
            "append",
            parquet_file.schema(part.columns),
            [PROFILE],
            commit_properties=CommitProperties(
                {delta_log.OURS: application(part)},
                max_commit_retries=0,
                app_transactions=delta_log.transactions(part, read),
            ),
            post_commithook_properties=_HOOKS,
        )
        self._make_safe(table.version() + 1)

    def _make_safe(self, version: int) -> None:
        """Sync a version to disk, because the library does not."""
        if self._url is None:
            log = Path(self._uri) / _LOG
            atomic_file.sync(log / f"{version:020}.json")
            for folder in log.parents[: 0 if version else 3]:
                folders.sync(folder)

    def _save(self, name: str, content: bytes) -> None:
        if not self._files.create(f"{self._name}/{name}", content):
            raise StorageError(f"{self}/{name} exists", hint="run the same command again")

    def _open_file(self, name: str) -> parquet.ParquetFile:
        return parquet.ParquetFile(
            name,
            filesystem=PyFileSystem(DeltaStorageHandler(self._uri, self._settings)),
            pre_buffer=False,
            buffer_size=_READ_BYTES,
            page_checksum_verification=True,
        )

    def _sweep(self, part: TablePart, read: TableRead, current: Collection[str]) -> None:
        """Remove the files of earlier attempts to commit the same read. Also remove
        partly written files, because VACUUM keeps them.
        """
        folder, _, name = delta_log.prefix(part, read).rpartition("/")
        left = [
            f"{folder}/{file}"
            for file in self._files.listed(f"{self._name}/{folder}")
            if file.startswith(name) or atomic_file.is_unfinished(file)
        ]
        self._files.drop([f"{self._name}/{file}" for file in left if file not in current])

    def _found(self, columns: ParquetColumns | None = None) -> DeltaTable | None:
        """Return the table in its newest version, or None if nothing is there.

        Raises StateError if the table does not have these columns. If `columns` is
        None, the table only needs the columns that every table has.
        """
        self._files.check(f"{self._name}/{_LOG}")
        if not self._open() and self._files.listed(self._name) and not self._open():
            # The table may have been created since the first check.
            raise StateError(f"{self} is not a Delta table", hint="choose another folder with --to")
        table, wanted = self._opened, parquet_file.schema(columns or ParquetColumns(""))
        if table is None:
            return None
        if table.protocol().min_reader_version > _READER:
            raise self._newer()
        found_schema = pa.schema(table.schema().to_arrow())
        compared = found_schema if columns else pa.schema(list(found_schema)[: len(wanted)])
        if not compared.equals(wanted) or table.metadata().partition_columns != [PROFILE]:
            names = excerpt(", ".join(found_schema.names))
            raise StateError(
                f"{self} is a table with other columns ({names})",
                hint="use the same --columns, or choose another folder with --to",
            )
        return table

    def _open(self) -> bool:
        """Open the table in its newest version, and return whether it exists."""
        with self._errors("read"):
            try:
                if self._opened is None:
                    self._opened = DeltaTable(self._uri, storage_options=self._settings)
                else:
                    self._opened.update_incremental()
            except TableNotFoundError:
                self._opened = None
        return self._opened is not None

    def _newer(self) -> StateError:
        return StateError(
            f"{self} uses newer features of Delta than this program supports",
            hint="choose another folder with --to",
        )

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        """Raise this program's errors instead of those of the library."""
        try:
            yield
        except (exceptions.TableNotFoundError, exceptions.CommitFailedError):
            raise
        except (exceptions.DeltaError, OSError, ValueError) as error:
            # The library has an exception class for only some unsupported features.
            if isinstance(error, exceptions.DeltaProtocolError) or "Unsupported" in str(error):
                raise self._newer() from None
            if isinstance(error, FileNotFoundError) or "CRC" in str(error):
                state = "gone" if isinstance(error, FileNotFoundError) else "damaged"
                raise StateError(f"a file of its table is {state}", hint=_REBUILD) from None
            if self._url is not None:
                raise object_store.error_of(self._url, what, error) from None
            message = str(error).partition("\n")[0]
            raise StorageError(f"cannot {what} {self}: {message}") from None
