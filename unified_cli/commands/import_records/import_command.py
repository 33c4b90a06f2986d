"""`unified import API/RESOURCE FILE`: every record of a file sent once, with a journal beside the file."""

from typing import Any

from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.help_page import EXAMPLE, HelpPage
from unified_cli.commands.import_records.import_options import ImportOptions

_ABOUT = (
    "A journal beside the file says what was sent before it is sent. After a crash the same command goes on where it "
    "stopped; when all is done, it does nothing. What failed, is in doubt or was not tried stands in files of its own, "
    "which can be imported in turn."
)


def command(context: CommandContext) -> Any:
    """The command."""
    return tree.leaf(
        tree.CommandSpec(
            "import",
            ImportOptions,
            lambda options: _run(context, context.complete(options)),
            lambda: HelpPage(
                "API/RESOURCE FILE [options]",
                [
                    "Send every record of a file once: NDJSON, a JSON array, CSV, or ids for delete.",
                    _ABOUT,
                ],
                [(EXAMPLE, "unified -p sandbox import ticketing/contacts people.csv")],
            ),
        )
    )


def _run(context: CommandContext, options: ImportOptions) -> None:
    from unified_cli.commands.import_records import import_run  # noqa: PLC0415  help needs none of it

    import_run.run(context, options)
