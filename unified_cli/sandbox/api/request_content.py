"""The content of a request: a JSON object, a form with files, or the bytes of a file."""

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from unified_cli.json_text import lossless
from unified_cli.json_text.json_codec import dump, read
from unified_cli.json_text.values import Json
from unified_cli.sandbox.messages import Refusal, SandboxRequest

_DISPOSITION = re.compile(r'(?P<key>name|filename)="(?P<value>(?:\\.|[^"\\])*)"')
# The fields that hold a file in base64: one in ticketing and ats, the other in emails.
_ENCODED = ("data", "content_bytes")


@dataclass(slots=True)
class Body:
    """The members of a request's object, each as JSON text, and the file that was sent, if any."""

    members: dict[str, str] = field(default_factory=dict)
    file: bytes | None = None

    def value(self, name: str) -> Json:
        """A member decoded; None where there is none."""
        return read(self.members[name]) if name in self.members else None

    def text(self, name: str) -> str | None:
        """A member that is a text or a number, as text; None for any other."""
        written = self.members.get(name, "null")
        value = self.value(name)
        if isinstance(value, str):
            return value
        return written if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def body_of(request: SandboxRequest, *, passthrough: bool) -> Body:
    """The content of a request. Raises Refusal: 400 for broken JSON, 422 for JSON that is no object, 415 for a type."""
    kind = request.header("content-type").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return _form(request)
    if not request.body.strip():
        return Body()
    if passthrough and "json" not in kind:
        return Body({"content_type": dump(kind or "application/octet-stream")}, request.body)
    if kind and "json" not in kind:
        raise Refusal(415, f"cannot read a body of type {kind}: send application/json")
    try:
        return Body(lossless.split(request.body.decode("utf-8")))
    except UnicodeDecodeError:
        raise Refusal(400, "the body is not UTF-8") from None
    except ValueError as error:
        raise Refusal(400, f"the body is not JSON: {error}") from None
    except TypeError:
        raise Refusal(422, "the body must be a JSON object", insight=None) from None


def attached(body: Body) -> bytes | None:
    """The file in a body, a form's or one in base64, removed from its members. Raises Refusal 422 for bad base64."""
    if body.file is not None:
        return body.file
    for name in _ENCODED:
        value = body.value(name)
        if isinstance(value, str):
            del body.members[name]
            return from_base64(name, value)
    return None


def from_base64(name: str, value: str) -> bytes:
    """The bytes in a field. Raises Refusal 422, the provider's, if it is not base64."""
    try:
        return binascii.a2b_base64(value.encode("ascii"), strict_mode=True)
    except ValueError:
        raise Refusal(422, f"{name} is not base64", provider={"field": name}) from None


def _form(request: SandboxRequest) -> Body:
    boundary = re.search(r'boundary="?([^";]+)"?', request.header("content-type"))
    if boundary is None:
        raise Refusal(400, "multipart/form-data without a boundary")
    body = Body()
    for headers, content in _parts(request.body, boundary[1].encode("latin-1", "replace")):
        names = {match["key"]: match["value"].replace('\\"', '"') for match in _DISPOSITION.finditer(headers)}
        if "filename" in names:
            body.file = content
            kind = re.search(r"(?im)^content-type:\s*(\S+)", headers)
            body.members["file_name"] = dump(names["filename"])
            body.members["content_type"] = dump(kind[1] if kind else "application/octet-stream")
            body.members["size"] = str(len(content))
        elif "name" in names:
            body.members[names["name"]] = dump(content.decode("utf-8", "replace"))
    return body


def _parts(content: bytes, boundary: bytes) -> Iterator[tuple[str, bytes]]:
    for part in (b"\r\n" + content).split(b"\r\n--" + boundary)[1:]:
        if part.startswith(b"--"):
            return
        head, gap, rest = part.partition(b"\r\n\r\n")
        if gap:
            yield head.decode("utf-8", "replace"), rest
