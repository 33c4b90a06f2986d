"""Records as the options want them: in a format, with some columns only, through a jq program."""

from collections.abc import Mapping, Sequence
from typing import Any

from unified_cli.catalogue import Operation, Service
from unified_cli.errors import IncompleteError, UsageError
from unified_cli.http.request import Request
from unified_cli.json_text import members as records
from unified_cli.output import pretty_json, printer, transform
from unified_cli.output.style import Style
from unified_cli.output.transform import JqProgram
from unified_cli.runtime import Runtime

Given = Mapping[str, Any]


def write(
    runtime: Runtime,
    service: Service,
    request: Request,
    body: bytes,
    given: Given,
    output: str,
    program: JqProgram | None,
) -> None:
    """Write a document in the format, with the columns or through the program that the options ask for."""
    if program and output in {"json", "yaml"}:
        printer.text(runtime, transform.queried(program, body, output))
        for remark in program.remarks():
            runtime.stderr.note(remark)
    elif output == "json":
        pretty_json.write(runtime, bytes(records.project(records.Record(body), columns(given))))
    elif output == "yaml" and not columns(given):
        from unified_cli.output.yaml_text import convert  # noqa: PLC0415  only the format asked for is imported

        printer.text(runtime, convert(body))
    else:
        found = _records(body, service, request.operation)
        made = printer.Printer(
            runtime, style_for(runtime, service, request.operation, given, output, listing=found != [body]), program
        )
        made.page([records.Record(one) for one in found], one_line=False)
        if missing := made.end():
            raise IncompleteError("; ".join(missing))


def _records(body: bytes, service: Service, operation: Operation | None) -> Sequence[bytes]:
    """The records in an answer that is no page: a wrapped one or several where it is not a known get, else itself."""
    body = body.strip()
    members = records.parts(body) if operation is None or operation.kind == "action" else None
    inner = (members or {}).get(service.items, body)
    if inner.startswith(b"["):
        return [bytes(one) for one in records.items(inner)]
    return [inner if inner.startswith(b"{") else body]


def columns(given: Given) -> list[str]:
    """The columns asked for."""
    text = given.get("columns")
    found = [one.strip() for one in text.split(",") if one.strip()] if text else []
    if text is not None and not found:
        raise UsageError("--columns needs names (--columns id,status.name)")
    return found


def program(given: Given) -> JqProgram | None:
    """The jq program asked for, compiled before anything is sent."""
    return JqProgram(given["jq"]) if given.get("jq") else None


def style_for(
    runtime: Runtime,
    service: Service,
    asked: Operation | None,
    given: Given,
    output: str,
    *,
    listing: bool = True,
    first: Sequence[str] = (),
    screen: bool = True,
) -> Style:
    """How the records of an operation are to look; without `screen` they go to a file."""
    return printer.style_for(
        runtime,
        service,
        output,
        columns=[*dict.fromkeys([*first, *chosen])] if (chosen := columns(given)) else (),
        known=[field.name for field in asked.facts.fields] if asked else (),
        first=first,
        safe_cells=bool(given.get("csv_safe")),
        listing=listing,
        screen=screen,
    )
