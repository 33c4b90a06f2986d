"""`unified export`: write many lists of many connections to a folder, resumable and verifiable."""

from unified_cli.cli.command import Command, Later
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

EXPORT = Command(
    ExportOptions,
    Later("unified_cli.commands.export_lists.export_run:run"),
    usage="[API[/RESOURCE] …] --to DIR [options]",
    text=(
        "Write every list of one connection or many to DIR/<profile>/<api>/<resource>.ndjson.",
        "Run it again to resume where it stopped; a complete export stays as it is.",
        "A complete file is known by its size and time; --verify compares every byte.",
        "With --incremental it adds what changed since then; what was deleted is not seen.",
        "--engine has a cluster do it, --tasks and --task any scheduler: unified help engines.",
    ),
    examples="unified -p sandbox export ticketing 'ats/job*' --to dump",
    sections=_SECTIONS,
)
