"""`unified request METHOD PATH`: call any path below the base URL, with the same
credentials and connection.
"""

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import unquote

from unified_cli.call import Call, Mode, ModeKind, batch_request, builder, single
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.catalogue.known_filters import find_doubtful
from unified_cli.cli import prompt
from unified_cli.cli.command import Command, CommandContext, Later
from unified_cli.cli.flags import QUERY, Argument, part
from unified_cli.cli.option_parts import NetworkOptions
from unified_cli.cli.options import (
    CallOptions,
    ConfirmOptions,
    ExpectOptions,
    PageOptions,
    SendOptions,
)
from unified_cli.cli.shared_options import Strict, with_help
from unified_cli.config.profiles import is_several
from unified_cli.errors import UsageError
from unified_cli.http.request import Request

_READS = {
    ModeKind.CHECKED: Later("unified_cli.call.expect:run"),
    ModeKind.READS: Later("unified_cli.call.many:run"),
}
_SEVERAL = "only a read (GET, or POST …/search) can use several connections"


@dataclass(frozen=True, kw_only=True)
class RequestOptions(
    ExpectOptions, ConfirmOptions, SendOptions, PageOptions, NetworkOptions, CallOptions
):
    """The options of `request`."""

    method: Annotated[
        str, Argument("GET, POST, PATCH, PUT or DELETE", takes=("GET|POST|PATCH|PUT|DELETE",))
    ]
    path: Annotated[str, Argument("the path below the base URL")]
    strict: Annotated[
        bool,
        with_help(Strict, "send nothing if a query parameter is unknown for the list", QUERY),
    ] = False


def _request(context: CommandContext, options: RequestOptions) -> None:
    builder.check_options(options)
    catalogue, method = context.catalogue, options.method.upper()
    searches = method == "POST" and _searches(options.path, catalogue)
    several = is_several(options.profile)
    if searches and (options.several or several) and options.idempotency_key is not None:
        each = "connection" if several else "page"
        raise UsageError(
            f"each {each} has its own idempotency key", hint="leave out --idempotency-key"
        )
    if options.query and method == "GET":
        _check_query(context, options)
    if several or options.expect or options.junit:
        _read(context, options, "GET" if searches else method, several=several)
        return
    call = builder.resolve(
        context.runtime,
        catalogue,
        options,
        Mode(shown=options.shown),
        None,
        # A search lists records, so its result is written like the result of a GET.
        method="GET" if searches and options.several else method,
        scoped=not catalogue.service.names_no_account(options.path),
    )
    body = builder.read_body(context.runtime, options, method)
    with closing(_path_request(call, options, body)) as request:
        _check_file(call, request)
        single.send(
            call, batch_request.with_connection(call, request) if request.batch else request
        )


def _read(context: CommandContext, options: RequestOptions, method: str, *, several: bool) -> None:
    """Read the path from several connections, or check the response of a connection.

    With `--all` or `--limit`, the response is read as a list, otherwise as one record.

    Raises UsageError if the call does not read, or if it sends a file.
    """
    if method != "GET":
        reason = _SEVERAL if several else "--expect is for a read: GET, or POST …/search"
        raise UsageError(f"{options.method.upper()} {options.path} was not sent: {reason}")
    if options.sends_file:
        raise UsageError(
            "a file can only be sent once, to one connection", hint="give one name to -p"
        )
    name = "list" if options.several else "get"
    operation = Operation(
        "request", options.path, name, method, "", "read", outward=False, harmless=True, summary=""
    )
    kind = ModeKind.CHECKED if options.expect or options.junit else ModeKind.READS
    body = builder.read_body(context.runtime, options, options.method.upper())
    run = _READS[kind].load()
    mode = Mode(kind, several, options.shown)
    run(
        context.runtime,
        context.catalogue,
        operation,
        options,
        mode,
        lambda call, _: _path_request(call, options, body),
    )


def _path_request(call: Call, options: RequestOptions, body: bytes | None) -> Request:
    method = options.method.upper()
    request = builder.path_request(call, method, options.path, body)
    searches = method == "POST" and _searches(options.path, call.catalogue)
    return request._replace(searches=request.searches or searches)


def _searches(path: str, catalogue: Catalogue) -> bool:
    """Return whether a POST to this path is a search.

    Returns True if the last segment of the path is `search`, or if the catalogue has an
    operation with this path that lists records.
    """
    place = path.partition("?")[0].rstrip("/")
    known = catalogue.match("POST", f"/{place.lstrip('/')}")
    listed = known is not None and known[0].lists
    return listed or unquote(place.rpartition("/")[2]) == catalogue.service.search


def _check_query(context: CommandContext, options: RequestOptions) -> None:
    """Warn of unknown query parameters if the path is that of a list.

    With the option `--strict`, raises UsageError for such parameters.
    """
    prefix, _, place = options.path.strip("/").partition("/")
    api, _, resource = place.partition("/")
    catalogue, service = context.catalogue, context.catalogue.service
    found = catalogue.apis.get(api) if f"/{prefix}" == service.prefix else None
    known = found.resources.get(resource) if found else None
    if known and (operation := known.operations.get("list")):
        for doubtful in find_doubtful(operation, service, builder.pairs(options.query)):
            builder.warn_of_parameter(context.runtime, doubtful, strict=options.strict)


def _check_file(call: Call, request: Request) -> None:
    """Raise UsageError if a batch has a file.

    Also raises UsageError if the user does not confirm that the file will be public.
    """
    if request.upload is not None and request.batch:
        raise UsageError("a batch must be JSON, not a file")
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


REQUEST = Command(
    RequestOptions,
    _request,
    usage="METHOD PATH [options]",
    text=(
        "{about}, scoped to the connection like every operation.",
        "Write the path as in a URL, with percent-encoding where a URL needs it.",
        (
            "With --all, all pages of a list are read. With --limit N, only the pages with the"
            " first N records are read. Both options can also be used for a search"
            " (POST …/search), which counts as a read."
        ),
        (
            "A read can use several connections. Each answer, or each record of a list with --all,"
            " then has the name of its connection in the field _profile."
        ),
        (
            "POST /file makes a file public: anyone who has its address can read it. The"
            " command asks for confirmation. Without a terminal, confirm with --yes."
        ),
    ),
    examples=(
        "unified -p sandbox request GET /unified/ticketing/tickets -q limit=2\n"
        "unified -p sandbox request GET /proxy/tickets --limit 3 -o ndjson\n"
        "unified -p sandbox request POST /unified/ticketing/tags -f name=Example --dry-run"
    ),
)
