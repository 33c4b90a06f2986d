"""The answer of one call on stdout, or in a file."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unified_cli.catalogue import Operation, Service
from unified_cli.errors import IncompleteError, UsageError
from unified_cli.output import document, stream
from unified_cli.runtime import Runtime
from unified_cli.wire.answer import Answer
from unified_cli.wire.request import Request

if TYPE_CHECKING:
    from unified_cli.output.look import Look
    from unified_cli.output.shape import Program

Given = Mapping[str, Any]
_AS_SERVED = {"json", "raw"}


def write(
    runtime: Runtime,
    service: Service,
    request: Request,
    answer: Answer,
    given: Given,
    output: str,
    program: "Program | None",
) -> None:
    """Write what came: JSON in the format asked for, bytes as they are; to the file `--out` where one is named.

    Raises UsageError for bytes on a terminal, StorageError where nothing can be written.
    """
    if out := given.get("out"):
        if output not in _AS_SERVED or program or columns(given):
            raise UsageError("--out holds one answer as it came (with --all it takes -o, --columns and --jq)")
        from unified_cli.output import target  # noqa: PLC0415  a document on stdout needs none of this

        chunks = answer.chunks if answer.body is None else [answer.body]
        target.write(out, chunks, force=bool(given.get("force")), talk=runtime.talk)
    elif answer.body is None:
        if runtime.stdout_is_terminal and not given.get("force") and not answer.content_type.startswith("text/"):
            raise UsageError(f"the answer is {answer.content_type}, not text: write it with --out FILE (or --force)")
        stream.write(runtime, answer.chunks)
    elif not answer.body:
        runtime.talk.note(f"done ({answer.status}, without content)")
    elif output == "raw":
        stream.write(runtime, [answer.body])
    else:
        _formatted(runtime, service, request, answer.body, given, output, program)


def _formatted(
    runtime: Runtime,
    service: Service,
    request: Request,
    body: bytes,
    given: Given,
    output: str,
    program: "Program | None",
) -> None:
    if output == "json" and not program and not columns(given):
        document.write(runtime, body)
        return
    from unified_cli.output import printer, records, shape  # noqa: PLC0415  as above

    if program and output in {"json", "yaml"}:
        printer.text(runtime, shape.queried(program, body, output))
        for remark in program.remarks():
            runtime.talk.note(remark)
    elif output == "json":
        document.write(runtime, bytes(records.project(records.Record(body), columns(given))))
    elif output == "yaml" and not columns(given):
        from unified_cli.output.yaml_text import convert  # noqa: PLC0415  only the format asked for is imported

        printer.text(runtime, convert(body))
    else:
        found = _records(body, service, request.operation)
        made = printer.Printer(
            runtime, look(runtime, service, request.operation, given, output, listing=found != [body]), program
        )
        made.page([records.Record(one) for one in found], one_line=False)
        if missing := made.end():
            raise IncompleteError("; ".join(missing))


def _records(body: bytes, service: Service, operation: Operation | None) -> Sequence[bytes]:
    """The records in an answer that is no page: a wrapped one or several where it is not a known get, else itself."""
    from unified_cli.output import records  # noqa: PLC0415  as above

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


def program(given: Given) -> "Program | None":
    """The jq program asked for, compiled before anything is sent."""
    if not given.get("jq"):
        return None
    from unified_cli.output.shape import Program  # noqa: PLC0415  as above

    return Program(given["jq"])


def look(
    runtime: Runtime,
    service: Service,
    asked: Operation | None,
    given: Given,
    output: str,
    *,
    listing: bool = True,
    first: Sequence[str] = (),
    screen: bool = True,
) -> "Look":
    """How the records of an operation are to look; without `screen` they go to a file."""
    from unified_cli.output import printer  # noqa: PLC0415  as above

    return printer.look_for(
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
