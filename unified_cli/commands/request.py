"""`unified request METHOD PATH`: call any path below the base URL, with the same
credentials and connection.
"""

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import unquote

from unified_cli.call import Call, Mode, batch_request, builder, single
from unified_cli.catalogue import Service
from unified_cli.catalogue.known_filters import doubtful
from unified_cli.cli import prompt
from unified_cli.cli.command import Command, CommandContext
from unified_cli.cli.flags import QUERY, Argument, part
from unified_cli.cli.options import CallOptions, ConfirmOptions, PageOptions, SendOptions
from unified_cli.cli.shared_options import Strict, told
from unified_cli.errors import UsageError
from unified_cli.http.request import Request


@dataclass(frozen=True, kw_only=True)
class RequestOptions(ConfirmOptions, SendOptions, PageOptions, CallOptions):
    """The options of `request`."""

    method: Annotated[
        str, Argument("GET, POST, PATCH, PUT or DELETE", takes=("GET|POST|PATCH|PUT|DELETE",))
    ]
    path: Annotated[str, Argument("below the base URL")]
    strict: Annotated[
        bool,
        told(Strict, "send nothing where a list is not known to take a query parameter", QUERY),
    ] = False


def _request(context: CommandContext, options: RequestOptions) -> None:
    builder.check_options(options)
    service, method = context.catalogue.service, options.method.upper()
    scoped = not service.names_no_account(options.path)
    pages = options.several and method == "POST" and _searches(options.path, service)
    if pages and options.idempotency_key is not None:
        raise UsageError("each page has an idempotency key of its own", hint="leave the key out")
    call = builder.resolve(
        context.runtime,
        context.catalogue,
        options,
        Mode(shown=options.shown),
        None,
        # A search is delivered as a list.
        method="GET" if pages else method,
        scoped=scoped,
    )
    if options.query and method == "GET":
        _check_query(call, options)
    with closing(builder.path_request(call, method, options.path)) as request:
        _check_file(call, request)
        single.send(call, _aimed(call, request) if request.batch else request)


def _searches(path: str, service: Service) -> bool:
    """Return whether a POST to this path is a search."""
    return unquote(path.partition("?")[0].rstrip("/").rpartition("/")[2]) == service.search


def _check_query(call: Call, options: RequestOptions) -> None:
    """Name the parameters that a list is not known to take, where the path is that of
    one.

    Raises UsageError for one with `--strict`.
    """
    prefix, _, place = options.path.strip("/").partition("/")
    api, _, resource = place.partition("/")
    found = call.catalogue.apis.get(api) if f"/{prefix}" == call.catalogue.service.prefix else None
    known = found.resources.get(resource) if found else None
    if known and (operation := known.operations.get("list")):
        for one in doubtful(operation, call.catalogue.service, builder.pairs(options.query)):
            builder.tell(call.runtime, one, strict=options.strict)


def _check_file(call: Call, request: Request) -> None:
    """Raise UsageError for a file where the service takes several requests, and unless
    a public one is confirmed.
    """
    if request.upload is not None and request.batch:
        raise UsageError("a batch is JSON, and no file")
    files = call.catalogue.service.connections.files.strip("/")
    path = unquote(request.path.removeprefix(request.address.path))
    first = path.strip("/").partition("/")[0].partition(";")[0]
    if request.method == "GET" or first.casefold() != files or call.mode.shown:
        return
    public = "anyone who has its address can read it, and nothing deletes it"
    if part(call.options, ConfirmOptions).yes:
        call.runtime.stderr.note(f"the file will be public: {public}")
        return

    what = f"make the file public ({public})"
    prompt.confirm(
        call.runtime, what, "nothing was sent", yes=False, no_input=call.settings.no_input
    )


def _aimed(call: Call, request: Request) -> Request:
    return batch_request.aimed(call, request)


REQUEST = Command(
    RequestOptions,
    _request,
    usage="METHOD PATH [options]",
    text=(
        "{about}, scoped to the connection like every operation.",
        "The path is typed as in a URL, percent-encoded where it must be.",
        (
            "--all and --limit read all pages of a list, also of a search (POST …/search), which"
            " counts as a read."
        ),
        (
            "POST /file makes a file public, to anyone who has its address; off a terminal that"
            " needs --yes."
        ),
    ),
    examples=(
        "unified -p sandbox request GET /unified/ticketing/tickets -q limit=2\n"
        "unified -p sandbox request POST /unified/ticketing/tags -f name=Example --dry-run"
    ),
)
