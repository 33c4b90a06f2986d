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
        Common(("--product",), LIST, "show what a product offers, connected or not", "SLUG"),
    ] = None
    output: Annotated[str | None, output_of(formats.MATRICES)] = None


_EXAMPLES = """unified -p sandbox capabilities ticketing
unified -p sandbox capabilities user-directory/users --probe -a missing-scopes -o ndjson"""
_STATES = (
    "The service lists the operations and the state of a connection: two requests each. An"
    " operation is offered, refused (the product lacks it), forbidden (not to this token), failed"
    " (it could not be asked) or unknown (the service does not say). An operation that is offered"
    " but cannot be called, because the connection is blocked, needs a new login or takes no"
    " writes, is marked and not counted; -o json has the reason as held."
)
_EXTRA = (
    "The state extra marks offers without a command: other APIs, methods such as search, and"
    " the provider's own resources. They are not counted; the last line names them, and the command"
    " that makes commands of them."
)

CAPABILITIES = Command(
    CapabilitiesOptions,
    Later("unified_cli.commands.capabilities.run:run"),
    usage="[API[/RESOURCE]]… [options]",
    text=(
        (
            "{about}: on a terminal a row for each resource, with equal rows printed once and the"
            " exceptions below; elsewhere a line for each connection and operation."
        ),
        _STATES,
        _EXTRA,
    ),
    examples=_EXAMPLES,
)
