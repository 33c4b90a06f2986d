"""The options that several commands share."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Annotated, Any, Literal

from unified_cli.catalogue import Operation
from unified_cli.cli.flags import (
    BODY,
    CONNECTION,
    EXPORT,
    IMPORT,
    INPUT,
    LIST,
    MESSAGE,
    NETWORK,
    OUTPUT,
    PROFILE,
    QUERY,
    SAFETY,
    WAIT,
    Argument,
    Common,
    Flag,
)
from unified_cli.config.keys import KEYS
from unified_cli.output import formats
from unified_cli.output.formats import Format


def flag_of(field: Any) -> Flag:
    """Return the option of a shared field, for another type."""
    return next(mark for mark in field.__metadata__ if isinstance(mark, Flag))


def with_help(field: Any, about: str, group: str | None = None, metavar: str | None = None) -> Flag:
    """Return the option of a shared field with other help, group or metavar."""
    flag = flag_of(field)
    return flag._replace(
        about=about, group=group or flag.group, metavar=metavar or flag.metavar, order=0, when=None
    )


def output_of(choices: Sequence[Format]) -> Flag:
    """Return the option `-o` with these formats."""
    return flag_of(Output)._replace(choices=formats.names(choices))


def is_write(operation: Operation) -> bool:
    """Return whether the operation creates or updates a record."""
    return operation.kind == "write"


lists = attrgetter("lists")
"""Return whether options for pages apply to an operation."""

Profiles = Annotated[
    tuple[str, ...],
    Common(
        ("-p", "--profile"),
        CONNECTION,
        "profile to use; also a glob, tag:NAME or '!NAME'",
        "NAME",
        takes="connection",
    ),
]
Patterns = Annotated[tuple[str, ...], Argument(metavar="[GLOB|tag:NAME]…", takes=("connection",))]
"""The profiles of a command, as arguments instead of `-p`."""
Edit = Annotated[
    bool,
    Flag(
        ("--edit",),
        BODY,
        "edit the record in $VISUAL or $EDITOR and send the changes",
        when=lambda operation: operation.name == "update" and operation.takes_id,
    ),
]
Force = Annotated[
    bool, Flag(("--force",), OUTPUT, "overwrite the file; print binary on a terminal", order=3)
]
Junit = Annotated[
    str | None,
    Flag(
        ("--junit",),
        WAIT,
        "also write the result as JUnit XML; replaces the file",
        "FILE",
        takes="file",
    ),
]
With = Annotated[
    str | None,
    Flag(
        ("--with",),
        CONNECTION,
        "read this list instead of asking for the connection's state",
        "'API RESOURCE'",
    ),
]
AccountId = Annotated[
    str | None,
    Flag(
        ("-a", "--account-id"), CONNECTION, "the connection's id, or me for the token's own", "ID"
    ),
]
BaseUrl = Annotated[str | None, Flag(("--base-url",), CONNECTION, "the service's base URL", "URL")]
TokenFile = Annotated[
    str | None,
    Flag(("--token-file",), CONNECTION, "read the token from a file", "FILE", takes="file"),
]
TokenStdin = Annotated[
    bool, Flag(("--token-stdin",), CONNECTION, "read the token from standard input")
]
Query = Annotated[
    tuple[str, ...],
    Common(
        ("-q", "--query"),
        QUERY,
        "a query parameter; brackets are sent as typed",
        "NAME=VALUE",
        takes="parameter",
    ),
]
PageSize = Annotated[
    int | None,
    Flag(
        ("--page-size",), LIST, "records per page", "N", parse=KEYS["page_size"].parse, when=lists
    ),
]
AllowPartial = Annotated[
    bool,
    Flag(
        ("--allow-partial",),
        LIST,
        "exit with 0 even if the provider left something out",
        order=1,
        when=lists,
    ),
]
Since = Annotated[
    str | None,
    Common(
        ("--since",),
        LIST,
        "only records changed since a time (ISO 8601, UTC) or an age (7d, 12h)",
        "TIME",
        when=lists,
    ),
]
Restart = Annotated[
    bool,
    Flag(("--restart",), LIST, "with --out: start over instead of resuming", order=1, when=lists),
]
Dedupe = Annotated[
    Literal["id"] | None,
    Flag(("--dedupe",), LIST, "with --out: leave out repeated records", "id", order=1, when=lists),
]
From = Annotated[
    str | None,
    Common(
        ("--from",),
        OUTPUT,
        "with --out DIR: download the file of each id or record in FILE",
        "FILE|-",
        takes="file",
        order=2,
    ),
]
To = Annotated[
    str | None,
    Common(
        ("--to",),
        EXPORT,
        "the folder or URL to write to; run again to resume",
        "DIR",
        takes="folder",
    ),
]
Map = Annotated[
    str | None, Common(("--map",), IMPORT, "a jq program that reshapes each record", "PROGRAM")
]
InputFormat = Annotated[
    Literal["ndjson", "json", "csv", "tsv", "ids"] | None,
    Flag(
        ("--format",),
        INPUT,
        "the format of the input, if it is not detected",
        "FORMAT",
        when=lambda operation: operation.takes_id or operation.name == "download",
    ),
]
Output = Annotated[
    str | None,
    Common(("-o", "--output"), OUTPUT, "the output format", "FORMAT", choices=formats.SETTINGS),
]
Explain = Annotated[bool, Flag(("--explain",), OUTPUT, "also show the values that were overridden")]
Out = Annotated[
    str | None,
    Common(
        ("--out",),
        OUTPUT,
        "write the result to a file, or downloads to a folder",
        "FILE",
        takes="file",
        order=1,
    ),
]
Columns = Annotated[
    str | None,
    Common(
        ("--columns",),
        OUTPUT,
        "only these fields, such as id,status.name,tags[0].name",
        "A,B.C",
        takes="column",
    ),
]
Jq = Annotated[
    str | None,
    Common(("--jq",), OUTPUT, "apply this jq program to the result, or to each line", "EXPR"),
]
CsvSafe = Annotated[
    bool, Flag(("--csv-safe",), OUTPUT, "escape cells that a spreadsheet would run as formulas")
]
Bom = Annotated[
    bool, Flag(("--bom",), OUTPUT, "begin CSV with a byte-order mark, which Excel needs")
]
TypedHeader = Annotated[
    bool,
    Flag(
        ("--typed-header",),
        OUTPUT,
        "write cells of CSV and TSV as JSON, for an import without any loss",
        when=lists,
    ),
]
Yes = Annotated[
    bool,
    Common(
        ("-y", "--yes"),
        SAFETY,
        "delete, or write to several connections, without asking; required off a terminal",
        when=lambda operation: operation.changes,
    ),
]
DryRun = Annotated[
    bool, Common(("--dry-run",), SAFETY, "print the request as JSON and send nothing")
]
FailFast = Annotated[
    bool,
    Flag(
        ("--fail-fast",), SAFETY, "stop at the first connection or piped line that fails", order=1
    ),
]
MaxFailures = Annotated[
    str | None,
    Flag(
        ("--max-failures",),
        SAFETY,
        "stop if more than N (or P %) of the connections or lines failed",
        "N|P%",
        order=1,
    ),
]
Stages = Annotated[
    str | None,
    Flag(
        ("--stages",),
        SAFETY,
        "begin with N connections, such as 1,5,20%; continue if all succeed",
        "N,P%",
        order=1,
    ),
]
RetryInDoubt = Annotated[
    bool,
    Flag(("--retry-in-doubt",), SAFETY, "also repeat calls in doubt, which may then be done twice"),
]
Strict = Annotated[
    bool,
    Flag(
        ("--strict",),
        SAFETY,
        "send nothing if a parameter is missing or unknown, or a field is misspelt",
        order=2,
        when=lambda operation: (
            operation.lists or operation.takes_body or bool(operation.required_parameters)
        ),
    ),
]
WaitTimeout = Annotated[
    float | None,
    Flag(
        ("--wait-timeout",),
        WAIT,
        "maximum seconds to wait (600)",
        "S",
        parse=KEYS["timeout"].parse,
        order=1,
        when=lambda operation: not operation.takes_body,
    ),
]
Tags = Annotated[tuple[str, ...], Flag(("--tag",), PROFILE, "add a tag, for -p tag:NAME", "NAME")]
Records = Annotated[
    int, Common(("--records",), LIST, "look at N records of each connection (1000)", "N", minimum=1)
]
Timeout = Annotated[
    float | None,
    Flag(
        ("--timeout",),
        NETWORK,
        f"seconds for a request with its retries ({KEYS['timeout'].default:g}); bulk work"
        " waits longer for a rate limit",
        "S",
        parse=KEYS["timeout"].parse,
    ),
]
Retries = Annotated[
    int | None,
    Flag(
        ("--retries",),
        NETWORK,
        f"retries after the first attempt ({KEYS['retries'].default:g})",
        "N",
        parse=KEYS["retries"].parse,
    ),
]
Rate = Annotated[
    float | None,
    Flag(
        ("--rate",),
        NETWORK,
        f"requests per 10 s and connection; 0 means no limit ({KEYS['rate'].default:g})",
        "N",
        parse=KEYS["rate"].parse,
    ),
]
TokenRate = Annotated[
    float | None,
    Flag(
        ("--token-rate",),
        NETWORK,
        "requests per 10 s and token; 0 means no limit (ten times --rate)",
        "N",
        parse=KEYS["token_rate"].parse,
    ),
]
Workers = Annotated[
    int | None,
    Flag(
        ("--workers",),
        NETWORK,
        "concurrent requests, up to 64 (8; 32 for more than 16 connections)",
        "N",
        minimum=1,
        maximum=64,
    ),
]
CaBundle = Annotated[
    str | None,
    Flag(
        ("--ca-bundle",),
        NETWORK,
        "also trust these certificate authorities",
        "FILE",
        takes="file",
        order=1,
    ),
]


Verbose = Annotated[
    int,
    Common(
        ("-v", "--verbose"),
        MESSAGE,
        "print each request; -vv with headers and bodies",
        counted=True,
    ),
]
JsonErrors = Annotated[
    bool,
    Flag(
        ("--json-errors",),
        MESSAGE,
        "print errors as JSON (the default off a terminal with -o json, ndjson)",
    ),
]
NoPager = Annotated[bool, Flag(("--no-pager",), MESSAGE, "do not use a pager for long output")]
