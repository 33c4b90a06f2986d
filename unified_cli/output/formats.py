"""The formats of results and their properties.

No other module lists format names.
"""

from collections.abc import Sequence
from typing import NamedTuple

from unified_cli.errors import UsageError

AUTO = "auto"
"""The name for the default format, which depends on whether stdout is a terminal."""


class Format(NamedTuple):
    """A format and its properties."""

    name: str
    writer: str = ""
    """The class in `output` that writes records, as `module:Class`. "" for raw."""
    lines: bool = False
    """Whether each record is on its own line."""
    document: bool = False
    """Whether the records of a result are written as one document. A jq program then
    gets the complete document as its input.
    """
    json: bool = False
    """Whether the output is JSON, with colours on a terminal. Errors are then JSON,
    too.
    """
    columns: bool = False
    """Whether records are written as rows, so that the output has columns even without
    `--columns`.
    """
    delimiter: str = ""
    """The character between the cells of rows that programs read."""
    fields: bool = True
    """Whether the output has members of records, so that the format supports
    `--columns` and `_profile`.
    """
    binary: bool = False
    """Whether the output is the unchanged body of a response."""
    dedupe: bool = False
    """Whether --dedupe supports this format."""
    increments: bool = False
    """Whether incremental exports support this format."""

    def __str__(self) -> str:
        return self.name

    @property
    def for_people(self) -> bool:
        """Whether the rows are for people. Such rows may leave out columns."""
        return self.columns and not self.delimiter

    @property
    def whole(self) -> bool:
        """Whether a response is written as one document, unless columns are chosen."""
        return self.document or self.binary

    @property
    def as_served(self) -> bool:
        """Whether a response is written unchanged, unless columns are chosen."""
        return self.binary or (self.document and self.json)


JSON = Format("json", "record_writer:JsonDocument", document=True, json=True)
NDJSON = Format(
    "ndjson", "record_writer:Lines", lines=True, json=True, dedupe=True, increments=True
)
TABLE = Format("table", "table:Table", columns=True)
MARKDOWN = Format("markdown", "markdown:Markdown", columns=True)
CSV = Format("csv", "delimited:Delimited", lines=True, columns=True, delimiter=",")
TSV = Format("tsv", "delimited:Delimited", lines=True, columns=True, delimiter="\t")
YAML = Format("yaml", "yaml_text:Yaml", document=True)
IDS = Format("ids", "record_writer:Ids", lines=True, fields=False)
RAW = Format("raw", fields=False, binary=True)
PARQUET = Format("parquet", columns=True, dedupe=True, increments=True)
DELTA = Format("delta", columns=True, increments=True)
JUNIT = Format("junit")

RESULTS = (JSON, NDJSON, TABLE, MARKDOWN, CSV, TSV, YAML, IDS, RAW)
"""The formats of results of operations. The first one is the default."""
ROWS = tuple(form for form in RESULTS if not form.binary)
"""The formats of the rows of a SQL statement."""
TABLES = (TABLE, MARKDOWN, JSON, TSV)
"""The formats of built-in commands."""
DESCRIPTIONS = (*TABLES, RAW)
"""The formats of `--describe`."""
MATRICES = (TABLE, MARKDOWN, TSV, JSON, NDJSON, CSV, JUNIT)
"""The formats of `capabilities`."""
VERDICTS = (*TABLES, JUNIT)
"""The formats of `profile test`."""
DIFFERENCES = (TABLE, MARKDOWN, NDJSON, JSON)
"""The formats of `diff`."""
EXPORTS = (NDJSON, CSV, TSV, JSON, PARQUET, DELTA)
"""The formats of the files of an export. The first one is the default."""
REPORTS = (JSON,)
"""The formats of `report`."""


def names(formats: Sequence[Format]) -> tuple[str, ...]:
    """Return the names of the formats."""
    return tuple(each.name for each in formats)


def one_of(formats: Sequence[Format]) -> str:
    """Return the names of the formats as a choice: `csv, tsv or json`."""
    *first, last = names(formats)
    return f"{', '.join(first)} or {last}"


SETTINGS = (*names(RESULTS), AUTO)
"""The values of `-o`, its environment variable and its config key."""


def named(name: str, *, terminal: bool) -> Format | None:
    """Return the format with this name, or None. The name `auto` means a table on a
    terminal, and otherwise JSON.
    """
    if name == AUTO:
        return TABLE if terminal else JSON
    return next((form for form in RESULTS if form.name == name), None)


def of_command(
    name: str | None, choices: Sequence[Format], *, terminal: bool, otherwise: Format = TSV
) -> Format:
    """Return the format of a built-in command.

    Without a name, returns TABLE on a terminal, and otherwise the format `otherwise`.
    Raises UsageError if the command does not support the format.
    """
    if name is None:
        return TABLE if terminal else otherwise
    check_choice(name, names(choices))
    return next(choice for choice in choices if choice.name == name)


def check_choice(name: str, choices: Sequence[str]) -> None:
    """Raise UsageError if a command does not support a format."""
    if name not in choices:
        allowed = ", ".join(choices)
        raise UsageError(f"this command does not support -o {name} (choose from {allowed})")
