"""One file from the service: streamed, resumed where it broke off, checked, and only then given its name."""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from unified_cli.call.download_targets import DownloadTarget
from unified_cli.errors import NetworkError, ServiceError, StorageError, UnifiedError
from unified_cli.http.answer.reader import Answer
from unified_cli.http.client import Client
from unified_cli.http.request import ByteRange, Request, content_range
from unified_cli.masking import masked
from unified_cli.output.progress import Progress
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.storage import file_names
from unified_cli.storage.atomic_file import AtomicFile

_MOST_TOLD = 10
_DIGEST = re.compile(r"(sha-256|sha-512|md5)=:?([A-Za-z0-9+/=]+):?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A file that is there: where, how large, and its checksum."""

    path: Path
    size: int
    sha256: str


class Download:
    """Saves files with one client, and counts the bytes; `retries` is how often a file may break off."""

    def __init__(self, client: Client, runtime: Runtime, retries: int, progress: Progress) -> None:
        self._client = client
        self._runtime = runtime
        self._retries = retries
        self._progress = progress

    def save(
        self, request: Request, target: DownloadTarget, *, only_files: bool, proposals: tuple[str, ...] = ()
    ) -> SavedFile:
        """Save what the request gives. With `only_files` a JSON record is an error, as it is no file.

        `proposals` are names for it, after the one in the answer. Raises what the client raises, and StorageError.
        """
        # What may be a record is asked for as one.
        wanted = ByteRange() if only_files else ByteRange(accept="application/json, */*;q=0.5")
        answer = self._client.send(request, part=wanted)
        try:
            with AtomicFile.beside(target.folder / target.label) as file:
                if answer.body is None:
                    answer = self._stream(request, answer, file)
                else:
                    file.write(self._document(answer, request, only_files=only_files))
                digest = file.digest("sha256").hex()
                named = file_names.from_header(answer.headers.get("content-disposition", ""))
                path = target.publish(file, tuple(map(masked, (named, *proposals))), digest)
        except OSError as error:
            raise StorageError(f"cannot write into {target.folder}: {error.strerror}") from None
        return SavedFile(path, file.size, digest)

    def _stream(self, request: Request, answer: Answer, file: AtomicFile) -> Answer:
        """Write all that comes, over as many answers as it takes; gives the one that the file began with."""
        first, breaks, told = answer, 0, 0
        while True:
            self._progress.expect(_total(first))
            try:
                for chunk in answer.chunks:
                    file.write(chunk)
                    # Fewer than before where the file was begun anew.
                    self._progress.add(file.size - told)
                    told = file.size
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
            self._runtime.stderr.note(f"retry {breaks} of {self._retries} in {seconds:.1f} s: {error.message}")
        self._progress.retried()
        if self._progress.retries == _MOST_TOLD:
            self._runtime.stderr.note("further retries are not told one by one")
        self._runtime.sleep(seconds)

    def _resume(self, request: Request, first: Answer, file: AtomicFile) -> Answer:
        """The rest of the file where the service offers it, else the whole file from its start."""
        validator = _validator(first.headers)
        if file.size and validator:
            answer = self._client.send(request, part=ByteRange(file.size, validator))
            total = content_range(answer.headers)[1]
            if answer.status == 416 and total == file.size:
                return answer
            if answer.status == 206 and total in (None, _total(first)):
                return answer
            if answer.status != 200:
                # What came is of no use, and the connection is not free while it is unread.
                self._client.close()
                answer = self._client.send(request, part=ByteRange())
        else:
            answer = self._client.send(request, part=ByteRange())
        if answer.body is not None:
            self._document(answer, request, only_files=True)
        file.restart()
        return answer

    def _document(self, answer: Answer, request: Request, *, only_files: bool) -> bytes:
        """The answer's body where a record may stand in for the file; else raise ServiceError."""
        if only_files or not answer.body:
            what = "a record, not the file" if answer.body else "nothing"
            hint = f" (try -q {self._client.service.response_format}=stream)" if answer.body else ""
            raise ServiceError(
                f"the service answered {request.method} {request.path} with {what}{hint}", retryable=False
            )
        return answer.body

    def _check(self, request: Request, first: Answer, file: AtomicFile) -> None:
        """Raise ServiceError where the file is not what the headers said it would be."""
        where = f"{request.method} {request.path}"
        total = _total(first)
        if total is not None and total != file.size:
            raise ServiceError(f"the file has {counted(file.size, 'byte')}, not {total} ({where})")
        if total is None and "chunked" not in first.headers.get("transfer-encoding", "").lower():
            self._runtime.stderr.note(f"the length of the file is unknown, so it may be incomplete ({where})")
        for algorithm, expected in _digests(first.headers):
            if file.digest(algorithm) != expected:
                raise ServiceError(f"the file does not have the {algorithm} that came with it ({where})")


def _total(answer: Answer) -> int | None:
    length = answer.headers.get("content-length", "")
    coded = answer.headers.get("content-encoding", "identity").lower() != "identity"
    return int(length) if length.isdecimal() and not coded else None


def _validator(headers: Mapping[str, str]) -> str:
    """What a part is asked for with; empty where none is offered, or nothing tells whether the file has changed."""
    offered = headers.get("accept-ranges", "").strip().lower() == "bytes"
    coded = headers.get("content-encoding", "identity").lower() != "identity"
    tag = headers.get("etag", "")
    strong = tag if tag.startswith('"') else ""
    return (strong or headers.get("last-modified", "")) if offered and not coded else ""


def _digests(headers: Mapping[str, str]) -> list[tuple[str, bytes]]:
    """Algorithm and value of each checksum that came with a file."""
    found = []
    texts = [headers.get(name, "") for name in ("repr-digest", "content-digest", "digest")]
    pairs = [(match[1], match[2]) for text in texts for match in _DIGEST.finditer(text)]
    if headers.get("content-md5"):
        pairs.append(("md5", headers["content-md5"].strip()))
    for name, value in pairs:
        try:
            found.append((name.lower().replace("sha-", "sha"), base64.b64decode(value, validate=True)))
        except (binascii.Error, ValueError):
            continue
    return found
