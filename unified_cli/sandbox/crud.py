"""Handle the five standard operations (list, create, get, update, delete) and downloads
of files.
"""

import re
from collections.abc import Callable, Mapping
from urllib.parse import quote, unquote, urlsplit

from unified_cli.catalogue.model import FILE_RESOURCES
from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox import file_content
from unified_cli.sandbox.file_content import FILE_HOSTS, file_url
from unified_cli.sandbox.list_page import ignored, page
from unified_cli.sandbox.messages import Refusal, SandboxResponse
from unified_cli.sandbox.operation_call import OperationCall, missing, record, result
from unified_cli.sandbox.request_content import UploadedFile, attached
from unified_cli.sandbox.stored_files import StoredFile
from unified_cli.sandbox.stored_records import Records, Row, is_encodable
from unified_cli.sandbox.vocabulary import singular
from unified_cli.values import Json, JsonObject

_WARNING = "sandbox-warning"
# The fields and parameters that contain the address of a record's file.
_ADDRESSES = ("file_url", "url", "download_url")
_TYPES = {"html": "text/html", "md": "text/markdown", "wav": "audio/wav"}
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


def list_(call: OperationCall) -> SandboxResponse:
    """Return a page of records, with a header that names ignored parameters."""
    answer = page(call.records(), call.service, call.query, call.terms)
    if names := ignored(call.operation, call.service, call.query):
        words = f"{call.service.page_size} and {call.service.cursor}"
        answer.headers[_WARNING] = (
            f"ignored, no such parameter or field: {', '.join(names)} (pages take {words})"
        )
    return answer


def search(call: OperationCall) -> SandboxResponse:
    """Return a page of records that contain the body's `query`.

    Assumption: the body's field has this name, and the service searches all strings of
    a record.
    """
    wanted = (call.body.text("query") or "").casefold()

    def holds(value: Json) -> bool:
        if isinstance(value, str):
            return wanted in value.casefold()
        inner = value.values() if isinstance(value, dict) else value
        return isinstance(value, (dict, list)) and any(map(holds, inner))

    records = call.records()
    records.more = [holds] if wanted else []
    return page(records, call.service, call.query, call.terms)


def create(call: OperationCall) -> SandboxResponse:
    """Create a record from the posted fields, an id and two times."""
    return record(created(call), call, 201)


def created(call: OperationCall) -> Row:
    """Create the record of a request, with its file.

    Raises Refusal 409 if the id is in use.
    """
    records = call.records()
    content = _file(call)
    identity = _given_id(call)
    if identity is not None and records.get(identity) is not None:
        message = f"{call.operation.resource} has a record {identity!r} already"
        raise Refusal(409, message, provider={"duplicate": "id"})
    if content is not None:
        return uploaded(call, records, call.body.members, content, identity)[1]
    return records.create(call.body.members, identity, call.now)[1]


def uploaded(
    call: OperationCall,
    records: Records,
    members: dict[str, str],
    content: UploadedFile,
    identity: str | None = None,
) -> tuple[str, Row]:
    """Store a file and create its record, and return the record's id.

    Assumption: the record of an uploaded file has a link, not the content.
    """
    identity, row = records.create({"size": str(content.size), **members}, identity, call.now)
    link = {"file_url": dump(file_url(records.api, records.resource, identity))}
    call.store.files.put(records.scope, identity, content.pieces())
    return identity, records.update(row, identity, link, call.now)


def get(call: OperationCall) -> SandboxResponse:
    """Return one record."""
    identity = _identity(call)
    return record(call.find(identity), call)


def update(call: OperationCall) -> SandboxResponse:
    """Update a record: the posted fields replace those of the record."""
    identity = _identity(call)
    records, row = call.records(), call.find(identity)
    content = _file(call)
    members = {name: value for name, value in call.body.members.items() if name != "id"}
    if content is not None:
        call.store.files.put(records.scope, identity, content.pieces())
        members = {"size": str(content.size), **members}
    return record(records.update(row, identity, members, call.now), call)


def delete(call: OperationCall) -> SandboxResponse:
    """Delete a record, and return its id."""
    identity = _identity(call)
    call.records().delete(call.find(identity), identity)
    return SandboxResponse.json(dump({"id": identity}))


def _file(call: OperationCall) -> UploadedFile | None:
    """Return the file of a body. Raises the provider's Refusal 422 if the resource has
    no files.
    """
    resource = call.operation.resource
    if resource in FILE_RESOURCES:
        return attached(call.body)
    if call.body.file is not None:
        raise Refusal(
            422, f"{resource} take no file, and no body but JSON", provider={"resource": resource}
        )
    return None


def _given_id(call: OperationCall) -> str | None:
    written = call.body.members.get("id")
    if written is None or written == "null" or not call.keep_ids:
        call.body.members.pop("id", None)
        return None
    identity = call.body.text("id")
    if not identity or not is_encodable(identity):
        raise Refusal(422, "id must be a text", provider={"field": "id"})
    return identity


def _identity(call: OperationCall) -> str:
    # Some providers accept the id in the body.
    identity = call.identity or call.named("id")
    if identity is None:
        raise missing("body_fields", ["id"])
    return identity


STANDARD: Mapping[str, Callable[[OperationCall], SandboxResponse]] = {
    "list": list_,
    "create": create,
    "get": get,
    "update": update,
    "delete": delete,
}


def download(call: OperationCall) -> SandboxResponse:
    """Return a record's file, or the record if the query names the unified format.

    Assumption: the service's documentation mentions both. The default here is the file,
    because clients check the content type.
    """
    identity, row = _found(call)
    if call.query.get(call.service.response_format) in ("unified", "normalized"):
        return result(row, call)
    name, kind = name_and_type(row.value)
    found = call.store.files.find(call.records().scope, identity)
    return file_answer(
        call, (name, kind), found or StoredFile.from_content(file_content.content(kind, identity))
    )


def name_and_type(record: JsonObject) -> tuple[str, str]:
    """Return the name and content type of a record's file."""
    links = record.get("urls")
    urls = (
        [link.get("url") for link in links if isinstance(link, dict)]
        if isinstance(links, list)
        else []
    )
    address = next(
        (record[key] for key in _ADDRESSES if isinstance(record.get(key), str)),
        urls[0] if urls else "",
    )
    name = record.get("file_name") or unquote(str(address).rpartition("/")[2]) or "file"
    kind = (
        record.get("content_type")
        or record.get("mime_type")
        or _TYPES.get(str(name).rpartition(".")[2])
    )
    return str(name), str(kind or "application/octet-stream")


def file_answer(
    call: OperationCall, name_and_type: tuple[str, str], content: StoredFile
) -> SandboxResponse:
    """Return a file, or the range of the file that the header `Range` requests.

    `Range` is ignored if the header `If-Range` does not match the file.
    """
    name, kind = name_and_type
    size = content.size
    tag = f'"{content.checksum:08x}-{size}"'
    plain = "".join(
        letter if letter.isascii() and letter.isprintable() and letter not in '"\\' else "_"
        for letter in name
    )
    encoded = quote(name, safe="", errors="replace")
    headers = {
        "content-type": kind
        if kind.isascii() and kind.isprintable()
        else "application/octet-stream",
        "content-disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}",
        "etag": tag,
        "accept-ranges": "bytes",
    }
    wanted = _RANGE.fullmatch(call.request.header("range").strip())
    condition = call.request.header("if-range")
    if wanted is None or not any(wanted.groups()) or (condition and condition != tag):
        return SandboxResponse(200, headers=headers, pieces=content.pieces(0, size), length=size)
    first, last = wanted.groups()
    start = int(first) if first else max(size - int(last), 0)
    end = min(int(last) + 1, size) if first and last else size
    if start >= end:
        raise Refusal(416, f"{name} has {size} bytes", headers={"content-range": f"bytes */{size}"})
    headers["content-range"] = f"bytes {start}-{end - 1}/{size}"
    return SandboxResponse(
        206, headers=headers, pieces=content.pieces(start, end), length=end - start
    )


def _found(call: OperationCall) -> tuple[str, Row]:
    resource = call.operation.resource
    records = call.records()
    address = call.named(*_ADDRESSES)
    identity = call.named("id", f"{singular(resource)}_id")
    if address is None and identity is None:
        kind = "body_fields" if resource == "recordings" else "query_parameters"
        raise missing(kind, ["url" if resource == "recordings" else "file_url"])
    if address is not None:
        parts = urlsplit(address)
        names = parts.path.split("/")
        ours = (
            parts.hostname in FILE_HOSTS
            and names[1:3] == [call.operation.api, resource]
            and len(names) > 3
        )
        if ours:
            identity = unquote(names[3])
        else:
            # Any record may have been created with this address, so search all records.
            rows = (
                row
                for row in records.rows()
                if address in (row.value.get(key) for key in _ADDRESSES)
            )
            identity = next((str(row.value.get("id")) for row in rows), None)
    row = records.get(identity) if identity else None
    if row is None or identity is None:
        raise Refusal(404, f"no file at {address or identity!r}")
    return identity, row
