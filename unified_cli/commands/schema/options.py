"""The options of `unified schema`."""

from typing import Annotated

from unified_cli.cli.flags import WAIT, Argument, Flag
from unified_cli.cli.options import Junit
from unified_cli.cli.result_table import TableOutput
from unified_cli.cli.shared_options import (
    ConnectionOptions,
    MessageOptions,
    NetworkOptions,
    PageSize,
    Query,
    Records,
    Strict,
    told,
)


class SchemaOptions(MessageOptions, NetworkOptions, ConnectionOptions):
    """Which records are looked at, and what their shape is compared with."""

    resource: Annotated[str, Argument("the list", "API/RESOURCE", takes=("api/resource",))]
    query: Query = ()
    records: Records = 1000
    page_size: PageSize = None
    against: Annotated[
        str | None,
        Flag(
            ("--against",), WAIT, "compare with a JSON Schema, a connection, or the known fields", "FILE|PROFILE|known"
        ),
    ] = None
    strict: Annotated[bool, told(Strict, "with --against: fail with 14 for every difference", WAIT)] = False
    junit: Junit = None
    output: TableOutput = None
