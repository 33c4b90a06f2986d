"""Read the records of a side from a profile's connection, a folder of an export, or an
NDJSON file.
"""

import re
import shlex
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from unified_cli import os_limits
from unified_cli.catalogue import Catalogue, Resource
from unified_cli.commands.move.side import SideFacts
from unified_cli.config import file as config_file
from unified_cli.config.profiles import is_several
from unified_cli.config.settings import Settings
from unified_cli.errors import IncompleteError, StorageError, UsageError
from unified_cli.exported.exported_lists import ExportedLists
from unified_cli.fleet.clients import Clients
from unified_cli.http import pagination, request as requests
from unified_cli.http.pagination import Span
from unified_cli.http.request import Content
from unified_cli.output.progress import Progress
from unified_cli.runtime import Runtime
from unified_cli.storage import regular_file
from unified_cli.storage.unchanged_file import UnchangedFile
from unified_cli.writes import input_formats, listed_runs
from unified_cli.writes.input_reading import check_records

_CLOSE = 0.65
_PROFILE = "profile:"
_LIST = "unified profile list"
_OFTEN = 1000
# Matches a path, or the name of a file.
_FILE = re.compile(r".*/.*|[^*]*\.[a-z]{2,7}", re.DOTALL)
_BEGINS = 4096


class RecordSource(NamedTuple):
    """A side to read: its facts, its records and, for a connection, its settings."""

    facts: SideFacts
    records: Callable[[Clients, Progress], Generator[Sequence[bytes]]]
    """Reads the records in batches."""
    settings: Settings | None = None


class SourceFinder:
    """Finds the sides that --from and --to name; `settings` returns the settings of a
    profile.
    """

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
        """Return the side with that name.

        Raises UsageError if the name is unknown or ambiguous, and StorageError if a
        file cannot be read.
        """
        if not name:
            raise UsageError(
                f"{option} is missing",
                hint=f"{option} SIDE: the name of a profile, export folder or NDJSON file",
            )
        profile = self._profile(name)
        path = None if name.startswith(_PROFILE) else Path(name)
        is_path = path is not None and path.exists()
        if profile and is_path:
            hint = f"write {_PROFILE}{name} for the profile, or ./{name} for the path"
            raise UsageError(f"{option} {name} is a profile and a file or folder here", hint=hint)
        if profile:
            return self._of_profile(profile)
        if path is None or not is_path:
            raise self._unknown(option, name)
        if self._runtime.prints_into(path):
            raise UsageError(
                f"{option} {name} is the file to which stdout is redirected, so it is now empty",
                hint="redirect stdout to another file",
            )
        return self._of_folder(path) if path.is_dir() else self._of_file(path)

    def find_profile(self, option: str, name: str | None) -> RecordSource:
        """Return the side of a profile. Raises UsageError if there is no such
        profile.
        """
        if not name:
            raise UsageError(f"{option} is missing", hint=f"{option} PROFILE")
        if (profile := self._profile(name)) is None:
            raise UsageError(f"{option} {name} is not a profile", hint=self._meant(name))
        return self._of_profile(profile)

    def _profile(self, name: str) -> str | None:
        wanted = name.removeprefix(_PROFILE)
        known = config_file.read(self._runtime).profiles
        return wanted if wanted in known or wanted == config_file.RESERVED else None

    def _unknown(self, option: str, name: str) -> UsageError:
        if _FILE.fullmatch(name) and not name.startswith(_PROFILE):
            try:
                Path(name).stat()
            except OSError as error:
                # The cause determines the hint of the error.
                missing = UsageError(f"cannot read {option} {name}: {error.strerror}")
                missing.__context__ = error
                return missing
        hint = self._meant(name)
        with suppress(OSError):
            if hint == _LIST and (similar := os_limits.find_similar(Path(name))):
                hint = f"did you mean {similar}?"
        return UsageError(f"{option} {name} is not a profile, folder or file", hint=hint)

    def _meant(self, name: str) -> str:
        if is_several([name]):
            return f"choose one of the profiles that unified profile list {shlex.quote(name)} shows"
        close = get_close_matches(
            name.partition(":")[0], config_file.read(self._runtime).profiles, 1, _CLOSE
        )
        return f'did you mean "{close[0]}"?' if close else _LIST

    def _of_profile(self, name: str) -> RecordSource:
        settings = self._settings(name)
        address, account = settings.reachable()
        operation = self._resource.operations.get("list")
        if operation is None:
            raise UsageError(f"{self._resource.api} {self._resource.name} has no list to compare")
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
        """Return the newest records of a list in an export.

        Raises UsageError unless exactly one profile has the list, IncompleteError if it
        is incomplete, StateError if it was changed, and StorageError if reading fails.
        """
        lists = ExportedLists(self._runtime, path, listed_runs.export_words)
        first = lists.only(self._resource)
        records = lists.newest(first)
        facts = SideFacts("folder", printable(path), first.origin, first.account_id)
        return RecordSource(facts, lambda _clients, shown: _counted(records, shown))

    def _of_file(self, path: Path) -> RecordSource:
        return RecordSource(
            SideFacts("file", printable(path)),
            lambda _clients, shown: _counted(
                _file_records(path, self._catalogue.service.items), shown
            ),
        )


def _counted(records: Iterator[bytes], shown: Progress) -> Generator[Sequence[bytes]]:
    while some := [*islice(records, _OFTEN)]:
        yield some
        shown.add(len(some))


def _file_records(path: Path, items: str) -> Iterator[bytes]:
    """Yield the records of an NDJSON file.

    Raises UsageError if a line is invalid, and StateError if the file changes.
    """
    try:
        with closing(UnchangedFile(path)) as file, file.reader() as content:
            check_records(file.read(_BEGINS, 0), path)
            for line in input_formats.READERS["ndjson"](content, str(path), items):
                wrong = line.wrong or ("" if line.text.startswith(b"{") else "is not a JSON object")
                if wrong:
                    raise UsageError(
                        f"{path}, line {line.number} {wrong}",
                        hint="each line must be one record, as -o ndjson prints it",
                    )
                yield line.text
    except regular_file.NotRegularError:
        raise UsageError(f"{path} is not a regular file") from None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None


def printable(path: Path) -> str:
    """Return a path as text that can be encoded as UTF-8."""
    return str(path).encode("utf-8", "backslashreplace").decode()
