"""The options of `unified import`."""

from dataclasses import dataclass
from typing import Annotated, Literal

from unified_cli.cli.flags import IMPORT, Argument, Flag
from unified_cli.cli.result_table import TableOutput
from unified_cli.cli.shared_options import ConnectionOptions, DryRun, MessageOptions, NetworkOptions, Query, Yes

ImportFormat = Literal["ndjson", "json", "csv", "ids"]


@dataclass(frozen=True, kw_only=True)
class ImportOptions(MessageOptions, NetworkOptions, ConnectionOptions):
    """What to import where, how each record becomes a request, and what to do with those that fail."""

    resource: Annotated[str, Argument("where to, as API/RESOURCE", takes=("api/resource",))]
    file: Annotated[str, Argument("the records; - is a pipe", takes=("file",))]
    operation: Annotated[str, Flag(("--operation",), IMPORT, "what to do with each record (create)", "NAME")] = "create"
    map: Annotated[str | None, Flag(("--map",), IMPORT, "a jq program that reshapes each record", "PROGRAM")] = None
    format: Annotated[
        ImportFormat | None, Flag(("--format",), IMPORT, "what the file holds, if not as it looks", "FORMAT")
    ] = None
    report: Annotated[
        str | None, Flag(("--report",), IMPORT, "write what became of each line", "FILE", takes="file")
    ] = None
    fail_fast: Annotated[bool, Flag(("--fail-fast",), IMPORT, "stop at the first record that fails")] = False
    restart: Annotated[bool, Flag(("--restart",), IMPORT, "forget an earlier run and send everything again")] = False
    retry_in_doubt: Annotated[bool, Flag(("--retry-in-doubt",), IMPORT, "send again what may have been done")] = False
    query: Query = ()
    output: TableOutput = None
    dry_run: DryRun = False
    yes: Yes = False
