"""`unified export`: write many lists of many connections to a folder, resumable and verifiable."""

from typing import Any

from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.help_page import EXAMPLE, HelpPage
from unified_cli.commands.export_lists.export_options import ExportOptions


def command(context: CommandContext) -> Any:
    """The command."""
    return tree.leaf(
        tree.CommandSpec(
            "export",
            ExportOptions,
            lambda options: _run(context, context.complete(options)),
            lambda: HelpPage(
                "[API[/RESOURCE] …] --to DIR [options]",
                [
                    "Write every list of one connection or many to DIR/<profile>/<api>/<resource>.ndjson.",
                    "Run it again to resume where it stopped; a complete export stays as it is.",
                    "With --incremental it adds what changed since then; what was deleted is not seen.",
                ],
                [(EXAMPLE, "unified -p sandbox export ticketing 'ats/job*' --to dump")],
            ),
        )
    )


def _run(context: CommandContext, options: ExportOptions) -> None:
    from unified_cli.commands.export_lists import export_run  # noqa: PLC0415  help needs none of it

    export_run.run(context, options)
