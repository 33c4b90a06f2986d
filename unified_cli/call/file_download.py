"""One file from the service: streamed, resumed where it was interrupted, checked, and
only then given its name.
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
from unified_cli.http.answer import Answer
from unified_cli.http.client import Client
from unified_cli.http.request import ByteRange, Request, content_range
from unified_cli.json_text.members import parts, string
from unified_cli.masking import masked
from unified_cli.output.progress import Progress, Work, progress
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.storage import atomic_file, output_file
from unified_cli.storage.atomic_file import AtomicFile, NotSyncedError

_MOST_TOLD = 10
_DIGEST = re.compile(r"(sha-256|sha-512|md5)=:?([A-Za-z0-9+/=]+):?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A saved file: its path, size and checksum."""

    path: Path
    size: int
    sha256: str


class Download:
    """Saves files with one client, and counts the bytes; `retries` is how often a file
    may break off.
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
        """Save the file that answers the request. With `only_files` a JSON record is an
        error, because it is not a file.

        `proposals` are names for the file, used after the name in the answer. Raises
        StorageError and the errors of the client.
        """
        # An answer that may be a record is requested as one.
        wanted = ByteRange() if only_files else ByteRange(accept="application/json, */*;q=0.5")
        answer = self._client.send(request, part=wanted)
        try:
            with AtomicFile.beside(target.folder / target.label) as file:
                if answer.body is None:
                    answer = self._stream(request, answer, file)
                else:
                    file.write(self._document(answer, request, only_files=only_files))
                digest = file.digest("sha256").hex()
                named = download_targets.from_header(answer.headers.get("content-disposition", ""))
                path = target.publish(file, tuple(map(masked, (named, *proposals))), digest)
        except NotSyncedError as error:
            raise StorageError(error.message) from None
        except OSError as error:
            raise StorageError(f"cannot write into {target.folder}: {error.strerror}") from None
        return SavedFile(path, file.size, digest)

    def _stream(self, request: Request, answer: Answer, file: AtomicFile) -> Answer:
        """Write the whole file, over several answers if needed.

        Returns the answer that the file began with.
        """
        first, breaks, seen = answer, 0, 0
        while True:
            self._progress.expect(_total(first))
            try:
                for chunk in answer.chunks:
                    file.write(chunk)
                    # The number is negative if the file was begun anew.
                    self._progress.add(file.size - seen)
                    seen = file.size
            except NetworkError as error:
                breaks += 1
                if breaks > self._retries:
                    raise
                self._wait(breaks, error)
                answer = self._resume(request, first, file)
                if answer.status == 200:
                    first = answer
            else:
                self._check(request, first, file)
                return first

    def _wait(self, breaks: int, error: UnifiedError) -> None:
        seconds = min(20.0, 0.5 * 2 ** (breaks - 1))
        if self._progress.retries < _MOST_TOLD:
            self._runtime.stderr.note(
                f"retry {breaks} of {self._retries} in {seconds:.1f} s: {error.message}"
            )
        self._progress.retried()
        if self._progress.retries == _MOST_TOLD:
            self._runtime.stderr.note("further retries are not reported one by one")
        self._runtime.sleep(seconds)

    def _resume(self, request: Request, first: Answer, file: AtomicFile) -> Answer:
        """Return the rest of the file, or the whole.

        The service may not offer the rest.
        """
        validator = _validator(first.headers)
        if file.size and validator:
            answer = self._client.send(request, part=ByteRange(file.size, validator))
            total = content_range(answer.headers)[1]
            if answer.status == 416 and total == file.size:
                return answer
            if answer.status == 206 and total in (None, _total(first)):
                return answer
            if answer.status != 200:
                # The answer is useless, and the connection stays busy while it is
                # unread.
                self._client.close()
                answer = self._client.send(request, part=ByteRange())
        else:
            answer = self._client.send(request, part=ByteRange())
        if answer.body is not None:
            self._document(answer, request, only_files=True)
        file.restart()
        return answer

    def _document(self, answer: Answer, request: Request, *, only_files: bool) -> bytes:
        """Return the body if a record may hold the link.

        Raises ServiceError otherwise.
        """
        if only_files or not answer.body:
            what = "a record, not the file" if answer.body else "nothing"
            hint = f" (try -q {self._client.service.response_format}=stream)" if answer.body else ""
            raise ServiceError(
                f"the service answered {request.method} {request.path} with {what}{hint}",
                retryable=False,
            )
        return answer.served

    def _check(self, request: Request, first: Answer, file: AtomicFile) -> None:
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
                    f"the file does not have the {algorithm} that came with it ({where})"
                )


def _total(answer: Answer) -> int | None:
    length = answer.headers.get("content-length", "")
    coded = decoding.codings(answer.headers.get("content-encoding", ""))
    return int(length) if length.isdecimal() and not coded else None


def _validator(headers: Mapping[str, str]) -> str:
    """Return the headers that ask for a part.

    None if parts are not offered or a change of the file would go unnoticed.
    """
    offered = headers.get("accept-ranges", "").strip().lower() == "bytes"
    coded = decoding.codings(headers.get("content-encoding", ""))
    tag = headers.get("etag", "")
    strong = tag if tag.startswith('"') else ""
    return (strong or headers.get("last-modified", "")) if offered and not coded else ""


def _digests(headers: Mapping[str, str]) -> list[tuple[str, bytes]]:
    found = []
    texts = [headers.get(name, "") for name in ("repr-digest", "content-digest", "digest")]
    pairs = [(match[1], match[2]) for text in texts for match in _DIGEST.finditer(text)]
    if headers.get("content-md5"):
        pairs.append(("md5", headers["content-md5"].strip()))
    for name, value in pairs:
        try:
            found.append(
                (name.lower().replace("sha-", "sha"), base64.b64decode(value, validate=True))
            )
        except (binascii.Error, ValueError):
            continue
    return found


def save_one(call: Call, clients: Clients, request: Request, names: tuple[str, ...] = ()) -> None:
    """Save the response as `--out` says. `names` come before those of the request."""
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
    """Return the file's possible names from the request.

    The target of a redirect is never one.
    """
    query = dict(request.query)
    urls = [download_targets.from_url(query[name]) for name in ("file_url", "url") if name in query]
    last = request.path.rstrip("/").rpartition("/")[2]
    return (*urls, query.get("id", ""), download_targets.from_url(last))


def text_members(record: bytes) -> dict[str, str]:
    """Return the members of a record that are texts.

    `file_url`, if missing, is the link among its `urls`.
    """
    members = parts(record.strip()) or {}
    found = {name: string(value) for name, value in members.items() if value.startswith(b'"')}
    if "file_url" not in found and (link := _link(members.get("urls", b""))):
        found["file_url"] = link
    return found


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
    """The parameters of a download from a record, as typed with `-q` and `-f`."""

    query: tuple[str, ...]
    raw_field: tuple[str, ...] = ()

    def added_to(self, options: DownloadOptions) -> DownloadOptions:
        """Return the options with these parameters added."""
        return replace(
            options,
            query=(*options.query, *self.query),
            raw_field=(*options.raw_field, *self.raw_field),
        )


def parameters(operation: Operation, record: dict[str, str]) -> Parameters | None:
    """Return a download's parameters from the record.

    None if the record has to be looked up by its id. A download without known
    parameters takes the id.
    """
    facts = operation.facts
    query = [field.name for field in facts.query.get(operation.name, ()) if field.name in record]
    body = [field.name for field in facts.body.get(operation.name, ()) if field.name in record]
    if not query and not body:
        if "id" not in record:
            raise UsageError("the record has neither a URL nor an id")
        taken = facts.query.get(operation.name) or facts.body.get(operation.name)
        return None if taken else Parameters((f"id={record['id']}",))
    return Parameters(
        tuple(f"{name}={record[name]}" for name in query),
        tuple(f"{name}={record[name]}" for name in body),
    )
