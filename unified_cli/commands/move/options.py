"""The options of `unified diff`, `plan` and `apply`: what is compared, and which plans are applied."""

from typing import Annotated, Literal

from unified_cli.cli.flags import COMPARE, SAFETY, Argument, Common, Flag, by_name
from unified_cli.cli.result_table import TableOutput
from unified_cli.cli.shared_options import (
    DryRun,
    From,
    Map,
    MessageOptions,
    NetworkOptions,
    Output,
    Profiles,
    To,
    TokenFile,
    TokenStdin,
    Yes,
    flag_of,
    told,
)

NOT_COMPARED = ("created_at", "updated_at", "etag", "remote_data")
"""What the service fills in, and what is outside the unified model: compared only where all fields are."""
DiffFormat = Literal["table", "ndjson", "json"]
PlannedOperation = Literal["create", "update", "delete"]


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
        Common(("--key",), COMPARE, "join records by this value (id); .a.b is a jq program", "PATH"),
    ] = ()
    map: Annotated[
        str | None,
        told(Map, "a jq program that reshapes each record of --from", COMPARE, "JQ"),
    ] = None
    ignore: Annotated[tuple[str, ...], Common(("--ignore",), COMPARE, "leave these values out", "PATH[,PATH]")] = ()
    set: Annotated[
        tuple[str, ...], Flag(("--set",), COMPARE, "an array whose order does not matter", "PATH[,PATH]")
    ] = ()
    all_fields: Annotated[
        bool,
        Flag(("--all-fields",), COMPARE, f"also compare {' '.join(NOT_COMPARED)}; a plan sends all fields"),
    ] = False
    ids: Annotated[
        str | None,
        Common(("--ids",), COMPARE, "new ids of the records of --from, as apply wrote them", "FILE", takes="file"),
    ] = None


class DiffOptions(CompareOptions):
    """What is compared, and how differences are printed."""

    output: Annotated[DiffFormat | None, flag_of(Output)] = None


class PlanOptions(CompareOptions):
    """What is compared, and what the plan may do."""

    delete: Annotated[bool, Common(("--delete",), COMPARE, "also delete what is only in --to")] = False
    same_ids: Annotated[
        bool, Flag(("--same-ids",), COMPARE, "join by id two sides that may be of different connections")
    ] = False


class ApplyOptions(MessageOptions, NetworkOptions):
    """Which plans are applied, and how much of them."""

    plans: Annotated[tuple[str, ...], Argument("files of plans, as `unified plan` prints them", "PLAN...", ("file",))]
    profile: Profiles = ()
    token_file: TokenFile = None
    token_stdin: TokenStdin = False
    only: Annotated[PlannedOperation | None, Common(("--only",), COMPARE, "only calls of this kind", "KIND")] = None
    ids: Annotated[str | None, by_name(CompareOptions)["ids"]] = None
    overwrite_changed: Annotated[
        bool, Common(("--overwrite-changed",), SAFETY, "also change what has changed since the plan was made")
    ] = False
    max_deletes: Annotated[
        int | None, Flag(("--max-deletes",), SAFETY, "delete at most N records (half of those there)", "N", minimum=0)
    ] = None
    dry_run: DryRun = False
    yes: Yes = False
    output: TableOutput = None
