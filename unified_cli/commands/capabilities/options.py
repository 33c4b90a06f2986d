"""The options of `unified capabilities`."""

from typing import Annotated, Literal

from unified_cli.cli.flags import LIST, Argument, Flag
from unified_cli.cli.shared_options import ConnectionOptions, MessageOptions, NetworkOptions, Output, flag_of

MatrixFormat = Literal["table", "tsv", "json", "ndjson", "csv", "junit"]


class CapabilitiesOptions(MessageOptions, NetworkOptions, ConnectionOptions):
    """Which operations of which connections, whether to try them, and how to print what was found."""

    resources: Annotated[
        tuple[str, ...], Argument("only these operations: API or API/RESOURCE", takes=("api/resource",))
    ] = ()
    probe: Annotated[bool, Flag(("--probe",), LIST, "also read one record of each list that is not refused")] = False
    output: Annotated[MatrixFormat | None, flag_of(Output)] = None
