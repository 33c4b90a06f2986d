"""How the answer to a request is handled: as one document, as a list of records, or streamed to a file."""

from unified_cli.call import Call
from unified_cli.cli.flags import part
from unified_cli.cli.options import PageOptions, ReadOptions
from unified_cli.errors import UsageError
from unified_cli.http.request import OWN_CURSOR, Request

_RECORD_FORMATS = {"ndjson", "table", "csv", "tsv", "ids"}
_AS_SERVED = ("json", "raw")


def check(call: Call, request: Request) -> None:
    """Raise UsageError for several pages of a write, which every page would repeat."""
    if part(call.options, PageOptions).several and request.method != "GET":
        raise UsageError(f"a {request.method} has no pages", hint="leave out --all and --limit")


def is_list(call: Call, request: Request) -> bool:
    """Whether the answer is split into records, not printed as one document."""
    options, output = call.options, call.settings.output
    pages = part(options, PageOptions)
    if pages.several or part(options, ReadOptions).since:
        return True
    if request.operation is None or not request.operation.lists:
        return False
    columns = options.columns and output != "raw"
    within_page = (pages.cursor or "").startswith(OWN_CURSOR)
    return bool(columns) or output in _RECORD_FORMATS or within_page


def is_file(call: Call, request: Request) -> bool:
    """Whether the answer is streamed to a file unchanged, so that it can be resumed."""
    options = call.options
    listing = request.operation is not None and request.operation.lists
    transformed = call.settings.output not in _AS_SERVED or options.jq or options.columns
    return bool(options.out) and not request.writes and not listing and not transformed
