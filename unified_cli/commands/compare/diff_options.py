"""The options of `unified diff`."""

from typing import Annotated, Literal

from unified_cli.cli.flags import by_name
from unified_cli.cli.options import OperationOptions
from unified_cli.commands.compare.compare_options import CompareOptions

DiffFormat = Literal["table", "ndjson", "json"]


class DiffOptions(CompareOptions):
    """What is compared, and how differences are printed."""

    output: Annotated[DiffFormat | None, by_name(OperationOptions)["output"]] = None
