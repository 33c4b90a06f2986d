"""Report that a list has more records than were printed, and how to get them."""

import json
import re
import shlex

from unified_cli.call import Call
from unified_cli.catalogue import Service
from unified_cli.http import decoding, page_body
from unified_cli.http.request import number_as_cursor
from unified_cli.json_text.json_check import PIECE

_SEVERAL = re.compile(r"\w&[\w\[\]]+=")
_EMPTY = 200
"""A smaller page with an empty array has no records."""
_PLAIN = re.compile(r"[\w.~+/=:@%-]+", re.ASCII)


def message(cursor: str | None) -> str:
    """Return the message about more records, with the options that read them."""
    return f"there are more records: --all, or {continuation(cursor)}"


def continuation(cursor: str | None) -> str:
    """Return the option that continues from this cursor."""
    if not cursor:
        return "from the start"
    if _PLAIN.fullmatch(cursor):
        return f"--cursor {cursor}"

    return f"--cursor {shlex.quote(cursor)}"


def print_note(call: Call, body: bytes) -> None:
    """Print the message if a page of a list has a cursor. The page is JSON."""
    service = call.catalogue.service
    if call.options.query and len(body) < _EMPTY and b"[]" in body:
        sent = " ".join(f"-q {one}" for one in call.options.query)
        why = "providers compare values as they spell them"
        if _SEVERAL.search(sent):
            why = "each parameter needs a -q of its own"
        call.runtime.stderr.note(f"no record matches {sent}: {why}")
    # JSON may escape the letters of the key.
    there = f'"{service.cursor}"'.encode() in body or b"\\u00" in body
    if there and (cursor := _cursor(body, service)):
        call.runtime.stderr.note(message(cursor))


def _cursor(body: bytes, service: Service) -> str | None:
    # msgspec is faster for large bodies, but takes time to import.
    if len(body) <= PIECE:
        document = json.loads(body, parse_int=number_as_cursor)
        found = document.get(service.cursor) if isinstance(document, dict) else None
        return found if isinstance(found, str) else None

    try:
        page = page_body.split(body, service)
    except decoding.TooLargeError:
        # A page that is printed as one document may exceed the limits for records.
        return None
    found = json.loads(page.cursor, parse_int=number_as_cursor) if page else None
    return found if isinstance(found, str) else None
