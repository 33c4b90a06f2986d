"""Delta tables, one for each list of the service, in which each connection has a part
of its own.

Only what writes or reads a table imports this module: its libraries are an extra.
"""

import json
import os
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import pyarrow as pa
from deltalake import DeltaTable, exceptions
from deltalake.exceptions import CommitFailedError, TableNotFoundError

from unified_cli import os_limits
from unified_cli.commands.export import delta_commits
from unified_cli.commands.export.delta_commits import Digest, DistinctRecords
from unified_cli.commands.export.delta_library import INSTALL
from unified_cli.errors import ConfigError, StateError, StorageError
from unified_cli.exported import parquet_file
from unified_cli.exported.checkpoint import TableRead
from unified_cli.exported.destination import FilePlace
from unified_cli.exported.list_export import TablePart
from unified_cli.exported.parquet_file import ParquetColumns
from unified_cli.masking import excerpt
from unified_cli.runtime import Runtime
from unified_cli.storage import object_store, state
from unified_cli.storage.object_store import StoreUrl

_OTHERS = 0o077
_ATTEMPTS = 20
_LONGEST_PAUSE = 2.0
# Operations that leave the records as they are.
_HARMLESS = {"CREATE TABLE", "OPTIMIZE", "VACUUM START", "VACUUM END"}
_CONFIGURATION = {"delta.dataSkippingStatsColumns": ",".join(parquet_file.TIMES)}


class TablePlace(NamedTuple):
    """Where tables are: a folder or the URL of a store, and how the library reaches
    it.
    """

    base: str
    settings: dict[str, str]
    url: StoreUrl | None

    @classmethod
    def of(cls, text: str, runtime: Runtime) -> "TablePlace":
        """Return the place that a user names so. Raises UsageError, UnsafeError."""
        url = object_store.parse_url(text)
        if url is None or url.is_folder:
            # The library gives files the rights that the process leaves open, and its
            # threads share them.
            os.umask(_OTHERS)
            return cls(str(os_limits.absolute(Path(url.prefix if url else text))), {}, url)
        base = f"{url.scheme}://{url.bucket}/{quote(url.prefix)}".rstrip("/")
        return cls(base, object_store.table_settings(url, runtime.environ), url)


class ListTable:
    """The table of one list of the service; several threads may use it.

    All methods raise StateError for a table that is not such a one, ConfigError for one
    that is newer than the library, and StorageError.
    """

    def __init__(self, runtime: Runtime, place: TablePlace, files: FilePlace, name: str) -> None:
        """`name` is that of the API and of the resource."""
        self._runtime = runtime
        self._place = place
        self._files = files
        self._name = name
        self._lock = threading.RLock()
        self._opened: DeltaTable | None = None

    def __str__(self) -> str:
        return f"{self._files}/{self._name}"

    def check(self, part: TablePart) -> None:
        """Raise StateError if there is something else than a table with these columns,
        or its part is another's.
        """
        with self._lock:
            if (found := self._found()) is not None:
                self._check_columns(found, part.columns)
                self._check_owner(part)

    def number(self, part: TablePart) -> int:
        """Return the number of the last read of this list that is in the table. 0
        without one.
        """
        with self._lock:
            table = self._found()
            return (table.transaction_version(delta_commits.app(part)) or 0) if table else 0

    def make(self, columns: ParquetColumns) -> None:
        """Have an empty table with these columns there, unless there is one."""
        with self._lock:
            self._made(columns)

    def commit(
        self, part: TablePart, number: int, found: DistinctRecords, *, replace: bool
    ) -> TableRead:
        """Put in the records of a read, whatever was tried before.

        Each is in once then.

        With `replace` they are all that there are, else they are merged by their ids.
        """
        with self._lock:
            for attempt in range(_ATTEMPTS):
                self._files.check(self._name)
                table = self._made(part.columns)
                self._claim(part)
                if (table.transaction_version(delta_commits.app(part)) or 0) >= number:
                    # An earlier run put it in.
                    there = self.counted(part)
                    return TableRead(number, there.rows, there.text)
                try:
                    with self._errors("write to"):
                        write = delta_commits.replaced if replace else delta_commits.merged
                        return write(table, part, number, found)
                except CommitFailedError:
                    # Another was quicker: on what it left, the same is done again.
                    self._runtime.sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.05 * 2**attempt)))  # noqa: S311
        raise StateError(f"others write to {self} all the time", hint="run the same command again")

    def records(self, part: TablePart) -> Iterator[bytes]:
        """Yield the records of a part, from the newest version of the table."""
        with self._lock:
            table = self._found()
        if table is not None:
            with self._errors("read"):
                yield from delta_commits.records(table, part)

    def counted(self, part: TablePart) -> Digest:
        """Return how many records are in a part, and their digest."""
        return Digest.of(self.records(part))

    def foreign_commit(self) -> str:
        """Return the newest commit of another program that changed records, in words.

        Empty without one.
        """
        with self._lock, self._errors("read"):
            table = self._opened
            for commit in table.history() if table else ():
                what = commit.get("operation")
                if delta_commits.OURS not in commit and what not in _HARMLESS:
                    return f"version {commit['version']} is a {what} of another program"
        return ""

    def _made(self, columns: ParquetColumns) -> DeltaTable:
        if (found := self._found()) is not None:
            self._check_columns(found, columns)
            return found
        # Another may be making it now.
        with self._errors("write to"), suppress(CommitFailedError):
            DeltaTable.create(
                self._uri,
                parquet_file.schema(columns),
                mode="ignore",
                partition_by=[delta_commits.PROFILE],
                name=self._name,
                configuration=_CONFIGURATION,
                storage_options=self._place.settings,
            )
        found = self._found()
        if found is None:
            raise StorageError(f"{self} was made and is not there")
        self._check_columns(found, columns)
        return found

    def _found(self) -> DeltaTable | None:
        """Return the table in its newest version, or None if nothing is there."""
        self._files.check(f"{self._name}/_delta_log")
        if not self._open() and not self._files.is_empty(self._name) and not self._open():
            # The second look is for one that was made after the first.
            raise StateError(
                f"{self} holds something else than a Delta table", hint="--to another folder"
            )
        return self._opened

    def _open(self) -> bool:
        """Open the table in its newest version. Says whether there is one."""
        with self._errors("read"):
            try:
                if self._opened is None:
                    self._opened = DeltaTable(self._uri, storage_options=self._place.settings)
                    self._check_columns(self._opened, None)
                else:
                    self._opened.update_incremental()
            except TableNotFoundError:
                self._opened = None
        return self._opened is not None

    def _check_columns(self, table: DeltaTable, columns: ParquetColumns | None) -> None:
        """Raise StateError for a table that has not these columns.

        With None for one that has not those of all.
        """
        there = pa.schema(table.schema().to_arrow())
        wanted = parquet_file.schema(columns or ParquetColumns(""))
        same = (
            there.equals(wanted)
            if columns
            else pa.schema(list(there)[: len(wanted)]).equals(wanted)
        )
        if not same or table.metadata().partition_columns != [delta_commits.PROFILE]:
            names = excerpt(", ".join(there.names))
            raise StateError(
                f"{self} is a table with other columns ({names})",
                hint="the same --columns, or --to another folder",
            )

    def _check_owner(self, part: TablePart) -> bool:
        """Return whether the part is this connection's, or False if it is no one's."""
        text = self._files.read(self._owner_file(part))
        if text is None:
            return False
        known = state.decoded(text, dict) or {}
        if known != delta_commits.owner(part):
            raise StateError(
                f"{self} holds the {self._name} of another connection as {part.columns.profile}:"
                f" account {excerpt(str(known.get('account')))} at"
                f" {excerpt(str(known.get('origin')))}",
                hint="--to another folder, or another name for the profile",
            )
        return True

    def _claim(self, part: TablePart) -> None:
        """Note whose part it is, unless that is noted."""
        if self._check_owner(part):
            return
        if not self._files.create(
            self._owner_file(part), json.dumps(delta_commits.owner(part)).encode()
        ):
            self._check_owner(part)

    def _owner_file(self, part: TablePart) -> str:
        # Readers ignore files with this prefix, and VACUUM leaves them.
        return f"{self._name}/_unified/{quote(part.columns.profile, safe='')}.json"

    @property
    def _uri(self) -> str:
        return f"{self._place.base}/{self._name}"

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        """Raise this program's errors for those of the library."""
        try:
            yield
        except (exceptions.TableNotFoundError, exceptions.CommitFailedError):
            raise
        except (exceptions.DeltaError, OSError, ValueError) as error:
            # It has an exception of its own for some of what it does not know.
            if isinstance(error, exceptions.DeltaProtocolError) or "Unsupported" in str(error):
                raise ConfigError(
                    f"{self} needs a newer deltalake: {_first_line(error)}",
                    hint=INSTALL,
                ) from None
            if self._place.url is not None:
                raise object_store.error_of(self._place.url, what, error) from None
            raise StorageError(f"cannot {what} {self}: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
