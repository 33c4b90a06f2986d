"""The options of operations.

The classes for writes and downloads are in other modules, which a read does not import.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeVar

from unified_cli.cli.flags import (
    BODY,
    LIST,
    OUTPUT,
    QUERY,
    SAFETY,
    WAIT,
    Argument,
    Common,
    Flag,
    Options,
    option_part,
)
from unified_cli.cli.option_parts import (
    ConnectionOptions,
    MessageOptions,
    NetworkOptions,
    TransportOptions,
)
from unified_cli.cli.shared_options import (
    AllowPartial,
    Bom,
    Columns,
    CsvSafe,
    Dedupe,
    DryRun,
    Edit,
    Force,
    From,
    InputFormat,
    Jq,
    Junit,
    Out,
    Output,
    PageSize,
    Query,
    Restart,
    Since,
    Strict,
    TypedHeader,
    WaitTimeout,
    Yes,
    is_write,
    lists,
)
from unified_cli.config.keys import KEYS, Overrides

OptionsT = TypeVar("OptionsT", bound=Options)


@option_part
class ExpectOptions(Options):
    """The expectations of a read."""

    expect: Annotated[
        tuple[str, ...],
        Common(
            ("--expect",),
            WAIT,
            "exit with 14 unless this jq program is true for the complete result",
            "JQ",
        ),
    ] = ()
    junit: Junit = None


@option_part
class ReadCheckOptions(ExpectOptions):
    """The expectations of a read, and how long to wait for them."""

    wait_timeout: WaitTimeout = None
    until: Annotated[
        str | None, Flag(("--until",), WAIT, "repeat the read until this jq program is true", "JQ")
    ] = None
    fail_if: Annotated[
        str | None,
        Flag(("--fail-if",), WAIT, "with --until: give up once this jq program is true", "JQ"),
    ] = None
    every: Annotated[
        float | None,
        Flag(
            ("--every",),
            WAIT,
            "seconds between two reads (5; with --follow 30)",
            "S",
            parse=KEYS["timeout"].parse,
        ),
    ] = None
    follow: Annotated[
        bool,
        Flag(
            ("--follow",),
            WAIT,
            "print each change of a record as it is seen, until Ctrl-C",
            order=1,
            when=lists,
        ),
    ] = False

    @property
    def longest_wait(self) -> float:
        """The longest wait, in seconds."""
        return self.wait_timeout or 600.0

    @property
    def given_any(self) -> bool:
        """Whether any of these options is used."""
        return bool(self.expect or self.junit or self.until or self.fail_if or self.every)


@option_part
class CallOptions(MessageOptions, TransportOptions, ConnectionOptions):
    """The options of every call: its query, and its result."""

    reads_settings: ClassVar[bool] = True

    query: Query = ()
    output: Output = None
    columns: Columns = None
    jq: Jq = None
    csv_safe: CsvSafe = False
    bom: Bom = False
    out: Out = None
    force: Force = False
    dry_run: DryRun = False
    as_: Annotated[
        Literal["curl"] | None,
        Flag(("--as",), SAFETY, "print the request as a curl command and send nothing", "curl"),
    ] = None

    @property
    def shown(self) -> Literal["json", "curl"] | None:
        """How to print requests instead of sending them, or None."""
        return self.as_ or ("json" if self.dry_run else None)


@option_part
class PageOptions(Options):
    """The options for the pages of a list, and for its file."""

    all: Annotated[bool, Common(("--all",), LIST, "read all pages, not one", when=lists)] = False
    limit: Annotated[
        int | None,
        Common(
            ("--limit",),
            LIST,
            "read at most N records of each connection",
            "N",
            minimum=1,
            when=lists,
        ),
    ] = None
    page_size: PageSize = None
    cursor: Annotated[
        str | None, Flag(("--cursor",), LIST, "start at this cursor", "C", order=1, when=lists)
    ] = None
    allow_partial: AllowPartial = False
    restart: Restart = False
    dedupe: Dedupe = None
    typed_header: TypedHeader = False

    @property
    def several(self) -> bool:
        """Whether to read several pages."""
        return self.all or self.limit is not None


@option_part
class SendOptions(Options):
    """The body to send."""

    bodies: Annotated[
        tuple[str, ...],
        Common(
            ("-d", "--data"),
            BODY,
            "the request body; - reads standard input",
            "JSON|@FILE|-",
            takes="@file",
        ),
    ] = ()
    raw_field: Annotated[
        tuple[str, ...],
        Common(
            ("-f", "--raw-field"),
            BODY,
            "set a field to a string; a[b]=1 nests",
            "NAME=STRING",
            takes="field",
        ),
    ] = ()
    field: Annotated[
        tuple[str, ...],
        Common(
            ("-F", "--field"),
            BODY,
            "set a field to a JSON value or a string; @base64:FILE sends bytes",
            "NAME=JSON|@FILE",
            takes="field@file",
        ),
    ] = ()
    uploads: Annotated[
        tuple[str, ...],
        Flag(
            ("--upload",),
            BODY,
            "send a file in a form; -f sets other fields; NAME is file by default",
            "[NAME=]FILE",
            takes="file",
            when=is_write,
        ),
    ] = ()
    content_type: Annotated[
        str | None,
        Flag(
            ("--content-type",),
            BODY,
            "send the file of -d @FILE unchanged, with this content type",
            "TYPE",
            when=is_write,
        ),
    ] = None
    idempotency_key: Annotated[
        str | None,
        Flag(
            ("--idempotency-key",),
            SAFETY,
            "reuse the key of an earlier attempt at this write",
            "KEY",
            order=3,
            when=lambda operation: operation.method in {"POST", "PATCH"} and not operation.searches,
        ),
    ] = None

    @property
    def data(self) -> str | None:
        """The body of `-d`."""
        return self.bodies[-1] if self.bodies else None

    @property
    def sends_file(self) -> bool:
        """Whether the body is a file, not JSON."""
        return bool(self.uploads) or self.content_type is not None


@option_part
class ConfirmOptions(Options):
    """The option that confirms destructive writes."""

    yes: Yes = False


Id = Annotated[str | None, Argument("the record's id", takes=("record",))]
Skeleton = Annotated[
    bool, Common(("--skeleton",), BODY, "print a body to fill in and send nothing")
]


@option_part
class OperationOptions(NetworkOptions, CallOptions):
    """The options of every operation."""

    describe: Annotated[
        bool,
        Flag(
            ("--describe",),
            QUERY,
            "print the connection's own description of this operation and do nothing else",
            order=1,
        ),
    ] = False
    format: InputFormat = None
    strict: Strict = False


@dataclass(frozen=True, kw_only=True)
class ReadOptions(ReadCheckOptions, PageOptions, OperationOptions):
    """The options of `get` and `list`."""

    id: Id = None
    since: Since = None
    ordered: Annotated[
        bool, Flag(("--ordered",), OUTPUT, "print several connections one after the other")
    ] = False


@option_part
class WriteModeOptions(Options):
    """The options of the modes of a write."""

    id: Id = None
    skeleton: Skeleton = False
    edit: Edit = False


@option_part
class DownloadModeOptions(Options):
    """The options of the modes of a download: several files, or only a skeleton."""

    id: Id = None
    skeleton: Skeleton = False
    from_: From = None


def overrides(options: object, profile: str | None = None) -> Overrides:
    """Return the overridden settings for a profile."""
    found = {name: getattr(options, name, None) for name in Overrides._fields if name != "profile"}
    return Overrides(
        profile=profile,
        **{name: None if value is False else value for name, value in found.items()},
    )
