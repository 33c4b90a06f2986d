"""The format of an export's files, and what fits it."""

from typing import get_args

from unified_cli.bulk.export import parquet_file
from unified_cli.call import builder
from unified_cli.commands.export_lists.export_options import ExportFormat, ExportOptions
from unified_cli.errors import UsageError
from unified_cli.storage import object_store


def of(options: ExportOptions) -> str:
    """The format. Raises UsageError for options that do not fit it or each other, ConfigError without its package."""
    builder.pairs(options.query)
    form = options.output or "ndjson"
    # Right after the program's name any format is accepted.
    if form not in get_args(ExportFormat):
        raise UsageError(f"export does not support -o {form} (choose from {', '.join(get_args(ExportFormat))})")
    if options.dedupe and form not in {"ndjson", "parquet"}:
        raise UsageError("--dedupe id needs -o ndjson or parquet")
    if form not in {"ndjson", "parquet"} and object_store.parse_url(options.to or ""):
        raise UsageError(f"-o {form} makes one file of a list, and an object store has several (use ndjson or parquet)")
    builder.check_cells(form, bom=options.bom, csv_safe=options.csv_safe)
    if options.lag is not None and not options.incremental:
        raise UsageError("--lag needs --incremental")
    if options.incremental:
        _check_increments(options, form)
    if form == "parquet":
        parquet_file.check()
    return form


def _check_increments(options: ExportOptions, form: str) -> None:
    """Raise UsageError for what an incremental export cannot do."""
    if form not in {"ndjson", "parquet"}:
        raise UsageError("--incremental needs --format ndjson or parquet")
    if options.restart:
        raise UsageError("--restart reads everything anew and --incremental what changed (leave one of them out)")
    builder.check_own_filter("--incremental", options.query)
