"""Handle actions on users, groups, applications, tickets, pages, background exports and
messages.
"""

from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox.crud import create, created, get, uploaded
from unified_cli.sandbox.file_content import file_url
from unified_cli.sandbox.messages import Refusal, SandboxResponse
from unified_cli.sandbox.operation_call import OperationCall, missing, record, result
from unified_cli.sandbox.record_consistency import ME
from unified_cli.sandbox.request_content import from_base64
from unified_cli.sandbox.stored_records import Row
from unified_cli.sandbox.vocabulary import singular
from unified_cli.values import Json, JsonObject

_STEPS = {"queued": "running", "running": "completed"}
_ENDINGS = {"markdown": "md"}
_BYTES = "content_bytes"
# The folder of sent messages.
_SENT = {"id": "folders-2", "name": "Sent"}


def suspend(call: OperationCall) -> SandboxResponse:
    """Suspend a user.

    Assumption: the status may be a value that is not documented, because the service
    passes on the values of providers.
    """
    return _user(call, {"status": "suspended"})


def deactivate(call: OperationCall) -> SandboxResponse:
    """Deactivate a user."""
    return _user(call, {"status": "inactive"})


def downgrade(call: OperationCall) -> SandboxResponse:
    """Move a user to a smaller licence, by default the second licence. A role is
    optional.
    """
    licence = call.named("license_id") or "licenses-2"
    change: JsonObject = {"licenses": [pointer(call, "licenses", licence)]}
    role = call.named("role_id")
    if role is not None:
        change["roles"] = [pointer(call, "roles", role)]
    elif (name := call.named("role")) is not None:
        change["roles"] = [{"name": name}]
    return _user(call, change)


def assign(call: OperationCall) -> SandboxResponse:
    """Give a user more roles."""
    wanted = _roles(call)
    identity, row = _find(call, "users", "id", "user_id")
    roles = _listed(row, "roles")
    known = {role.get("id") for role in roles}
    return _changed(
        call,
        identity,
        row,
        {"roles": roles + [role for role in wanted if role.get("id") not in known]},
    )


def unassign(call: OperationCall) -> SandboxResponse:
    """Take roles from a user."""
    removed = {role.get("id") for role in _roles(call)}
    identity, row = _find(call, "users", "id", "user_id")
    return _changed(
        call,
        identity,
        row,
        {"roles": [role for role in _listed(row, "roles") if role.get("id") not in removed]},
    )


def join_group(call: OperationCall) -> SandboxResponse:
    """Add a user to a group's `users`."""
    identity, row, member = _membership(call)
    others = [user for user in _listed(row, "users") if user.get("id") != member["id"]]
    return _changed(call, identity, row, {"users": [*others, member]})


def leave_group(call: OperationCall) -> SandboxResponse:
    """Remove a user from a group's `users`."""
    identity, row, member = _membership(call)
    return _changed(
        call,
        identity,
        row,
        {"users": [user for user in _listed(row, "users") if user.get("id") != member["id"]]},
    )


def _user(call: OperationCall, change: JsonObject) -> SandboxResponse:
    identity, row = _find(call, "users", "user_id", "id")
    return _changed(call, identity, row, change)


def _find(call: OperationCall, resource: str, *names: str) -> tuple[str, Row]:
    """Return the record that one of these parameters names. Raises Refusal if all are
    missing.
    """
    identity = call.named(*names)
    if identity is None:
        raise missing("body_fields", [name for name in names if name != "id"])
    return identity, call.find(identity, resource)


def _changed(call: OperationCall, identity: str, row: Row, change: JsonObject) -> SandboxResponse:
    members = {name: dump(value) for name, value in change.items()}
    if "remote_data" in call.body.members:
        members["remote_data"] = call.body.members["remote_data"]
    return result(call.records().update(row, identity, members, call.now), call)


def _membership(call: OperationCall) -> tuple[str, Row, JsonObject]:
    if lacking := [name for name in ("group_id", "user_id") if call.named(name) is None]:
        raise missing("body_fields", lacking)
    identity, row = _find(call, "groups", "group_id")
    return identity, row, pointer(call, "users", call.named("user_id") or "")


def _roles(call: OperationCall) -> list[JsonObject]:
    given = call.body.value("roles")
    if given is None:
        given = call.query.get("roles") or call.named("role_id")
    items = given if isinstance(given, list) else [given] if given else []
    if not items:
        raise missing("body_fields", ["roles"])
    return [_role(call, item) for item in items]


def _role(call: OperationCall, item: Json) -> JsonObject:
    if isinstance(item, dict):
        return {**pointer(call, "roles", str(item["id"])), **item} if "id" in item else item
    return pointer(call, "roles", str(item))


def pointer(call: OperationCall, resource: str, identity: str) -> JsonObject:
    """Return the id and the name of a record that a request refers to.

    Raises the provider's Refusal 422 if it does not exist.
    """
    row = call.records(resource).get(identity)
    if row is None:
        raise Refusal(
            422,
            f"{resource} has no record {identity!r}",
            provider={"invalid": resource, "id": identity},
        )
    return {"id": identity, "name": row.value.get("name")}


def _listed(row: Row, name: str) -> list[JsonObject]:
    value = row.value.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def any_action(call: OperationCall) -> SandboxResponse:
    """Run an unknown action: merge the body's fields into the record, and return it."""
    name = f"{singular(call.operation.resource)}_id"
    identity = call.named("id", name)
    if identity is None:
        raise missing("body_fields", [name])
    members = {key: value for key, value in call.body.members.items() if key not in ("id", name)}
    return result(call.records().update(call.find(identity), identity, members, call.now), call)


def move_stage(call: OperationCall) -> SandboxResponse:
    """Move an application to another stage."""
    if lacking := [name for name in ("application_id", "stage_id") if call.named(name) is None]:
        raise missing("body_fields", lacking)
    stage = pointer(call, "job_interview_stages", call.named("stage_id") or "")
    return _application(call, {"current_stage": stage})


def reject(call: OperationCall) -> SandboxResponse:
    """Reject an application, with a reason if the call names it."""
    change: JsonObject = {"rejected_at": call.now}
    if (reason := call.named("reject_reason_id", "reason_id")) is not None:
        change["reject_reason"] = pointer(call, "reject_reasons", reason)["id"]
    return _application(call, change)


def import_record(call: OperationCall) -> SandboxResponse:
    """Create a record with the posted history."""
    return result(created(call), call)


def append(call: OperationCall) -> SandboxResponse:
    """Add content at the end of a page."""
    page = call.named("page_id")
    if lacking := [
        name
        for name, is_given in (("page", page), ("body", "body" in call.body.members))
        if not is_given
    ]:
        raise missing("body_fields", lacking)
    call.find(page or "", "pages")
    numbers = [row.value.get("sequence") for row in _content(call, page)]
    last = max((number for number in numbers if isinstance(number, int)), default=0)
    members = {"sequence": str(last + 1), **call.body.members}
    return result(call.records().create(members, None, call.now)[1], call)


def export(call: OperationCall) -> SandboxResponse:
    """Return the content of a page."""
    page = call.named("page_id", "id")
    if page is None:
        raise missing("query_parameters", ["page[id]"])
    pointed = pointer(call, "pages", page)
    bodies = [row.value.get("body") for row in _content(call, page)]
    text = "\n\n".join(str(body.get("content", "")) for body in bodies if isinstance(body, dict))
    piece = {"page": pointed, "body": {"format": "markdown", "content": text}}
    return SandboxResponse.json(dump({call.service.items: piece}))


def start_export(call: OperationCall) -> SandboxResponse:
    """Start an export in the background, and return its record, which has no link
    yet.
    """
    wanted = call.named("page_id")
    start = {"status": '"queued"', "urls": "[]"}
    if wanted is not None:
        start["page"] = dump(pointer(call, "pages", wanted))
    call.body.members = {**start, **call.body.members}
    return create(call)


def poll_export(call: OperationCall) -> SandboxResponse:
    """Return the state of an export. Each request advances it: queued, running,
    completed.
    """
    identity = call.identity or ""
    records = call.records()
    with call.store.transaction():
        row = records.get(identity)
        step = _STEPS.get(str(row.value.get("status"))) if row is not None else None
        if row is None or step is None:
            return get(call)
        change = {"status": dump(step)}
        if step == "completed":
            ending = _ENDINGS.get(str(row.value.get("format")), "html")
            url = file_url(call.operation.api, call.operation.resource, identity, f"page.{ending}")
            change["urls"] = dump([{"type": "download", "url": url}])
        records.update(row, identity, change, call.now)
    return record(row, call)


def _application(call: OperationCall, change: JsonObject) -> SandboxResponse:
    identity, row = _find(call, "applications", "application_id", "id")
    return call.changed(row, identity, change)


def _content(call: OperationCall, page: str | None) -> list[Row]:
    rows = call.records().rows()
    return [
        row
        for row in rows
        if isinstance(row.value.get("page"), dict) and row.value["page"].get("id") == page
    ]


def create_message(call: OperationCall) -> SandboxResponse:
    """Create a message or draft with its files."""
    return record(_with_files(call, created(call)), call, 201)


def send(call: OperationCall) -> SandboxResponse:
    """Send a new message, and return it."""
    if lacking := [name for name in ("to", "subject", "content") if name not in call.body.members]:
        raise missing("body_fields", lacking)
    return _sent(call, {})


def send_draft(call: OperationCall) -> SandboxResponse:
    """Send a draft, and return the message."""
    identity, row = _message(call)
    if row.value.get("is_draft") is not True:
        raise Refusal(422, f"{identity} is not a draft", provider={"error": "not_a_draft"})
    return call.changed(row, identity, {"is_draft": False, "folder": _SENT, "sent_at": call.now})


def reply(call: OperationCall) -> SandboxResponse:
    """Reply to the sender."""
    identity, row = _message(call)
    return _sent(call, _answer(identity, row.value, [row.value.get("from")]))


def reply_all(call: OperationCall) -> SandboxResponse:
    """Reply to the sender and all recipients."""
    identity, row = _message(call)
    others = [address for key in ("to", "cc") for address in _addresses(row.value.get(key))]
    return _sent(call, _answer(identity, row.value, [row.value.get("from"), *others]))


def forward(call: OperationCall) -> SandboxResponse:
    """Forward the message to other people. The posted fields replace those of the
    message.
    """
    if "to" not in call.body.members:
        raise missing("body_fields", ["to"])
    identity, row = _message(call)
    common: JsonObject = {
        key: row.value[key] for key in ("content", "attachments", "priority") if key in row.value
    }
    return _sent(
        call,
        {**common, "subject": _prefixed("Fwd: ", row.value), "headers": {"References": identity}},
    )


def move_message(call: OperationCall) -> SandboxResponse:
    """Move the message to another folder."""
    identity, row = _message(call)
    folder = call.named("folder_id")
    if folder is None:
        raise missing("body_fields", ["folder"])
    return call.changed(row, identity, {"folder": pointer(call, "folders", folder)})


def _message(call: OperationCall) -> tuple[str, Row]:
    identity = call.named("id", "email_id")
    if identity is None:
        raise missing("body_fields", ["id"])
    return identity, call.find(identity)


def _answer(identity: str, original: JsonObject, to: list[Json]) -> JsonObject:
    people = dict.fromkeys(str(address) for address in to if address and address != ME)
    return {
        "to": [{"email": address} for address in people] or [{"email": ME}],
        "subject": _prefixed("Re: ", original),
        "headers": {"In-Reply-To": identity},
    }


def _prefixed(prefix: str, original: JsonObject) -> str:
    subject = str(original.get("subject") or "")
    return subject if subject.startswith(prefix) else prefix + subject


def _sent(call: OperationCall, base: JsonObject) -> SandboxResponse:
    for key in ("to", "cc", "bcc"):
        if wrong := [address for address in _addresses(call.body.value(key)) if "@" not in address]:
            raise Refusal(422, f"{wrong[0]!r} in {key} is not an address", provider={"field": key})
    posted = {
        name: value for name, value in call.body.members.items() if name not in ("id", "email_id")
    }
    members = {**_written({"from": ME, **base}), **posted}
    members |= _written({"folder": _SENT, "is_draft": False, "sent_at": call.now})
    return result(_with_files(call, call.records().create(members, None, call.now)[1]), call)


def _with_files(call: OperationCall, row: Row) -> Row:
    """Store the base64 attachments of a message as records that can be downloaded, and
    return the message.
    """
    items = row.value.get("attachments")
    if not isinstance(items, list) or not any(_inline(item) for item in items):
        return row
    identity = str(row.value["id"])
    pointers = []
    for item in items:
        if not _inline(item):
            pointers.append(item)
            continue
        facts = {key: value for key, value in item.items() if key != _BYTES}
        members = _written({"email": {"id": identity}, **facts})
        own, _ = uploaded(
            call, call.records("attachments"), members, from_base64(_BYTES, item[_BYTES])
        )
        pointers.append({"id": own, "name": item.get("file_name")})
    return call.records().update(row, identity, {"attachments": dump(pointers)}, call.now)


def _written(values: JsonObject) -> dict[str, str]:
    return {name: dump(value) for name, value in values.items()}


def _inline(item: Json) -> bool:
    return isinstance(item, dict) and isinstance(item.get(_BYTES), str)


def _addresses(value: Json) -> list[str]:
    items = value if isinstance(value, list) else [] if value is None else [value]
    return [str(item.get("email", "")) if isinstance(item, dict) else str(item) for item in items]
