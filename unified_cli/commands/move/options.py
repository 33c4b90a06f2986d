"""The options of `unified diff` and `plan`: what is compared, and how."""

from typing import Annotated, Literal

from unified_cli.cli.flags import COMPARE, Argument, Flag
from unified_cli.cli.shared_options import From, Map, MessageOptions, NetworkOptions, Output, To, flag_of, told

DiffFormat = Literal["table", "ndjson", "json"]


class CompareOptions(MessageOptions, NetworkOptions):
    """The two sides, what joins their records, and which differences count."""

    resource: Annotated[str, Argument("the resource, as API/RESOURCE", takes=("api/resource",))]
    from_: Annotated[
        str | None,
        told(From, "a profile, a folder of an export, or an NDJSON file", COMPARE, "SIDE"),
    ] = None
    to: Annotated[str | None, told(To, "what it is compared with", COMPARE, "SIDE")] = None
    key: Annotated[
        tuple[str, ...],
        Flag(("--key",), COMPARE, "join records by this value (id); .a.b is a jq program", "PATH"),
    ] = ()
    map: Annotated[
        str | None,
        told(Map, "a jq program that reshapes each record of --from", COMPARE, "JQ"),
    ] = None
    ignore: Annotated[tuple[str, ...], Flag(("--ignore",), COMPARE, "leave these values out", "PATH[,PATH]")] = ()
    set: Annotated[
        tuple[str, ...], Flag(("--set",), COMPARE, "an array whose order does not matter", "PATH[,PATH]")
    ] = ()
    ids: Annotated[
        str | None,
        Flag(("--ids",), COMPARE, "new ids of the records of --from, as apply wrote them", "FILE", takes="file"),
    ] = None


class DiffOptions(CompareOptions):
    """What is compared, and how differences are printed."""

    output: Annotated[DiffFormat | None, flag_of(Output)] = None


class PlanOptions(CompareOptions):
    """What is compared, and what the plan may do."""

    delete: Annotated[bool, Flag(("--delete",), COMPARE, "also delete what is only in --to")] = False
    all_fields: Annotated[bool, Flag(("--all-fields",), COMPARE, "send all fields, not only the known ones")] = False
