"""Which way a request goes: as one document, as a list of records, or straight into a file."""

from collections.abc import Mapping
from typing import Any

from unified_cli.config.settings import Settings
from unified_cli.errors import UsageError
from unified_cli.http.request import OWN_CURSOR, Request

Given = Mapping[str, Any]
_RECORD_FORMATS = {"ndjson", "table", "csv", "tsv", "ids"}
_AS_SERVED = ("json", "raw")
_SHAPED = ("jq", "columns")


def is_list(request: Request, given: Given, resolved: Settings) -> bool:
    """Whether the answer is to be taken apart into records, not passed on as one document.

    Raises UsageError for pages of what has none: a write, which every page would repeat.
    """
    if given.get("all") or given.get("limit"):
        if request.method != "GET":
            raise UsageError(f"a {request.method} has no pages (leave out --all and --limit)")
        return True
    if request.operation is None or not request.operation.lists:
        return False
    columns = given.get("columns") and resolved["output"] != "raw"
    within_page = (given.get("cursor") or "").startswith(OWN_CURSOR)
    return bool(columns) or resolved["output"] in _RECORD_FORMATS or within_page


def is_file(request: Request, given: Given, output: str) -> bool:
    """Whether the answer goes into a file as it comes, so that it can be streamed and resumed."""
    listing = request.operation is not None and request.operation.lists
    shaped = output not in _AS_SERVED or any(given.get(name) for name in _SHAPED)
    return bool(given.get("out")) and not request.writes and not listing and not shaped
