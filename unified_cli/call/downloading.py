"""Download a file to the file or folder that `--out` names."""

from pathlib import Path
from typing import TYPE_CHECKING

from unified_cli import signals
from unified_cli.call import Call
from unified_cli.cli.options import CallOptions
from unified_cli.errors import StorageError
from unified_cli.http.request import Request
from unified_cli.output.progress import Work, progress
from unified_cli.plural import counted
from unified_cli.storage import atomic_file, output_file

if TYPE_CHECKING:
    from unified_cli.call.download_targets import DownloadTarget
    from unified_cli.fleet.clients import Clients
    from unified_cli.http.client import Client


def one(call: Call, clients: "Clients", request: Request) -> None:
    """Save the response in the file or folder that `--out` names."""
    place = target(call.options)
    client = clients.open(call.settings)
    try:
        save(call, client, request, place)
    finally:
        client.close()


def save(call: Call, client: "Client", request: Request, place: "DownloadTarget") -> None:
    """Save the response, and print its size and checksum."""
    from unified_cli.call.file_download import Download  # noqa: PLC0415  httpx is imported when a request is sent

    atomic_file.sweep_unheld(place.folder, place.label)
    only_files = request.operation is not None and request.operation.name == "download"
    with progress(call.runtime, Work("byte")) as shown:
        download = Download(client, call.runtime, call.settings.retries, shown)
        try:
            saved = download.save(request, place, only_files=only_files, proposals=proposals(request))
        except KeyboardInterrupt as stop:
            signals.say_how_to_continue(stop, shown.so_far(), f"{signals.RUN_AGAIN}, which starts at the beginning")
            raise
    call.runtime.stderr.note(f"wrote {counted(saved.size, 'byte')} to {saved.path} (sha256 {saved.sha256})")


def target(options: CallOptions) -> "DownloadTarget":
    """The target that `--out` names. Raises StorageError, before any request, if it cannot be written."""
    from unified_cli.call.download_targets import FileInFolder, TargetFile, TargetStream  # noqa: PLC0415  as above

    out, force = options.out or "", options.force
    path = Path(out)
    if stream := output_file.open_stream(path):
        return TargetStream(stream, path)
    if out.endswith("/") or path.is_dir():
        if path.is_symlink():
            raise StorageError(f"{path} is a symbolic link; name the folder itself")
        output_file.check(path / "download", force=True)
        return FileInFolder(path, force)
    output_file.check(path, force=force)
    return TargetFile(path, force)


def proposals(request: Request) -> tuple[str, ...]:
    """Names for the file from the request, never from the target of a redirect."""
    from unified_cli.storage import file_names  # noqa: PLC0415  as above

    query = dict(request.query)
    urls = [file_names.from_url(query[name]) for name in ("file_url", "url") if name in query]
    last = request.path.rstrip("/").rpartition("/")[2]
    return (*urls, query.get("id", ""), file_names.from_url(last))
