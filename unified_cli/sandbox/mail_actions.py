"""Actions on messages: what is sent is then in the folder Sent."""

from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.values import Json, JsonObject
from unified_cli.sandbox.crud import created, uploaded
from unified_cli.sandbox.messages import Refusal, SandboxResponse
from unified_cli.sandbox.operation_call import OperationCall, missing, record, result
from unified_cli.sandbox.record_actions import pointer
from unified_cli.sandbox.request_content import from_base64
from unified_cli.sandbox.seeded.consistency import ME
from unified_cli.sandbox.stored_records import Row

_BYTES = "content_bytes"
_SENT = {"id": "folders-2", "name": "Sent"}


def create(call: OperationCall) -> SandboxResponse:
    """A message or draft with its files."""
    return record(_with_files(call, created(call)), call, 201)


def send(call: OperationCall) -> SandboxResponse:
    """A new message."""
    if lacking := [name for name in ("to", "subject", "content") if name not in call.body.members]:
        raise missing("body_fields", lacking)
    return _sent(call, {})


def send_draft(call: OperationCall) -> SandboxResponse:
    """A draft becomes a sent message."""
    identity, row = _original(call)
    if row.value.get("is_draft") is not True:
        raise Refusal(422, f"{identity} is not a draft", provider={"error": "not_a_draft"})
    return call.changed(row, identity, {"is_draft": False, "folder": _SENT, "sent_at": call.now})


def reply(call: OperationCall) -> SandboxResponse:
    """An answer to the sender."""
    identity, row = _original(call)
    return _sent(call, _answer(identity, row.value, [row.value.get("from")]))


def reply_all(call: OperationCall) -> SandboxResponse:
    """An answer to the sender and to all recipients."""
    identity, row = _original(call)
    others = [one for key in ("to", "cc") for one in _addresses(row.value.get(key))]
    return _sent(call, _answer(identity, row.value, [row.value.get("from"), *others]))


def forward(call: OperationCall) -> SandboxResponse:
    """The message to other people, with the posted fields in place of its own."""
    if "to" not in call.body.members:
        raise missing("body_fields", ["to"])
    identity, row = _original(call)
    kept: JsonObject = {key: row.value[key] for key in ("content", "attachments", "priority") if key in row.value}
    return _sent(call, {**kept, "subject": _prefixed("Fwd: ", row.value), "headers": {"References": identity}})


def move(call: OperationCall) -> SandboxResponse:
    """The message in another folder."""
    identity, row = _original(call)
    folder = call.named("folder_id")
    if folder is None:
        raise missing("body_fields", ["folder"])
    return call.changed(row, identity, {"folder": pointer(call, "folders", folder)})


def _original(call: OperationCall) -> tuple[str, Row]:
    identity = call.named("id", "email_id")
    if identity is None:
        raise missing("body_fields", ["id"])
    return identity, call.found(identity)


def _answer(identity: str, original: JsonObject, to: list[Json]) -> JsonObject:
    people = dict.fromkeys(str(one) for one in to if one and one != ME)
    return {
        "to": [{"email": one} for one in people] or [{"email": ME}],
        "subject": _prefixed("Re: ", original),
        "headers": {"In-Reply-To": identity},
    }


def _prefixed(prefix: str, original: JsonObject) -> str:
    subject = str(original.get("subject") or "")
    return subject if subject.startswith(prefix) else prefix + subject


def _sent(call: OperationCall, base: JsonObject) -> SandboxResponse:
    for key in ("to", "cc", "bcc"):
        if wrong := [one for one in _addresses(call.body.value(key)) if "@" not in one]:
            raise Refusal(422, f"{wrong[0]!r} in {key} is not an address", provider={"field": key})
    posted = {name: value for name, value in call.body.members.items() if name not in ("id", "email_id")}
    members = {**_written({"from": ME, **base}), **posted}
    members |= _written({"folder": _SENT, "is_draft": False, "sent_at": call.now})
    return result(_with_files(call, call.records().create(members, None, call.now)[1]), call)


def _with_files(call: OperationCall, row: Row) -> Row:
    """The message, its attachments in base64 made records that can be downloaded."""
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
        own, _ = uploaded(call, call.records("attachments"), members, from_base64(_BYTES, item[_BYTES]))
        pointers.append({"id": own, "name": item.get("file_name")})
    return call.records().update(row, identity, {"attachments": dump(pointers)}, call.now)


def _written(values: JsonObject) -> dict[str, str]:
    return {name: dump(value) for name, value in values.items()}


def _inline(item: Json) -> bool:
    return isinstance(item, dict) and isinstance(item.get(_BYTES), str)


def _addresses(value: Json) -> list[str]:
    items = value if isinstance(value, list) else [] if value is None else [value]
    return [str(one.get("email", "")) if isinstance(one, dict) else str(one) for one in items]
