"""`unified capabilities`: what each connection offers."""

from typing import Any

from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.help_page import EXAMPLES, HelpPage
from unified_cli.commands.capabilities.capabilities_options import CapabilitiesOptions

_EXAMPLES = """unified -p sandbox capabilities ticketing
unified -p sandbox capabilities user-directory/users --probe -a needs-reauth -o ndjson"""
_STATES = (
    "The service says what a connection offers, and how it is: two requests each. An operation is offered, refused "
    "(the product lacks it), forbidden (not to this token), failed (it could not be asked) or unknown (the service "
    "does not say). What is offered and cannot be called, because the connection is blocked, needs a new login or "
    "takes no writes, says so and is not counted."
)


def command(context: CommandContext) -> Any:
    """The command."""
    return tree.leaf(
        tree.CommandSpec(
            "capabilities",
            CapabilitiesOptions,
            lambda options: _run(context, context.complete(options)),
            lambda: HelpPage(
                "[API[/RESOURCE]]… [options]",
                ["Show what each connection offers: a row for each operation, a column for each connection.", _STATES],
                [(EXAMPLES, _EXAMPLES)],
            ),
        )
    )


def _run(context: CommandContext, options: CapabilitiesOptions) -> None:
    from unified_cli.commands.capabilities import matrix_run  # noqa: PLC0415  help needs none of it

    matrix_run.run(context, options)
