"""The standard five: list, create, get, update, delete."""

from collections.abc import Callable, Mapping

from unified_cli.sandbox import lossless
from unified_cli.sandbox.body import attached
from unified_cli.sandbox.call import Call, missing, record
from unified_cli.sandbox.exchange import Answer, Refusal
from unified_cli.sandbox.fields import file_url
from unified_cli.sandbox.listing import page


def list_(call: Call) -> Answer:
    """A page of records."""
    return page(call.records(), call.catalogue.service, call.query, call.terms)


def create(call: Call) -> Answer:
    """A new record: what was posted, with an id and two times."""
    records = call.records()
    content = attached(call.body) if call.operation.resource in ("attachments", "files") else None
    identity = _given_id(call)
    if identity is not None and records.get(identity) is not None:
        raise Refusal(
            409, f"{call.operation.resource} has a record {identity!r} already", remote=True, raw={"duplicate": "id"}
        )
    if content is None:
        return record(records.create(call.body.members, identity, call.now)[1], call, 201)
    call.body.members.setdefault("size", str(len(content)))
    identity, row = records.create(call.body.members, identity, call.now)
    # Assumption: what was uploaded is answered by a link to it, not by the bytes again.
    url = file_url(call.operation.api, call.operation.resource, identity)
    row = records.update(
        row, identity, {"file_url": lossless.dump(url), "updated_at": lossless.dump(call.now)}, call.now
    )
    call.store.put_file(records.scope, identity, content)
    return record(row, call, 201)


def get(call: Call) -> Answer:
    """One record."""
    identity = _identity(call)
    return record(call.need(call.records().get(identity), call.operation.resource, identity), call)


def update(call: Call) -> Answer:
    """A record with the posted fields in place of its own."""
    identity = _identity(call)
    records = call.records()
    row = call.need(records.get(identity), call.operation.resource, identity)
    members = {name: value for name, value in call.body.members.items() if name != "id"}
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
    if not identity:
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
