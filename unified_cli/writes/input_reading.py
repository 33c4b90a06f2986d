"""Determine the format of an input from the options, its content, and its name."""

import io
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

from unified_cli.catalogue import Operation, Service
from unified_cli.errors import UsageError
from unified_cli.json_text import json_check
from unified_cli.json_text.members import parts
from unified_cli.masking import excerpt
from unified_cli.output import formats
from unified_cli.writes import input_formats, input_tables
from unified_cli.writes.input_formats import GUESSED_IDS, PARQUET, InputLine
from unified_cli.writes.input_tables import TAB, TableRules

Opened = Callable[[], BinaryIO]
"""Opens an input at its beginning."""
_DEFAULT = ","
FORMATS = "NDJSON, JSON, CSV or TSV"
_PARQUET = b"PAR1"
_MEMBER = re.compile(rb'\{\s*"')
_YAML = re.compile(rb"---( |$)|- |-$|%YAML|[\w-]+:( [^\t,;]*)?$")
_HEAD = re.compile(r"\"?[^\W\d][\w .:\[\]/()-]{0,63}\"?")
_TABLES = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv"}
_BEGINS = {
    b"\x1f\x8b": "is gzip",
    b"PK\x03\x04": "is a workbook or another zip archive",
    b"\xd0\xcf\x11\xe0": "is a workbook of Excel",
    b"\xff\xfe": "is UTF-16",
    b"\xfe\xff": "is UTF-16",
    b"BZh": "is bzip2",
    b"\xfd7zXZ": "is xz",
    b"\x28\xb5\x2f\xfd": "is zstd",
    b"%PDF": "is PDF",
}
_HINTS = {
    "is gzip": "gzip -d unpacks it",
    "is UTF-16": "iconv -f UTF-16 -t UTF-8 converts it to UTF-8",
    "is a workbook or another zip archive": "if it is a workbook, export it as CSV",
    "is a workbook of Excel": "export it as CSV",
    "is binary": "an import reads records; -F NAME=@base64:FILE sends a file in a"
    " field of a record",
}


# The first bytes of files that look like records but are something else, with a
# description and a hint.
_NO_RECORDS = (
    (rb'\{"unified_plan":', "is a plan", "use it with unified apply"),
    (rb'\{"unified_ids":', "is a file of old and new ids", "use it with the option --ids"),
    (rb'\{"import_id":', "is the journal of an import", "only the import that wrote it can use it"),
    (rb'\{"run":"\d{8}-', "is the journal of a run", "unified runs list shows the run"),
    (rb'\{"change":"[\w ]+","key":\[', "is a comparison", "only people can use it"),
    (rb'\{\s*"log":\s*\{\s*"version":', "is a HAR file", "use it with --replay"),
    (rb'\{\s*"\$schema":', "is a JSON Schema", "use it with unified schema --against"),
    (
        rb'\{\s*"v": ?\d+,\s*"tool":',
        "is the manifest of an export",
        "name the folder of the export",
    ),
)


class RecordShape(NamedTuple):
    """The known facts about the records of an input.

    `items` is the member of a page that has the records, `types` the JSON types of the
    known fields, and `ids` allows bare ids.
    """

    items: str
    types: Mapping[str, str] = MappingProxyType({})
    ids: bool = False

    @classmethod
    def from_operation(cls, operation: Operation, service: Service) -> "RecordShape":
        """Return the known facts about the records that an operation takes."""
        facts = operation.facts
        known = {field.name: field.type for fields in facts.body.values() for field in fields}
        known |= {field.name: field.type for field in facts.fields}
        return cls(service.items, known, operation.takes_id or operation.name == "download")


class Reading(NamedTuple):
    """The format of an input. With `plain`, tables are read as version 0.2.0 read
    them.
    """

    format: str
    delimiter: str = _DEFAULT
    trimmed: bool = False
    plain: bool = False

    @property
    def is_table(self) -> bool:
        """Whether the input is CSV or TSV."""
        return self.format in {"csv", "tsv"}

    @property
    def is_ids(self) -> bool:
        """Whether the input has only ids."""
        return self.format in {GUESSED_IDS, formats.IDS.name}

    @property
    def choices(self) -> dict[str, str]:
        """The options that select this format, with their values."""
        result = {} if self.format in {GUESSED_IDS, PARQUET} else {"--format": self.format}
        if self.delimiter not in {_DEFAULT, TAB}:
            result["--delimiter"] = self.delimiter
        if self.trimmed:
            result["--trim-header"] = ""
        return result


class ReadingOptions(NamedTuple):
    """The options for the format; None or False if they are not used."""

    format: str | None = None
    delimiter: str | None = None
    trim_header: bool = False

    @property
    def is_new(self) -> bool:
        """Whether the user gave an option or a value that version 0.2.0 did not
        have.
        """
        return bool(self.delimiter or self.trim_header) or self.format == "tsv"

    def check(self) -> None:
        """Raise UsageError if options cannot be combined."""
        if self.delimiter and self.format not in {None, "csv"}:
            raise UsageError(f"--delimiter is for CSV, not for {self.format}", hint="--format csv")
        if self.trim_header and self.format not in {None, "csv", "tsv"}:
            raise UsageError(
                f"--trim-header is for CSV and TSV, not for {self.format}",
                hint="leave out --trim-header",
            )


def lines(
    content: BinaryIO, name: str, reading: Reading, shape: RecordShape
) -> Iterator[InputLine]:
    """Return the records of an input."""
    if not reading.is_table:
        return input_formats.READERS[reading.format](content, name, shape.items)
    read = input_tables.read_csv if reading.format == "csv" else input_tables.read_tsv
    return read(content, name, _rules(reading, shape))


def heads(content: BinaryIO, name: str, reading: Reading, shape: RecordShape) -> list[str]:
    """Return the column names as written. Returns an empty list if the input is not a
    table.
    """
    if not reading.is_table:
        return []
    quoted = reading.format == "csv"
    return input_tables.header(content, name, _rules(reading, shape), quoted=quoted)


def _rules(reading: Reading, shape: RecordShape) -> TableRules:
    return TableRules(reading.delimiter, reading.trimmed, reading.plain, shape.types)


def find(opened: Opened, path: Path, shape: RecordShape, options: ReadingOptions) -> Reading:
    """Return the format of an input. Raises UsageError if the file is of an unsupported
    kind.
    """
    with opened() as content:
        begins = content.read(4096)
    if begins.startswith(_PARQUET):
        if options != ReadingOptions():
            raise UsageError(
                f"{path} is Parquet", hint="leave out --format, --delimiter and --trim-header"
            )
        return Reading(PARQUET)
    if reason := _refused_kind(begins):
        raise UsageError(f"{path} {reason}, not {FORMATS}", hint=_HINTS.get(reason))
    check_records(begins, path)
    chosen = options.format or ("csv" if options.delimiter else None)
    if chosen is None:
        chosen = _recognised(opened, path, shape)
    if chosen == "tsv":
        return Reading(chosen, TAB, options.trim_header)
    if chosen == "csv":
        return Reading(chosen, options.delimiter or _DEFAULT, options.trim_header)
    if options.trim_header:
        raise UsageError(f"--trim-header is for CSV and TSV, but {path} is neither")
    return Reading(chosen)


def check_records(begins: bytes, path: Path) -> None:
    """Raise UsageError if the beginning of a file shows that it has no records."""
    text = begins.removeprefix(b"\xef\xbb\xbf").lstrip()
    for pattern, what, hint in _NO_RECORDS:
        if re.match(pattern, text):
            raise UsageError(f"{path} {what}, and has no records", hint=hint)


def find_as_0_2_0(
    opened: Opened, path: Path, shape: RecordShape, options: ReadingOptions
) -> Reading:
    """Return the format in which 0.2.0 would have read an input."""
    return Reading(options.format or _guess(opened, path, shape), plain=True)


def _guess(opened: Opened, path: Path, shape: RecordShape) -> str:
    """Guess the format from the file's name, or from the beginning of its content.

    If ids are allowed, only input with a column `id` is read as a table.
    """
    if path.suffix.lower() in {".csv", ".json"}:
        return path.suffix[1:].lower()
    with opened() as content:
        first = _first_line_with_text(content, path)
        begins = first[:1]
        if begins not in b"[{" and shape.ids:
            return "csv" if input_formats.names_id(first) else GUESSED_IDS
        if begins == b"[":
            # An id may begin with a bracket, but it rarely continues like an array.
            is_id = shape.ids and not input_formats.is_array(first, content)
            return GUESSED_IDS if is_id else "json"
    return _format_after_brace(first, shape) if first and shape.ids else "ndjson"


def _first_line_with_text(content: BinaryIO, path: Path) -> bytes:
    return next((line.text for line in input_formats.split(content, str(path)) if line.text), b"")


def _format_after_brace(line: bytes, shape: RecordShape) -> str:
    if json_check.encoding_flaw(line):
        # Read the input as NDJSON, so that only this line is invalid.
        return "ndjson"
    if json_check.syntax_flaw(line):
        # The line may be the beginning of an object.
        return "json" if _MEMBER.match(line) else GUESSED_IDS
    members = parts(line) or {}
    is_page = "id" not in members and members.get(shape.items, b"").startswith(b"[")
    return "json" if is_page else "ndjson"


def _refused_kind(begins: bytes) -> str:
    for mark, kind in _BEGINS.items():
        if begins.startswith(mark):
            return kind
    text = begins.removeprefix(b"\xef\xbb\xbf").lstrip()
    if b"\0" in begins[:64]:
        return "is UTF-16" if begins[:4].count(0) in {1, 2} else "is binary"
    if re.match(rb"<[!?a-zA-Z]", text):
        return "is XML or HTML"
    return ""


def _recognised(opened: Opened, path: Path, shape: RecordShape) -> str:
    with opened() as content:
        first = _first_line_with_text(content, path)
    suffix = path.suffix.lower()
    table = _TABLES.get(suffix)
    if first[:1] in {b"{", b"["}:
        if table and not json_check.flaw(first):
            # The file is named like a table, but contains JSON.
            kind = "json" if first.startswith(b"[") else "ndjson"
            raise UsageError(
                f"{path} is {kind.upper()} by its content, not {table.upper()}",
                hint=f"--format {kind}",
            )
        found = table or _guess(opened, path, shape)
        return "json" if found == "ndjson" and first == b"{" else found
    if table or not first or suffix == ".json":
        return table or ("json" if suffix == ".json" else "ndjson")
    return _format_of_lines(path, shape, first)


def _format_of_lines(path: Path, shape: RecordShape, first: bytes) -> str:
    line = first.decode("utf-8", "replace")
    by_tab, by_comma = line.split("\t"), line.split(",")
    if shape.ids and not input_formats.names_id(first):
        return GUESSED_IDS
    if len(by_tab) > 1 and _are_names(by_tab):
        return "tsv"
    if shape.ids or (len(by_comma) > 1 and _are_names(by_comma)):
        return "csv"
    if _YAML.match(first):
        raise UsageError(f"{path} is YAML, not {FORMATS}", hint="write it with -o ndjson")
    raise UsageError(
        f"{path} is not {FORMATS}: line 1 is {excerpt(line, 40)!r}",
        hint=(
            "--format csv reads a table of one column, --delimiter names the character"
            " between cells"
        ),
    )


def _are_names(cells: list[str]) -> bool:
    return all(_HEAD.fullmatch(cell.strip()) for cell in cells)


def ids_or_records(
    content: bytes, name: str, shape: RecordShape, wanted: str | None
) -> Iterator[InputLine]:
    """Return the lines of piped input, either records or ids.

    If `wanted` is None, guess the format.
    """
    options = ReadingOptions(wanted)
    reading = find(partial(io.BytesIO, content), Path(name), shape._replace(ids=True), options)
    return lines(io.BytesIO(content), name, reading, shape)
