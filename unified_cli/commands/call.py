"""One operation, from what was typed to the result on stdout: the flow that every call takes."""

from pathlib import Path
from typing import TYPE_CHECKING

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.commands import route, typed
from unified_cli.commands.typed import Given
from unified_cli.config.settings import Settings
from unified_cli.errors import RefusedError
from unified_cli.output import stream
from unified_cli.runtime import Runtime
from unified_cli.wire.request import OWN_CURSOR, Request

if TYPE_CHECKING:
    from unified_cli.commands.connect import Clients


def operation(runtime: Runtime, catalogue: Catalogue, asked: Operation, given: Given) -> None:
    """Call an operation of the catalogue."""
    if given.get("skeleton"):
        from unified_cli.commands import skeleton  # noqa: PLC0415  only where it is asked for

        skeleton.show(runtime, asked)
        return
    if given.get("from_"):
        from unified_cli.commands import download  # noqa: PLC0415  as above

        download.many(runtime, catalogue, asked, given)
        return
    if given.get("id") == "-":
        from unified_cli.commands import piped  # noqa: PLC0415  as above

        piped.run(runtime, catalogue, asked, given)
        return
    resolved = typed.resolve(runtime, given)
    send(runtime, catalogue, resolved, typed.build(runtime, catalogue, resolved, asked, given), given)


def path(runtime: Runtime, catalogue: Catalogue, given: Given) -> None:
    """Call any path below the base URL."""
    resolved = typed.resolve(runtime, given)
    send(runtime, catalogue, resolved, typed.build_path(runtime, catalogue, resolved, given), given)


def send(runtime: Runtime, catalogue: Catalogue, resolved: Settings, request: Request, given: Given) -> None:
    """Send the request, or show it where only that was asked for, and write the answer."""
    if (cursor := given.get("cursor")) and not cursor.startswith(OWN_CURSOR):
        request = request.with_query((catalogue.service.cursor, cursor))
    if given.get("dry_run") or given.get("as_"):
        from unified_cli.commands import preview  # noqa: PLC0415  only where it is asked for

        preview.show(runtime, request, given.get("as_"), ca_bundle=resolved["ca_bundle"])
        return
    typed.check_writable(resolved, request)
    if request.method == "DELETE":
        from unified_cli.commands import confirm  # noqa: PLC0415  only then

        confirm.delete(runtime, resolved, request, yes=bool(given.get("yes")))
    if given.get("out") == "-":
        given = {**given, "out": None}
    request = request._replace(honoured=resolved["idempotency_window"] > 0)

    from unified_cli.commands import connect  # noqa: PLC0415  httpx is imported when a request is sent

    clients = connect.Clients(runtime, catalogue)
    try:
        _run(runtime, catalogue, clients, resolved, request, given)
    except RefusedError as error:
        from unified_cli.commands import offers  # noqa: PLC0415  only then

        offers.add(error, runtime, catalogue, clients, resolved, request)
        raise


def _run(
    runtime: Runtime, catalogue: Catalogue, clients: "Clients", resolved: Settings, request: Request, given: Given
) -> None:
    if given.get("wait"):
        from unified_cli.commands import wait  # noqa: PLC0415  only where it is asked for

        wait.run(runtime, catalogue, resolved, request, given)
    elif route.is_file(request, given, resolved["output"]):
        from unified_cli.commands import download  # noqa: PLC0415  only for files

        download.one(runtime, clients, resolved, request, given)
    elif given.get("out") and (given.get("all") or given.get("limit")):
        from unified_cli.commands import to_file  # noqa: PLC0415  only for lists in files

        to_file.run(runtime, catalogue, clients, resolved, request, given)
    elif route.is_list(request, given, resolved):
        from unified_cli.commands import listing  # noqa: PLC0415  only for records

        listing.run(runtime, catalogue, clients, resolved, request, given)
    else:
        _once(runtime, catalogue, clients, resolved, request, given)


def _once(
    runtime: Runtime, catalogue: Catalogue, clients: "Clients", resolved: Settings, request: Request, given: Given
) -> None:
    from unified_cli.commands import answer  # noqa: PLC0415  as above

    program = None
    if given.get("jq"):
        from unified_cli.commands import shaped  # noqa: PLC0415  only where it is asked for

        program = shaped.program(given)
    if given.get("out"):
        from unified_cli.output import target  # noqa: PLC0415  only for files

        target.check(Path(given["out"]), force=bool(given.get("force")))
    else:
        stream.check(runtime)
    client = clients.open(resolved)
    try:
        got = client.send(request, any_type=resolved["output"] == "raw")
        answer.write(runtime, catalogue.service, request, got, given, resolved["output"], program)
    finally:
        client.close()
