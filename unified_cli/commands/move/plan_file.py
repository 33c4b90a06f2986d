"""Read a plan file: its header, then its lines. The file is not trusted."""

import re
from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path
from typing import NamedTuple, Self, TypeVar, get_args

import msgspec
from msgspec.structs import fields, replace

from unified_cli.catalogue import Catalogue, Resource
from unified_cli.commands.move.command import PlannedOperation
from unified_cli.commands.move.side import SideFacts
from unified_cli.errors import StorageError, UsageError
from unified_cli.hints import quoted
from unified_cli.json_text import json_check
from unified_cli.json_text.members import items, keys, parts
from unified_cli.masking import MaskedText
from unified_cli.storage import input_bounds, regular_file
from unified_cli.storage.unchanged_file import UnchangedFile

StructT = TypeVar("StructT", bound=msgspec.Struct)
VERSION = 1
_RUN = re.compile(r"\d{8}-\w+", re.ASCII)
_TABLES = {".csv", ".tsv", ".parquet"}
OPERATIONS: tuple[str, ...] = get_args(PlannedOperation)

NO_JSON = msgspec.Raw()
"""The placeholder for a missing body or value."""


class PlanHeader(
    msgspec.Struct,
    omit_defaults=True,
    rename={"source": "from", "target": "to", "version": "unified_plan"},
):
    """The resource, sides and connection of a plan, and the program's version.

    `calls` counts the lines that follow.
    """

    version: int
    made: str
    resource: str
    source: SideFacts
    target: SideFacts
    calls: int
    key: tuple[str, ...] = ()
    map: str | None = None
    ignore: tuple[str, ...] = ()
    set: tuple[str, ...] = ()
    delete: bool = False
    all_fields: bool = False
    ids: bool = False
    tool: str = ""


class PlannedReference(msgspec.Struct):
    """A path in the body, with an old id whose new id is not known yet."""

    path: str
    resource: str
    id: str | int


class PlannedCall(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """One call of a plan.

    `id` is that of the record to change, and `source` that of the record to copy.
    `seen` is the state of the record to change when the plan was made.
    """

    connection: str
    operation: PlannedOperation
    why: MaskedText
    id: str | int | None = None
    source: str | int | None = None
    body: msgspec.Raw = NO_JSON
    seen: msgspec.Raw = NO_JSON
    references: tuple[PlannedReference, ...] = ()


class PlanLine(NamedTuple):
    """A line after the header: its number, the offset of its first byte, and its
    text.
    """

    number: int
    position: int
    text: bytes


class PlanFile:
    """An open plan file; a context manager.

    It checks neither the connection nor the calls.
    """

    def __init__(self, path: Path, catalogue: Catalogue) -> None:
        """Raises UsageError if the file is not a plan or has an unsupported version.

        Raises StorageError if reading fails.
        """
        self.path = path
        if str(path) == "-":
            raise UsageError("a plan is a file, not standard input", hint="unified plan … > FILE")
        try:
            self._file = UnchangedFile(path)
        except regular_file.NotRegularError:
            raise UsageError(
                f"{path} is not a regular file", hint="unified plan … > FILE"
            ) from None
        except OSError as error:
            is_run = _RUN.fullmatch(str(path))
            hint = f"unified runs resume {path} continues a run" if is_run else None
            raise StorageError(f"cannot read {path}: {error.strerror}", hint=hint) from None
        try:
            self.header = self._read_header()
            self.resource = self._find_resource(catalogue)
        except BaseException:
            self._file.close()
            raise

    @property
    def sha256(self) -> str:
        """The digest of the file."""
        return self._file.sha256

    def _read_header(self) -> PlanHeader:
        with self._file.reader() as content:
            text = next(input_bounds.lines(content, str(self.path)), b"").strip()
        version = decoded(text, _Version)
        if isinstance(version, str):
            raise UsageError(
                f"{self.path}, line 1 is not the header of a plan", hint=self._meant(text)
            )
        if version.unified_plan != VERSION:
            message = (
                f"{self.path} is a plan of version {version.unified_plan}, but this program reads"
                f" version {VERSION}"
            )
            raise UsageError(message, hint="make the plan again")
        header = decoded(text, PlanHeader)
        if isinstance(header, str):
            raise UsageError(f"{self.path}, line 1 is not the header of a plan: {header}")
        return header

    def _meant(self, first: bytes) -> str:
        is_record = first[2:] and first[:1] in b"{[" and b'"unified_plan"' not in first
        if self.path.suffix in _TABLES or (is_record and not json_check.flaw(first)):
            return f"unified import API/RESOURCE {quoted(str(self.path))} sends records"
        return "unified plan … > FILE makes a plan"

    def _find_resource(self, catalogue: Catalogue) -> Resource:
        api, _, name = self.header.resource.partition("/")
        known = catalogue.apis.get(api)
        result = known.resources.get(name) if known else None
        if result is None:
            raise UsageError(f"{self.path}, line 1: there is no resource {self.header.resource!r}")
        return result

    def lines(self) -> Iterator[PlanLine]:
        """Yield the lines after the header.

        Raises UsageError if a line is too long, and StateError if the file changed.
        """
        position = 0
        with self._file.reader() as content:
            for number, line in enumerate(input_bounds.lines(content, str(self.path)), 1):
                if number > 1:
                    yield PlanLine(number, position, line.strip())
                position += len(line)

    def call(self, position: int, size: int) -> PlannedCall:
        """Return the call of a checked line. Raises StateError if the file changed."""
        result = decoded(self._file.read(size, position), PlannedCall)
        if isinstance(result, str):
            raise self._file.changed()
        return result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


class _Version(msgspec.Struct):
    unified_plan: int


def decoded(text: bytes, kind: type[StructT]) -> StructT | str:
    """Decode JSON text. Returns the reason, for example a duplicate key, if it is
    invalid.
    """
    if flaw := json_check.flaw(text):
        return flaw
    raw = {field.encode_name: field.name for field in fields(kind) if field.type is msgspec.Raw}
    try:
        found = msgspec.json.decode(json_check.without_surrogates(text), type=kind)
        wrong = _unreadable(text, raw)
    except msgspec.ValidationError as error:
        return str(error).replace("$.", "").replace("`", "'")
    except (msgspec.DecodeError, RecursionError) as error:
        return str(error)
    served = {
        raw[key]: msgspec.Raw(value) for key, value in (parts(text) or {}).items() if key in raw
    }
    return wrong or replace(found, **served)


def _unreadable(text: bytes, raw: Container[str]) -> str:
    """Return why parsers may decode this JSON text differently, or ""."""
    if key := _repeated(text):
        return f"has {key!r} twice"
    for key, value in (parts(text) or {}).items():
        inner = _repeated(value) if key in raw else _repeated_within(value)
        if inner:
            return f"has {inner!r} twice in {key!r}"
        if key not in raw and json_check.without_halves(value) != value:
            # Only a body may contain a lone surrogate.
            return f"has half a surrogate pair in {key!r}"
    return ""


def _repeated(value: bytes) -> str | None:
    """Return a duplicate key of an object, or None.

    Parsers differ in which of its values they use.
    """
    found = Counter(keys(value)) if value.startswith(b"{") else {}
    return next((key for key, times in found.items() if times > 1), None)


def _repeated_within(value: bytes) -> str | None:
    inner = items(value) if value.startswith(b"[") else (parts(value) or {}).values()
    return _repeated(value) or next(
        filter(None, (_repeated_within(bytes(value)) for value in inner)), None
    )
