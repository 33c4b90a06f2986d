"""`unified schema API/RESOURCE`: show the shape of real records, or compare it with
another.
"""

from dataclasses import dataclass
from typing import Annotated

from unified_cli.cli.command import EXAMPLES, Command, Later
from unified_cli.cli.flags import WAIT, Argument, Common
from unified_cli.cli.option_parts import ConnectionOptions, MessageOptions, NetworkOptions
from unified_cli.cli.result_table import TableOutput
from unified_cli.cli.shared_options import Junit, PageSize, Query, Records, Strict, with_help
from unified_cli.commands.schema.difference import ShapeChange


@dataclass(frozen=True, kw_only=True)
class SchemaOptions(MessageOptions, NetworkOptions, ConnectionOptions):
    """Which records to read, and what to compare their shape with."""

    resource: Annotated[str, Argument("the list", "API/RESOURCE", takes=("api/resource",))]
    query: Query = ()
    records: Records = 1000
    page_size: PageSize = None
    against: Annotated[
        str | None,
        Common(
            ("--against",),
            WAIT,
            "compare with a JSON Schema, a connection, or the known fields",
            "FILE|PROFILE|known",
        ),
    ] = None
    strict: Annotated[
        bool, with_help(Strict, "with --against: end with exit code 14 for any difference", WAIT)
    ] = False
    junit: Junit = None
    output: TableOutput = None


_ABOUT = (
    "Prints each path with its types, how often the path is present, and how often its value is"
    " null. Values are listed only for known enumerations and for paths that end with status,"
    " state, type, kind or priority. The values of other paths are not stored. -o json prints a"
    " JSON Schema."
)
_AGAINST = (
    "--against compares each connection with a JSON Schema that this command wrote, with another"
    " connection, or with the known fields. If a connection and a file have the same name, write"
    " profile:NAME for the connection. If a path is missing or has another type, the exit code is"
    " 14. Other differences are only reported, unless --strict is given. With at least 30 records,"
    " the command also compares the share of the records that have a path. Two shares differ if"
    " each is outside the 95 % confidence interval of the other."
)
_EXAMPLES = """unified -p sandbox schema ticketing/tickets
unified -p sandbox schema ticketing/tickets -o json
unified -p sandbox schema ticketing/tickets --against known --junit shapes.xml"""

_DIFFERENCES = [
    (change.value, f"{change.about}{' (--strict)' if change.strict else ''}")
    for change in ShapeChange
]

SCHEMA = Command(
    SchemaOptions,
    Later("unified_cli.commands.schema.run:run"),
    usage="API/RESOURCE [options]",
    text=("{about}.", _ABOUT, _AGAINST),
    sections=[("Differences", _DIFFERENCES), (EXAMPLES, _EXAMPLES)],
)
