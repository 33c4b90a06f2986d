"""`unified plan API/RESOURCE --from A --to B`: the calls that make B like A, to be reviewed before they are made."""

from typing import Any

from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.help_page import EXAMPLES, HelpPage
from unified_cli.commands.compare.plan_options import PlanOptions

_ABOUT = (
    "Prints NDJSON: a header that says how the plan was made, then one call on each line. Nothing is changed. --to is "
    "a profile. What is only there stays, unless --delete is given. Records that cannot be matched have no call; then "
    "the exit code is 9 (unified diff shows them)."
)
_FIELDS = (
    "A call has the fields that the target is known to take (all with --all-fields), an update only those that differ. "
    "A field that a record of --from does not have is left as it is; null clears it. With --ids the sides have ids of "
    "their own: new ids replace old ones, also in the fields that refer to other records."
)
_EXAMPLES = """unified -p sandbox export ticketing/tags --to dump
unified plan ticketing/tags --from dump --to sandbox"""


def command(context: CommandContext) -> Any:
    """The command."""
    return tree.leaf(
        tree.CommandSpec(
            "plan",
            PlanOptions,
            lambda options: _run(context, context.complete(options)),
            lambda: HelpPage(
                "API/RESOURCE --from SIDE --to PROFILE [options] > PLAN",
                ["Print the calls that make the records of one side like those of another.", _ABOUT, _FIELDS],
                [(EXAMPLES, _EXAMPLES)],
            ),
        )
    )


def _run(context: CommandContext, options: PlanOptions) -> None:
    from unified_cli.commands.compare import plan_run  # noqa: PLC0415  help needs none of it

    plan_run.run(context, options)
