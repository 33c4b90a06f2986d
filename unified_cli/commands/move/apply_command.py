"""`unified apply PLAN…`: make the calls of plans, once each."""

from unified_cli.cli.command import Command, Later
from unified_cli.commands.move.apply_options import ApplyOptions

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
_EXAMPLES = """unified -p sandbox export ticketing/tags --to dump
unified plan ticketing/tags --from dump --to sandbox > tags.plan
unified apply tags.plan -p sandbox --yes"""

APPLY = Command(
    ApplyOptions,
    Later("unified_cli.commands.move.apply:run"),
    usage="PLAN… [options]",
    text=("{about}.", _CHECKS, _JOURNAL, _SEVERAL),
    examples=_EXAMPLES,
)
