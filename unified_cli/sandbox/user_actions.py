"""Actions on users and groups: access, licences, roles, membership."""

from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.values import Json, JsonObject
from unified_cli.sandbox.messages import Refusal, SandboxResponse
from unified_cli.sandbox.operation_call import OperationCall, missing, result
from unified_cli.sandbox.stored_records import Row


def suspend(call: OperationCall) -> SandboxResponse:
    """Suspend a user.

    Assumption: the status is none of the documented values, as the service passes on providers' own.
    """
    return _user(call, {"status": "suspended"})


def deactivate(call: OperationCall) -> SandboxResponse:
    """Deactivate a user."""
    return _user(call, {"status": "inactive"})


def downgrade(call: OperationCall) -> SandboxResponse:
    """Move a user to a smaller licence, by default the second, and to a role if one is named."""
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
    held = _listed(row, "roles")
    known = {one.get("id") for one in held}
    return _changed(call, identity, row, {"roles": held + [one for one in wanted if one.get("id") not in known]})


def unassign(call: OperationCall) -> SandboxResponse:
    """Take roles from a user."""
    gone = {one.get("id") for one in _roles(call)}
    identity, row = _find(call, "users", "id", "user_id")
    return _changed(call, identity, row, {"roles": [one for one in _listed(row, "roles") if one.get("id") not in gone]})


def join_group(call: OperationCall) -> SandboxResponse:
    """Add a user to a group's `users`."""
    identity, row, member = _membership(call)
    others = [one for one in _listed(row, "users") if one.get("id") != member["id"]]
    return _changed(call, identity, row, {"users": [*others, member]})


def leave_group(call: OperationCall) -> SandboxResponse:
    """Take a user out of a group's `users`."""
    identity, row, member = _membership(call)
    return _changed(
        call, identity, row, {"users": [one for one in _listed(row, "users") if one.get("id") != member["id"]]}
    )


def _user(call: OperationCall, change: JsonObject) -> SandboxResponse:
    identity, row = _find(call, "users", "user_id", "id")
    return _changed(call, identity, row, change)


def _find(call: OperationCall, resource: str, *names: str) -> tuple[str, Row]:
    """The record that the first of these parameters names; `user_id` is what a missing one is called."""
    identity = call.named(*names)
    if identity is None:
        raise missing("body_fields", [name for name in names if name != "id"])
    return identity, call.need(call.records(resource).get(identity), resource, identity)


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
    """Id and name of a record that a request refers to. Raises Refusal 422, the provider's, where there is none."""
    row = call.records(resource).get(identity)
    if row is None:
        raise Refusal(422, f"{resource} has no record {identity!r}", provider={"invalid": resource, "id": identity})
    return {"id": identity, "name": row.value.get("name")}


def _listed(row: Row, name: str) -> list[JsonObject]:
    value = row.value.get(name)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
