"""What the driver of a cluster finds at the destination after a task: what a worker says of it counts nothing."""

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from unified_cli.bulk.export.destinations.destination import Destination
from unified_cli.bulk.export.folder_export import ExportSummary
from unified_cli.bulk.export.manifest import Manifest, ManifestEntry
from unified_cli.errors import StateError, UnifiedError
from unified_cli.fleet import pool
from unified_cli.masking import excerpt

_THREADS = 8
# No record takes less: an empty object and the end of its line; in Parquet many equal ones take next to nothing.
_LEAST_BYTES = {".ndjson": 3.0, ".parquet": 0.001}


class FoundLists:
    """The lists of a task, before it was done and after; `manifest` is the name of its manifest."""

    def __init__(self, destination: Destination, manifest: str, account: tuple[str, str], files: Iterable[str]) -> None:
        """`account` is the origin and the account that the lists are of. Raises StorageError."""
        self._destination = destination
        self._manifest = manifest
        self._account = account
        self._files = [*files]
        try:
            self._before = self._entries()
        except StateError:
            # Whoever does the task finds it, too, and says so.
            self._before = {}

    def summary(self, name: str, failed: Mapping[str, UnifiedError], where: str) -> ExportSummary:
        """What came of the task of this connection, of whose lists these failed; `where` is who did it.

        Raises StateError for a damaged manifest, StorageError.
        """
        entries = self._entries()
        found = ExportSummary(failed={**failed})
        expected = [entries.get(file) or ManifestEntry(file, name, "", "", "", "") for file in self._files]
        for entry in expected:
            if not entry.offered and entry.file not in failed:
                found.not_offered += 1
        if not any(entry.offered for entry in expected):
            found.without_lists[name] = [replace(entry, why=excerpt(entry.why or "")) for entry in expected]
        added = [entry for file, entry in entries.items() if file not in self._files and entry.complete]
        new = [entry for entry in added if self._is_new(entry)]
        changed = {(entry.api, entry.resource) for entry in new}
        there = [entry for entry in expected if entry.offered and entry.file not in failed]
        for entry, error in self._judged([*there, *new], where):
            if error:
                found.failed[entry.file] = error
            elif not entry.complete or self._is_new(entry):
                _add(found, entry)
            elif (entry.api, entry.resource) not in changed:
                found.unchanged += 1
        return found

    def _entries(self) -> dict[str, ManifestEntry]:
        text = self._destination.read(self._manifest)
        return Manifest.of(text, self._manifest, str(self._destination)).entries if text else {}

    def _is_new(self, entry: ManifestEntry) -> bool:
        before = self._before.get(entry.file)
        return before is None or replace(before, look="") != replace(entry, look="")

    def _judged(
        self, entries: Iterable[ManifestEntry], where: str
    ) -> Iterator[tuple[ManifestEntry, UnifiedError | None]]:
        """Each of the entries, and why it does not count, if it does not."""

        def judge(entry: ManifestEntry) -> Generator[tuple[ManifestEntry, UnifiedError | None]]:
            try:
                told = self._told(entry) and self._destination.holds(replace(entry, complete=True))
            except StateError as error:
                yield entry, error
                return
            missing = f"{where} said that it has done {entry.file}, which is not complete at {self._destination}"
            yield entry, None if told else StateError(missing, hint="run the same command again")

        yield from sorted(pool.results_of(entries, judge, _THREADS), key=lambda judged: judged[0].file)

    def _told(self, entry: ManifestEntry) -> bool:
        """Whether the manifest says, as far as it can be true, that the list came to its end."""
        least = _LEAST_BYTES.get(PurePosixPath(entry.file).suffix, 0.0)
        of_task = (entry.origin, entry.account_id) == self._account
        return of_task and bool(entry.complete or entry.ended) and entry.records * least <= entry.bytes


def _add(found: ExportSummary, entry: ManifestEntry) -> None:
    found.written += 1
    found.records += entry.records
    if not entry.complete:
        found.partial.append(f"{entry.file}: {excerpt(entry.why or '')}")
