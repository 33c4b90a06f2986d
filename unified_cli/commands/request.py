"""`unified request METHOD PATH`: call any path below the base URL, with the same credentials and connection."""

from unified_cli.call import Mode, builder, single
from unified_cli.cli.command import Command
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.options import RequestOptions


def _request(context: CommandContext, options: RequestOptions) -> None:
    builder.check_options(options)
    scoped = not context.catalogue.service.names_no_account(options.path)
    call = builder.resolve(context.runtime, context.catalogue, options, Mode(shown=options.shown), scoped=scoped)
    request = builder.path_request(call, options.method.upper(), options.path)
    if request.batch:
        from unified_cli.call import batch_request  # noqa: PLC0415  few requests are several

        request = batch_request.aimed(call, request)
    single.send(call, request)


REQUEST = Command(
    RequestOptions,
    _request,
    usage="METHOD PATH [options]",
    text=(
        "{about}, scoped to the connection like every operation.",
        "The path is typed as in a URL, percent-encoded where it must be.",
    ),
    examples="unified -p sandbox request GET /unified/ticketing/tickets -q limit=2",
)
