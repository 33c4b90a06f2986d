"""Print records in a format, with chosen columns or through a jq program."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from unified_cli.call import Call
from unified_cli.call.delivery import column_names
from unified_cli.catalogue import Operation, Service
from unified_cli.cli.flags import part
from unified_cli.cli.options import CallOptions, PageOptions
from unified_cli.errors import IncompleteError, ServiceError
from unified_cli.http import decoding, page_body, pagination
from unified_cli.http.page_body import unwrapped
from unified_cli.http.request import Request
from unified_cli.json_text import members as records
from unified_cli.json_text.record_columns import project
from unified_cli.json_text.record_label import LABEL
from unified_cli.masking import visible
from unified_cli.output import formats, printer, stdout
from unified_cli.output.record_writer import Style
from unified_cli.output.transform import ColumnCheck
from unified_cli.text_width import width

if TYPE_CHECKING:
    from unified_cli.output.jq_process import JqProcess
    from unified_cli.output.jq_program import JqProgram


def write(call: Call, request: Request, body: bytes, program: "JqProgram | None") -> None:
    """Write a document in the chosen format.

    Applies the chosen columns or the jq program, if any. Raises ServiceError if the
    document is too large to split.
    """
    runtime, output = call.runtime, call.settings.output
    chosen = column_names(call.options.columns)
    try:
        _check_page(body, call.catalogue.service, request)
        if not (program and output.document):
            decoding.check_document(body)
    except decoding.TooLargeError as error:
        raise ServiceError(f"{error} ({request.method} {request.path})", retryable=False) from None
    if program and output.document:
        lists = request.operation is not None and request.operation.lists
        style = style_for(call, request.operation)._replace(listing=lists)
        text = printer.render(program, body, style)
        printer.put(runtime, text, style)
        for note in (
            *printer.null_notes(text, style, program, b"" if lists else body),
            *program.notes(),
        ):
            runtime.stderr.note(note)
    elif output is formats.YAML and not chosen:
        stdout.write(runtime, printer.in_yaml(body))
    else:
        inner = unwrapped(body, call.catalogue.service, request.operation)
        found = (
            [bytes(item) for item in records.items(inner)] if inner.startswith(b"[") else [inner]
        )
        style = style_for(call, request.operation)._replace(listing=found != [body])
        if output is formats.JSON and found == [inner]:
            _write_record(call, request, records.Record(inner), style)
            return
        made = printer.Printer(runtime, style, program, strict=not request.writes)
        made.page(
            [records.Record(item) for item in found],
            one_line=False,
            large=len(body) > records.SLICE,
        )
        if missing := made.end():
            raise IncompleteError("; ".join(missing))


def _write_record(call: Call, request: Request, record: records.Record, style: Style) -> None:
    """Write a record with the chosen columns.

    Raises UsageError if the record has none of the columns, unless the request was a
    write.
    """
    check = ColumnCheck.from_style(style)
    check.observe([record])
    if not request.writes and (error := check.error()):
        raise error
    stdout.write_json(call.runtime, bytes(project(record, style.columns)))
    for note in check.notes():
        call.runtime.stderr.note(note)


def _check_page(body: bytes, service: Service, request: Request) -> None:
    if request.operation and request.operation.lists and (page := page_body.split(body, service)):
        pagination.check_keys(page, request)


def program(options: CallOptions, process: "JqProcess | None" = None) -> "JqProgram | None":
    """Return the compiled program of `--jq`. `process` runs it with a time limit."""
    if not options.jq:
        return None
    from unified_cli.output.jq_program import JqProgram  # noqa: PLC0415  most calls have no program

    return JqProgram(options.jq, process=process)


def style_for(
    call: Call, operation: Operation | None, *, first: Sequence[str] = (), screen: bool = True
) -> Style:
    """Return the style of an operation's records, on the screen or in a file.

    `first` has columns before the chosen ones.
    """
    chosen = column_names(call.options.columns)
    service = call.catalogue.service
    style = printer.style_for(
        call.runtime, call.settings.output, service.items, service.cursor, screen=screen
    )
    return style._replace(
        columns=[*dict.fromkeys([*first, *chosen])] if chosen else (),
        # Skip the known fields for unfiltered JSON, because reading them takes a
        # millisecond.
        known=[field.name for field in operation.facts.fields]
        if operation and (chosen or not call.settings.output.json)
        else (),
        first=first,
        safe_cells=call.options.csv_safe,
        bom=call.options.bom,
        typed=part(call.options, PageOptions).typed_header,
    )


def printer_for(
    call: Call,
    operation: Operation,
    program: "JqProgram | None",
    *,
    names: Iterable[str] | None = None,
    gathers: bool = False,
) -> printer.Printer:
    """Return a printer that combines several responses in any order.

    With `names`, each record names its connection. With `gathers`, responses are
    written on `flush`.
    """
    label = 0 if names is None else max((width(visible(name)) for name in names), default=0)
    style = style_for(call, operation, first=() if names is None else (LABEL,))._replace(
        label=label, by_program=program is not None
    )
    # A listing has one cursor, but each document has its own.
    style = style._replace(listing=False) if style.format.document else style
    return printer.Printer(
        call.runtime, style, program, strict=not operation.changes, gathers=gathers
    )
