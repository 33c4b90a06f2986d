"""`unified diff`, `plan` and `apply`: what differs between two lists of records, and the calls that make them alike."""

from unified_cli.cli.command import Command, Later
from unified_cli.commands.move.options import ApplyOptions, DiffOptions, PlanOptions

_SIDES = (
    "A side is a profile, the folder of an export (DIR, or DIR/PROFILE where it holds several), or an NDJSON file. "
    "Where a name is a profile and a path too, profile:NAME is the one and ./NAME the other."
)
_RULES = (
    "Exits with 0 if nothing differs, 14 if something does, 9 if records could not be compared: those without a key, "
    "and those whose key others of their side have. Numbers are compared exactly, by their value: 1.10 is 1.1. A field "
    "that is null and one that is not there are the same. Paths are written as for --columns. "
    "created_at, updated_at, etag and remote_data are compared with --all-fields only."
)
_DIFF_EXAMPLES = """unified -p sandbox export ticketing/tags --to dump
unified diff ticketing/tags --from dump --to sandbox"""

DIFF = Command(
    DiffOptions,
    Later("unified_cli.commands.move.diff:run"),
    usage="API/RESOURCE --from SIDE --to SIDE [options]",
    text=("{about}: which are only on one side, and which differ in what.", _SIDES, _RULES),
    examples=_DIFF_EXAMPLES,
)

_PRINTS = (
    "Prints NDJSON: a header that says how the plan was made, then one call on each line. Nothing is changed. --to is "
    "a profile. What is only there stays, unless --delete is given. Records that cannot be matched have no call; then "
    "the exit code is 9 (unified diff shows them)."
)
_FIELDS = (
    "By id alone, the default, two connections are joined only with --ids or --same-ids: records that have an id in "
    "common may be strangers. A call has the fields that the target is known to take (all with --all-fields), an "
    "update only those that differ. A field that a record of --from does not have is left as it is; null clears it. "
    "With --ids the sides have ids of their own: new ids replace old ones, also in the fields that refer to other "
    "records."
)
_PLAN_EXAMPLES = """unified -p sandbox export ticketing/tags --to dump
unified plan ticketing/tags --from dump --to sandbox"""

PLAN = Command(
    PlanOptions,
    Later("unified_cli.commands.move.plan:run"),
    usage="API/RESOURCE --from SIDE --to PROFILE [options] > PLAN",
    text=("Print the calls that make the records of one side like those of another.", _PRINTS, _FIELDS),
    examples=_PLAN_EXAMPLES,
)


_CHECKS = (
    "Everything is checked before anything is sent: each line of each plan, and that the profile leads to the "
    "connection that the plans were made for. A record whose planned fields have changed since is left as it is, and "
    "named. --dry-run shows the plans like a diff."
)
_JOURNAL = (
    "A journal records each call before it is sent. Run it again to do what is left after a crash or a failure; what "
    "is done is never done again, and a plan that is done says so. What failed, is in doubt or was not tried is "
    "written to files beside the plan."
)
_SEVERAL = (
    "Several plans are applied together: a record is created after those it refers to. With --ids the file learns the "
    "new id of each record that is created, and references are sent with new ids."
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
