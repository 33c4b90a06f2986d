"""`unified request METHOD PATH`: any path below the base URL, with the same credentials and connection."""

from typing import Any

from unified_cli.call import single
from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.help_page import EXAMPLE, HelpPage
from unified_cli.cli.options import FLAGS, MANY, argument

_FLAGS = [flag for flag in FLAGS.values() if flag.name not in {"skeleton", *MANY}]


def command(context: CommandContext) -> Any:
    """The command."""
    runtime, catalogue, complete = context.runtime, context.catalogue, context.complete
    parameters = [argument("method", "GET, POST, PATCH, PUT or DELETE"), argument("path", "below the base URL")]
    return tree.leaf(
        "request",
        lambda given: single.path(runtime, catalogue, complete(given)),
        [*parameters, *(flag.parameter() for flag in _FLAGS)],
        lambda: HelpPage(
            "METHOD PATH [options]",
            [
                "Call any path below the base URL, scoped to the connection like every operation.",
                "The path is taken as typed: what is percent-encoded in it stays so.",
            ],
            [(EXAMPLE, "unified -p sandbox request GET /unified/ticketing/tickets -q limit=2")],
            _FLAGS,
        ),
        takes=("GET|POST|PATCH|PUT|DELETE", ""),
    )
