"""`list --all --out FILE`: a list into a file that survives, with the machine of the export."""

from collections.abc import Callable
from pathlib import Path

from unified_cli.bulk import export
from unified_cli.bulk.part import Part
from unified_cli.catalogue import Catalogue
from unified_cli.commands import listing, shaped
from unified_cli.commands.connect import Clients
from unified_cli.commands.listing import Given
from unified_cli.config.settings import Settings
from unified_cli.errors import IncompleteError, UnifiedError, UsageError
from unified_cli.output import target
from unified_cli.output.progress import progress
from unified_cli.output.shape import Shape
from unified_cli.runtime import Runtime
from unified_cli.wire import paging
from unified_cli.wire.paging import Page, Span
from unified_cli.wire.request import Request

_FORMATS = ("json", "ndjson", "csv", "tsv", "yaml", "ids")


def run(
    runtime: Runtime, catalogue: Catalogue, clients: Clients, resolved: Settings, request: Request, given: Given
) -> None:
    """Read the pages that were asked for into the file; a run that was broken off goes on where it stopped.

    Raises IncompleteError where something is missing from the file.
    """
    options = _options(runtime, catalogue, resolved, request, given)
    path = Path(given["out"])
    target.check_folder(path)
    part = Part(
        path,
        export.fingerprint(
            request,
            format=options.look.format,
            columns=[*options.look.columns],
            jq=given.get("jq"),
            csv_safe=options.look.safe_cells,
            dedupe=options.dedupe,
            limit=options.span.records,
            cursor=options.span.cursor,
        ),
        monotonic=runtime.monotonic,
        wall=runtime.wall,
    )

    def read(span: Span, write: Callable[[Page], None]) -> None:
        client = clients.open(resolved)
        try:
            paging.each(client, request, catalogue.service, span, write)
        finally:
            client.close()

    clients.token(resolved)
    try:
        with progress(runtime, to_file=True) as told:
            export.run(part, read, options, lambda page: told.page(len(page.records)))
        state = part.state
        part.tidy()
    except UnifiedError:
        raise
    except BaseException:
        runtime.talk.line(f"stopped; run the same command to go on at page {part.state.pages + 1}")
        raise
    finally:
        part.close()
    runtime.talk.note(
        f"wrote {state.records} records of {state.pages} pages to {part.path} "
        f"({state.bytes} bytes, sha256 {state.sha256})" + (f", left out {state.dropped}" if state.dropped else "")
    )
    if state.next_cursor is not None:
        runtime.talk.note(f"cut on request; to go on: --cursor {state.next_cursor}")
    missing = [] if given.get("allow_partial") else export.shortcomings(part, options)
    if missing:
        raise IncompleteError("; ".join(missing))


def _options(
    runtime: Runtime, catalogue: Catalogue, resolved: Settings, request: Request, given: Given
) -> export.Options:
    form = resolved["output"]
    if form not in _FORMATS:
        raise UsageError(f"-o {form} is for the eye, not for --out (there are {', '.join(_FORMATS)})")
    if form in {"json", "yaml"} and given.get("jq"):
        raise UsageError("--jq over a whole result has no place in a file that grows (-o ndjson has)")
    if given.get("dedupe") and (form != "ndjson" or given.get("jq") or given.get("columns")):
        raise UsageError("--dedupe id needs -o ndjson, whole")
    if given.get("dedupe") not in {None, "id"}:
        raise UsageError(f"--dedupe goes by id, not by {given['dedupe']!r}")
    look = shaped.look(runtime, catalogue.service, request.operation, given, form, screen=False)
    chosen = look.columns if form in {"json", "ndjson", "yaml"} else ()
    return export.Options(
        listing.span(given),
        look,
        Shape(shaped.program(given), chosen),
        force=bool(given.get("force")),
        restart=bool(given.get("restart")),
        dedupe=bool(given.get("dedupe")),
    )
