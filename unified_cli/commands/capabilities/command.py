"""`unified capabilities`: its page and its options."""

from dataclasses import dataclass
from typing import Annotated

from unified_cli.cli.command import Command, Later
from unified_cli.cli.flags import LIST, Argument, Common
from unified_cli.cli.option_parts import ConnectionOptions, MessageOptions, NetworkOptions
from unified_cli.cli.shared_options import output_of
from unified_cli.output import formats


@dataclass(frozen=True, kw_only=True)
class CapabilitiesOptions(MessageOptions, NetworkOptions, ConnectionOptions):
    """The operations and connections to show, whether to try the lists, and how to
    print the result.
    """

    resources: Annotated[
        tuple[str, ...],
        Argument("only these operations: API or API/RESOURCE", takes=("api/resource",)),
    ] = ()
    probe: Annotated[
        bool, Common(("--probe",), LIST, "also read one record of each list that is not refused")
    ] = False
    product: Annotated[
        str | None,
        Common(
            ("--product",), LIST, "show what a product offers, even without a connection", "SLUG"
        ),
    ] = None
    output: Annotated[str | None, output_of(formats.MATRICES)] = None


_EXAMPLES = """unified -p sandbox capabilities ticketing
unified -p sandbox capabilities user-directory/users --probe -a missing-scopes -o ndjson"""
_STATES = (
    "The service lists the operations and the state of a connection, which takes two requests per"
    " connection. An operation is offered, refused (the product lacks it), forbidden (for this"
    " token), failed (the request failed) or unknown (the service does not say). An operation may"
    " be offered, but not callable, because the connection is blocked, needs a new login or takes"
    " no writes. It is marked and not counted; -o json has the reason as held."
)
_EXTRA = (
    "The state extra marks offered operations that have no command yet: those of other APIs,"
    " methods such as search, and the provider's own resources. They are not counted. The last line"
    " names them, and the command that adds them."
)

CAPABILITIES = Command(
    CapabilitiesOptions,
    Later("unified_cli.commands.capabilities.run:run"),
    usage="[API[/RESOURCE]]… [options]",
    text=(
        (
            "{about}. A terminal shows a row for each resource, prints equal rows once, and lists"
            " the exceptions below. Elsewhere, each connection and operation has a line."
        ),
        _STATES,
        _EXTRA,
    ),
    examples=_EXAMPLES,
)
