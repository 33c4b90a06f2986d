"""The formats of results, with their traits.

No other module has a set of format names.
"""

from collections.abc import Sequence
from typing import NamedTuple

from unified_cli.errors import UsageError

AUTO = "auto"
"""The name of the format that depends on where the result goes."""


class Format(NamedTuple):
    """A format and its traits."""

    name: str
    writer: str = ""
    """The class in `output` that writes records, as `module:Class`; raw has none."""
    lines: bool = False
    """Each record is a line, usable before the next one comes."""
    document: bool = False
    """A result is one document, so that a jq program sees all of it."""
    json: bool = False
    """It is JSON: coloured on a terminal, with errors in JSON, too."""
    columns: bool = False
    """A record is a row, so columns are chosen even without --columns."""
    delimiter: str = ""
    """The character between two cells, of a format whose rows programs read."""
    fields: bool = True
    """It shows members of records, so that `--columns` chooses some of them, and
    `_profile` can be one.
    """
    binary: bool = False
    """It is the bytes of one response, which is not split into records."""
    dedupe: bool = False
    """A file in this format may leave out records that it has already."""
    increments: bool = False
    """An incremental export can add changes to a file in this format."""

    def __str__(self) -> str:
        return self.name

    @property
    def for_people(self) -> bool:
        """Whether people read its rows, which then have only what they need."""
        return self.columns and not self.delimiter

    @property
    def whole(self) -> bool:
        """Whether one response is written whole, unless columns are chosen."""
        return self.document or self.binary

    @property
    def as_served(self) -> bool:
        """Whether one response is passed on unchanged, unless columns are chosen."""
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
"""The formats of results of operations, the first one the default."""
ROWS = tuple(one for one in RESULTS if not one.binary)
"""The formats of the rows of a statement."""
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
"""The formats of the files of an export, the first one the default."""
REPORTS = (JSON,)
"""The formats of `report`."""


def names(formats: Sequence[Format]) -> tuple[str, ...]:
    """Return the names of the formats."""
    return tuple(one.name for one in formats)


SETTINGS = (*names(RESULTS), AUTO)
"""The values of `-o`, the variable and the key."""


def named(name: str, *, terminal: bool) -> Format | None:
    """Return the format of a setting. `auto` is a table at a terminal, else JSON."""
    if name == AUTO:
        return TABLE if terminal else JSON
    return next((one for one in RESULTS if one.name == name), None)


def of_command(
    name: str | None, choices: Sequence[Format], *, terminal: bool, otherwise: Format = TSV
) -> Format:
    """Return the format of a built-in command.

    Without a name, it is a table at a terminal, and `otherwise` off a terminal. Raises
    UsageError if the format is not among the choices.
    """
    if name is None:
        return TABLE if terminal else otherwise
    check_choice(name, names(choices))
    return next(one for one in choices if one.name == name)


def check_choice(name: str, choices: Sequence[str]) -> None:
    """Raise UsageError for a format that is not a choice."""
    if name not in choices:
        allowed = ", ".join(choices)
        raise UsageError(f"this command does not support -o {name} (choose from {allowed})")
