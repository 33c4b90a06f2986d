"""`unified export`: write many lists of many connections to a folder, resumable and verifiable."""

from typing import Any

from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.help_page import EXAMPLE, HelpPage
from unified_cli.commands.export_lists.export_options import ExportOptions

_CREDENTIALS = (
    "from the environment, as the store's own tools take them (AWS_ACCESS_KEY_ID, AWS_REGION, AWS_ENDPOINT_URL, "
    "GOOGLE_APPLICATION_CREDENTIALS, AZURE_STORAGE_ACCOUNT_NAME, …), or the machine's role"
)
_TWO_RUNS = (
    "a run gives a sign of life every 5 s; another one that sees it ends with 12, and goes on where there is none for "
    "20 s; a run that was wrongly taken for dead ends with 12 at its next file"
)
_SECTIONS = (
    (
        "Object stores",
        [
            ("--to", "s3://BUCKET/DIR, gs://, az://, and file:///DIR for a disk that machines share; needs obstore"),
            (
                "files",
                "DIR/<profile>/<api>/<resource>/*.ndjson, each of at most 4 MiB or one page; DIR/.log knows them",
            ),
            ("credentials", _CREDENTIALS),
            ("two runs", _TWO_RUNS),
            ("file://", "files for this user only, which a power cut may damage; a plain path is safe from that"),
        ],
    ),
    (
        "Readers, such as DuckDB",
        [
            ("folder", "FROM read_ndjson_objects('dump/*/ticketing/tickets.ndjson')"),
            ("store", "FROM read_ndjson_objects('s3://bucket/dir/*/ticketing/tickets/*.ndjson')"),
            ("Parquet", "FROM 's3://bucket/dir/*/ticketing/tickets/*.parquet' (columns _profile, id, record, …)"),
        ],
    ),
)


def command(context: CommandContext) -> Any:
    """The command."""
    return tree.leaf(
        tree.CommandSpec(
            "export",
            ExportOptions,
            lambda options: _run(context, context.complete(options)),
            lambda: HelpPage(
                "[API[/RESOURCE] …] --to DIR [options]",
                [
                    "Write every list of one connection or many to DIR/<profile>/<api>/<resource>.ndjson.",
                    "Run it again to resume where it stopped; a complete export stays as it is.",
                    "A complete file is known by its size and time; --verify compares every byte.",
                    "With --incremental it adds what changed since then; what was deleted is not seen.",
                    "--engine has a cluster do it, --tasks and --task any scheduler: unified help engines.",
                ],
                [(EXAMPLE, "unified -p sandbox export ticketing 'ats/job*' --to dump"), *_SECTIONS],
            ),
        )
    )


def _run(context: CommandContext, options: ExportOptions) -> None:
    from unified_cli.commands.export_lists import export_run  # noqa: PLC0415  help needs none of it

    export_run.run(context, options)
