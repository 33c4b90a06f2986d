"""Parse the content of a request: a JSON object, a form with files, or a file."""

import binascii
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import SEEK_END, BytesIO
from itertools import pairwise
from typing import BinaryIO, NamedTuple, cast

from unified_cli.catalogue import Service
from unified_cli.errors import StorageError
from unified_cli.json_text.json_codec import dump, read
from unified_cli.sandbox.messages import Refusal, SandboxRequest, split_members
from unified_cli.sandbox.query import is_on
from unified_cli.storage.input_bounds import LARGEST_COPY
from unified_cli.values import Json

LARGEST_UPLOAD = LARGEST_COPY
"""The most bytes of a body that is a form or a file."""
FORM = "multipart/form-data"
PIECE = 1024 * 1024
"""How many bytes of a file to keep in memory at once."""


class UploadedFile(NamedTuple):
    """A file in a body: `size` bytes from `start`."""

    body: BinaryIO
    start: int
    size: int

    @classmethod
    def from_content(cls, content: bytes) -> "UploadedFile":
        """Return the file of these bytes."""
        return cls(BytesIO(content), 0, len(content))

    def pieces(self) -> Iterator[bytes]:
        """Yield the content, at most a MiB at a time."""
        self.body.seek(self.start)
        left = self.size
        while left and (piece := self.body.read(min(PIECE, left))):
            left -= len(piece)
            yield piece


def may_be_large(request: SandboxRequest, service: Service) -> bool:
    """Return whether the body of a request is a form or a file."""
    kind = media_type(request)
    passed_on = (
        any(is_on(value) for value in request.values(service.body_passthrough))
        and "json" not in kind
    )
    return request.method in ("POST", "PATCH") and (kind == FORM or passed_on)


def media_type(request: SandboxRequest) -> str:
    """Return the type of the body, without its parameters."""
    return request.header("content-type").partition(";")[0].strip().lower()


def kept(pieces: Iterable[bytes]) -> BinaryIO:
    """Return a body in a temporary file, or in memory if it is small.

    Raises Refusal 413 if it has more than `LARGEST_UPLOAD` bytes, and StorageError if
    the disk is full.
    """
    # The request closes the file.
    file = cast("BinaryIO", tempfile.SpooledTemporaryFile(max_size=PIECE))  # noqa: SIM115
    try:
        for piece in pieces:
            _check(file.tell() + len(piece))
            file.write(piece)
    except BaseException as error:
        file.close()
        if isinstance(error, OSError):
            raise StorageError(f"the sandbox cannot keep the body: {error.strerror}") from None
        raise
    return file


def _check(size: int) -> None:
    if size > LARGEST_UPLOAD:
        raise Refusal(413, f"the body is longer than {LARGEST_UPLOAD} bytes")


# The fields that have a file in base64: `data` in ticketing and ats, `content_bytes` in
# emails.
_ENCODED = ("data", "content_bytes")
_BOUNDARY = re.compile(r'boundary="?([^";]{1,200})"?', re.IGNORECASE)
_DISPOSITION = re.compile(r'(?P<key>name|filename)="(?P<value>(?:\\.|[^"\\])*)"')
_TYPE = re.compile(r"(?im)^content-type:[ \t]*(\S+)")
_LARGEST_HEAD = 16 * 1024
_LARGEST_FIELD = 1024 * 1024
_MOST_PARTS = 1000


class FormPart(NamedTuple):
    """A field of a form, or a file if the part has a file name."""

    name: str
    file_name: str | None
    content_type: str
    content: UploadedFile

    @property
    def text(self) -> str:
        """The value of a field. Raises Refusal 413 if the value has more than 1 MiB."""
        if self.content.size > _LARGEST_FIELD:
            raise Refusal(413, f"the field {self.name!r} is longer than {_LARGEST_FIELD} bytes")
        return b"".join(self.content.pieces()).decode("utf-8", "replace")


def parts(body: BinaryIO, content_type: str) -> Iterator[FormPart]:
    """Yield the parts of a form with this Content-Type.

    Raises Refusal 400 if there is no boundary or the form does not end, and Refusal 413
    if the form has more than a thousand parts.
    """
    boundary = _BOUNDARY.search(content_type)
    if boundary is None:
        raise Refusal(400, "multipart/form-data without a boundary")
    delimiter = b"\r\n--" + boundary[1].encode("latin-1", "replace")
    places = list(_places(body, delimiter))
    for place, following in pairwise(places):
        start = place + len(delimiter)
        body.seek(start)
        head, gap, _ = body.read(min(_LARGEST_HEAD, following - start)).partition(b"\r\n\r\n")
        if not gap:
            raise Refusal(400, "a part of the form has no end of its headers")
        content = start + len(head) + len(gap)
        yield _part(
            head.decode("utf-8", "replace"),
            UploadedFile(body, content, max(0, following - content)),
        )
    body.seek(places[-1] + len(delimiter) if places else 0)
    if not places or body.read(2) != b"--":
        raise Refusal(400, "the form is not complete: its last boundary is missing")


def _part(head: str, content: UploadedFile) -> FormPart:
    names = {
        found["key"]: found["value"].replace('\\"', '"') for found in _DISPOSITION.finditer(head)
    }
    kind = _TYPE.search(head)
    return FormPart(names.get("name", ""), names.get("filename"), kind[1] if kind else "", content)


def _places(body: BinaryIO, delimiter: bytes) -> Iterator[int]:
    """Yield the positions of the delimiter in the body.

    A delimiter at the very beginning of the body is found, too, although no line break
    precedes it.
    """
    body.seek(0)
    window, at, found = b"\r\n", -2, 0
    while True:
        piece = body.read(PIECE)
        window += piece
        begin = 0
        while (hit := window.find(delimiter, begin)) >= 0:
            found += 1
            if found > _MOST_PARTS:
                raise Refusal(413, f"the form has more than {_MOST_PARTS} parts")
            yield at + hit
            begin = hit + len(delimiter)
        if not piece:
            return
        keep = max(begin, len(window) - len(delimiter) + 1)
        at, window = at + keep, window[keep:]


@dataclass(slots=True)
class Body:
    """The members of a request's object as JSON text, and the uploaded file, if any."""

    members: dict[str, str] = field(default_factory=dict)
    file: UploadedFile | None = None

    def value(self, name: str) -> Json:
        """Return a member decoded, or None."""
        return read(self.members[name]) if name in self.members else None

    def text(self, name: str) -> str | None:
        """Return a string or a number as text, and None for other values."""
        written = self.members.get(name, "null")
        value = self.value(name)
        if isinstance(value, str):
            return value
        return written if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def body_of(request: SandboxRequest, *, passthrough: bool) -> Body:
    """Parse the content of a request.

    Raises Refusal 400 for invalid JSON, 422 for JSON that is not an object, and 415 for
    an unsupported type.
    """
    kind = media_type(request)
    if kind == FORM:
        return _form(request)
    if request.upload is not None and passthrough:
        size = request.upload.seek(0, SEEK_END)
        file = UploadedFile(request.upload, 0, size)
        return (
            Body({"content_type": dump(kind or "application/octet-stream")}, file)
            if size or kind
            else Body()
        )
    if not request.body.strip():
        return Body()
    if passthrough and "json" not in kind:
        return Body(
            {"content_type": dump(kind or "application/octet-stream")},
            UploadedFile.from_content(request.body),
        )
    if kind and "json" not in kind:
        raise Refusal(415, f"cannot read a body of type {kind}: send application/json")
    try:
        return Body(split_members(request.body.decode("utf-8")))
    except UnicodeDecodeError:
        raise Refusal(400, "the body is not UTF-8") from None
    except ValueError as error:
        raise Refusal(400, f"the body is not JSON: {error}") from None
    except TypeError:
        raise Refusal(422, "the body must be a JSON object", insight=None) from None


def attached(body: Body) -> UploadedFile | None:
    """Return a form's file, or a base64 file from the body. The base64 text is removed
    from the body's members.

    Raises Refusal 422 for bad base64.
    """
    if body.file is not None:
        return body.file
    for name in _ENCODED:
        value = body.value(name)
        if isinstance(value, str):
            del body.members[name]
            return from_base64(name, value)
    return None


def from_base64(name: str, value: str) -> UploadedFile:
    """Decode the file in a field. Raises the provider's Refusal 422 if it is not
    base64.
    """
    try:
        return UploadedFile.from_content(
            binascii.a2b_base64(value.encode("ascii"), strict_mode=True)
        )
    except ValueError:
        raise Refusal(422, f"{name} is not base64", provider={"field": name}) from None


def _form(request: SandboxRequest) -> Body:
    body = Body()
    for part in parts(request.upload or BytesIO(request.body), request.header("content-type")):
        if part.file_name is not None:
            if body.file is not None:
                raise Refusal(422, "the form has more than one file", provider={"field": part.name})
            body.file = part.content
            body.members["file_name"] = dump(part.file_name)
            body.members["content_type"] = dump(part.content_type or "application/octet-stream")
            body.members["size"] = str(part.content.size)
        elif part.name:
            body.members[part.name] = dump(part.text)
    return body
