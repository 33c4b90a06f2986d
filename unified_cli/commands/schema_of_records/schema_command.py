"""`unified schema API/RESOURCE`: the shape of real records, and how it differs from another."""

from typing import Any

from unified_cli.bulk.observed_schema.shape_difference import ShapeChange
from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.help_page import EXAMPLES, HelpPage
from unified_cli.commands.schema_of_records.schema_options import SchemaOptions

_ABOUT = (
    "Each path with its types, and how often it is present and null. Values are listed only for known enumerations and "
    "for paths whose last word is status, state, type, kind or priority; no other value is kept. -o json prints a JSON "
    "Schema."
)
_AGAINST = (
    "--against compares each connection with a JSON Schema that this command wrote, with another connection "
    "(profile:NAME where there is a file NAME too), or with the known fields. A lost path and another type end with "
    "14; the other differences are told, and end with 14 with --strict. Shares are compared from 30 records on, and "
    "differ where each is outside the 95 % interval of the other."
)
_EXAMPLES = """unified -p sandbox schema ticketing/tickets
unified -p sandbox schema ticketing/tickets -o json
unified -p sandbox schema ticketing/tickets --against known --junit shapes.xml"""


def command(context: CommandContext) -> Any:
    """The command."""
    kinds = [(kind.value, f"{kind.about}{' (--strict)' if kind.strict else ''}") for kind in ShapeChange]
    return tree.leaf(
        tree.CommandSpec(
            "schema",
            SchemaOptions,
            lambda options: _run(context, context.complete(options)),
            lambda: HelpPage(
                "API/RESOURCE [options]",
                ["Show which fields the records of a list really have.", _ABOUT, _AGAINST],
                [("Differences", kinds), (EXAMPLES, _EXAMPLES)],
            ),
        )
    )


def _run(context: CommandContext, options: SchemaOptions) -> None:
    from unified_cli.commands.schema_of_records import schema_run  # noqa: PLC0415  help needs none of it

    schema_run.run(context, options)
