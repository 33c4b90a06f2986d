"""The options of `unified schema`."""

from typing import Annotated

from unified_cli.cli.check_options import Junit
from unified_cli.cli.flags import LIST, WAIT, Argument, Flag
from unified_cli.cli.result_table import TableOutput
from unified_cli.cli.shared_options import ConnectionOptions, MessageOptions, NetworkOptions, PageSize, Query


class SchemaOptions(MessageOptions, NetworkOptions, ConnectionOptions):
    """Which records are looked at, and what their shape is compared with."""

    resource: Annotated[str, Argument("the list", "API/RESOURCE", takes=("api/resource",))]
    query: Query = ()
    records: Annotated[
        int, Flag(("--records",), LIST, "look at N records of each connection (1000)", "N", minimum=1)
    ] = 1000
    page_size: PageSize = None
    against: Annotated[
        str | None,
        Flag(
            ("--against",), WAIT, "compare with a JSON Schema, a connection, or the known fields", "FILE|PROFILE|known"
        ),
    ] = None
    strict: Annotated[bool, Flag(("--strict",), WAIT, "with --against: fail with 14 for every difference")] = False
    junit: Junit = None
    output: TableOutput = None
