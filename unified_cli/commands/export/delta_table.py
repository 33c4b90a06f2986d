"""Delta tables, one for each list of the service, in which each connection has a part
of its own.

Import this module only to read or write a table: its libraries are an optional extra.
"""

import json
import os
import random
import secrets
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
from deltalake import (
    CommitProperties,
    DeltaTable,
    PostCommitHookProperties,
    Transaction,
    exceptions,
)
from deltalake.exceptions import CommitFailedError, TableNotFoundError
from deltalake.fs import DeltaStorageHandler
from deltalake.transaction import AddAction, RemoveAction
from pyarrow.fs import PyFileSystem

from unified_cli import os_limits
from unified_cli.commands.export import delta_log, delta_rows
from unified_cli.commands.export.delta_log import application
from unified_cli.commands.export.delta_rows import PROFILE, DataFile, NewestRecords, PartWriter
from unified_cli.errors import StateError, StorageError
from unified_cli.exported import parquet_file
from unified_cli.exported.checkpoint import TableRead
from unified_cli.exported.destination import FilePlace
from unified_cli.exported.list_export import TablePart
from unified_cli.exported.parquet_file import ParquetColumns
from unified_cli.masking import excerpt
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.storage import atomic_file, folders, object_store
from unified_cli.values import JsonObject

_LOG = "_delta_log"
_OTHERS = 0o077
_ATTEMPTS = 20
_LONGEST_PAUSE = 2.0
_READER = 1
"""The newest reader version of the Delta protocol that this program supports."""
_CONFIGURATION = {"delta.dataSkippingStatsColumns": ",".join(parquet_file.TIMES)}
# Others may read the older versions that the library would remove.
_HOOKS = PostCommitHookProperties(cleanup_expired_logs=False)
_REBUILD = "unified export … --restart, without --incremental, rebuilds its part"


class ListTable:
    """The table of one list of the service; several threads may use it.

    All methods raise StateError if the table is of another kind or needs a newer
    program, and StorageError if the destination fails.
    """

    def __init__(self, runtime: Runtime, text: str, files: FilePlace, name: str) -> None:
        """`name` is `<api>/<resource>`, and `text` is the destination as the user wrote
        it. Raises UsageError and UnsafeError.
        """
        url = object_store.parse_url(text)
        self._settings: dict[str, str] = {}
        if url is None or url.is_folder:
            # The library creates files with the rights of the process umask, which all
            # its threads share. So set the umask.
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

    def __str__(self) -> str:
        return f"{self._files}/{self._name}"

    def check(self, part: TablePart) -> None:
        """Raise StateError if the place holds anything but a table with these
        columns.
        """
        with self._lock:
            if (found := self._found()) is not None:
                self._check_columns(found, part.columns)

    def check_owner(self, part: TablePart, known: Collection[str]) -> None:
        """Raise StateError if another connection's rows have the name of this one, or
        rows of this one have another name. Ignore names that a manifest knows.
        """
        with self._lock:
            table = self._found()
            if table and (wrong := delta_log.wrong_name(table, part, known)):
                raise StateError(
                    f"{self} has {wrong}, and no manifest says so",
                    hint="--to another folder, or another name for the profile",
                )

    def current(self, part: TablePart, read: TableRead) -> TableRead | None:
        """Return the read with the state that the part has now, or None without it.

        Raises StateError if another program changed the part since this read.
        """
        with self._lock:
            table = self._found()
            if table is None:
                return None
            files = delta_log.data_files(table, part)
            if not files and table.transaction_version(application(part, read)) is None:
                # The table was removed, and created again for other connections.
                return read if read.version is None and not read.rows else None
            self._check_unchanged(table, part, read)
            if read.version is None:
                return read
            # A run that was stopped may have committed more since.
            return delta_log.after(read, table.version(), files, read.changed)

    def next_read(self, part: TablePart, read: TableRead) -> TableRead:
        """Return a read with the next unused number of its series. Numbers that only
        the table's log knows count as used.
        """
        with self._lock:
            table = self._found()
            there = table.transaction_version(application(part, read)) if table else None
        return TableRead(max(read.number, there or 0) + 1, application=read.application)

    def made(self, columns: ParquetColumns) -> DeltaTable:
        """Return the table with these columns. It is created if nothing is there."""
        with self._lock:
            if self._found() is None:
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
            found = self._found()
            if found is None:
                raise StorageError(f"{self} was made and is not there")
            self._check_columns(found, columns)
            return found

    def commit(
        self, part: TablePart, read: TableRead, found: NewestRecords, *, whole: bool
    ) -> TableRead:
        """Commit the records of a read, and return the state of the part. Each record
        is in the table once, whatever was tried before.

        The `whole` list replaces the part; other records are merged by their ids.
        """
        with self._lock:
            before: list[DataFile] | None = None
            for attempt in range(_ATTEMPTS):
                self._files.check(self._name)
                table = self.made(part.columns)
                if part.before:
                    self._check_unchanged(table, part, part.before)
                there = delta_log.data_files(table, part)
                if (table.transaction_version(application(part, read)) or 0) >= read.number:
                    # An earlier run put it in.
                    return delta_log.after(read, table.version(), there, len(found))
                with self._errors("write to"):
                    if before != there:
                        writer, gone = self._write(part, read, there, found, whole=whole)
                        before = there
                    try:
                        self._write_log(table, part, read, writer.actions, gone)
                    except CommitFailedError:
                        # Another run committed first, and may have changed the part.
                        pause = min(_LONGEST_PAUSE, 0.05 * 2**attempt)
                        self._runtime.sleep(random.uniform(0, pause))  # noqa: S311
                        continue
                self._sweep(part, read, {one.name for one in writer.added})
                files = [*(one for one in there if one not in gone), *writer.added]
                return delta_log.after(read, table.version() + 1, files, len(found))
        raise StateError(f"others write to {self} all the time", hint="run the same command again")

    def records(self, part: TablePart) -> Iterator[bytes]:
        """Yield the records of a part, from the newest version of the table."""
        with self._lock:
            table = self._found()
            files = delta_log.data_files(table, part) if table else []
        with self._errors("read"):
            yield from delta_rows.records(files, self._open_file)

    def remove(self, part: TablePart) -> None:
        """Commit a version of the table without the rows of a part."""
        profile = part.columns.profile.replace("'", "''")
        with self._lock:
            table = self._found()
            if table is not None and delta_log.data_files(table, part):
                with self._errors("write to"):
                    # Only the log is written: a profile's rows have files of their own.
                    table.delete(f"{PROFILE} = '{profile}'", post_commithook_properties=_HOOKS)
                    self._make_safe(table.version())

    def difference(self, part: TablePart, read: TableRead) -> str:
        """Return how the part differs from a read, in words. Empty if it does not."""
        with self._lock:
            table = self._found()
            if table is None:
                return "its table is gone"
            try:
                self._check_unchanged(table, part, read)
            except StateError as error:
                return error.message
            files = delta_log.data_files(table, part)
        # Version 0.2.0 noted the rows only.
        known = read.rows if read.version is None else sum(one.rows for one in files)
        with self._errors("read"):
            try:
                rows = sum(1 for _ in delta_rows.records(files, self._open_file))
            except FileNotFoundError:
                return "a file of its table is gone"
            except (pa.ArrowInvalid, OSError) as error:
                if isinstance(error, pa.ArrowInvalid) or "CRC" in str(error):
                    return "a file of its table is damaged"
                raise
        return "" if rows == known else f"{counted(rows, 'record')}, not {known}"

    def _check_unchanged(self, table: DeltaTable, part: TablePart, read: TableRead) -> None:
        if wrong := delta_log.change_by_others(table, part, read, self._actions):
            raise StateError(
                f"another program changed {part.columns.profile} in {self}: {wrong}",
                hint=_REBUILD,
            )

    def _actions(self, version: int) -> list[JsonObject]:
        """Return the actions of a version; none if its log is gone."""
        text = self._files.read(f"{self._name}/{_LOG}/{version:020}.json")
        return [json.loads(line) for line in (text or b"").splitlines()]

    def _write(
        self,
        part: TablePart,
        read: TableRead,
        there: list[DataFile],
        found: NewestRecords,
        *,
        whole: bool,
    ) -> tuple[PartWriter, list[DataFile]]:
        """Write new files of the part, and return them with the files to remove."""
        found.begin()
        name = f"{delta_log.prefix(part, read)}{secrets.token_hex(6)}"
        writer = PartWriter(self._save, name, part.columns)
        gone = there if whole else delta_rows.merge(there, self._open_file, found, writer)
        writer.end(found)
        return writer, gone

    def _write_log(
        self,
        table: DeltaTable,
        part: TablePart,
        read: TableRead,
        added: list[AddAction],
        gone: list[DataFile],
    ) -> None:
        """Commit the files that come and go as the version after that of the table.

        Raises CommitFailedError if there is one by now.
        """
        now, values = int(time.time() * 1000), {PROFILE: part.columns.profile}
        removed = [RemoveAction(one.name, True, now, one.size, values) for one in gone]
        table.create_write_transaction(
            [*added, *removed],
            "append",
            parquet_file.schema(part.columns),
            [PROFILE],
            commit_properties=CommitProperties(
                {delta_log.OURS: application(part, read)},
                max_commit_retries=0,
                app_transactions=[Transaction(application(part, read), read.number)],
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

    def _open_file(self, name: str) -> pa.NativeFile:
        store = DeltaStorageHandler(self._uri, self._settings)
        return PyFileSystem(store).open_input_file(name)

    def _sweep(self, part: TablePart, read: TableRead, added: set[str]) -> None:
        """Remove the files of earlier attempts to commit the same read. Files that were
        not written completely are removed too, because VACUUM leaves them.
        """
        begin = delta_log.prefix(part, read)
        folder, _, name = begin.rpartition("/")
        left = [
            f"{folder}/{one}"
            for one in self._files.listed(f"{self._name}/{folder}")
            if one.startswith(name) or atomic_file.is_unfinished(one)
        ]
        self._files.drop([f"{self._name}/{one}" for one in left if one not in added])

    def _found(self) -> DeltaTable | None:
        """Return the table in its newest version, or None if nothing is there."""
        self._files.check(f"{self._name}/_delta_log")
        if not self._open() and self._files.listed(self._name) and not self._open():
            # Look again, because the table may have been created after the first look.
            raise StateError(
                f"{self} holds something else than a Delta table", hint="--to another folder"
            )
        return self._opened

    def _open(self) -> bool:
        """Open the table in its newest version. Says whether there is one."""
        with self._errors("read"):
            try:
                if self._opened is None:
                    self._opened = DeltaTable(self._uri, storage_options=self._settings)
                    self._check_columns(self._opened, None)
                else:
                    self._opened.update_incremental()
            except TableNotFoundError:
                self._opened = None
        return self._opened is not None

    def _check_columns(self, table: DeltaTable, columns: ParquetColumns | None) -> None:
        """Raise StateError if the table does not have these columns.

        With None, only the columns that each table has are required.
        """
        there = pa.schema(table.schema().to_arrow())
        wanted = parquet_file.schema(columns or ParquetColumns(""))
        compared = there if columns else pa.schema(list(there)[: len(wanted)])
        if table.protocol().min_reader_version > _READER:
            raise self._newer()
        if not compared.equals(wanted) or table.metadata().partition_columns != [PROFILE]:
            names = excerpt(", ".join(there.names))
            raise StateError(
                f"{self} is a table with other columns ({names})",
                hint="the same --columns, or --to another folder",
            )

    def _newer(self) -> StateError:
        return StateError(
            f"{self} is a table with newer features of Delta than this program knows",
            hint="--to another folder",
        )

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        """Raise this program's errors instead of those of the library."""
        try:
            yield
        except (exceptions.TableNotFoundError, exceptions.CommitFailedError):
            raise
        except (exceptions.DeltaError, OSError, ValueError) as error:
            # The library has its own exception for only some features that it does not
            # support.
            if isinstance(error, exceptions.DeltaProtocolError) or "Unsupported" in str(error):
                raise self._newer() from None
            if self._url is not None:
                raise object_store.error_of(self._url, what, error) from None
            said = str(error).partition("\n")[0]
            raise StorageError(f"cannot {what} {self}: {said}") from None
