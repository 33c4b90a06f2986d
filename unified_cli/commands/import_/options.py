"""The options of `unified import`."""

from typing import Annotated, Literal

from unified_cli.cli.flags import IMPORT, Argument, Flag
from unified_cli.cli.result_table import TableOutput
from unified_cli.cli.shared_options import (
    ConnectionOptions,
    DryRun,
    FailFast,
    InputFormat,
    Map,
    MessageOptions,
    NetworkOptions,
    Query,
    Restart,
    Yes,
    told,
)


class ImportOptions(MessageOptions, NetworkOptions, ConnectionOptions):
    """What to import where, how each record becomes a request, and what to do with failures."""

    resource: Annotated[str, Argument("the target, as API/RESOURCE", takes=("api/resource",))]
    file: Annotated[str, Argument("the file of records; - is standard input", takes=("file",))]
    operation: Annotated[str, Flag(("--operation",), IMPORT, "the operation for each record (create)", "NAME")] = (
        "create"
    )
    map: Map = None
    format: InputFormat = None
    report: Annotated[
        str | None, Flag(("--report",), IMPORT, "write the outcome of each line to a file", "FILE", takes="file")
    ] = None
    fail_fast: Annotated[bool, told(FailFast, "stop at the first record that fails", IMPORT)] = False
    restart: Annotated[bool, told(Restart, "discard the journal and send everything again", IMPORT)] = False
    retry_in_doubt: Annotated[bool, Flag(("--retry-in-doubt",), IMPORT, "send records in doubt again")] = False
    query: Query = ()
    output: TableOutput = None
    dry_run: DryRun = False
    yes: Yes = False

    @property
    def shown(self) -> Literal["json"] | None:
        """How requests are shown instead of sent, if they are."""
        return "json" if self.dry_run else None
