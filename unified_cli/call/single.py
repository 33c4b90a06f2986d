"""Call one operation on one connection, from the typed options to the result on stdout."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from unified_cli.call import Call, builder
from unified_cli.cli.flags import part
from unified_cli.cli.options import ConfirmOptions, PageOptions, ReadOptions
from unified_cli.errors import RefusedError, StorageError, UnifiedError, UnknownError, UsageError
from unified_cli.http.request import OWN_CURSOR, Request
from unified_cli.output import stdout
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    from unified_cli.fleet.clients import Clients
    from unified_cli.http.answer import Answer
    from unified_cli.http.upload import Upload
    from unified_cli.output.jq_program import JqProgram

# Modules that only some calls need are imported where they are used, and httpx only to
# send a request.


Exchange = Callable[[Call, "Clients", Request], None]
"""Sends a request, and writes what is answered."""


def send(call: Call, request: Request, exchange: Exchange | None = None) -> None:
    """Send the request and write the answer, or only show the request; an `exchange`
    writes to `--out` by itself.
    """
    runtime, catalogue, settings, options, mode = call
    pages = part(options, PageOptions)
    if pages.several and request.method != "GET":
        # Every page would repeat the write.
        raise UsageError(f"a {request.method} has no pages", hint="leave out --all and --limit")
    cursor = pages.cursor
    if cursor and not cursor.startswith(OWN_CURSOR):
        request = request.with_query((catalogue.service.cursor, cursor))
    if mode.shown:
        from unified_cli.call import dry_run  # noqa: PLC0415

        dry_run.show(call, request)
        return
    builder.check_writable(settings, request)
    if request.method == "DELETE":
        from unified_cli.cli import prompt  # noqa: PLC0415

        made_by = request.operation
        what = (
            f"{made_by.api} {made_by.resource} {builder.identifier(options)}"
            if made_by
            else request.path
        )
        prompt.confirm_change(
            runtime, settings, "delete", what, yes=part(options, ConfirmOptions).yes
        )
    from unified_cli.fleet.clients import Clients  # noqa: PLC0415

    path = call.options.out
    with (
        _to_stream(call, path, exchange) if path else nullcontext(call) as aimed,
        Clients(aimed.runtime, catalogue) as clients,
    ):
        try:
            (exchange or exchange_for(aimed, request))(aimed, clients, request)
        except UnifiedError as error:
            _say_how_to_repeat(error, request)
            if isinstance(error, RefusedError):
                from unified_cli.call import capability_hint  # noqa: PLC0415

                capability_hint.add(error, aimed, clients, request)
            raise


@contextmanager
def _to_stream(call: Call, path: str, exchange: Exchange | None) -> Iterator[Call]:
    """The call; where `--out` names standard output, a device or a pipe, that is its
    stdout, and no file.
    """
    if path == "-":
        yield call._replace(options=replace(call.options, out=None))
        return
    if exchange:
        yield call
        return
    from unified_cli.storage import output_file  # noqa: PLC0415

    stream = output_file.open_stream(Path(path))
    if stream is None:
        yield call
        return
    with stream:
        # A terminal is written to as safely under this name as under any other.
        runtime = call.runtime._replace(
            stdout=cast("BinaryIO", stream), stdout_is_terminal=stream.isatty()
        )
        yield call._replace(runtime=runtime, options=replace(call.options, out=None))


def _say_how_to_repeat(error: UnifiedError, request: Request) -> None:
    """Add the key of a write to its error: of one that is in doubt, or was answered
    with a failure that may pass.
    """
    from unified_cli.http import attempt as attempts  # noqa: PLC0415

    in_doubt = isinstance(error, UnknownError)
    if (in_doubt or (error.retryable and error.status is not None)) and (
        hint := attempts.how_to_repeat(request)
    ):
        error.add_hint(hint)


def exchange_for(call: Call, request: Request) -> Exchange:
    """How the request is sent, and what is answered is written."""
    if call.options.out:
        if _is_file(call, request):
            from unified_cli.call import file_download  # noqa: PLC0415

            return file_download.one
        if part(call.options, PageOptions).several:
            from unified_cli.call import list_to_file  # noqa: PLC0415

            return list_to_file.run
    if _is_list(call, request):
        from unified_cli.call import listing  # noqa: PLC0415

        return listing.run
    return once


def _is_list(call: Call, request: Request) -> bool:
    """Whether the answer is split into records, not printed as one document."""
    options, output = call.options, call.settings.output
    pages = part(options, PageOptions)
    if pages.several or part(options, ReadOptions).since:
        return True
    if request.operation is None or not request.operation.lists:
        return False
    columns = options.columns and not output.binary
    within_page = (pages.cursor or "").startswith(OWN_CURSOR)
    return bool(columns) or not output.whole or within_page


def _is_file(call: Call, request: Request) -> bool:
    """Whether the answer is streamed to the file of `--out` unchanged, so that it can
    be resumed.
    """
    options = call.options
    listing = request.operation is not None and request.operation.lists
    transformed = not call.settings.output.as_served or options.jq or options.columns
    return not request.writes and not listing and not transformed


def once(call: Call, clients: "Clients", request: Request) -> None:
    """Send the request once, and write its answer as one document."""
    runtime, _, settings, options, _ = call
    program = None
    if options.jq:
        from unified_cli.call import record_output  # noqa: PLC0415

        program = record_output.program(options)
    if options.out:
        from unified_cli.storage import output_file  # noqa: PLC0415

        output_file.check(Path(options.out), force=options.force)
    else:
        stdout.check(runtime)
    client = clients.open(settings)
    try:
        # How much of a file has been sent is told.
        with _told(runtime, request.upload) if request.upload else nullcontext():
            got = client.send(request, any_type=settings.output.binary)
        _write(call, request, got, program)
    finally:
        client.close()
    if got.body and request.batch:
        from unified_cli.call import batch_request  # noqa: PLC0415  as above

        batch_request.check(call, got.body)
    if got.body and request.operation and request.operation.lists:
        from unified_cli.call import more_records  # noqa: PLC0415

        more_records.note(call, got.body)
        if runtime.stdout_is_terminal:
            from unified_cli.call import seen_words  # noqa: PLC0415

            seen_words.keep_page(call, request.operation, got.body)


def _told(runtime: Runtime, upload: "Upload") -> AbstractContextManager[None]:
    from unified_cli.call import uploading  # noqa: PLC0415  most calls send no file

    return uploading.told(runtime, upload)


def _write(call: Call, request: Request, got: "Answer", program: "JqProgram | None") -> None:
    try:
        write_answer(call, request, got, program)
    except (UsageError, StorageError) as error:
        if not request.writes:
            raise
        from unified_cli.http import attempt as attempts  # noqa: PLC0415  only for an error

        raise attempts.unshown(request, got.status, error) from None


def write_answer(
    call: Call, request: Request, answer: "Answer", program: "JqProgram | None"
) -> None:
    """Write the answer: JSON in the chosen format, other content unchanged; to the file
    of `--out`, if given.

    Raises UsageError for binary content on a terminal, StorageError if nothing can be written.
    """
    runtime, output, options = call.runtime, call.settings.output, call.options
    if options.out:
        if not output.as_served or program or options.columns is not None:
            raise UsageError(
                "--out writes one answer as served (with --all it takes -o, --columns and --jq)"
            )
        from unified_cli.plural import counted  # noqa: PLC0415  only for files
        from unified_cli.storage import output_file  # noqa: PLC0415  as above

        chunks = answer.chunks if answer.body is None else [answer.body]
        path = Path(options.out)
        size = output_file.write(path, chunks, force=options.force)
        runtime.stderr.note(f"wrote {counted(size, 'byte')} to {path}")
    elif answer.body is None:
        if (
            runtime.stdout_is_terminal
            and not options.force
            and not answer.content_type.startswith("text/")
        ):
            raise UsageError(
                f"the answer is {answer.content_type}, not text (write it with --out FILE, or use"
                " --force)"
            )
        stdout.write(runtime, answer.chunks)
    elif not answer.body:
        runtime.stderr.note(f"done ({answer.status}, no content)")
    elif output.binary:
        stdout.write(runtime, [answer.body])
    elif output.as_served and not program and options.columns is None:
        stdout.write_json(runtime, answer.body)
    else:
        from unified_cli.call import (  # noqa: PLC0415  not for a document printed as served
            record_output,
        )

        record_output.write(call, request, answer.body, program)
