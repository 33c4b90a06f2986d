"""The content of a request: a JSON object, a form with files, or the bytes of a file."""

import binascii
from dataclasses import dataclass, field
from io import SEEK_END, BytesIO

from unified_cli.json_text import lossless
from unified_cli.json_text.json_codec import dump, read
from unified_cli.json_text.values import Json
from unified_cli.sandbox import form_data
from unified_cli.sandbox.messages import Refusal, SandboxRequest
from unified_cli.sandbox.uploads import FORM, UploadedFile, media_type

# The fields that hold a file in base64: one in ticketing and ats, the other in emails.
_ENCODED = ("data", "content_bytes")


@dataclass(slots=True)
class Body:
    """The members of a request's object, each as JSON text, and the file that was sent, if any."""

    members: dict[str, str] = field(default_factory=dict)
    file: UploadedFile | None = None

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
    kind = media_type(request)
    if kind == FORM:
        return _form(request)
    if request.upload is not None and passthrough:
        size = request.upload.seek(0, SEEK_END)
        file = UploadedFile(request.upload, 0, size)
        return Body({"content_type": dump(kind or "application/octet-stream")}, file) if size else Body()
    if not request.body.strip():
        return Body()
    if passthrough and "json" not in kind:
        return Body({"content_type": dump(kind or "application/octet-stream")}, UploadedFile.of(request.body))
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


def attached(body: Body) -> UploadedFile | None:
    """The file in a body, a form's or one in base64, removed from its members. Raises Refusal 422 for bad base64."""
    if body.file is not None:
        return body.file
    for name in _ENCODED:
        value = body.value(name)
        if isinstance(value, str):
            del body.members[name]
            return from_base64(name, value)
    return None


def from_base64(name: str, value: str) -> UploadedFile:
    """The file in a field. Raises Refusal 422, the provider's, if it is not base64."""
    try:
        return UploadedFile.of(binascii.a2b_base64(value.encode("ascii"), strict_mode=True))
    except ValueError:
        raise Refusal(422, f"{name} is not base64", provider={"field": name}) from None


def _form(request: SandboxRequest) -> Body:
    body = Body()
    for part in form_data.parts(request.upload or BytesIO(request.body), request.header("content-type")):
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
