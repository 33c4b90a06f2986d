"""`unified capabilities`: what each connection offers."""

from unified_cli.cli.command import Command, Later
from unified_cli.commands.capabilities.options import CapabilitiesOptions

_EXAMPLES = """unified -p sandbox capabilities ticketing
unified -p sandbox capabilities user-directory/users --probe -a needs-reauth -o ndjson"""
_STATES = (
    "The service says what a connection offers, and how it is: two requests each. An operation is offered, refused "
    "(the product lacks it), forbidden (not to this token), failed (it could not be asked) or unknown (the service "
    "does not say). What is offered and cannot be called, because the connection is blocked, needs a new login or "
    "takes no writes, says so and is not counted."
)

CAPABILITIES = Command(
    CapabilitiesOptions,
    Later("unified_cli.commands.capabilities.run:run"),
    usage="[API[/RESOURCE]]… [options]",
    text=("{about}: a row for each operation, a column for each connection.", _STATES),
    examples=_EXAMPLES,
)
