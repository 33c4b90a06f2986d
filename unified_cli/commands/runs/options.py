"""The options of the `runs` commands."""

from typing import Annotated

from unified_cli.cli.flags import Argument
from unified_cli.cli.result_table import TableOutput
from unified_cli.cli.shared_options import (
    Bom,
    Columns,
    CsvSafe,
    FailFast,
    Jq,
    MaxFailures,
    MessageOptions,
    NetworkOptions,
    Output,
    Stages,
    TokenFile,
    TokenStdin,
    Yes,
)

RunId = Annotated[str, Argument("the id of the run")]


class ListRunsOptions(MessageOptions):
    """How to print them."""

    output: TableOutput = None


class ShowRunOptions(MessageOptions):
    """Which run to show, and how."""

    run: RunId
    output: Output = None


class ResumeRunOptions(MessageOptions, NetworkOptions):
    """Which run to continue, and how."""

    run: RunId
    token_file: TokenFile = None
    token_stdin: TokenStdin = False
    output: Output = None
    columns: Columns = None
    jq: Jq = None
    csv_safe: CsvSafe = False
    bom: Bom = False
    fail_fast: FailFast = False
    max_failures: MaxFailures = None
    stages: Stages = None


class RemoveRunsOptions(MessageOptions):
    """Which runs to remove."""

    runs: Annotated[tuple[str, ...], Argument("the ids of the runs", "RUN...")]
    yes: Yes = False
