"""`unified request METHOD PATH`: call any path below the base URL, with the same credentials and connection."""

from unified_cli.call import Call, Mode, builder, single, uploading
from unified_cli.cli.command import Command
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.options import RequestOptions
from unified_cli.http.request import Request


def _request(context: CommandContext, options: RequestOptions) -> None:
    builder.check_options(options)
    scoped = not context.catalogue.service.names_no_account(options.path)
    call = builder.resolve(context.runtime, context.catalogue, options, Mode(shown=options.shown), scoped=scoped)
    with uploading.closed_after(builder.path_request(call, options.method.upper(), options.path)) as request:
        uploading.check_path(call, request)
        single.send(call, _aimed(call, request) if request.batch else request)


def _aimed(call: Call, request: Request) -> Request:
    from unified_cli.call import batch_request  # noqa: PLC0415  few requests are several

    return batch_request.aimed(call, request)


REQUEST = Command(
    RequestOptions,
    _request,
    usage="METHOD PATH [options]",
    text=(
        "{about}, scoped to the connection like every operation.",
        "The path is typed as in a URL, percent-encoded where it must be.",
        "POST /file makes a file public, to anyone who has its address; off a terminal that needs --yes.",
    ),
    examples="unified -p sandbox request GET /unified/ticketing/tickets -q limit=2",
)
