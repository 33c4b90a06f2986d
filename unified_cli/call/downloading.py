"""Files from the service: one under a name or into a folder, or one for each line of a list."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from unified_cli.bulk.import_ import stdin_copy
from unified_cli.call import Call, builder, dry_run
from unified_cli.catalogue import Operation
from unified_cli.catalogue.known import known
from unified_cli.cli.options import OperationOptions
from unified_cli.errors import IncompleteError, StorageError, UsageError
from unified_cli.http.request import Request
from unified_cli.storage import folders, output_file

if TYPE_CHECKING:
    from unified_cli.bulk.batch_download.download_targets import DownloadTarget
    from unified_cli.cli.connect import Clients
    from unified_cli.http.client import Client


def one(call: Call, clients: "Clients", request: Request) -> None:
    """Save what the request gives under the name, or in the folder, that `--out` says."""
    place = target(call.options)
    client = clients.open(call.settings)
    try:
        save(call, client, request, place)
    finally:
        client.close()


def save(call: Call, client: "Client", request: Request, place: "DownloadTarget") -> None:
    """Save what the request gives, and say so with the checksum."""
    from unified_cli.bulk.batch_download.file_download import Download  # noqa: PLC0415  httpx is imported when a request is sent

    only_files = request.operation is not None and request.operation.name == "download"
    download = Download(client, call.runtime, call.settings.retries)
    saved = download.save(request, place, only_files=only_files, proposals=_proposals(request))
    call.runtime.stderr.note(f"wrote {saved.size} bytes to {saved.path} (sha256 {saved.sha256})")


def target(options: OperationOptions) -> "DownloadTarget":
    """Where `--out` leads. Raises StorageError, before anything is asked, where nothing can be written."""
    from unified_cli.bulk.batch_download.download_targets import FileInFolder, TargetFile  # noqa: PLC0415  as above

    out, force = options.out or "", options.force
    path = Path(out)
    if out.endswith("/") or path.is_dir():
        if path.is_symlink():
            raise StorageError(f"{path} is a symbolic link; name the folder itself")
        output_file.check(path / "download", force=True)
        return FileInFolder(path, force)
    output_file.check(path, force=force)
    return TargetFile(path, force)


def _proposals(request: Request) -> tuple[str, ...]:
    """Names for the file from what was asked for, never from where a redirect led."""
    from unified_cli.storage import file_names  # noqa: PLC0415  as above

    asked = dict(request.query)
    urls = [file_names.from_url(asked[name]) for name in ("file_url", "url") if name in asked]
    last = request.path.rstrip("/").rpartition("/")[2]
    return (*urls, asked.get("id", ""), file_names.from_url(last))


def many(call: Call, asked: Operation) -> None:
    """Save a file for each id or record of `--from` into the folder `--out`, with a manifest of what is there.

    Raises IncompleteError where some could not be had.
    """
    runtime, catalogue, settings, options = call
    folder = None if options.shows_only else _folder(options)
    piped, source_name = options.from_ == "-", options.from_ or ""
    path = stdin_copy.keep(runtime, [asked.command], options.token_stdin) if piped else Path(source_name)

    from unified_cli.bulk.batch_download import download_batch  # noqa: PLC0415  as above
    from unified_cli.bulk.import_ import input_file  # noqa: PLC0415  as above
    from unified_cli.cli.connect import Clients  # noqa: PLC0415  as above

    source = input_file.examine(path, None, catalogue.service.items, ids=True)
    wanted = _wanted(call, asked, source)
    if folder is None:
        _show(call, wanted)
        return
    clients = Clients(runtime, catalogue)
    clients.token(settings)
    terms = download_batch.DownloadTerms(folder, lambda: clients.open(settings), options.workers, settings.retries)
    done = download_batch.run(wanted, terms, runtime)
    runtime.stderr.note(
        f"{done.saved} files saved, {done.there} were there already; {folder / download_batch.MANIFEST} lists them"
    )
    if done.stopped:
        raise done.stopped
    if done.failed:
        raise IncompleteError(f"failed: {done.failed} of {source.count} files, see {folder / download_batch.MANIFEST}")


def _show(call: Call, wanted: Iterator[Any]) -> None:
    """Print the requests, one a line; nothing is sent, and no folder is made."""
    for one_of_many in wanted:
        if one_of_many.request is None:
            call.runtime.stderr.note(f"line {one_of_many.line} failed: {one_of_many.wrong}")
        else:
            dry_run.show_one_of_many(call, one_of_many.request)


def _folder(options: OperationOptions) -> Path:
    if not options.out:
        raise UsageError("--from needs a folder to save the files in (--out DIR)")
    folder = Path(options.out)
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise StorageError(f"{folder} is no folder")
    try:
        folder.mkdir(mode=0o755, exist_ok=True)
        folders.sync(folder.parent)
    except OSError as error:
        raise StorageError(f"cannot make the folder {folder}: {error.strerror}") from None
    output_file.check(folder / "download", force=True)
    return folder


def _wanted(call: Call, asked: Operation, source: Any) -> Iterator[Any]:
    """What is wanted for each line: the request with the parameters that the record holds, and names for the file."""
    from unified_cli.bulk.batch_download.download_batch import DownloadItem  # noqa: PLC0415  as above

    for line in source.lines():
        try:
            record = _record(line)
            more = parameters(asked, record)
            request = builder.operation_request(call._replace(options=more.added_to(call.options)), asked)
            yield DownloadItem(
                line.number, record.get("id", ""), request, (record.get("file_name", ""), *_proposals(request))
            )
        except UsageError as error:
            yield DownloadItem(line.number, "", None, (), error.message)


def _record(line: Any) -> dict[str, str]:
    """The texts of a record; of a bare id, the id."""
    if line.wrong:
        raise UsageError(f"line {line.number} {line.wrong}")
    if line.bare:
        return {"id": line.text.decode("utf-8")}
    if not line.text.startswith(b"{"):
        raise UsageError(f"line {line.number} is no record and no id")
    return texts(line.text)


def texts(record: bytes) -> dict[str, str]:
    """The members of a record that are texts, with the link among its `urls` as `file_url` where there is none."""
    from unified_cli.json_text.members import parts, string  # noqa: PLC0415  as above

    members = parts(record.strip()) or {}
    found = {name: string(value) for name, value in members.items() if value.startswith(b'"')}
    if "file_url" not in found and (link := _link(members.get("urls", b""))):
        found["file_url"] = link
    return found


def _link(urls: bytes) -> str | None:
    """The address to download from, among the links of a record."""
    import json  # noqa: PLC0415  as above

    links = json.loads(urls) if urls.startswith(b"[") else []
    found = [link for link in links if isinstance(link, dict) and isinstance(link.get("url"), str)]
    best = [link["url"] for link in found if link.get("type") == "download"]
    return next(iter(best or [link["url"] for link in found]), None)


class Parameters(NamedTuple):
    """What of a record a download takes, as it would be typed with `-q` and `-f`."""

    query: tuple[str, ...]
    raw_field: tuple[str, ...] = ()

    def added_to(self, options: OperationOptions) -> OperationOptions:
        """The options with these besides."""
        return options.replaced(query=(*options.query, *self.query), raw_field=(*options.raw_field, *self.raw_field))


def parameters(asked: Operation, record: dict[str, str]) -> Parameters:
    """What of a record a download takes; its id where nothing better is known."""
    facts = known(asked.api, asked.resource)
    query = [field.name for field in facts.query.get(asked.name, ()) if field.name in record]
    body = [field.name for field in facts.body.get(asked.name, ()) if field.name in record]
    if not query and not body:
        if "id" not in record:
            raise UsageError("the record has neither an address nor an id")
        return Parameters((f"id={record['id']}",))
    return Parameters(
        tuple(f"{name}={record[name]}" for name in query), tuple(f"{name}={record[name]}" for name in body)
    )
