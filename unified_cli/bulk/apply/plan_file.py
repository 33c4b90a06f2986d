"""A plan in a file, which anybody may have written: its header, and its lines one by one."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self, TypeVar

import msgspec

from unified_cli.bulk.compare.plan_format import VERSION, PlanHeader, PlannedCall
from unified_cli.catalogue import Catalogue, Resource
from unified_cli.errors import StorageError, UsageError
from unified_cli.json_text import json_check, surrogates
from unified_cli.storage import input_bounds, regular_file
from unified_cli.storage.unchanged_file import UnchangedFile

StructT = TypeVar("StructT", bound=msgspec.Struct)


class PlanLine(NamedTuple):
    """A line after the header: its number in the file, the position of its first byte, its text."""

    number: int
    position: int
    text: bytes


class PlanFile:
    """A plan, open; a context manager. What it says of connections and calls is not checked yet."""

    def __init__(self, path: Path, catalogue: Catalogue) -> None:
        """Raises UsageError for what is no plan that this program reads, StorageError."""
        self.path = path
        try:
            self._file = UnchangedFile(path)
        except regular_file.NotRegularError:
            raise UsageError(f"{path} is no regular file", hint="unified plan … > FILE") from None
        except OSError as error:
            raise StorageError(f"cannot read {path}: {error.strerror}") from None
        try:
            self.header = self._read_header()
            self.resource = self._find_resource(catalogue)
        except BaseException:
            self._file.close()
            raise

    @property
    def sha256(self) -> str:
        """The digest of the whole file."""
        return self._file.sha256

    def _read_header(self) -> PlanHeader:
        with self._file.reader() as content:
            text = next(input_bounds.lines(content, str(self.path)), b"").strip()
        version = decoded(text, _Version)
        if isinstance(version, str):
            raise UsageError(f"{self.path}, line 1 is no header of a plan", hint="unified plan … > FILE")
        if version.unified_plan != VERSION:
            said = f"{self.path} is a plan of version {version.unified_plan}, and this program reads version {VERSION}"
            raise UsageError(said, hint="make it anew")
        header = decoded(text, PlanHeader)
        if isinstance(header, str):
            raise UsageError(f"{self.path}, line 1 is no header of a plan: {header}")
        return header

    def _find_resource(self, catalogue: Catalogue) -> Resource:
        api, _, name = self.header.resource.partition("/")
        known = catalogue.apis.get(api)
        found = known.resources.get(name) if known else None
        if found is None:
            raise UsageError(f"{self.path}, line 1: there is no resource {self.header.resource!r}")
        return found

    def lines(self) -> Iterator[PlanLine]:
        """The lines after the header. Raises UsageError for one that is too long, StateError where the file changed."""
        position = 0
        with self._file.reader() as content:
            for number, line in enumerate(input_bounds.lines(content, str(self.path)), 1):
                if number > 1:
                    yield PlanLine(number, position, line.strip())
                position += len(line)

    def call(self, position: int, size: int) -> PlannedCall:
        """The call of a line that was checked. Raises StateError where the file changed."""
        found = decoded(self._file.read(size, position), PlannedCall)
        if isinstance(found, str):
            raise self._file.changed()
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


class _Version(msgspec.Struct):
    unified_plan: int


def decoded(text: bytes, kind: type[StructT]) -> StructT | str:
    """The JSON text as a value of that type, or why it is none."""
    if flaw := json_check.flaw(text):
        return flaw
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError as error:
        return str(error).replace("$.", "").replace("`", "'")
    except (msgspec.DecodeError, RecursionError):
        # Half a surrogate pair, which no name, id or path of a call can hold; a body may.
        readable, mark = surrogates.escape(text)
        try:
            found = msgspec.json.decode(readable, type=kind)
        except (msgspec.MsgspecError, RecursionError) as error:
            return str(error)
        return _restored(found, mark)


def _restored(found: StructT, mark: bytes) -> StructT:
    raw = {name: value for name in found.__struct_fields__ if isinstance(value := getattr(found, name), msgspec.Raw)}
    return msgspec.structs.replace(
        found, **{name: msgspec.Raw(surrogates.restore(bytes(value), mark)) for name, value in raw.items()}
    )
