"""Every option there is, spelled once; commands, help, completion and documents take them from here."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeVar

from unified_cli.catalogue import Operation
from unified_cli.cli.flags import (
    BODY,
    LIST,
    OUTPUT,
    SAFETY,
    Argument,
    Flag,
    by_name,
    flags_of,
)
from unified_cli.cli.shared_options import (
    AllowPartial,
    ConnectionOptions,
    CsvSafe,
    Dedupe,
    DryRun,
    MessageOptions,
    NetworkOptions,
    Output,
    PageSize,
    Profiles,
    Query,
    Restart,
    Yes,
)
from unified_cli.config.keys import KEYS
from unified_cli.config.overrides import Overrides

OptionsT = TypeVar("OptionsT")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EarlyOptions:
    """The options that may also stand right after the program's name."""

    profile: Profiles = ()
    output: Output = None
    verbose: Annotated[int, by_name(MessageOptions)["verbose"]] = 0


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OperationOptions(MessageOptions, NetworkOptions, ConnectionOptions):
    """The options and the argument of an operation of the catalogue, those it does not take at their defaults."""

    id: Annotated[str | None, Argument("the record's id")] = None
    query: Query = ()
    data: Annotated[
        str | None, Flag(("-d", "--data"), BODY, "the body; - is standard input", "JSON|@FILE|-", takes="@file")
    ] = None
    raw_field: Annotated[
        tuple[str, ...], Flag(("-f", "--raw-field"), BODY, "set a field to a string; a[b]=1 nests", "NAME=STRING")
    ] = ()
    field: Annotated[
        tuple[str, ...],
        Flag(
            ("-F", "--field"),
            BODY,
            "set a field to JSON where it reads as JSON; @base64:FILE for bytes",
            "NAME=JSON|@FILE",
            takes="@file",
        ),
    ] = ()
    skeleton: Annotated[bool, Flag(("--skeleton",), BODY, "print a body to fill in and send nothing")] = False
    all: Annotated[bool, Flag(("--all",), LIST, "read all pages, not one")] = False
    limit: Annotated[
        int | None, Flag(("--limit",), LIST, "read so many records, of each connection", "N", minimum=1)
    ] = None
    page_size: PageSize = None
    cursor: Annotated[str | None, Flag(("--cursor",), LIST, "start where this cursor points", "C")] = None
    allow_partial: AllowPartial = False
    restart: Restart = False
    dedupe: Dedupe = None
    output: Output = None
    columns: Annotated[str | None, Flag(("--columns",), OUTPUT, "these fields only; a.b is b within a", "A,B.C")] = None
    jq: Annotated[
        str | None, Flag(("--jq",), OUTPUT, "apply this jq program to the result, or to each line", "EXPR")
    ] = None
    csv_safe: CsvSafe = False
    ordered: Annotated[bool, Flag(("--ordered",), OUTPUT, "with several connections: one after the other")] = False
    out: Annotated[
        str | None,
        Flag(("--out",), OUTPUT, "write the result to a file; a download takes a folder too", "FILE", takes="file"),
    ] = None
    from_: Annotated[
        str | None,
        Flag(("--from",), OUTPUT, "with --out DIR: download for each id or record in it", "FILE|-", takes="file"),
    ] = None
    wait: Annotated[bool, Flag(("--wait",), OUTPUT, "wait until it is done; with --out: and download it")] = False
    wait_timeout: Annotated[
        float,
        Flag(("--wait-timeout",), OUTPUT, "seconds to wait at most (600)", "S", parse=KEYS["timeout"].parse),
    ] = 600.0
    force: Annotated[bool, Flag(("--force",), OUTPUT, "overwrite the file; print binary on a terminal")] = False
    dry_run: DryRun = False
    as_: Annotated[
        Literal["curl"] | None,
        Flag(("--as",), SAFETY, "print the request as a command line; send nothing", "curl"),
    ] = None
    yes: Yes = False
    idempotency_key: Annotated[
        str | None, Flag(("--idempotency-key",), SAFETY, "the key of a write that is repeated by hand", "KEY")
    ] = None

    @property
    def shows_only(self) -> bool:
        """Whether requests are to be shown and not sent."""
        return self.dry_run or self.as_ is not None


FLAGS = flags_of(OperationOptions)
"""The options of operations, in the order in which help shows them."""

MANY = ("ordered", "workers")
"""The options of what can be done with several connections."""


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
    taken = {
        "ordered": operation.method == "GET",
        "workers": operation.method == "GET" or operation.takes_id or operation.harmless,
        "wait": operation.command in WAITS,
        "wait_timeout": operation.command in WAITS,
        "from_": operation.name == "download",
        "yes": operation.kind == "delete",
        "idempotency_key": operation.method in {"POST", "PATCH"},
    }
    return taken.get(flag.name, True)


def completed(options: OptionsT, early: EarlyOptions) -> OptionsT:
    """The options of a command, completed by those right after the program's name as far as the command has them."""
    found = {name: getattr(early, name) for name in ("profile", "output") if getattr(options, name, "") in {(), None}}
    if hasattr(options, "verbose"):
        found["verbose"] = options.verbose + early.verbose
    return replace(options, **found)  # type: ignore[type-var]


def overrides(options: object, profile: str | None = None) -> Overrides:
    """What a command's options say of the settings, for one profile."""
    found = {name: getattr(options, name, None) for name in Overrides._fields if name != "profile"}
    return Overrides(profile=profile, **{name: None if value is False else value for name, value in found.items()})
