"""`unified diff API/RESOURCE --from A --to B`: what differs between two lists of records."""

from typing import Any

from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.help_page import EXAMPLES, HelpPage
from unified_cli.commands.compare.diff_options import DiffOptions

_ABOUT = (
    "A side is a profile, the folder of an export (DIR, or DIR/PROFILE where it holds several), or an NDJSON file. "
    "Where a name is a profile and a path too, profile:NAME is the one and ./NAME the other."
)
_RULES = (
    "Exits with 0 if nothing differs, 14 if something does, 9 if records could not be compared: those without a key, "
    "and those whose key others of their side have. Numbers are compared exactly, by their value: 1.10 is 1.1. A field "
    "that is null and one that is not there are the same. Paths are written as for --columns."
)

_EXAMPLES = """unified -p sandbox export ticketing/tags --to dump
unified diff ticketing/tags --from dump --to sandbox --ignore updated_at,etag"""


def command(context: CommandContext) -> Any:
    """The command."""
    return tree.leaf(
        tree.CommandSpec(
            "diff",
            DiffOptions,
            lambda options: _run(context, context.complete(options)),
            lambda: HelpPage(
                "API/RESOURCE --from SIDE --to SIDE [options]",
                ["Compare two lists of records: which are only on one side, and which differ in what.", _ABOUT, _RULES],
                [(EXAMPLES, _EXAMPLES)],
            ),
        )
    )


def _run(context: CommandContext, options: DiffOptions) -> None:
    from unified_cli.commands.compare import diff_run  # noqa: PLC0415  help needs none of it

    diff_run.run(context, options)
