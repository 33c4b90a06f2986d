"""The standard five: list, create, get, update, delete."""

from collections.abc import Callable, Mapping

from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox.data.file_content import file_url
from unified_cli.sandbox.list_page import ignored, page
from unified_cli.sandbox.messages import Refusal, SandboxResponse
from unified_cli.sandbox.operation_call import OperationCall, missing, record
from unified_cli.sandbox.request_content import attached
from unified_cli.sandbox.stored_records import Records, Row, is_encodable
from unified_cli.sandbox.uploads import UploadedFile

_WARNING = "sandbox-warning"
_WITH_FILES = ("attachments", "files")


def list_(call: OperationCall) -> SandboxResponse:
    """A page of records; a header names the parameters that do nothing."""
    answer = page(call.records(), call.service, call.query, call.terms)
    if names := ignored(call.operation, call.service, call.query):
        words = f"{call.service.page_size} and {call.service.cursor}"
        answer.headers[_WARNING] = f"ignored, no such parameter or field: {', '.join(names)} (pages take {words})"
    return answer


def create(call: OperationCall) -> SandboxResponse:
    """A new record: what was posted, with an id and two times."""
    return record(created(call), call, 201)


def created(call: OperationCall) -> Row:
    """Create the record of a request, with its file. Raises Refusal 409 for an id in use."""
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
    call: OperationCall, records: Records, members: dict[str, str], content: UploadedFile, identity: str | None = None
) -> tuple[str, Row]:
    """Store a file and create its record; the answer has the record's id.

    Assumption: the record of an uploaded file has a link to it, not its bytes.
    """
    identity, row = records.create({"size": str(content.size), **members}, identity, call.now)
    link = {"file_url": dump(file_url(records.api, records.resource, identity))}
    call.store.files.put(records.scope, identity, content.pieces())
    return identity, records.update(row, identity, link, call.now)


def get(call: OperationCall) -> SandboxResponse:
    """One record."""
    identity = _identity(call)
    return record(call.need(call.records().get(identity), call.operation.resource, identity), call)


def update(call: OperationCall) -> SandboxResponse:
    """A record with the posted fields in place of its own."""
    identity = _identity(call)
    records = call.records()
    row = call.need(records.get(identity), call.operation.resource, identity)
    content = _file(call)
    members = {name: value for name, value in call.body.members.items() if name != "id"}
    if content is not None:
        call.store.files.put(records.scope, identity, content.pieces())
        members = {"size": str(content.size), **members}
    return record(records.update(row, identity, members, call.now), call)


def delete(call: OperationCall) -> SandboxResponse:
    """The id of a record, which is deleted."""
    identity = _identity(call)
    records = call.records()
    records.delete(call.need(records.get(identity), call.operation.resource, identity), identity)
    return SandboxResponse.json(dump({"id": identity}))


def _file(call: OperationCall) -> UploadedFile | None:
    """The file of a body. Raises Refusal 422, the provider's, where the resource has no files."""
    resource = call.operation.resource
    if resource in _WITH_FILES:
        return attached(call.body)
    if call.body.file is not None:
        raise Refusal(422, f"{resource} take no file, and no body but JSON", provider={"resource": resource})
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
    # Some providers take the id in the body, at the path of the resource.
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
