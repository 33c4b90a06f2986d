"""`unified import API/RESOURCE FILE`: send every record of a file once, with a journal beside the file."""

from typing import Any

from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.help_page import EXAMPLE, HelpPage
from unified_cli.commands.import_records.import_options import ImportOptions

_ABOUT = (
    "A journal beside the file records each request before it is sent. After a crash the same command resumes where it "
    "stopped; when everything is done, it does nothing. Records that failed, are in doubt or were not tried are "
    "written to separate files, which can be imported again."
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
