"""One operation, from what was typed to the result on stdout: the flow that every call takes."""

from pathlib import Path
from typing import TYPE_CHECKING

from unified_cli.call import builder, request_kind
from unified_cli.call.builder import Given
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.config.settings import Settings
from unified_cli.errors import RefusedError
from unified_cli.http.request import OWN_CURSOR, Request
from unified_cli.output import stdout
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    from unified_cli.cli.connect import Clients


def operation(runtime: Runtime, catalogue: Catalogue, asked: Operation, given: Given) -> None:
    """Call an operation of the catalogue."""
    if given.get("skeleton"):
        from unified_cli.call import skeleton  # noqa: PLC0415  only where it is asked for

        skeleton.show(runtime, asked)
        return
    if given.get("from_"):
        from unified_cli.call import downloading  # noqa: PLC0415  as above

        downloading.many(runtime, catalogue, asked, given)
        return
    if given.get("id") == "-":
        from unified_cli.call import from_stdin  # noqa: PLC0415  as above

        from_stdin.run(runtime, catalogue, asked, given)
        return
    resolved = builder.resolve(runtime, given)
    send(runtime, catalogue, resolved, builder.build(runtime, catalogue, resolved, asked, given), given)


def path(runtime: Runtime, catalogue: Catalogue, given: Given) -> None:
    """Call any path below the base URL."""
    resolved = builder.resolve(runtime, given)
    send(runtime, catalogue, resolved, builder.build_path(runtime, catalogue, resolved, given), given)


def send(runtime: Runtime, catalogue: Catalogue, resolved: Settings, request: Request, given: Given) -> None:
    """Send the request, or show it where only that was asked for, and write the answer."""
    if (cursor := given.get("cursor")) and not cursor.startswith(OWN_CURSOR):
        request = request.with_query((catalogue.service.cursor, cursor))
    if given.get("dry_run") or given.get("as_"):
        from unified_cli.call import dry_run  # noqa: PLC0415  only where it is asked for

        dry_run.show(runtime, request, given.get("as_"), ca_bundle=resolved["ca_bundle"])
        return
    builder.check_writable(resolved, request)
    if request.method == "DELETE":
        from unified_cli.cli import prompt  # noqa: PLC0415  only then

        prompt.delete(runtime, resolved, request, yes=bool(given.get("yes")))
    if given.get("out") == "-":
        given = {**given, "out": None}
    request = request._replace(honoured=resolved["idempotency_window"] > 0)

    from unified_cli.cli import connect  # noqa: PLC0415  httpx is imported when a request is sent

    clients = connect.Clients(runtime, catalogue)
    try:
        _run(runtime, catalogue, clients, resolved, request, given)
    except RefusedError as error:
        from unified_cli.call import capability_hint  # noqa: PLC0415  only then

        capability_hint.add(error, runtime, catalogue, clients, resolved, request)
        raise


def _run(
    runtime: Runtime, catalogue: Catalogue, clients: "Clients", resolved: Settings, request: Request, given: Given
) -> None:
    if given.get("wait"):
        from unified_cli.call import waiting  # noqa: PLC0415  only where it is asked for

        waiting.run(runtime, catalogue, resolved, request, given)
    elif request_kind.is_file(request, given, resolved["output"]):
        from unified_cli.call import downloading  # noqa: PLC0415  only for files

        downloading.one(runtime, clients, resolved, request, given)
    elif given.get("out") and (given.get("all") or given.get("limit")):
        from unified_cli.call import list_to_file  # noqa: PLC0415  only for lists in files

        list_to_file.run(runtime, catalogue, clients, resolved, request, given)
    elif request_kind.is_list(request, given, resolved):
        from unified_cli.call import listing  # noqa: PLC0415  only for records

        listing.run(runtime, catalogue, clients, resolved, request, given)
    else:
        _once(runtime, catalogue, clients, resolved, request, given)


def _once(
    runtime: Runtime, catalogue: Catalogue, clients: "Clients", resolved: Settings, request: Request, given: Given
) -> None:
    from unified_cli.call import response_output  # noqa: PLC0415  as above

    program = None
    if given.get("jq"):
        from unified_cli.call import record_output  # noqa: PLC0415  only where it is asked for

        program = record_output.program(given)
    if given.get("out"):
        from unified_cli.storage import output_file  # noqa: PLC0415  only for files

        output_file.check(Path(given["out"]), force=bool(given.get("force")))
    else:
        stdout.check(runtime)
    client = clients.open(resolved)
    try:
        got = client.send(request, any_type=resolved["output"] == "raw")
        response_output.write(runtime, catalogue.service, request, got, given, resolved["output"], program)
    finally:
        client.close()
