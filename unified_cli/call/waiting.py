"""`create … --wait`: start a job, ask for it until it is done, and download what it made."""

from unified_cli.call import Call, builder, downloading, record_output, response_output
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.errors import IncompleteError, ServiceError
from unified_cli.http.client import Client
from unified_cli.http.request import Request
from unified_cli.json_text.members import parts, string

_LONGEST_PAUSE = 15.0
# Assumption: a job that ended badly says so in one of these words; any other status may still change.
_ENDED = {"failed", "error", "errored", "cancelled", "canceled", "expired"}


def run(call: Call, created: Request) -> None:
    """Create, wait until there is something to download, and save it where `--out` says; without it show the record.

    Raises IncompleteError where it is not done in time, ServiceError where the job failed.
    """
    runtime, catalogue, settings, options = call
    assert created.operation is not None  # noqa: S101  only operations wait
    place = downloading.target(options) if options.out else None
    get, fetch = (_sibling(catalogue, created.operation, name) for name in ("get", "download"))

    from unified_cli.cli.connect import Clients  # noqa: PLC0415  httpx is imported when a request is sent

    clients = Clients(runtime, catalogue)
    client = clients.open(settings)
    try:
        made = client.send(created)
        identifier = _text(made.body or b"", "id")
        if not identifier:
            raise ServiceError(f"the answer to {created.method} {created.path} has no id to wait for", retryable=False)
        asked = options.replaced(id=identifier, data=None, raw_field=(), field=(), idempotency_key=None)
        call = call._replace(options=asked)
        record = _poll(call, client, builder.operation_request(call, get))
        if place is None:
            made = made._replace(body=record)
            response_output.write(call, created, made, record_output.program(options))
            return
        more = downloading.parameters(fetch, downloading.texts(record))
        request = builder.operation_request(call._replace(options=more.added_to(asked)), fetch)
        downloading.save(call, client, request, place)
    finally:
        client.close()


def _sibling(catalogue: Catalogue, operation: Operation, name: str) -> Operation:
    return catalogue.operation(operation.api, operation.resource, name)


def _poll(call: Call, client: Client, request: Request) -> bytes:
    """The record, once it has a link to download from; asked for less and less often."""
    runtime, limit, identifier = call.runtime, call.options.wait_timeout, call.options.id
    until = runtime.monotonic() + limit
    pause, told = 1.0, ""
    while True:
        record = client.send(request).body or b""
        if downloading.texts(record).get("file_url"):
            return record
        status = _text(record, "status")
        if status.lower() in _ENDED:
            raise ServiceError(f"{identifier} ended as {status!r} ({request.method} {request.path})", retryable=False)
        if status != told:
            told = status
            runtime.stderr.note(f"{identifier} is {status or 'under way'}")
        if runtime.monotonic() + pause >= until:
            late = f"{identifier} is not done after {limit:g} s"
            raise IncompleteError(f"{late} (a larger --wait-timeout, or get it later)")
        runtime.sleep(pause)
        pause = min(_LONGEST_PAUSE, pause * 1.5)


def _text(record: bytes, name: str) -> str:
    value = (parts(record.strip()) or {}).get(name, b"")
    return string(value) if value.startswith(b'"') else value.decode()
