"""For every operation a request that succeeds on the seeded records: for help, for the documents, for tests."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from unified_cli.catalogue import Operation
from unified_cli.json_text.values import JsonObject
from unified_cli.sandbox.seeded.file_content import file_url
from unified_cli.sandbox.seeded.vocabulary import first_id

# What an action takes, a parameter of the query with a question mark; the ids are those of seeded records.
_TAKES: Mapping[str, JsonObject] = {
    "users suspend": {"user_id": "users-1"},
    "users deactivate": {"user_id": "users-1"},
    "users downgrade": {"?user_id": "users-1", "?license_id": "licenses-2"},
    "users assign-role": {"user_id": "users-1", "roles": [{"id": "roles-2"}]},
    "users assign_role": {"user_id": "users-1", "roles": [{"id": "roles-2"}]},
    "users unassign-role": {"user_id": "users-1", "?roles[]": "roles-2"},
    "users unassign_role": {"user_id": "users-1", "roles": [{"id": "roles-2"}]},
    "groups add-user": {"group_id": "groups-1", "user_id": "users-1"},
    "groups add": {"group_id": "groups-1", "user_id": "users-1"},
    "groups remove-user": {"group_id": "groups-1", "user_id": "users-1"},
    "groups remove": {"group_id": "groups-1", "user_id": "users-1"},
    "applications move-stage": {"application_id": "applications-1", "stage_id": "job_interview_stages-2"},
    "applications reject": {"application_id": "applications-1", "reject_reason_id": "reject_reasons-1"},
    "tickets import": {"name": "Printer on fire", "number": "OLD-17"},
    "page-content append": {"page": {"id": "pages-1"}, "body": {"format": "markdown", "content": "More to read"}},
    "page-content export": {"?page[id]": "pages-1"},
    "page-exports create": {"?collection[id]": "collections-1", "?page[id]": "pages-1", "format": "markdown"},
    "emails send": {
        "to": [{"email": "ada@example.com"}],
        "subject": "Hello",
        "content": {"type": "plain_text", "value": "Good morning"},
    },
    "emails send-draft": {"?id": "emails-7"},
    "emails reply": {"id": "emails-1", "content": {"type": "plain_text", "value": "Thank you"}},
    "emails reply-all": {"id": "emails-1", "content": {"type": "plain_text", "value": "Thank you all"}},
    "emails forward": {"id": "emails-1", "to": [{"email": "ada@example.com"}]},
    "emails move": {"id": "emails-1", "folder": {"id": "folders-4"}},
}


@dataclass(frozen=True, slots=True)
class Example:
    """What to send: the id for the path, parameters, and the body as an object."""

    identity: str | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    body: JsonObject | None = None


def required_parameters(operation: Operation) -> list[str]:
    """The parameters of the query that an operation must be given."""
    if operation.name == "download" and not _is_known(operation):
        return ["file_url"]
    return operation.required_parameters


def required_fields(operation: Operation) -> list[str]:
    """The fields of the body that an operation must be given; an action of which nothing is known needs an id."""
    nameless = operation.kind == "action" and operation.name != "download" and not _is_known(operation)
    return ["id"] if nameless else operation.required_fields


def _is_known(operation: Operation) -> bool:
    known = operation.name in operation.facts.query or operation.name in operation.facts.body
    return known or f"{operation.resource} {operation.name}" in _TAKES


def example(operation: Operation) -> Example:
    """A request for an operation; an action that is not known here names the first record of its resource."""
    resource = operation.resource
    identity = first_id(operation.api, resource)
    takes = _TAKES.get(f"{resource} {operation.name}")
    if takes is not None:
        query = {name[1:]: value for name, value in takes.items() if name.startswith("?")}
        return Example(None, query, {name: value for name, value in takes.items() if not name.startswith("?")})
    if operation.name == "download":
        url = file_url(operation.api, resource, identity)
        return Example(None, {}, {"url": url}) if resource == "recordings" else Example(None, {"file_url": url}, {})
    if operation.kind == "action":
        return Example(None, {}, {"id": identity})
    body = {"name": "Printer on fire"} if operation.name in ("create", "update") else None
    return Example(identity if operation.takes_id else None, {}, body)
