"""`download ID`, `download -` and `--from`: download the file of one record, or of each
record of a list.
"""

from collections.abc import Iterator
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from unified_cli import signals
from unified_cli.call import Call, Mode, builder, dry_run, file_download, single
from unified_cli.call.download_targets import make_folder
from unified_cli.call.file_download import Parameters, parameters, text_members
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli.download_options import DownloadOptions
from unified_cli.cli.flags import part
from unified_cli.cli.option_parts import StopOptions
from unified_cli.cli.options import OperationOptions
from unified_cli.commands.operation import download_batch
from unified_cli.commands.operation.download_batch import DownloadItem
from unified_cli.errors import ServiceError, StorageError, UsageError
from unified_cli.fleet.clients import Clients
from unified_cli.fleet.conclude import conclude
from unified_cli.fleet.read import FairReaders
from unified_cli.http.request import Request
from unified_cli.output.progress import Work, progress
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.storage import output_file
from unified_cli.writes import input_file, stdin_copy
from unified_cli.writes.input_reading import ReadingOptions, RecordShape
from unified_cli.writes.stdin_copy import StdinCopy


def run(
    runtime: Runtime,
    catalogue: Catalogue,
    operation: Operation,
    options: OperationOptions,
    mode: Mode,
) -> None:
    """Download the file of one record, or of each record of a list.

    Raises the same errors as `_download_list`.
    """
    call = builder.resolve(runtime, catalogue, options, mode, operation)
    typed = part(options, DownloadOptions)
    if typed.id and typed.from_:
        raise UsageError("an ID cannot be used with --from", hint="leave out one of them")
    if part(options, StopOptions).has_limits:
        raise UsageError(
            "--fail-fast, --max-failures and --stages cannot be used with downloads (run the"
            " command again to download the missing files)"
        )
    if typed.id and typed.id != "-":
        _download_one(call, operation, typed.id)
    else:
        _download_list(call, operation, typed.from_ or "-")


def _download_list(call: Call, operation: Operation, source_name: str) -> None:
    """Save the file of each id or record of a list in the folder `--out`.

    A manifest in the folder lists the files. Raises IncompleteError if files could not
    be downloaded, and the error that ended the run early.
    """
    runtime, catalogue, settings, _, mode, _ = call
    options = part(call.options, DownloadOptions)
    folder = None if mode.shown else _folder(options)

    given = (
        stdin_copy.copy_stdin(runtime, [operation.command], options.token_stdin)
        if source_name == "-"
        else nullcontext(StdinCopy(Path(source_name)))
    )
    with given as copy:
        found = input_file.examine(
            copy.path,
            RecordShape.from_operation(operation, catalogue.service),
            ReadingOptions(options.format),
            shown=copy.shown,
        )
    with closing(found) as source:
        downloads = _items(call, operation, source)
        if folder is None:
            _show_requests(call, downloads)
            return
        work = Work("byte", part="file", parts=source.count)
        with (
            progress(runtime, work) as shown,
            FairReaders(runtime, catalogue, options.workers) as readers,
        ):
            readers.clients.token(settings)
            try:
                done = download_batch.run(downloads, folder, call, readers, shown)
            except KeyboardInterrupt as stop:
                signals.say_how_to_continue(stop, shown.so_far(), signals.RUN_AGAIN)
                raise
    manifest = folder / download_batch.MANIFEST
    runtime.stderr.note(
        f"{counted(done.saved, 'file')} saved, {done.there} already there; {manifest} lists them"
    )
    conclude(done.ending(source.count, manifest))


def _download_one(call: Call, operation: Operation, identifier: str) -> None:
    """Download the file of one record.

    If the id alone does not identify the file, the record is read first, and the
    parameters are taken from it.
    """
    more = parameters(operation, {"id": identifier})
    if more is None:
        single.send(
            call, _lookup(call, operation, identifier), partial(_looked_up, operation, identifier)
        )
        return
    call = call._replace(options=more.added_to(part(call.options, DownloadOptions)))
    single.send(call, builder.operation_request(call, operation))


def _looked_up(
    operation: Operation, identifier: str, call: Call, clients: Clients, lookup: Request
) -> None:
    with closing(clients.open(call.settings)) as client:
        request, names = _found(call, operation, identifier, client.send(lookup).body or b"")
    builder.check_writable(call.settings, request)
    exchange = single.exchange_for(call)
    if exchange is file_download.save_one:
        exchange = partial(file_download.save_one, names=names)
    exchange(call, clients, request)


def _show_requests(call: Call, downloads: Iterator[Any]) -> None:
    for item in downloads:
        if item.request is None:
            call.runtime.stderr.note(f"line {item.line} failed: {item.wrong}")
        else:
            dry_run.show_one_of_many(call, item.lookup or item.request)


def _folder(options: OperationOptions) -> Path:
    folder = Path(options.out or "")
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise StorageError(f"{folder} is not a folder")
    make_folder(folder)
    output_file.check(folder / "download", force=True)
    return folder


def _items(call: Call, operation: Operation, source: Any) -> Iterator[Any]:
    """Yield the download for each line of the input.

    Parameters and possible file names are from the record.
    """
    for line in source.lines():
        try:
            record = _texts_of_record(line)
            more = parameters(operation, record)
            if more is None:
                # The manifest identifies the file by this request, because the address
                # in a record may change.
                named = _request(call, operation, Parameters((f"id={record['id']}",)))
                lookup = _lookup(call, operation, record["id"])
                found = partial(_found, call, operation, record["id"])
                yield DownloadItem(line.number, record["id"], named, (), lookup=lookup, found=found)
            else:
                request = _request(call, operation, more)
                yield DownloadItem(
                    line.number, record.get("id", ""), request, _names(record, request)
                )
        except UsageError as error:
            yield DownloadItem(line.number, "", None, (), error.message)


def _request(call: Call, operation: Operation, more: Parameters) -> Request:
    options = more.added_to(part(call.options, DownloadOptions))
    return builder.operation_request(call._replace(options=options), operation)


def _names(record: dict[str, str], request: Request) -> tuple[str, ...]:
    return (record.get("file_name", ""), *file_download.proposals(request))


def _lookup(call: Call, operation: Operation, identifier: str) -> Request:
    """Return the request that reads the record with this id.

    Raises UsageError if records cannot be read by id.
    """
    get = call.catalogue.apis[operation.api].resources[operation.resource].operations.get("get")
    if get is None:
        listed = f"unified {operation.api} {operation.resource} list --all -o ndjson"
        raise UsageError(
            f"{identifier} is an id, but {operation.command} needs whole records; pipe them in"
            f" ({listed})"
        )
    return builder.record_request(call, get, identifier)


def _found(
    call: Call, operation: Operation, identifier: str, body: bytes
) -> tuple[Request, tuple[str, ...]]:
    """Return the request for the file of the record in `body`, and possible names for
    the file.

    Raises ServiceError if the record names no file.
    """
    record = text_members(body)
    more = parameters(operation, {**record, "id": identifier})
    if more is None:
        raise ServiceError(f"the record {identifier} names no file to download", retryable=False)
    request = _request(call, operation, more)
    return request, _names(record, request)


def _texts_of_record(line: Any) -> dict[str, str]:
    if line.wrong:
        raise UsageError(f"line {line.number} {line.wrong}")
    if line.bare:
        return {"id": line.text.decode("utf-8")}
    if not line.text.startswith(b"{"):
        raise UsageError(f"line {line.number} is neither a record nor an id")
    return text_members(line.text)
