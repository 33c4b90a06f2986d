"""`unified diff`, `plan` and `apply`: compare two lists of records, and make the calls
that remove the differences.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from unified_cli.cli.command import Command, Later
from unified_cli.cli.flags import COMPARE, SAFETY, Argument, Common, Flag, by_name
from unified_cli.cli.option_parts import MessageOptions, NetworkOptions
from unified_cli.cli.result_table import TableOutput
from unified_cli.cli.shared_options import (
    DryRun,
    From,
    Map,
    Profiles,
    RetryInDoubt,
    To,
    TokenFile,
    TokenStdin,
    Yes,
    output_of,
    with_help,
)
from unified_cli.output import formats

NOT_COMPARED = ("created_at", "updated_at", "etag", "remote_data")
"""Fields that are only compared with --all-fields, because the service or the provider
sets them.
"""
PlannedOperation = Literal["create", "update", "delete"]


@dataclass(frozen=True, kw_only=True)
class CompareOptions(MessageOptions, NetworkOptions):
    """The two sides, the keys that join their records, and the fields to compare."""

    resource: Annotated[str, Argument("the resource, as API/RESOURCE", takes=("api/resource",))]
    from_: Annotated[
        str | None,
        with_help(From, "a profile, a folder of an export, or an NDJSON file", COMPARE, "SIDE"),
    ] = None
    to: Annotated[str | None, with_help(To, "the side to compare with", COMPARE, "SIDE")] = None
    key: Annotated[
        tuple[str, ...],
        Common(
            ("--key",), COMPARE, "join records by this value (id); .a.b is a jq program", "PATH"
        ),
    ] = ()
    map: Annotated[
        str | None,
        with_help(Map, "a jq program that reshapes each record of the first side", COMPARE, "JQ"),
    ] = None
    ignore: Annotated[
        tuple[str, ...],
        Common(("--ignore",), COMPARE, "do not compare these values", "PATH[,PATH]"),
    ] = ()
    set: Annotated[
        tuple[str, ...],
        Flag(("--set",), COMPARE, "an array whose order does not matter", "PATH[,PATH]"),
    ] = ()
    all_fields: Annotated[
        bool,
        Flag(
            ("--all-fields",),
            COMPARE,
            f"also compare {' '.join(NOT_COMPARED)}; a plan then sends all fields",
        ),
    ] = False
    ids: Annotated[
        str | None,
        Common(
            ("--ids",),
            COMPARE,
            "the file with the old and new ids of records, as apply wrote it",
            "FILE",
            takes="file",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class DiffOptions(CompareOptions):
    """The sides to compare, and how to print differences."""

    output: Annotated[str | None, output_of(formats.DIFFERENCES)] = None


@dataclass(frozen=True, kw_only=True)
class PlanOptions(CompareOptions):
    """The sides to compare, and which calls the plan may have."""

    to: Annotated[
        str | None, with_help(To, "the profile of the connection to change", COMPARE, "PROFILE")
    ] = None
    delete: Annotated[
        bool, Common(("--delete",), COMPARE, "also delete records that only the target has")
    ] = False
    same_ids: Annotated[
        bool,
        Flag(
            ("--same-ids",), COMPARE, "join by id, even if the sides may be different connections"
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class ApplyOptions(MessageOptions, NetworkOptions):
    """Which plans to apply, and which of their calls to send."""

    plans: Annotated[
        tuple[str, ...],
        Argument("files of plans, as `unified plan` prints them", "PLAN...", ("file",)),
    ]
    profile: Profiles = ()
    token_file: TokenFile = None
    token_stdin: TokenStdin = False
    only: Annotated[
        PlannedOperation | None, Common(("--only",), COMPARE, "only calls of this kind", "KIND")
    ] = None
    ids: Annotated[str | None, by_name(CompareOptions)["ids"]] = None
    overwrite_changed: Annotated[
        bool,
        Common(
            ("--overwrite-changed",),
            SAFETY,
            "also change records that have changed since the plan was made",
        ),
    ] = False
    retry_in_doubt: RetryInDoubt = False
    max_deletes: Annotated[
        int | None,
        Flag(
            ("--max-deletes",),
            SAFETY,
            "delete at most N records (half of the records of each list)",
            "N",
            minimum=0,
        ),
    ] = None
    dry_run: Annotated[
        bool, with_help(DryRun, "show the plans like a diff and send nothing", SAFETY)
    ] = False
    yes: Yes = False
    output: TableOutput = None


_SIDES = (
    "A side is a profile, the folder of an export (DIR, or DIR/PROFILE if it has several), or an"
    " NDJSON file. If a name is both a profile and a path, write profile:NAME or ./NAME."
)
_RULES = (
    "The exit code is 0 if nothing differs, 14 if something differs, and 9 if records could not be"
    " compared: records without a key, and records with the same key on one side. Numbers are"
    " compared exactly, by their value: 1.10 is 1.1. A null and a missing field are equal. Paths"
    " are written as for --columns. created_at, updated_at, etag and remote_data are only compared"
    " with --all-fields."
)
_DIFF_EXAMPLES = """unified -p sandbox export ticketing/tags --to dump
unified diff ticketing/tags --from dump --to sandbox"""

DIFF = Command(
    DiffOptions,
    Later("unified_cli.commands.move.diff:run"),
    usage="API/RESOURCE --from SIDE --to SIDE [options]",
    text=(
        "{about}: show the records that only one side has, and the fields that differ.",
        _SIDES,
        _RULES,
    ),
    examples=_DIFF_EXAMPLES,
)

_PRINTS = (
    "Prints NDJSON: a header that says how the plan was made, then one call on each line. Nothing"
    " is changed. Records that only the target has stay, unless --delete is given. If a record"
    " cannot be matched, it has no call, and the exit code is 9 (unified diff shows such records)."
)
_FIELDS = (
    "Records are joined by id, unless --key names another value. Between two connections, a join"
    " by id needs --ids or --same-ids, because the same id may belong to different records. A call"
    " has the fields that the target is known to accept (with --all-fields, all fields). An update"
    " only has the fields that differ. A field that is missing in the source is not changed; null"
    " clears it. With --ids, new ids replace old ones, also in fields that refer to other records."
)
_PLAN_EXAMPLES = """unified -p sandbox export ticketing/tags --to dump
unified plan ticketing/tags --from dump --to sandbox"""

PLAN = Command(
    PlanOptions,
    Later("unified_cli.commands.move.plan:run"),
    usage="API/RESOURCE --from SIDE --to PROFILE [options] > PLAN",
    text=(
        "Print the calls that make the records of one side like those of another.",
        _PRINTS,
        _FIELDS,
    ),
    examples=_PLAN_EXAMPLES,
)


_CHECKS = (
    "Before anything is sent, apply checks each line of each plan, and that the profile has the"
    " connection that the plans were made for. It skips and reports a record whose planned fields"
    " have changed since the plan was made. --dry-run shows the plans like a diff."
)
_JOURNAL = (
    "A journal records each call before it is sent. After a crash or a failure, run the command"
    " again to send the remaining calls. A call that is done is never repeated, so a plan that is"
    " already applied sends nothing. Calls that failed, are in doubt or were not tried are written"
    " to files beside the plan."
)
_SEVERAL = (
    "Several plans are applied together. Of the profiles in -p, each plan uses the one with its"
    " connection, and connections take turns. A record is created after the records that it refers"
    " to. With --ids, the new id of each created record is added to the file, and references are"
    " sent with new ids."
)
_APPLY_EXAMPLES = """unified -p sandbox export ticketing/tags --to dump
unified plan ticketing/tags --from dump --to sandbox > tags.plan
unified apply tags.plan -p sandbox --yes"""

APPLY = Command(
    ApplyOptions,
    Later("unified_cli.commands.move.apply:run"),
    usage="PLAN… [options]",
    text=("{about}.", _CHECKS, _JOURNAL, _SEVERAL),
    examples=_APPLY_EXAMPLES,
)
