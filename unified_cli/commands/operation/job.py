"""`create … --wait`: start a job, poll it until it is done, and download its file."""

from contextlib import closing

from unified_cli.call import Call, Mode, builder, file_download, record_output, single
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli.download_options import DownloadOptions
from unified_cli.cli.flags import part
from unified_cli.cli.options import OperationOptions, WaitOptions
from unified_cli.errors import IncompleteError, ServiceError
from unified_cli.fleet.clients import Clients
from unified_cli.http import attempt as attempts
from unified_cli.http.attempt import Attempt, Outcome
from unified_cli.http.client import Client
from unified_cli.http.request import Request
from unified_cli.json_text.members import parts, string
from unified_cli.runtime import Runtime

_LONGEST_PAUSE = 15.0
# Assumption: a failed job has one of these statuses; any other status may still change.
_ENDED = {"failed", "error", "errored", "cancelled", "canceled", "expired"}


def run(
    runtime: Runtime,
    catalogue: Catalogue,
    operation: Operation,
    options: OperationOptions,
    mode: Mode,
) -> None:
    """Start the job that the options describe, or show its request, and wait for it.
    Raises what `_wait` raises.
    """
    call = builder.resolve(runtime, catalogue, options, mode, operation)
    single.send(call, builder.operation_request(call, operation), _wait)


def _wait(call: Call, clients: Clients, created: Request) -> None:
    """Create, wait until there is a file to download, and save it where `--out` says;
    without it print the record.

    Raises IncompleteError if it is not done in time, ServiceError if the job failed.
    """
    _, catalogue, settings, options, *_ = call
    assert created.operation is not None  # noqa: S101  only operations wait
    place = file_download.target(options) if options.out else None
    get, fetch = (_sibling(catalogue, created.operation, name) for name in ("get", "download"))

    with closing(clients.open(settings)) as client:
        made = client.send(created)
        identifier = _text(made.body or b"", "id")
        if not identifier:
            no_id = ServiceError(
                f"the answer to {created.method} {created.path} has no id to wait for",
                retryable=False,
            )
            raise attempts.error_for(created, [Attempt(Outcome.UNUSABLE, made.status)], no_id)
        record = _poll(call, client, identifier, builder.record_request(call, get, identifier))
        if place is None:
            made = made._replace(body=record, served=record)
            single.write_answer(call, created, made, record_output.program(options))
            return
        more = file_download.parameters(
            fetch, file_download.texts(record)
        ) or file_download.Parameters(())
        asked = more.added_to(DownloadOptions(query=options.query))
        request = builder.operation_request(call._replace(options=asked), fetch)
        file_download.save(call, client, request, place)


def _sibling(catalogue: Catalogue, operation: Operation, name: str) -> Operation:
    return catalogue.operation(operation.api, operation.resource, name)


def _poll(call: Call, client: Client, identifier: str, request: Request) -> bytes:
    """The record, once it has a link to download from; polled at growing intervals."""
    runtime, limit = call.runtime, part(call.options, WaitOptions).longest_wait
    until = runtime.monotonic() + limit
    pause, reported = 1.0, ""
    while True:
        record = client.send(request).body or b""
        if file_download.texts(record).get("file_url"):
            return record
        status = _text(record, "status")
        if status.lower() in _ENDED:
            raise ServiceError(
                f"{identifier} ended as {status!r} ({request.method} {request.path})",
                retryable=False,
            )
        if status != reported:
            reported = status
            runtime.stderr.note(f"{identifier} is {status or 'in progress'}")
        if runtime.monotonic() + pause >= until:
            late = f"{identifier} is not done after {limit:g} s"
            raise IncompleteError(f"{late} (raise --wait-timeout, or get it later)")
        runtime.sleep(pause)
        pause = min(_LONGEST_PAUSE, pause * 1.5)


def _text(record: bytes, name: str) -> str:
    value = (parts(record.strip()) or {}).get(name, b"")
    return string(value) if value.startswith(b'"') else value.decode()
