"""Run `list --all --out FILE`: write a list to a file, resumable like an export."""

from collections.abc import Generator
from contextlib import closing
from pathlib import Path

from unified_cli import signals
from unified_cli.call import Call, listing, record_output
from unified_cli.cli.flags import part
from unified_cli.cli.options import PageOptions
from unified_cli.errors import IncompleteError
from unified_cli.exported import list_export
from unified_cli.exported.checkpoint import Checkpoint, ListIdentity
from unified_cli.exported.partial_file import PartialFile
from unified_cli.fleet import read
from unified_cli.fleet.clients import Clients
from unified_cli.http.pagination import Page, Span
from unified_cli.http.request import Request
from unified_cli.output import transform
from unified_cli.output.progress import Work, progress
from unified_cli.output.transform import ColumnCheck, Transform
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.storage import output_file


def run(call: Call, clients: Clients, request: Request) -> None:
    """Read the requested pages into the file, and resume an interrupted run.

    Raises IncompleteError if something is missing from the file.
    """
    runtime = call.runtime
    options = _options(call, request)
    file = _partial_file(call, request, options)

    def pages_of(span: Span) -> Generator[Page]:
        client = clients.open_bulk(call.settings)
        return read.pages(client, request, call.catalogue.service, span)

    clients.token(call.settings)
    try:
        with (
            progress(runtime, Work(total=part(call.options, PageOptions).limit)) as shown,
            closing(list_export.run(file, pages_of, options, runtime.wall)) as pages,
        ):
            shown.skip(file.state.records)
            for page in pages:
                shown.add(len(page.records), pages=1)
        state = file.state
        file.tidy()
    except KeyboardInterrupt as stop:
        done = f"{counted(file.state.records, 'record')} in {counted(file.state.pages, 'page')}"
        signals.say_how_to_continue(stop, done, signals.RUN_AGAIN)
        raise
    finally:
        file.close()
    _report(runtime, file.path, state)
    misspelt = options.transform.check.misspelt() if options.style.format.delimiter else ()
    writer = transform.writer(options.style, state.memory)
    for note in (*options.transform.notes(), *writer.notes()):
        if note not in misspelt:
            runtime.stderr.note(note)
    missing = [*misspelt]
    if not part(call.options, PageOptions).allow_partial:
        missing += list_export.missing_parts(file, options)
    if missing:
        raise IncompleteError("; ".join(missing))


def _partial_file(
    call: Call, request: Request, options: list_export.ListExportOptions
) -> PartialFile:
    path = Path(call.options.out or "")
    output_file.check_folder(path)
    identity = ListIdentity.from_request(
        request,
        format=options.style.format.name,
        columns=[*options.style.columns],
        jq=call.options.jq,
        csv_safe=options.style.safe_cells,
        bom=options.style.bom,
        typed=options.style.typed,
        replay=call.runtime.replays,
        dedupe=options.dedupe,
        limit=options.span.records,
        cursor=options.span.cursor,
        **options.since,
    )
    return PartialFile(path, identity, call.runtime)


def _report(runtime: Runtime, path: Path, state: Checkpoint) -> None:
    left_out = f", left out {state.dropped}" if state.dropped else ""
    runtime.stderr.note(
        f"wrote {counted(state.records, 'record')} of {counted(state.pages, 'page')} to {path} "
        f"({counted(state.bytes, 'byte')}, sha256 {state.sha256}){left_out}"
    )
    if state.next_cursor is not None:
        runtime.stderr.note(f"cut on request; to continue: --cursor {state.next_cursor}")


def _options(call: Call, request: Request) -> list_export.ListExportOptions:
    form, options = call.settings.output, call.options
    pages = part(options, PageOptions)
    style = record_output.style_for(call, request.operation, screen=False)
    chosen = style.columns if form.json or form.document else ()
    return list_export.ListExportOptions(
        listing.span(call),
        style,
        Transform(record_output.program(options), chosen, ColumnCheck.from_style(style)),
        force=options.force,
        restart=pages.restart,
        dedupe=pages.dedupe is not None,
    )
