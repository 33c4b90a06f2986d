"""Send a file as the body of a request, unchanged or in a form. Each attempt sends it
from the beginning.
"""

import hashlib
import json
import mimetypes
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from unified_cli.errors import StateError, StorageError, UsageError
from unified_cli.masking import visible
from unified_cli.storage.regular_file import NotRegularError
from unified_cli.storage.unchanged_file import UnchangedFile
from unified_cli.values import JsonObject

DEFAULT_FIELD = "file"
"""The name of the form field that contains the file, unless the user names another."""

Progress = Callable[[int, int], None]
"""Called with the bytes sent and the size of the body. Each attempt begins at 0."""

_CHUNK = 64 * 1024
_MEDIA_TYPE = re.compile(
    r"[!#$%&'*+.^_`|~0-9A-Za-z-]+/[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:[ \t]*;[ \t\x20-\x7e]*)?"
)
# Characters that would end a quoted name or its line. They are escaped as browsers do.
_UNQUOTABLE = re.compile(r'[\x00-\x1f"\x7f]')
_KINDS = (
    (stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"),
    (stat.S_ISBLK, "a device"), (stat.S_ISCHR, "a device"),
)  # fmt: skip


class UploadFacts(NamedTuple):
    """The file of an upload and its options.

    A form has a `field` for the file and other `fields`. Without a form, the file is
    sent unchanged as `content_type`.
    """

    file: str
    size: int
    sha256: str
    field: str | None
    fields: tuple[tuple[str, str], ...]
    content_type: str

    def as_json(self) -> JsonObject:
        """Return these options as a JSON object."""
        return {**self._asdict(), "fields": [list(pair) for pair in self.fields]}


class Upload:
    """An open regular file, to send as a body of known length. Close it after the
    request.
    """

    def __init__(
        self,
        path: Path,
        content_type: str,
        field: str | None = None,
        fields: Sequence[tuple[str, str]] = (),
        read: Progress | None = None,
    ) -> None:
        """Open the file.

        With `field`, the body is a form, which begins with `fields`. Without `field`,
        the body is the file itself.

        The constructor reads the complete file for its digest, and calls `read` with
        the number of bytes read so far. Raises UsageError if the path is not a regular
        file, and StorageError if the file cannot be read.
        """
        for name, value in fields:
            _text(name, value)
        self._file = _opened(path, read)
        self.facts = UploadFacts(
            str(path), self._file.size, self._file.sha256, field, tuple(fields), content_type
        )
        self.progress: Progress | None = None
        self.content_type = content_type
        self._head = self._tail = b""
        if field is not None:
            # A digest as the boundary is unique, and the same for every attempt.
            content = json.dumps([self._file.sha256, path.name, field, [*fields]]).encode()
            boundary = f"unified-{hashlib.sha256(content).hexdigest()[:40]}"
            self.content_type = f"multipart/form-data; boundary={boundary}"
            self._head = _head(boundary, path, field, fields, content_type)
            self._tail = f"\r\n--{boundary}--\r\n".encode()
        self.size = len(self._head) + self._file.size + len(self._tail)
        """The bytes of the whole body."""

    @property
    def description(self) -> str:
        """A description of the upload, which recordings and `-vv` have instead of the
        body.

        The description does not name the folder of the file.
        """
        facts = self.facts.as_json() | {"file": Path(self.facts.file).name}
        return json.dumps(facts)

    def body(self, sent: Callable[[], None]) -> "UploadBody":
        """Return the body from its beginning.

        `sent` is called after each piece. Raises StateError if the file was replaced or
        changed since it was opened.
        """
        if not self._file.has_name:
            raise StateError(
                f"{self.facts.file} was replaced since it was opened", hint="run the command again"
            )
        self._file.read(0, 0)
        return UploadBody(self, sent)

    def pieces(self) -> Iterator[bytes]:
        """Yield the body. Raises StateError before the last piece if the file has
        changed.
        """
        pending = self._head
        with self._file.reader() as reader:
            try:
                while piece := reader.read(_CHUNK):
                    # Yield a piece only after reading the next, so that the last piece
                    # is sent only if the digest is correct.
                    if pending:
                        yield pending
                    pending = piece
            except OSError as error:
                raise StorageError(f"cannot read {self.facts.file}: {error.strerror}") from None
        if self._tail:
            pending += self._tail
        if pending:
            yield pending

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class UploadBody:
    """The body of one attempt, which counts the sent bytes."""

    def __init__(self, upload: Upload, sent: Callable[[], None]) -> None:
        self._upload = upload
        self._sent = sent
        self.sent = 0
        """The number of sent bytes."""
        self.finished = not upload.size
        """Whether the service may have the whole body."""

    @property
    def size(self) -> int:
        """The bytes of the whole body."""
        return self._upload.size

    def __iter__(self) -> Iterator[bytes]:
        progress = self._upload.progress
        for piece in self._upload.pieces():
            self.finished = self.sent + len(piece) == self.size
            yield piece
            self.sent += len(piece)
            self._sent()
            if progress:
                progress(self.sent, self.size)


def of_bytes(path: str, content_type: str, read: Progress | None = None) -> Upload:
    """Return an upload that sends the file unchanged.

    Raises UsageError if the type is invalid or the file is not a regular file, and
    StorageError if the file cannot be read.
    """
    if not _MEDIA_TYPE.fullmatch(content_type):
        raise UsageError(
            f"{visible(content_type)!r} is not a content type",
            hint="a content type looks like image/png",
        )
    if not path:
        raise UsageError("-d @ needs the name of a file", hint="-d @FILE --content-type TYPE")
    return Upload(Path(path), content_type, read=read)


def of_form(
    text: str, fields: Sequence[tuple[str, str]] = (), read: Progress | None = None
) -> Upload:
    """Return an upload that sends the file of `[NAME=]FILE` in a form, after `fields`.

    Raises UsageError if the path is not a regular file, and StorageError if the file
    cannot be read.
    """
    name, equals, path = text.partition("=")
    field = name if equals else DEFAULT_FIELD
    if not field or not (path if equals else text):
        raise UsageError(
            f"--upload {visible(text)}: a field and a file are needed", hint="--upload [NAME=]FILE"
        )
    file = Path(path if equals else text)
    kind = mimetypes.MimeTypes().guess_type(file.name)[0] or "application/octet-stream"
    try:
        return Upload(file, kind, field, fields, read)
    except StorageError as error:
        raise StorageError(error.reason, hint=_meant(text, str(file))) from None


def _meant(text: str, path: str) -> str | None:
    if path == "-":
        return "standard input is not a file"
    if path.startswith("@") and _is_file(path[1:]):
        return "give the name of the file without @"
    if text != path and _is_file(text):
        return (
            f"write {DEFAULT_FIELD}={visible(text)}, because the word before = is the name"
            " of a field"
        )
    return None


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except OSError:
        return False


def _opened(path: Path, read: Progress | None) -> UnchangedFile:
    try:
        return UnchangedFile(path, read)
    except NotRegularError:
        raise UsageError(f"{path} is {_kind(path)}; only a regular file can be uploaded") from None
    except (OSError, ValueError) as error:
        raise StorageError(
            f"cannot read {path}: {getattr(error, 'strerror', None) or error}"
        ) from None


def _kind(path: Path) -> str:
    try:
        mode = path.stat().st_mode
    except OSError:
        return "no file"
    return next((words for is_kind, words in _KINDS if is_kind(mode)), "no regular file")


def _head(
    boundary: str, path: Path, field: str, fields: Sequence[tuple[str, str]], kind: str
) -> bytes:
    parts = [
        b'--%b\r\nContent-Disposition: form-data; name="%b"\r\n\r\n%b\r\n'
        % (boundary.encode(), _quoted(name), _text(name, value))
        for name, value in fields
    ]
    disposition = b'Content-Disposition: form-data; name="%b"; filename="%b"' % (
        _quoted(field),
        _quoted(path.name),
    )
    return b"".join(
        [
            *parts,
            b"--%b\r\n%b\r\nContent-Type: %b\r\n\r\n"
            % (boundary.encode(), disposition, kind.encode()),
        ]
    )


def _text(name: str, value: str) -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"the field {visible(name)!r} is not UTF-8: {visible(value)}") from None


def _quoted(name: str) -> bytes:
    """Return a name that can be written between quotes in a header.

    Bytes that are not UTF-8 become question marks.
    """
    return _UNQUOTABLE.sub(lambda found: f"%{ord(found[0]):02X}", name).encode("utf-8", "replace")
