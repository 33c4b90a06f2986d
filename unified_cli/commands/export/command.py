"""`unified export`: write many lists of many connections to a folder, resumable and
verifiable.
"""

import shlex

from unified_cli.cli.command import Command, CommandContext
from unified_cli.commands.export import connection_task, engine, plan, report, run
from unified_cli.commands.export.options import ExportOptions
from unified_cli.errors import UsageError
from unified_cli.output import formats
from unified_cli.runtime import Runtime

_CREDENTIALS = (
    "from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL,"
    " GOOGLE_APPLICATION_CREDENTIALS, AZURE_STORAGE_ACCOUNT_NAME, …), or the machine's role; not"
    " from AWS_PROFILE and ~/.aws"
)
_TWO_RUNS = (
    "a run renews its lease every 5 s; another run that sees it ends with 12, and takes over after"
    " 20 s without one; a run that lost its lease ends with 12 at its next file"
)
_SECTIONS = (
    (
        "Object stores",
        [
            (
                "--to",
                (
                    "s3://BUCKET/DIR, gs://, az://, and file:///DIR for a disk that machines share;"
                    " needs obstore"
                ),
            ),
            (
                "files",
                (
                    "DIR/<profile>/<api>/<resource>/*.ndjson, each of at most 4 MiB or one page;"
                    " DIR/.log lists the files"
                ),
            ),
            ("credentials", _CREDENTIALS),
            ("two runs", _TWO_RUNS),
            (
                "file://",
                (
                    "only this user can read the files, and a power cut may damage them; files at"
                    " a plain path are safe from that"
                ),
            ),
        ],
    ),
    (
        "Delta tables (--format delta)",
        [
            (
                "DIR/<api>/<resource>",
                "is one table for all connections, partitioned by _profile; needs deltalake",
            ),
            ("state", "it holds the newest state of each record; older versions stay readable"),
            (
                "changes",
                "--incremental merges changes by id; --restart also deletes rows that are gone",
            ),
            ("columns", "_profile, id, created_at and updated_at (UTC), record, --columns"),
            (
                "readers",
                "polars, DuckDB, Spark and others (for a nightly job: unified help engines)",
            ),
        ],
    ),
    (
        "Readers, such as DuckDB",
        [
            ("folder", "FROM read_ndjson_objects('dump/*/ticketing/tickets.ndjson')"),
            ("store", "FROM read_ndjson_objects('s3://bucket/dir/*/ticketing/tickets/*.ndjson')"),
            ("Parquet", "FROM 's3://bucket/dir/*/ticketing/tickets/*.parquet'"),
            (
                "columns",
                (
                    "_profile, id, created_at and updated_at (UTC; null if it does not fit),"
                    " record, --columns"
                ),
            ),
            (
                "newest",
                "unified help engines shows how to read the newest state of each record",
            ),
            (
                "deleted",
                (
                    "gone.tickets.ndjson beside a list that was read with --restart has the ids"
                    " that are gone, and since when"
                ),
            ),
        ],
    ),
)


def _run(context: CommandContext, options: ExportOptions) -> None:
    runtime = context.runtime
    runtime.stderr.quiet = runtime.stderr.quiet or options.quiet
    if options.query and options.task is None and options.verify is None:
        plan.check_query(context, options)
    if options.verify is not None:
        _verify(runtime, options, options.verify)
    elif options.dry_run:
        _preview(context, options)
    elif options.task is not None:
        run.export(
            connection_task.plan_of(context, connection_task.read(runtime, options.task), options)
        )
    elif options.to == "-":
        raise UsageError(
            "export writes files, not to standard output",
            hint="use --to DIR; unified API RESOURCE list --all -o ndjson prints one list",
        )
    elif not options.to:
        raise _no_folder_error(options)
    elif options.tasks:
        connection_task.show(context, options)
    elif options.engine:
        engine.run(context, options, options.engine)
    else:
        run.export(plan.of_options(context, options))


def _verify(runtime: Runtime, options: ExportOptions, place: str) -> None:
    for name, given in (("--to", options.to is not None), ("--dry-run", options.dry_run)):
        if given:
            raise UsageError(f"--verify checks an export and writes nothing (leave {name} out)")
    report.verify(runtime, run.destination_of(runtime, place, formats.DELTA, make=False))


def _no_folder_error(options: ExportOptions) -> UsageError:
    if options.what == ("all",):
        return UsageError(
            "export needs a folder",
            hint="unified export --to DIR, without a name, exports every list",
        )
    if options.what[:1] == ("verify",):
        folder = "".join(f" {shlex.quote(word)}" for word in options.what[1:]) or " DIR"
        return UsageError("export needs a folder", hint=f"unified export --verify{folder}")
    if options.what[:1] in {("resume",), ("continue",)}:
        return UsageError("export needs a folder", hint="unified runs resume continues an export")
    *_, last = options.what or ("",)
    folder = last if len(options.what) > 1 and "/" not in last.rstrip("/") else "DIR"
    return UsageError("export needs a folder", hint=f"--to {shlex.quote(folder)}")


def _preview(context: CommandContext, options: ExportOptions) -> None:
    if options.task is not None:
        report.preview(
            connection_task.plan_of(
                context, connection_task.read(context.runtime, options.task), options
            )
        )
        return
    if not options.to:
        raise _no_folder_error(options)
    if options.tasks:
        raise UsageError("--tasks only prints the tasks, like a dry run (leave --dry-run out)")
    if options.engine:
        engine.parse_address(options.engine)
    report.preview(plan.of_options(context, options))


EXPORT = Command(
    ExportOptions,
    _run,
    usage="[API[/RESOURCE] …] --to DIR [options]",
    text=(
        "Write every list of one connection or many to DIR/<profile>/<api>/<resource>.ndjson.",
        "Run it again to resume where it stopped. A complete export is not changed.",
        "It checks the size and time of a complete file; --verify compares every byte.",
        "A list that is named in full must be offered. Other lists are skipped if they are not.",
        "With --incremental, it adds the changes since the last run.",
        "--incremental misses deletions, and changes stamped before --lag; --restart finds both.",
        (
            "--engine runs the export on a cluster. --tasks and --task are for other schedulers"
            " (see unified help engines)."
        ),
    ),
    examples=(
        "unified -p sandbox export ticketing 'ats/job*' --to dump\n"
        "unified -p sandbox export ticketing/tickets --to tables -o csv"
    ),
    sections=_SECTIONS,
)
