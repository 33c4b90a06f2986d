"""The options of `unified export`."""

from dataclasses import dataclass
from typing import Annotated, Literal

from unified_cli.cli.flags import EXPORT, QUERY, Argument, Common, Flag
from unified_cli.cli.option_parts import ConnectionOptions, MessageOptions, NetworkOptions
from unified_cli.cli.shared_options import (
    AllowPartial,
    Bom,
    Columns,
    CsvSafe,
    Dedupe,
    DryRun,
    InputFormat,
    Output,
    PageSize,
    Query,
    Restart,
    Since,
    Strict,
    To,
    TypedHeader,
    WaitTimeout,
    flag_of,
    output_of,
    with_help,
)
from unified_cli.output import formats
from unified_cli.output.formats import Format


@dataclass(frozen=True, kw_only=True)
class ExportOptions(MessageOptions, NetworkOptions, ConnectionOptions):
    """The options of `unified export`: what to export, from where, and to which
    destination.
    """

    what: Annotated[
        tuple[str, ...],
        Argument("API or API/RESOURCE; * matches anything", takes=("api/resource",)),
    ] = ()
    query: Query = ()
    strict: Annotated[
        bool,
        with_help(Strict, "export nothing if a query parameter is unknown for a list", QUERY),
    ] = False
    to: To = None
    shard: Annotated[
        str | None, Flag(("--shard",), EXPORT, "write only part K of N of the files", "K/N")
    ] = None
    verify: Annotated[
        str | None,
        Flag(
            ("--verify",),
            EXPORT,
            "check a folder or URL against its manifest",
            "DIR",
            takes="folder",
        ),
    ] = None
    tasks: Annotated[
        bool,
        Flag(
            ("--tasks",), EXPORT, "print a task for each connection, as NDJSON, and export nothing"
        ),
    ] = False
    task: Annotated[
        str | None,
        Flag(("--task",), EXPORT, "run one of these tasks, from standard input with -", "JSON|-"),
    ] = None
    engine: Annotated[
        str | None,
        Flag(
            ("--engine",),
            EXPORT,
            "run the export on the workers of a Dask cluster",
            "dask://HOST:PORT",
        ),
    ] = None
    dry_run: Annotated[
        bool,
        with_help(DryRun, "print the lists and their files; send and write nothing", EXPORT),
    ] = False
    wait_timeout: Annotated[
        float | None,
        with_help(
            WaitTimeout,
            "with --engine: seconds to wait for the first worker (600)",
            EXPORT,
        ),
    ] = None
    incremental: Annotated[
        bool,
        Common(
            ("--incremental",),
            EXPORT,
            "add changes since the last run (a new file per list; Delta merges them)",
        ),
    ] = False
    lag: Annotated[
        float | None,
        Flag(
            ("--lag",),
            EXPORT,
            "with --incremental: also read this many seconds before the last run (60)",
            "S",
            minimum=0,
        ),
    ] = None
    since: Since = None
    page_size: PageSize = None
    allow_partial: AllowPartial = False
    restart: Annotated[
        bool, with_help(Restart, "start over: read everything and replace the files", EXPORT)
    ] = False
    dedupe: Annotated[
        Literal["id"] | None, with_help(Dedupe, "leave out repeated records", EXPORT)
    ] = None
    output: Annotated[
        str | None,
        output_of(formats.EXPORTS)._replace(
            spellings=(*flag_of(Output).spellings, *flag_of(InputFormat).spellings),
            group=EXPORT,
            about="the format of the files",
        ),
    ] = None
    columns: Annotated[
        str | None,
        with_help(
            Columns,
            "add these fields as text columns to Parquet, Delta, CSV and TSV, such as status.name",
            EXPORT,
        ),
    ] = None
    csv_safe: CsvSafe = False
    bom: Bom = False
    typed_header: TypedHeader = False

    @property
    def form(self) -> Format:
        """The format of the files. Raises UsageError if export does not write this
        format.
        """
        return formats.of_command(
            self.output, formats.EXPORTS, terminal=False, otherwise=formats.NDJSON
        )
