"""Call one operation on one connection, and write the result."""

import json
import re
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING

from unified_cli.call import Call, Delivery, batch_request, builder, delivery, more_records
from unified_cli.catalogue import Service
from unified_cli.cli.command import Later
from unified_cli.cli.flags import part
from unified_cli.cli.options import ConfirmOptions, PageOptions
from unified_cli.errors import (
    IncompleteError,
    RefusedError,
    StorageError,
    UnifiedError,
    UnknownError,
    UsageError,
)
from unified_cli.fleet.clients import Clients
from unified_cli.http import attempt as attempts, decoding, page_body
from unified_cli.http.request import OWN_CURSOR, Request, number_as_cursor
from unified_cli.http.response import Response
from unified_cli.json_text.json_check import PIECE
from unified_cli.output import stdout

if TYPE_CHECKING:
    from unified_cli.output.jq_program import JqProgram

Exchange = Callable[[Call, Clients, Request], None]
"""Sends a request and writes the response."""
_EXCHANGES = {
    Delivery.DOWNLOAD: Later("unified_cli.call.file_download:save_one"),
    Delivery.PAGES: Later("unified_cli.call.list_to_file:run"),
    Delivery.RECORDS: Later("unified_cli.call.listing:run"),
}
_SEVERAL = re.compile(r"\w&[\w\[\]]+=")
_EMPTY = 200
"""The largest page to check for being empty."""
# Imported late, because a document printed as served does not need it.
_PROGRAM = Later("unified_cli.call.record_output:program")
_WRITE = Later("unified_cli.call.record_output:write")
# Imported late, because most calls send no file.
_PROGRESS = Later("unified_cli.call.uploading:with_progress")


def send(call: Call, request: Request, exchange: Exchange | None = None) -> None:
    """Send the request and write the result, or print the request with --dry-run.

    An `exchange` writes to `--out` by itself.
    """
    runtime, catalogue, settings, options, mode, _ = call
    cursor = part(options, PageOptions).cursor
    if cursor and not cursor.startswith(OWN_CURSOR):
        request = request.with_query((catalogue.service.cursor, cursor))
    if mode.shown:
        from unified_cli.call import dry_run  # noqa: PLC0415  a mode of its own

        dry_run.show(call, request)
        return
    builder.check_writable(settings, request)
    made_by = request.operation
    if request.method == "DELETE":
        from unified_cli.cli import prompt  # noqa: PLC0415

        what = (
            f"{made_by.api} {made_by.resource} {builder.identifier(options)}"
            if made_by
            else request.path
        )
        prompt.confirm_change(
            runtime, settings, "delete", what, yes=part(options, ConfirmOptions).yes
        )

    with Clients(runtime, catalogue) as clients:
        try:
            (exchange or exchange_for(call))(call, clients, request)
        except UnifiedError as error:
            if isinstance(error, UnknownError) and made_by and made_by.outward:
                from unified_cli.call import doubt_hint  # noqa: PLC0415

                doubt_hint.add(error, call, request, made_by)
            _say_how_to_repeat(error, request)
            if isinstance(error, RefusedError):
                from unified_cli.call import capability_hint  # noqa: PLC0415

                capability_hint.add(error, call, clients, request)
            raise


def _say_how_to_repeat(error: UnifiedError, request: Request) -> None:
    """Add the idempotency key to the error of a write.

    Only adds it if the write is in doubt or the failure is temporary.
    """
    in_doubt = isinstance(error, UnknownError)
    if (in_doubt or (error.retryable and error.status is not None)) and (
        hint := attempts.how_to_repeat(request)
    ):
        error.add_hint(hint)


def exchange_for(call: Call) -> Exchange:
    """Return the function to send the request and write its response."""
    found = _EXCHANGES.get(call.delivery)
    return found.load() if found else send_once


def send_once(call: Call, clients: Clients, request: Request) -> None:
    """Send the request once, and write the response as one document.

    If the response to a write cannot be written, the StorageError says that the write
    was done.
    """
    runtime, _, settings, options, *_ = call
    response, program = None, _PROGRAM.load()(options) if options.jq else None
    client = clients.open(settings)
    try:
        with delivery.to_file(call) as aimed:
            # An upload reports its progress.
            upload = request.upload
            with _PROGRESS.load()(runtime, upload) if upload else nullcontext():
                response = client.send(request, any_type=settings.output.binary)
            write_response(aimed, request, response, program)
    except IncompleteError as error:
        if response is not None and request.writes:
            error.add_hint(f"{request.method} {request.path} was done")
        raise
    except (UsageError, StorageError) as error:
        if response is None or not request.writes:
            raise

        raise attempts.unshown_error(request, response.status, error) from None
    finally:
        client.close()
    _note_page(call, request, response.body or b"")


def _note_page(call: Call, request: Request, body: bytes) -> None:
    """Print a note about further records, and save words of the page for completion."""
    if body and request.batch:
        batch_request.check(call, body)
    if body and request.operation and request.operation.lists:
        _note_records(call, body)
        if call.runtime.stdout_is_terminal:
            from unified_cli.call import seen_words  # noqa: PLC0415

            seen_words.save_page(call, request.operation, body)


def _note_records(call: Call, body: bytes) -> None:
    """Print a message if a page in JSON has a cursor: there are more records."""
    service = call.catalogue.service
    if call.options.query and len(body) < _EMPTY and b"[]" in body:
        sent = " ".join(f"-q {one}" for one in call.options.query)
        why = "the value must be spelled as the provider spells it"
        if _SEVERAL.search(sent):
            why = "each parameter needs its own -q"
        call.runtime.stderr.note(f"no record matches {sent}: {why}")
    # JSON may escape the letters of the key.
    may_have_cursor = f'"{service.cursor}"'.encode() in body or b"\\u00" in body
    if may_have_cursor and (cursor := _cursor(body, service)):
        call.runtime.stderr.note(more_records.message(cursor))


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


def write_response(
    call: Call, request: Request, response: Response, program: "JqProgram | None"
) -> None:
    """Write the response to stdout: JSON in the chosen format, other content unchanged.

    Raises UsageError if binary content would go to a terminal, and StorageError if
    writing fails.
    """
    runtime, output, options = call.runtime, call.settings.output, call.options
    if response.body is None:
        if (
            runtime.stdout_is_terminal
            and not options.force
            and not response.content_type.startswith("text/")
        ):
            raise UsageError(
                f"the answer is {response.content_type}, not text (write it with --out FILE, or use"
                " --force)"
            )
        stdout.write(runtime, response.chunks)
    elif not response.body:
        runtime.stderr.note(f"done ({response.status}, no content)")
    elif output.binary:
        stdout.write(runtime, [response.served])
    elif output.as_served and not program and options.columns is None:
        stdout.write_json(runtime, response.body)
    else:
        _WRITE.load()(call, request, response.body, program)
