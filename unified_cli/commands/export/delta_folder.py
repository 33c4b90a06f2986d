"""An export destination whose lists are parts of Delta tables.

Pages are saved as files, and added to the table once all have arrived.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from unified_cli import os_limits
from unified_cli.errors import ConfigError, UsageError
from unified_cli.exported.checkpoint import Checkpoint, ListIdentity, TableRead
from unified_cli.exported.destination import FilePlace
from unified_cli.exported.list_export import ListExportOptions, ListTarget, TablePart
from unified_cli.exported.manifest import ManifestEntry
from unified_cli.exported.parquet_file import ParquetColumns
from unified_cli.installation import command_to_add
from unified_cli.runtime import Runtime
from unified_cli.storage import object_store

if TYPE_CHECKING:
    from unified_cli.commands.export.delta_table import ListTable

SUFFIX = ".delta"
# The folder for pages of lists that are not complete.
_PAGES = ".pages"
_INSTALL = command_to_add("deltalake>=1.6", "pyarrow")
_LEAST = (1, 6)
# deltalake 1.6 decodes a path twice, so escapes in it would change.
_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")


def check() -> None:
    """Raise ConfigError if the library for tables is missing or too old."""
    try:
        metadata.version("pyarrow")
        found = metadata.version("deltalake")
    except metadata.PackageNotFoundError:
        raise ConfigError(
            "--format delta needs the packages deltalake and pyarrow", hint=_INSTALL
        ) from None
    if tuple(map(int, found.split(".")[:2])) < _LEAST:
        raise ConfigError(
            f"--format delta needs deltalake 1.6 or newer, but {found} is installed", hint=_INSTALL
        )


def check_folder(to: str) -> None:
    """Raise UsageError if the library would look for the destination in another
    folder.
    """
    url = object_store.parse_url(to)
    folder = url.prefix if url else str(os_limits.absolute(Path(to)))
    if escape := _ESCAPE.search(folder):
        raise UsageError(
            f"--to {to}: Delta tables cannot be in a folder with {escape[0]} in its name (choose"
            " another folder)"
        )


class TableFolder:
    """A destination with tables at `<api>/<resource>`. All other files are stored as at
    other destinations.

    A part is named like a file, `<profile>/<api>/<resource>.delta`, but no such file
    exists.
    """

    def __init__(self, runtime: Runtime, text: str, files: FilePlace) -> None:
        """`files` are the place of this name. Raises UsageError and UnsafeError."""
        self._runtime = runtime
        self._text = text
        self._files = files
        self._tables: dict[str, ListTable] = {}
        # `files` handles the manifests and their locks.
        self.save_seconds, self.most_unreported = files.save_seconds, files.most_unreported
        self.hold, self.is_held, self.check_held = files.hold, files.is_held, files.check_held
        self.read, self.replace, self.manifests = files.read, files.replace, files.manifests
        self.remove, self.place = files.remove, files.place

    def __str__(self) -> str:
        return str(self._files)

    def table(self, part: TablePart) -> "ListTable":
        """Return the table of a part."""
        from unified_cli.commands.export.delta_table import ListTable  # noqa: PLC0415  an extra

        name = f"{part.api}/{part.resource}"
        if name not in self._tables:
            made = ListTable(self._runtime, self._text, self._files, name)
            self._tables.setdefault(name, made)
        return self._tables[name]

    def target(self, file: str, identity: ListIdentity, options: ListExportOptions) -> ListTarget:
        """Return the target of a list."""
        if options.table is None:
            return self._files.target(file, identity, options)
        pages = self._files.target(_pages(file), identity, options)
        whole = options.increment is None
        table = self.table(options.table)
        return PartTarget(pages, self._files, _pages(file), table, options.table, whole=whole)

    def holds(self, entry: ManifestEntry) -> bool:
        """Return whether the complete list is in its table.

        Raises StateError if the table was replaced, or if others changed the part.
        """
        if not is_part(entry.file):
            return self._files.holds(entry)
        if not entry.complete or entry.table is None:
            return False
        part = _part_of(entry.file, entry.origin, entry.account_id)
        found = self.table(part).current(part, entry.table)
        entry.table = found or entry.table
        return found is not None

    def begin_anew(self, file: str, *, keep: bool) -> None:  # noqa: ARG002  no read has both
        """Forget how far a list was read.

        Rows in the table are kept.
        """
        self._files.clear(_pages(file))

    def sweep(self, entry: ManifestEntry) -> None:
        """Remove the files that a killed run left beside a complete list.

        The pages of a later read are kept.
        """
        begun = self._files.read_checkpoint(_pages(entry.file))
        later = entry.table and begun and begun.table and begun.table.number > entry.table.number
        if not later:
            self._files.clear(_pages(entry.file))

    def records(self, file: str) -> Iterator[bytes]:
        """Return the records of a complete list."""
        if not is_part(file):
            return self._files.records(file)
        part = _part_of(file)
        return self.table(part).records(part)

    def clear(self, file: str) -> None:
        """Remove a list in any format, even an unfinished one.

        The rows of a part are removed from the table, but not from its older versions.
        """
        if not is_part(file):
            self._files.clear(file)
            return
        self._files.clear(_pages(file))
        part = _part_of(file)
        self.table(part).remove(part)

    def differences(self, entry: ManifestEntry) -> Iterator[str]:
        """Yield the differences between a complete list and its entry."""
        if not is_part(entry.file):
            yield from self._files.differences(entry)
            return
        part = _part_of(entry.file, entry.origin, entry.account_id)
        if entry.table and (said := self.table(part).difference(part, entry.table)):
            yield said


class PartTarget:
    """The target of a list that is a part of a table.

    Pages are saved as files, and added to the table when all have arrived. The commit
    has the number of the read, which is saved with the pages. If the run is killed, the
    next run can therefore see whether it must repeat the commit. All methods raise the
    errors of the place and of the table.
    """

    def __init__(
        self,
        pages: ListTarget,
        files: FilePlace,
        file: str,
        table: "ListTable",
        part: TablePart,
        *,
        whole: bool,
    ) -> None:
        """Create the target. `pages` is the file for its pages, in `files`.

        With `whole`, the pages are the complete list, not an increment.
        """
        self._pages = pages
        self._files = files
        self._file = file
        self._table = table
        self._part = part
        self._is_whole = whole
        self._tidied = False
        self.lines, self.append, self.count = pages.lines, pages.append, pages.count
        self.keep, self.abandon, self.close = pages.keep, pages.abandon, pages.close

    @property
    def state(self) -> Checkpoint:
        """The progress of the read."""
        return self._pages.state

    # `force` is not needed: the files of pages are this program's own.
    def open(
        self,
        *,
        force: bool,  # noqa: ARG002
        restart: bool = False,
        keep: bool = False,
    ) -> None:
        """Continue where an earlier run stopped, or begin.

        First checks that the table can take the list.
        """
        read = self._table.next_read(self._part)
        restart = restart or self._is_of_earlier_restart()
        self._pages.open(force=True, restart=restart, keep=keep)
        begun = self.state.table
        if begun is None:
            self.state.table = read
        elif not self.state.pages and not self.is_published:
            # The number belongs to pages that were discarded.
            self.state.table = replace(read, number=max(read.number, begun.number + 1))
        if self.is_published:
            # All pages are complete, but an earlier run may not have committed them.
            self._commit()

    @property
    def is_published(self) -> bool:
        """Whether an earlier run read all pages."""
        return self._pages.is_published

    def publish(self, end: bytes, *, force: bool) -> None:  # noqa: ARG002  as above
        """Publish the pages, and add them to the table."""
        self._pages.publish(end, force=True)
        self._commit()

    def tidy(self) -> None:
        """Remove the pages."""
        if not self._tidied:
            self._tidied = True
            self._pages.tidy()
            self._files.clear(self._file)

    def _is_of_earlier_restart(self) -> bool:
        if not self._part.restart:
            return False
        begun = self._files.read_checkpoint(self._file)
        return bool(begun and begun.table and begun.table.restart != self._part.restart)

    def _commit(self) -> None:
        state, before = self.state, self._part.before
        # Do not remove records that were only left out by a filter or by the provider.
        # Version 0.2.0 did not record where a read ended, so a read that continues it
        # may return older states.
        whole = self._is_whole and not self._part.filtered and not state.partial_pages
        whole = whole and (before is None or before.version is not None)
        state.table, left_out = self._table.commit(
            self._part,
            state.table or TableRead(1),
            lambda: self._files.records(self._file),
            whole=whole,
        )
        if left_out:
            state.memory["left_out"] = left_out


def is_part(file: str) -> bool:
    """Return whether a list is a part of a table."""
    return file.endswith(SUFFIX)


def _pages(file: str) -> str:
    return f"{_PAGES}/{file}"


def _part_of(file: str, origin: str = "", account: str = "") -> TablePart:
    path = PurePosixPath(file)
    columns = ParquetColumns(unquote(path.parts[0]))
    return TablePart(path.parts[1], path.stem, origin, account, columns)
