"""`unified request METHOD PATH`: any path below the base URL, with the same credentials and connection."""

from typing import Any

from unified_cli.catalogue import Catalogue
from unified_cli.commands import call, tree
from unified_cli.commands.built_in import Complete
from unified_cli.commands.options import FLAGS, MANY, argument
from unified_cli.commands.page import EXAMPLE, Page
from unified_cli.runtime import Runtime

_FLAGS = [flag for flag in FLAGS.values() if flag.name not in {"skeleton", *MANY}]


def command(runtime: Runtime, catalogue: Catalogue, complete: Complete) -> Any:
    """The command."""
    parameters = [argument("method", "GET, POST, PATCH, PUT or DELETE"), argument("path", "below the base URL")]
    return tree.leaf(
        "request",
        lambda given: call.path(runtime, catalogue, complete(given)),
        [*parameters, *(flag.parameter() for flag in _FLAGS)],
        lambda: Page(
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
