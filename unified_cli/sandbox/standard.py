"""The standard five: list, create, get, update, delete."""

from collections.abc import Callable, Mapping

from unified_cli.sandbox import lossless
from unified_cli.sandbox.body import attached
from unified_cli.sandbox.call import Call, missing, record
from unified_cli.sandbox.exchange import Answer, Refusal
from unified_cli.sandbox.fields import file_url
from unified_cli.sandbox.listing import page
from unified_cli.sandbox.records import Records, Row, sound

_WITH_FILES = ("attachments", "files")


def list_(call: Call) -> Answer:
    """A page of records."""
    return page(call.records(), call.catalogue.service, call.query, call.terms)


def create(call: Call) -> Answer:
    """A new record: what was posted, with an id and two times."""
    return record(created(call), call, 201)


def created(call: Call) -> Row:
    """Make the record that a request describes, with the file that came along. Raises Refusal 409 for an id in use."""
    records = call.records()
    content = attached(call.body) if call.operation.resource in _WITH_FILES else None
    identity = _given_id(call)
    if identity is not None and records.get(identity) is not None:
        message = f"{call.operation.resource} has a record {identity!r} already"
        raise Refusal(409, message, remote=True, raw={"duplicate": "id"})
    if content is not None:
        return uploaded(call, records, call.body.members, content, identity)[1]
    return records.create(call.body.members, identity, call.now)[1]


def uploaded(
    call: Call, records: Records, members: dict[str, str], content: bytes, identity: str | None = None
) -> tuple[str, Row]:
    """Keep a file and make its record, with the id of that.

    Assumption: what was uploaded is answered by a link to it, not by the bytes again.
    """
    identity, row = records.create({"size": str(len(content)), **members}, identity, call.now)
    link = {"file_url": lossless.dump(file_url(records.api, records.resource, identity))}
    call.store.put_file(records.scope, identity, content)
    return identity, records.update(row, identity, link, call.now)


def get(call: Call) -> Answer:
    """One record."""
    identity = _identity(call)
    return record(call.need(call.records().get(identity), call.operation.resource, identity), call)


def update(call: Call) -> Answer:
    """A record with the posted fields in place of its own."""
    identity = _identity(call)
    records = call.records()
    row = call.need(records.get(identity), call.operation.resource, identity)
    content = attached(call.body) if call.operation.resource in _WITH_FILES else None
    members = {name: value for name, value in call.body.members.items() if name != "id"}
    if content is not None:
        call.store.put_file(records.scope, identity, content)
        members = {"size": str(len(content)), **members}
    return record(records.update(row, identity, members, call.now), call)


def delete(call: Call) -> Answer:
    """The id of a record that is no more."""
    identity = _identity(call)
    records = call.records()
    records.delete(call.need(records.get(identity), call.operation.resource, identity), identity)
    return Answer.json(lossless.dump({"id": identity}))


def _given_id(call: Call) -> str | None:
    # Assumption: an id that is posted is kept, so that a dump can be loaded; the service's providers differ here.
    written = call.body.members.get("id")
    if written is None or written == "null":
        call.body.members.pop("id", None)
        return None
    identity = call.body.text("id")
    if not identity or not sound(identity):
        raise Refusal(422, "id must be a text", remote=True, raw={"field": "id"})
    return identity


def _identity(call: Call) -> str:
    # Some providers take the id in the body, at the collection's path.
    identity = call.identity or call.named("id")
    if identity is None:
        raise missing("body_fields", ["id"])
    return identity


STANDARD: Mapping[str, Callable[[Call], Answer]] = {
    "list": list_,
    "create": create,
    "get": get,
    "update": update,
    "delete": delete,
}
