"""The options of operations, each defined once; commands, help, completion and documents use these definitions."""

from collections.abc import Iterator
from typing import Annotated, Literal, TypeVar

from unified_cli.catalogue import Operation
from unified_cli.cli.check_options import ReadCheckOptions
from unified_cli.cli.flags import BODY, LIST, OUTPUT, SAFETY, WAIT, Argument, Flag, Options, by_name, flags_of
from unified_cli.cli.shared_options import (
    AllowPartial,
    Bom,
    Columns,
    ConnectionOptions,
    CsvSafe,
    Dedupe,
    DryRun,
    FailFast,
    From,
    InputFormat,
    Jq,
    JsonErrors,
    MaxFailures,
    MessageOptions,
    NetworkOptions,
    Output,
    PageSize,
    Query,
    Restart,
    Since,
    Stages,
    Strict,
    Verbose,
    Yes,
)
from unified_cli.config.keys import Overrides
from unified_cli.errors import UsageError

OptionsT = TypeVar("OptionsT", bound=Options)


class EarlyOptions(ConnectionOptions):
    """The options that are also accepted right after the program's name."""

    output: Output = None
    verbose: Verbose = 0
    json_errors: JsonErrors = False


class OperationOptions(ReadCheckOptions, MessageOptions, NetworkOptions, ConnectionOptions):
    """The options and the argument of an operation; those that it does not take keep their defaults."""

    id: Annotated[str | None, Argument("the record's id", takes=("record",))] = None
    format: InputFormat = None
    query: Query = ()
    bodies: Annotated[
        tuple[str, ...],
        Flag(("-d", "--data"), BODY, "the request body; - is standard input", "JSON|@FILE|-", takes="@file"),
    ] = ()
    raw_field: Annotated[
        tuple[str, ...], Flag(("-f", "--raw-field"), BODY, "set a field to a string; a[b]=1 nests", "NAME=STRING")
    ] = ()
    field: Annotated[
        tuple[str, ...],
        Flag(
            ("-F", "--field"),
            BODY,
            "set a field to a JSON value, else a string; @base64:FILE for bytes",
            "NAME=JSON|@FILE",
            takes="@file",
        ),
    ] = ()
    skeleton: Annotated[bool, Flag(("--skeleton",), BODY, "print a body to fill in and send nothing")] = False
    all: Annotated[bool, Flag(("--all",), LIST, "read all pages, not one")] = False
    limit: Annotated[
        int | None, Flag(("--limit",), LIST, "read at most N records of each connection", "N", minimum=1)
    ] = None
    page_size: PageSize = None
    since: Since = None
    cursor: Annotated[str | None, Flag(("--cursor",), LIST, "start at this cursor", "C")] = None
    allow_partial: AllowPartial = False
    restart: Restart = False
    dedupe: Dedupe = None
    output: Output = None
    columns: Columns = None
    jq: Jq = None
    csv_safe: CsvSafe = False
    bom: Bom = False
    ordered: Annotated[bool, Flag(("--ordered",), OUTPUT, "print several connections one after the other")] = False
    out: Annotated[
        str | None,
        Flag(("--out",), OUTPUT, "write the result to a file, a download also to a folder", "FILE", takes="file"),
    ] = None
    from_: From = None
    wait: Annotated[bool, Flag(("--wait",), WAIT, "wait until the job is done; with --out, download its file")] = False
    force: Annotated[bool, Flag(("--force",), OUTPUT, "overwrite the file; print binary on a terminal")] = False
    dry_run: DryRun = False
    as_: Annotated[
        Literal["curl"] | None,
        Flag(("--as",), SAFETY, "print the request as a curl command and send nothing", "curl"),
    ] = None
    yes: Yes = False
    fail_fast: FailFast = False
    max_failures: MaxFailures = None
    stages: Stages = None
    strict: Strict = False
    idempotency_key: Annotated[
        str | None, Flag(("--idempotency-key",), SAFETY, "reuse the key of an earlier attempt of this write", "KEY")
    ] = None

    @property
    def data(self) -> str | None:
        """The body of `-d`."""
        return self.bodies[-1] if self.bodies else None

    @property
    def shows_only(self) -> bool:
        """Whether requests are shown and not sent."""
        return self.dry_run or self.as_ is not None


FLAGS = flags_of(OperationOptions)
"""The options of operations, in the order in which help shows them."""

MANY = ("ordered", "workers")
"""The options for several connections or records at once."""


CHECKS = ("expect", "junit", "until", "fail_if", "every", "follow")
"""The options for reads that are checked or repeated."""

# Assumption: these start a job, whose record says when there is something to download.
WAITS = ("knowledge-base page-exports create",)


def options_for(operation: Operation) -> Iterator[Flag]:
    """The options of an operation, in the order help shows them."""
    return (flag for flag in FLAGS if _takes(operation, flag))


def _takes(operation: Operation, flag: Flag) -> bool:
    if flag.group == BODY:
        return operation.takes_body
    if flag.group == LIST:
        return operation.lists
    if flag.name in CHECKS:
        return operation.lists if flag.name == "follow" else _is_checked(operation)
    taken = {
        "ordered": operation.method == "GET",
        "wait": operation.command in WAITS,
        "wait_timeout": operation.command in WAITS or _is_checked(operation),
        "from_": operation.name == "download",
        "format": operation.takes_id or operation.name == "download",
        "strict": not operation.lists and bool(operation.required_parameters),
        "yes": operation.changes,
        "fail_fast": operation.method != "GET",
        "max_failures": operation.method != "GET",
        "stages": operation.method != "GET",
        "idempotency_key": operation.method in {"POST", "PATCH"},
    }
    return taken.get(flag.name, True)


def completed(options: OptionsT, early: EarlyOptions) -> OptionsT:
    """The options of a command, with those right after the program's name where it has them and they are not given.

    `-p` selects connections wherever it stands, so all of them count. Raises UsageError for an option of a connection
    that the command does not take, but for -p and -o, which may stand in a shell's alias.
    """
    nothing: tuple[object, ...] = ((), None, False)
    given = {name: value for name, value in early.given() if name not in by_name(MessageOptions)}
    found = {name: value for name, value in given.items() if getattr(options, name, "") in nothing}
    if early.profile and (own := getattr(options, "profile", ())):
        found["profile"] = (*early.profile, *own)
    for name in given.keys() - {"profile", "output"}:
        if not hasattr(options, name):
            raise UsageError(f"this command takes no {by_name(EarlyOptions)[name].spellings[-1]}")
    if hasattr(options, "verbose"):
        found["verbose"] = options.verbose + early.verbose
    return options.replaced(**found)


def _is_checked(operation: Operation) -> bool:
    """Whether the operation is a read whose result can be checked; that of a download is a file."""
    return operation.method == "GET" and operation.name != "download"


def overrides(options: object, profile: str | None = None) -> Overrides:
    """The settings that a command's options override, for one profile."""
    found = {name: getattr(options, name, None) for name in Overrides._fields if name != "profile"}
    return Overrides(profile=profile, **{name: None if value is False else value for name, value in found.items()})
