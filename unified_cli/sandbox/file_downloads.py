"""Files: which record a download is for, what the file holds, and the answer, whole or in part."""

import re
from urllib.parse import quote, unquote, urlsplit

from unified_cli.json_text.values import JsonObject
from unified_cli.sandbox.data import file_content
from unified_cli.sandbox.data.file_content import FILE_HOSTS
from unified_cli.sandbox.data.vocabulary import singular
from unified_cli.sandbox.messages import Refusal, SandboxResponse
from unified_cli.sandbox.operation_call import OperationCall, missing, result
from unified_cli.sandbox.stored_files import StoredFile
from unified_cli.sandbox.stored_records import Row

# The fields of a record that hold its file's address, and the parameters that may give it.
_ADDRESSES = ("file_url", "url", "download_url")
_TYPES = {"html": "text/html", "md": "text/markdown", "wav": "audio/wav"}
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


def download(call: OperationCall) -> SandboxResponse:
    """The bytes of a record's file, or the record where the query names the unified format.

    Assumption: the service's pages show a record and its notes say bytes; the default here is bytes, as a client
    decides by the content type.
    """
    identity, row = _found(call)
    if call.query.get(call.service.response_format) in ("unified", "normalized"):
        return result(row, call)
    name, kind = name_and_type(row.value)
    found = call.store.files.find(call.records().scope, identity)
    return file_answer(call, (name, kind), found or StoredFile.of(file_content.content(kind, identity)))


def name_and_type(record: JsonObject) -> tuple[str, str]:
    """File name and content type of a record's file."""
    links = record.get("urls")
    urls = [link.get("url") for link in links if isinstance(link, dict)] if isinstance(links, list) else []
    address = next((record[key] for key in _ADDRESSES if isinstance(record.get(key), str)), urls[0] if urls else "")
    name = record.get("file_name") or unquote(str(address).rpartition("/")[2]) or "file"
    kind = record.get("content_type") or record.get("mime_type") or _TYPES.get(str(name).rpartition(".")[2])
    return str(name), str(kind or "application/octet-stream")


def file_answer(call: OperationCall, name_and_type: tuple[str, str], content: StoredFile) -> SandboxResponse:
    """A file as an answer: all of it, or the part that `Range` asks for where `If-Range` fits the file."""
    name, kind = name_and_type
    size = content.size
    tag = f'"{content.checksum:08x}-{size}"'
    plain = "".join(
        letter if letter.isascii() and letter.isprintable() and letter not in '"\\' else "_" for letter in name
    )
    encoded = quote(name, safe="", errors="replace")
    headers = {
        "content-type": kind if kind.isascii() and kind.isprintable() else "application/octet-stream",
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
    return SandboxResponse(206, headers=headers, pieces=content.pieces(start, end), length=end - start)


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
        ours = parts.hostname in FILE_HOSTS and names[1:3] == [call.operation.api, resource] and len(names) > 3
        if ours:
            identity = unquote(names[3])
        else:
            # Any record may have been created with this address.
            rows = (row for row in records.rows() if address in (row.value.get(key) for key in _ADDRESSES))
            identity = next((str(row.value.get("id")) for row in rows), None)
    row = records.get(identity) if identity else None
    if row is None or identity is None:
        raise Refusal(404, f"no file at {address or identity!r}")
    return identity, row
