"""The call of an operation on a connection, which is the argument of a handler."""

from dataclasses import dataclass
from datetime import datetime
from types import NoneType

from unified_cli.catalogue import Catalogue, Operation, Service
from unified_cli.catalogue.known import KnownField
from unified_cli.json_text.json_codec import dump, read
from unified_cli.sandbox.list_page import ListTerms, shaped
from unified_cli.sandbox.messages import (
    Refusal,
    SandboxRequest,
    SandboxResponse,
    join_members,
    split_members,
)
from unified_cli.sandbox.query import QueryTree, QueryValue, texts
from unified_cli.sandbox.request_content import Body
from unified_cli.sandbox.store import SandboxStore
from unified_cli.sandbox.stored_records import Records, Row
from unified_cli.values import Json, JsonObject

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_REMOTE = KnownField("remote_data", "object")


@dataclass(slots=True)
class OperationCall:
    """The call of an operation. `query` is the tree of the parameters, and `now` is the
    time in the service's format.
    """

    request: SandboxRequest
    operation: Operation
    catalogue: Catalogue
    store: SandboxStore
    account: str
    seeded: bool
    terms: ListTerms
    identity: str | None
    query: QueryTree
    body: Body
    now: str
    keep_ids: bool = False

    @property
    def service(self) -> Service:
        """The names that the service uses."""
        return self.catalogue.service

    def records(self, resource: str | None = None) -> Records:
        """Return the records of a resource of this API, by default of the call's
        resource.
        """
        name = resource or self.operation.resource
        return Records(self.store, self.account, self.operation.api, name, seeded=self.seeded)

    def named(self, *names: str) -> str | None:
        """Return the first value that has one of these names.

        The names may be in the body or the query. `x[id]` and `{"x": {"id": …}}` also
        match `x_id`.
        """
        for name in names:
            found = self.body.text(name) or _first(self.query.get(name))
            if found is None and name.endswith("_id"):
                nested = self.body.value(name[:-3])
                inner = nested.get("id") if isinstance(nested, dict) else nested
                asked = self.query.get(name[:-3])
                asked = asked.get("id") if isinstance(asked, dict) else asked
                found = str(inner) if isinstance(inner, (str, int, float)) else _first(asked)
            if found:
                return found
        return None

    def find(self, identity: str, resource: str | None = None) -> Row:
        """Return the record with this id. Raises Refusal 404 if it does not exist."""
        row = self.records(resource).get(identity)
        if row is None:
            raise Refusal(
                404,
                f"{self.operation.api}/{resource or self.operation.resource} has no record"
                f" {identity!r}",
            )
        return row

    def changed(self, row: Row, identity: str, change: JsonObject) -> SandboxResponse:
        """Change fields of a record of the operation's resource, and return the
        action's response.
        """
        members = {name: dump(value) for name, value in change.items()}
        return result(self.records().update(row, identity, members, self.now), self)


def _first(value: QueryValue | None) -> str | None:
    return next(iter(texts(value)), None) if isinstance(value, (str, list)) else None


def missing(kind: str, names: list[str]) -> Refusal:
    """Return the refusal for missing parameters (`query_parameters`) or fields
    (`body_fields`).
    """
    words = kind.replace("_", " ")
    return Refusal(
        400,
        f"missing required {words}: {', '.join(names)}",
        insight={
            f"missing_required_{kind}": {
                "description": f"These {words} are required",
                "value": names,
            }
        },
    )


def result(row: Row, call: OperationCall) -> SandboxResponse:
    """Return one record as the response to an action.

    Assumption: the service's documentation mentions both a bare record and an envelope.
    This returns the envelope.
    """
    return SandboxResponse.json(
        f'{{"{call.service.items}":{shaped([row], call.query, call.service)[0]}}}'
    )


def record(row: Row, call: OperationCall, status: int = 200) -> SandboxResponse:
    """Return one record as a response, without an envelope."""
    return SandboxResponse.json(shaped([row], call.query, call.service)[0], status)


def debugged(answer: SandboxResponse, call: OperationCall) -> SandboxResponse:
    """Return the response with an additional member `debug`, which describes the
    request to the provider.
    """
    service, operation = call.service, call.operation
    text = answer.body.decode()
    facts: JsonObject = {
        "requestUrl": f"https://provider.example/v3/{operation.resource}",
        "requestOptions": {"method": call.request.method},
        "responseHeaders": {"content-type": "application/json"},
        "data": None,
    }
    members = {service.items: text}
    if operation.lists:
        members = split_members(text)
        count = int(members[service.record_count])
        facts |= {
            "nextCursor": read(members[service.cursor]),
            "isLooping": False,
            "isEmptyResult": not count,
            "resultCount": count,
        }
    elif operation.kind == "action":
        members = split_members(text)
    return SandboxResponse.json(join_members({**members, "debug": dump(facts)}), answer.status)


def raw(answer: SandboxResponse, call: OperationCall) -> SandboxResponse:
    """Return the response in the format of a provider, with the provider's envelope."""
    service, operation = call.service, call.operation
    if not operation.lists and operation.kind != "action":
        return answer
    members = split_members(answer.body.decode())
    if operation.lists:
        more = {"data": members[service.items], "has_more": dump(members[service.cursor] != "null")}
        return SandboxResponse.json(join_members(more), answer.status)
    return SandboxResponse.json(members[service.items], answer.status)


def unwrapped(answer: SandboxResponse, items: str) -> SandboxResponse:
    """Return an action's response without its envelope."""
    return SandboxResponse.json(
        split_members(answer.body.decode()).get(items, "null"), answer.status
    )


def check_types(operation: Operation, body: Body) -> None:
    """Raise the provider's Refusal 422 if a field has the wrong type.

    A reference may be a plain id, which becomes an object. The values of a form are
    always strings, so their types are not checked.
    """
    if body.file is not None or not body.members:
        return
    facts = operation.facts
    known = (_REMOTE, *facts.fields, *facts.sent(operation.name))
    fields = {field.name: field for field in known}
    for name in body.members.keys() & fields.keys():
        field, value = fields[name], body.value(name)
        if not _fits(field, value):
            wanted = "time" if field.is_time else field.type
            raise Refusal(
                422,
                f"{name} must be of the type {wanted}",
                provider={"field": name, "type": wanted},
            )
        if _refers(field) and (named := _with_objects(value)) != value:
            body.members[name] = dump(named)


def _fits(field: KnownField, value: Json) -> bool:
    if value is None:
        return True
    if field.type == "object" and _refers(field):
        return _is_reference(value)
    fits = isinstance(value, _TYPES[field.type]) and (
        field.type == "boolean" or not isinstance(value, bool)
    )
    if fits and isinstance(value, list) and field.name.endswith("_ids"):
        return all(map(_is_id, value))
    if fits and isinstance(value, list) and _refers(field):
        return all(map(_is_reference, value))
    return fits and (not field.is_time or _is_time(value))


def _refers(field: KnownField) -> bool:
    """Return whether a field refers to other records by objects, not only by ids."""
    holds = field.type in ("array", "object") and not field.name.endswith("_ids")
    return field.references is not None and holds


def _with_objects(value: Json) -> Json:
    if isinstance(value, list):
        return [_with_objects(item) for item in value]
    return {"id": value} if isinstance(value, str) else value


def _is_reference(value: Json) -> bool:
    return isinstance(value, str) or (
        isinstance(value, dict)
        and _is_id(value.get("id", ""))
        and isinstance(value.get("name"), (str, NoneType))
    )


def _is_id(value: Json) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _is_time(value: Json) -> bool:
    try:
        datetime.fromisoformat(str(value))
    except ValueError:
        return False
    return True
