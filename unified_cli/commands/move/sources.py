"""Where the records of a side come from: a profile's connection, the folder of an
export, or an NDJSON file.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from unified_cli.catalogue import Catalogue, Resource
from unified_cli.commands.move.side import SideFacts, identifier_in
from unified_cli.config import file as config_file
from unified_cli.config.settings import Settings
from unified_cli.errors import IncompleteError, StorageError, UsageError
from unified_cli.exported.destination import Destination
from unified_cli.exported.list_history import ListHistory
from unified_cli.exported.local_folder import LocalFolder
from unified_cli.exported.manifest import Manifest, ManifestEntry, no_export
from unified_cli.fleet.clients import Clients
from unified_cli.http import pagination, request as requests
from unified_cli.http.pagination import Span
from unified_cli.http.request import Content
from unified_cli.output.progress import Progress
from unified_cli.runtime import Runtime
from unified_cli.storage import regular_file
from unified_cli.storage.unchanged_file import UnchangedFile
from unified_cli.writes import input_formats

_PROFILE = "profile:"
_OFTEN = 1000
_READABLE = {".ndjson": "NDJSON", ".parquet": "Parquet"}


class RecordSource(NamedTuple):
    """A side that can be read: what it is, its records, and the settings of its
    connection if it is one.
    """

    facts: SideFacts
    records: Callable[[Clients, Progress], Generator[Sequence[bytes]]]
    """Reads them, some at a time."""
    settings: Settings | None = None


class SourceFinder:
    """Finds the sides that a command line names; `settings` are those of a profile."""

    def __init__(
        self,
        runtime: Runtime,
        catalogue: Catalogue,
        resource: Resource,
        settings: Callable[[str], Settings],
    ) -> None:
        self._runtime = runtime
        self._catalogue = catalogue
        self._resource = resource
        self._settings = settings

    def find(self, option: str, name: str | None) -> RecordSource:
        """The side of that name. Raises UsageError for one that is nothing, or more
        than one thing; StorageError.
        """
        if not name:
            raise UsageError(
                f"{option} is missing",
                hint=f"{option} SIDE: a profile, a folder of an export, a file",
            )
        profile = self._profile(name)
        path = None if name.startswith(_PROFILE) else Path(name)
        there = path is not None and path.exists()
        if profile and there:
            hint = f"{_PROFILE}{name} is the profile, ./{name} the path"
            raise UsageError(f"{option} {name} is a profile and a file or folder here", hint=hint)
        if profile:
            return self._of_profile(profile)
        if path is None or not there:
            raise UsageError(
                f"{option} {name} is no profile, folder or file", hint="unified profile list"
            )
        return self._of_folder(path) if path.is_dir() else self._of_file(path)

    def _profile(self, name: str) -> str | None:
        wanted = name.removeprefix(_PROFILE)
        known = config_file.read(self._runtime).profiles
        return wanted if wanted in known or wanted == config_file.RESERVED else None

    def _of_profile(self, name: str) -> RecordSource:
        settings = self._settings(name)
        address, account = settings.reachable()
        operation = self._resource.operations.get("list")
        if operation is None:
            raise UsageError(
                f"{self._resource.api} {self._resource.name} has no list to be compared"
            )
        scope = requests.scope_of(settings, self._catalogue.service)
        size = (
            [(self._catalogue.service.page_size, str(settings.page_size))]
            if settings.page_size
            else []
        )
        request = requests.for_operation(scope, operation, None, Content(size))

        def records(clients: Clients, shown: Progress) -> Generator[Sequence[bytes]]:
            with closing(clients.open_bulk(settings)) as client:
                for page in pagination.pages(client.send, request, self._catalogue.service, Span()):
                    if page.partial:
                        raise IncompleteError(
                            f"{name}: the provider left something out of page {page.number}"
                        )
                    yield [*map(bytes, page.records)]
                    shown.add(len(page.records), pages=1)

        facts = SideFacts("profile", name, address.origin + address.path, account)
        return RecordSource(facts, records, settings)

    def _of_folder(self, path: Path) -> RecordSource:
        """The complete files of a list in an export, or in the folder of one of its profiles.

        Raises UsageError where it is not there or there are several, IncompleteError
        where it is not complete, StateError where it was changed, StorageError.
        """
        # An export in shards has a manifest for each.
        profile = None if LocalFolder(self._runtime, path).manifests() else path.name
        folder = path if profile is None else path.parent
        destination = LocalFolder(self._runtime, folder)
        entries = {
            name: entry
            for name, entry in _entries(destination).items()
            if profile in {None, entry.profile}
        }
        first = _first(entries, self._resource, path)
        if not first.complete or not destination.holds(first):
            why = f"{folder / first.file} is not complete: {first.why or 'the file is gone'}"
            raise IncompleteError(why, hint="run the export again")
        history = ListHistory.of(destination, first, entries)
        facts = SideFacts("folder", written(path), first.origin, first.account_id)
        return RecordSource(facts, lambda _clients, shown: _counted(_newest(history), shown))

    def _of_file(self, path: Path) -> RecordSource:
        return RecordSource(
            SideFacts("file", written(path)),
            lambda _clients, shown: _counted(
                _file_records(path, self._catalogue.service.items), shown
            ),
        )


def _counted(records: Iterator[bytes], shown: Progress) -> Generator[Sequence[bytes]]:
    while some := [*islice(records, _OFTEN)]:
        yield some
        shown.add(len(some))


def _file_records(path: Path, items: str) -> Iterator[bytes]:
    """The records of an NDJSON file. Raises UsageError for a line that is none,
    StateError where the file changes.
    """
    try:
        with closing(UnchangedFile(path)) as file, file.reader() as content:
            for line in input_formats.READERS["ndjson"](content, str(path), items):
                wrong = line.wrong or ("" if line.text.startswith(b"{") else "is no JSON object")
                if wrong:
                    raise UsageError(
                        f"{path}, line {line.number} {wrong}",
                        hint="a record on each line, as -o ndjson prints",
                    )
                yield line.text
    except regular_file.NotRegularError:
        raise UsageError(f"{path} is no regular file") from None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None


def _newest(history: ListHistory) -> Iterator[bytes]:
    """The newest state of each record. Raises StorageError."""
    newer: set[bytes] = set()
    destination, entries = history
    for entry in reversed(entries):
        here: set[bytes] = set()
        for record in destination.records(entry.file):
            identifier = identifier_in(record)
            if identifier not in newer:
                yield record
            if entry is not entries[0]:
                here.add(identifier)
        newer |= here


def written(path: Path) -> str:
    """The name of a file or folder as it can be written in UTF-8."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def _entries(destination: Destination) -> dict[str, ManifestEntry]:
    found: dict[str, ManifestEntry] = {}
    for name in destination.manifests():
        found |= Manifest.of(destination.read(name) or b"", name, str(destination)).entries
    if not found:
        raise no_export(destination)
    return found


def _first(entries: dict[str, ManifestEntry], resource: Resource, path: Path) -> ManifestEntry:
    """The file with the whole list. Raises UsageError where there is none, or one of
    each of several profiles.
    """
    wanted = f"{resource.api}/{resource.name}"
    found = [
        entry
        for entry in entries.values()
        if (entry.api, entry.resource) == (resource.api, resource.name)
        and PurePosixPath(entry.file).stem == resource.name
        and entry.offered
    ]
    readable = [entry for entry in found if PurePosixPath(entry.file).suffix in _READABLE]
    if not readable:
        if not found:
            raise UsageError(f"no {wanted} in {path}", hint=f"unified export {wanted} --to {path}")
        kinds = ", ".join(
            sorted({PurePosixPath(entry.file).suffix.removeprefix(".") for entry in found})
        )
        raise UsageError(
            f"{path} holds {wanted} as {kinds}, and what is compared is read from"
            f" {' or '.join(_READABLE.values())}",
            hint=f"unified export {wanted} --to DIR --format ndjson, into another folder",
        )
    if len({entry.profile for entry in readable}) > 1:
        names = ", ".join(sorted(f"{path}/{entry.profile}" for entry in readable))
        raise UsageError(f"{path} holds {wanted} of several profiles", hint=f"name one of {names}")
    return readable[0]
