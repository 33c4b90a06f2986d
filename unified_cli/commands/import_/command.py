"""`unified import API/RESOURCE FILE`: send every record of a file once, with a journal
beside the file.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from unified_cli.cli import flags
from unified_cli.cli.command import Command, Later
from unified_cli.cli.flags import Argument, Common, Flag
from unified_cli.cli.option_parts import ConnectionOptions, MessageOptions, NetworkOptions
from unified_cli.cli.result_table import TableOutput
from unified_cli.cli.shared_options import (
    DryRun,
    FailFast,
    InputFormat,
    Map,
    Query,
    Restart,
    RetryInDoubt,
    Strict,
    Yes,
    with_help,
)


def _delimiter(text: str) -> str:
    """Return the delimiter. Raises ValueError if it is not one usable character."""
    result = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if len(result) != 1 or result.isalnum() or result in '"\r\n':
        raise ValueError("must be one character, or tab")
    return result


@dataclass(frozen=True, kw_only=True)
class ImportOptions(MessageOptions, NetworkOptions, ConnectionOptions):
    """The input, the target, how records become requests, and what to do after
    failures.
    """

    resource: Annotated[str, Argument("the target, as API/RESOURCE", takes=("api/resource",))]
    file: Annotated[
        str,
        Argument(
            "a file of records, or a folder of an export; - reads standard input", takes=("file",)
        ),
    ]
    operation: Annotated[
        str,
        Common(("--operation",), flags.IMPORT, "the operation for each record (create)", "NAME"),
    ] = "create"
    map: Map = None
    format: InputFormat = None
    delimiter: Annotated[
        str | None,
        Flag(
            ("--delimiter",),
            flags.INPUT,
            "the character between the cells of CSV, such as ; or tab",
            "CHAR",
            parse=_delimiter,
        ),
    ] = None
    trim_header: Annotated[
        bool,
        Flag(("--trim-header",), flags.INPUT, "remove blanks around the names of columns"),
    ] = False
    report: Annotated[
        str | None,
        Common(
            ("--report",),
            flags.IMPORT,
            "write the outcome of each line to a file",
            "FILE",
            takes="file",
        ),
    ] = None
    fail_fast: Annotated[
        bool, with_help(FailFast, "stop at the first record that fails", flags.IMPORT)
    ] = False
    restart: Annotated[
        bool, with_help(Restart, "discard the journal and send everything again", flags.IMPORT)
    ] = False
    retry_in_doubt: Annotated[
        bool, with_help(RetryInDoubt, "repeat records in doubt", flags.IMPORT)
    ] = False
    retry_failed: Annotated[
        bool, Flag(("--retry-failed",), flags.IMPORT, "repeat records that were refused")
    ] = False
    query: Query = ()
    strict: Annotated[
        bool, with_help(Strict, "send nothing if a column or field is misspelt", flags.IMPORT)
    ] = False
    output: TableOutput = None
    dry_run: DryRun = False
    yes: Yes = False

    @property
    def shown(self) -> Literal["json"] | None:
        """The format in which --dry-run prints requests. None without --dry-run."""
        return "json" if self.dry_run else None


_FOLDER = (
    "From a folder that export wrote (NDJSON, Parquet or Delta), it imports the newest state of"
    " each record of the list."
)
_CELLS = (
    "A cell of CSV or TSV is text. It is read as JSON if it is an array or an object, if it is a"
    " number or boolean of a field with that known type, or if its column is NAME:json, as list and"
    " export write with --typed-header. An empty cell leaves the field out. A column a.b sets b"
    " within a."
)
_ABOUT = (
    "A journal beside the file records each request before it is sent. After a crash the same"
    " command resumes where it stopped; when everything is done, it does nothing. Records that"
    " failed, are in doubt or were not tried are written to separate files, which can be imported"
    " again."
)

IMPORT = Command(
    ImportOptions,
    Later("unified_cli.commands.import_.run:run"),
    usage="API/RESOURCE FILE [options]",
    text=(
        "{about}. The file has NDJSON, JSON, CSV, TSV, exported Parquet, or ids to delete.",
        _FOLDER,
        _CELLS,
        _ABOUT,
    ),
    examples=(
        "unified -p sandbox import ticketing/contacts people.csv\n"
        "unified -p sandbox import ats/candidates people.csv --dry-run"
    ),
)
