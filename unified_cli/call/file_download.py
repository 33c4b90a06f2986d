"""Download a file: stream it, resume it after an interruption, and check it.

The file gets its name only when it is complete.
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from unified_cli import signals
from unified_cli.call import Call, download_targets
from unified_cli.call.download_targets import (
    DownloadTarget,
    FileInFolder,
    TargetFile,
    TargetStream,
    make_folder,
)
from unified_cli.catalogue import Operation
from unified_cli.cli.download_options import DownloadOptions
from unified_cli.cli.options import CallOptions
from unified_cli.errors import NetworkError, ServiceError, StorageError, UnifiedError, UsageError
from unified_cli.fleet.clients import Clients
from unified_cli.http import decoding
from unified_cli.http.client import Client
from unified_cli.http.request import ByteRange, Request, content_range
from unified_cli.http.response import Response
from unified_cli.json_text.members import parts, string
from unified_cli.masking import masked
from unified_cli.output.progress import Progress, Work, progress
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.storage import atomic_file, output_file
from unified_cli.storage.atomic_file import AtomicFile, NotSyncedError

_MOST_PRINTED = 10
_DIGEST = re.compile(r"(sha-256|sha-512|md5)=:?([A-Za-z0-9+/=]+):?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A saved file: its path, size and checksum."""

    path: Path
    size: int
    sha256: str


class Download:
    """Saves files with one client, and counts the bytes. `retries` is how often to
    resume a file.
    """

    def __init__(self, client: Client, runtime: Runtime, retries: int, progress: Progress) -> None:
        self._client = client
        self._runtime = runtime
        self._retries = retries
        self._progress = progress

    def save(
        self,
        request: Request,
        target: DownloadTarget,
        *,
        only_files: bool,
        proposals: tuple[str, ...] = (),
    ) -> SavedFile:
        """Send the request and save the file.

        With `only_files`, a JSON record is an error. `proposals` are names to use if
        the response has none. Raises StorageError and the errors of the client.
        """
        # The response may be a record, so ask for JSON.
        wanted = ByteRange() if only_files else ByteRange(accept="application/json, */*;q=0.5")
        response = self._client.send(request, part=wanted)
        try:
            with AtomicFile.beside(target.folder / target.label) as file:
                if response.body is None:
                    response = self._stream(request, response, file)
                else:
                    file.write(self._document(response, request, only_files=only_files))
                digest = file.digest("sha256").hex()
                named = download_targets.from_header(
                    response.headers.get("content-disposition", "")
                )
                path = target.publish(file, tuple(map(masked, (named, *proposals))), digest)
        except NotSyncedError as error:
            raise StorageError(error.message) from None
        except OSError as error:
            raise StorageError(f"cannot write into {target.folder}: {error.strerror}") from None
        return SavedFile(path, file.size, digest)

    def _stream(self, request: Request, response: Response, file: AtomicFile) -> Response:
        """Write the whole file, from several responses if needed.

        Returns the first response.
        """
        first, breaks, seen = response, 0, 0
        while True:
            self._progress.expect(_total(first))
            try:
                for chunk in response.chunks:
                    file.write(chunk)
                    # The difference is negative if the download was restarted.
                    self._progress.add(file.size - seen)
                    seen = file.size
            except NetworkError as error:
                breaks += 1
                if breaks > self._retries:
                    raise
                self._wait(breaks, error)
                response = self._resume(request, first, file)
                if response.status == 200:
                    first = response
            else:
                self._check(request, first, file)
                return first

    def _wait(self, breaks: int, error: UnifiedError) -> None:
        seconds = min(20.0, 0.5 * 2 ** (breaks - 1))
        if self._progress.retries < _MOST_PRINTED:
            self._runtime.stderr.note(
                f"retry {breaks} of {self._retries} in {seconds:.1f} s: {error.message}"
            )
        self._progress.retried()
        if self._progress.retries == _MOST_PRINTED:
            self._runtime.stderr.note("further retries are not reported one by one")
        self._runtime.sleep(seconds)

    def _resume(self, request: Request, first: Response, file: AtomicFile) -> Response:
        """Request the rest of the file. Returns the whole file if the service ignores
        the range.
        """
        validator = _validator(first.headers)
        if file.size and validator:
            response = self._client.send(request, part=ByteRange(file.size, validator))
            total = content_range(response.headers)[1]
            if response.status == 416 and total == file.size:
                return response
            if response.status == 206 and total in (None, _total(first)):
                return response
            if response.status != 200:
                # Do not read the useless response: close the connection instead.
                self._client.close()
                response = self._client.send(request, part=ByteRange())
        else:
            response = self._client.send(request, part=ByteRange())
        if response.body is not None:
            self._document(response, request, only_files=True)
        file.restart()
        return response

    def _document(self, response: Response, request: Request, *, only_files: bool) -> bytes:
        """Return the body if it may be a record with a link. Raises ServiceError
        otherwise.
        """
        if only_files or not response.body:
            what = "a record, not the file" if response.body else "nothing"
            hint = (
                f" (try -q {self._client.service.response_format}=stream)" if response.body else ""
            )
            raise ServiceError(
                f"the service answered {request.method} {request.path} with {what}{hint}",
                retryable=False,
            )
        return response.served

    def _check(self, request: Request, first: Response, file: AtomicFile) -> None:
        where = f"{request.method} {request.path}"
        total = _total(first)
        if total is not None and total != file.size:
            raise ServiceError(f"the file has {counted(file.size, 'byte')}, not {total} ({where})")
        if total is None and "chunked" not in first.headers.get("transfer-encoding", "").lower():
            self._runtime.stderr.note(
                f"the length of the file is unknown, so it may be incomplete ({where})"
            )
        for algorithm, expected in _digests(first.headers):
            if file.digest(algorithm) != expected:
                raise ServiceError(
                    f"the file does not have the {algorithm} of the response ({where})"
                )


def _total(response: Response) -> int | None:
    length = response.headers.get("content-length", "")
    coded = decoding.codings(response.headers.get("content-encoding", ""))
    return int(length) if length.isdecimal() and not coded else None


def _validator(headers: Mapping[str, str]) -> str:
    """Return the ETag or date with which to request the rest of the file.

    Empty if the service does not support ranges, or if a change of the file could not
    be noticed.
    """
    offered = headers.get("accept-ranges", "").strip().lower() == "bytes"
    coded = decoding.codings(headers.get("content-encoding", ""))
    tag = headers.get("etag", "")
    strong = tag if tag.startswith('"') else ""
    return (strong or headers.get("last-modified", "")) if offered and not coded else ""


def _digests(headers: Mapping[str, str]) -> list[tuple[str, bytes]]:
    result = []
    texts = [headers.get(name, "") for name in ("repr-digest", "content-digest", "digest")]
    pairs = [(match[1], match[2]) for text in texts for match in _DIGEST.finditer(text)]
    if headers.get("content-md5"):
        pairs.append(("md5", headers["content-md5"].strip()))
    for name, value in pairs:
        try:
            result.append(
                (name.lower().replace("sha-", "sha"), base64.b64decode(value, validate=True))
            )
        except (binascii.Error, ValueError):
            continue
    return result


def save_one(call: Call, clients: Clients, request: Request, names: tuple[str, ...] = ()) -> None:
    """Save the response to `--out`. `names` come before the names in the request."""
    place = target(call.options)
    client = clients.open(call.settings)
    try:
        save(call, client, request, place, names)
    finally:
        client.close()


def save(
    call: Call, client: Client, request: Request, place: DownloadTarget, names: tuple[str, ...] = ()
) -> None:
    """Save the response, and print its size and checksum."""
    atomic_file.sweep_unheld(place.folder, place.label)
    only_files = request.operation is not None and request.operation.name == "download"
    with progress(call.runtime, Work("byte")) as shown:
        download = Download(client, call.runtime, call.settings.retries, shown)
        try:
            saved = download.save(
                request, place, only_files=only_files, proposals=(*names, *proposals(request))
            )
        except KeyboardInterrupt as stop:
            signals.say_how_to_continue(
                stop, shown.so_far(), f"{signals.RUN_AGAIN}, which starts at the beginning"
            )
            raise
    call.runtime.stderr.note(
        f"wrote {counted(saved.size, 'byte')} to {saved.path} (sha256 {saved.sha256})"
    )


def target(options: CallOptions) -> DownloadTarget:
    """Return the target that `--out` names.

    Raises StorageError, before any request, if it cannot be written.
    """
    out, force = options.out or "", options.force
    path = Path(out)
    if stream := output_file.open_stream(path):
        return TargetStream(stream, path)
    if out.endswith("/") or path.is_dir():
        if path.is_symlink():
            raise StorageError(f"{path} is a symbolic link; name the folder itself")
        if not path.exists():
            make_folder(path)
        output_file.check(path / "download", force=True)
        return FileInFolder(path, force)
    output_file.check(path, force=force)
    return TargetFile(path, force)


def proposals(request: Request) -> tuple[str, ...]:
    """Return possible file names from the request. A redirect gives none."""
    query = dict(request.query)
    urls = [download_targets.from_url(query[name]) for name in ("file_url", "url") if name in query]
    last = request.path.rstrip("/").rpartition("/")[2]
    return (*urls, query.get("id", ""), download_targets.from_url(last))


def text_members(record: bytes) -> dict[str, str]:
    """Return the string members of a record.

    If the record has no `file_url`, the link in `urls` is returned as `file_url`.
    """
    members = parts(record.strip()) or {}
    result = {name: string(value) for name, value in members.items() if value.startswith(b'"')}
    if "file_url" not in result and (link := _link(members.get("urls", b""))):
        result["file_url"] = link
    return result


def _link(urls: bytes) -> str | None:
    links = json.loads(urls) if urls.startswith(b"[") else []
    found = [link for link in links if isinstance(link, dict) and isinstance(link.get("url"), str)]
    best = [link["url"] for link in found if link.get("type") == "download"]
    return next(iter(best or [link["url"] for link in found]), None)


def check_fields(operation: Operation, body: bytes | None) -> None:
    """Raise UsageError for a body without the fields of a download."""
    given = parts(body or b"{}") or {}
    for name in operation.required_fields:
        if name not in given:
            raise UsageError(
                f"the body lacks {name}, which {operation.command} requires", hint=f"-f {name}=…"
            )


class Parameters(NamedTuple):
    """A record's parameters for its download, as `-q` and `-f` would set them."""

    query: tuple[str, ...]
    raw_field: tuple[str, ...] = ()

    def added_to(self, options: DownloadOptions) -> DownloadOptions:
        """Return the options with these parameters."""
        return replace(
            options,
            query=(*options.query, *self.query),
            raw_field=(*options.raw_field, *self.raw_field),
        )


def parameters(operation: Operation, record: dict[str, str]) -> Parameters | None:
    """Return the download's parameters from the record.

    Returns None if the record must be read by its id first. A download without known
    parameters takes the id.
    """
    facts = operation.facts
    query = [field.name for field in facts.query.get(operation.name, ()) if field.name in record]
    body = [field.name for field in facts.body.get(operation.name, ()) if field.name in record]
    if not query and not body:
        if "id" not in record:
            raise UsageError("the record has neither a URL nor an id")
        parameter = facts.query.get(operation.name) or facts.body.get(operation.name)
        return None if parameter else Parameters((f"id={record['id']}",))
    return Parameters(
        tuple(f"{name}={record[name]}" for name in query),
        tuple(f"{name}={record[name]}" for name in body),
    )
