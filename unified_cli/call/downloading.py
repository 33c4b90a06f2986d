"""Files from the service: one under a name or into a folder, or one for each line of a list."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unified_cli.bulk.import_ import stdin_copy
from unified_cli.call import builder, dry_run
from unified_cli.call.builder import Given
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.catalogue.known import known
from unified_cli.config.settings import Settings
from unified_cli.errors import IncompleteError, StorageError, UsageError
from unified_cli.http.request import Request
from unified_cli.runtime import Runtime
from unified_cli.storage import folders, output_file

if TYPE_CHECKING:
    from unified_cli.bulk.batch_download.file_download import DownloadTarget
    from unified_cli.cli.connect import Clients
    from unified_cli.http.client import Client


def one(runtime: Runtime, clients: "Clients", resolved: Settings, request: Request, given: Given) -> None:
    """Save what the request gives under the name, or in the folder, that `--out` says."""
    place = where(given)
    client = clients.open(resolved)
    try:
        save(runtime, client, resolved, request, place)
    finally:
        client.close()


def save(runtime: Runtime, client: "Client", resolved: Settings, request: Request, place: "DownloadTarget") -> None:
    """Save what the request gives, and say so with the checksum."""
    from unified_cli.bulk.batch_download.file_download import Download  # noqa: PLC0415  httpx is imported when a request is sent

    only_files = request.operation is not None and request.operation.name == "download"
    download = Download(client, runtime, resolved["retries"])
    saved = download.save(request, place, only_files=only_files, proposals=_proposals(request))
    runtime.stderr.note(f"wrote {saved.size} bytes to {saved.path} (sha256 {saved.sha256})")


def where(given: Given) -> "DownloadTarget":
    """Where `--out` leads. Raises StorageError, before anything is asked, where nothing can be written."""
    from unified_cli.bulk.batch_download.file_download import Named, Within  # noqa: PLC0415  as above

    out, force = given["out"], bool(given.get("force"))
    path = Path(out)
    if out.endswith("/") or path.is_dir():
        if path.is_symlink():
            raise StorageError(f"{path} is a symbolic link; name the folder itself")
        output_file.check(path / "download", force=True)
        return Within(path, force)
    output_file.check(path, force=force)
    return Named(path, force)


def _proposals(request: Request) -> tuple[str, ...]:
    """Names for the file from what was asked for, never from where a redirect led."""
    from unified_cli.storage import file_names  # noqa: PLC0415  as above

    asked = dict(request.query)
    urls = [file_names.from_url(asked[name]) for name in ("file_url", "url") if name in asked]
    last = request.path.rstrip("/").rpartition("/")[2]
    return (*urls, asked.get("id", ""), file_names.from_url(last))


def many(runtime: Runtime, catalogue: Catalogue, asked: Operation, given: Given) -> None:
    """Save a file for each id or record of `--from` into the folder `--out`, with a manifest of what is there.

    Raises IncompleteError where some could not be had.
    """
    resolved = builder.resolve(runtime, given)
    folder = None if _is_shown(given) else _folder(given)
    path = stdin_copy.keep(runtime, [asked.command], given) if given["from_"] == "-" else Path(given["from_"])

    from unified_cli.bulk.batch_download import download_batch  # noqa: PLC0415  as above
    from unified_cli.bulk.import_ import input_file  # noqa: PLC0415  as above
    from unified_cli.call import fan_out  # noqa: PLC0415  as above
    from unified_cli.cli.connect import Clients  # noqa: PLC0415  as above

    source = input_file.examine(path, None, catalogue.service.items, ids=True)
    wanted = _wanted(runtime, catalogue, resolved, asked, given, source)
    if folder is None:
        _show(runtime, resolved, given, wanted)
        return
    clients = Clients(runtime, catalogue)
    clients.token(resolved)
    workers = fan_out.workers(given)
    done = download_batch.run(
        wanted, folder, lambda: clients.open(resolved), runtime, workers=workers, retries=resolved["retries"]
    )
    runtime.stderr.note(
        f"{done.saved} files saved, {done.there} were there already; {folder / download_batch.MANIFEST} lists them"
    )
    if done.stopped:
        raise done.stopped
    if done.failed:
        raise IncompleteError(f"failed: {done.failed} of {source.count} files, see {folder / download_batch.MANIFEST}")


def _is_shown(given: Given) -> bool:
    return bool(given.get("dry_run") or given.get("as_"))


def _show(runtime: Runtime, resolved: Settings, given: Given, wanted: Iterator[Any]) -> None:
    """Print the requests, one a line; nothing is sent, and no folder is made."""
    for one_of_many in wanted:
        if one_of_many.request is None:
            runtime.stderr.note(f"line {one_of_many.line} failed: {one_of_many.wrong}")
        elif given.get("as_"):
            dry_run.show(runtime, one_of_many.request, given["as_"], ca_bundle=resolved["ca_bundle"])
        else:
            dry_run.line(runtime, one_of_many.request)


def _folder(given: Given) -> Path:
    if not given.get("out"):
        raise UsageError("--from needs a folder to save the files in (--out DIR)")
    folder = Path(given["out"])
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise StorageError(f"{folder} is no folder")
    try:
        folder.mkdir(mode=0o755, exist_ok=True)
        folders.sync(folder.parent)
    except OSError as error:
        raise StorageError(f"cannot make the folder {folder}: {error.strerror}") from None
    output_file.check(folder / "download", force=True)
    return folder


def _wanted(
    runtime: Runtime, catalogue: Catalogue, resolved: Settings, asked: Operation, given: Given, source: Any
) -> Iterator[Any]:
    """What is wanted for each line: the request with the parameters that the record holds, and names for the file."""
    from unified_cli.bulk.batch_download.download_batch import DownloadItem  # noqa: PLC0415  as above

    for line in source.lines():
        try:
            record = _record(line)
            more = parameters(asked, record)
            request = builder.build(runtime, catalogue, resolved, asked, with_parameters(given, more))
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


def parameters(asked: Operation, record: dict[str, str]) -> dict[str, list[str]]:
    """What of a record a download takes, as `query` and `raw_field` options; its id where nothing better is known."""
    facts = known(asked.api, asked.resource)
    query = [field.name for field in facts.query.get(asked.name, ()) if field.name in record]
    body = [field.name for field in facts.body.get(asked.name, ()) if field.name in record]
    if not query and not body:
        if "id" not in record:
            raise UsageError("the record has neither an address nor an id")
        return {"query": [f"id={record['id']}"], "raw_field": []}
    return {
        "query": [f"{name}={record[name]}" for name in query],
        "raw_field": [f"{name}={record[name]}" for name in body],
    }


def with_parameters(given: Given, more: dict[str, list[str]]) -> Given:
    """The options with these added, which must not have been given as well."""
    return {**given, **{name: [*(given.get(name) or ()), *values] for name, values in more.items() if values}}
