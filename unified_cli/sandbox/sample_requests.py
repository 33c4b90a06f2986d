"""Build a sample request for each operation.

The requests succeed with the seeded records. Help pages, documentation and tests use
them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from unified_cli.catalogue import Operation
from unified_cli.sandbox.file_content import file_url
from unified_cli.sandbox.vocabulary import TABLES
from unified_cli.values import JsonObject

_TAKES: Mapping[str, JsonObject] = TABLES["requests"]
"""The arguments of actions, with ids of seeded records. A question mark before a name
means a query parameter.
"""


@dataclass(frozen=True, slots=True)
class Example:
    """A request: the id in the path, the parameters, and the body."""

    identity: str | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    body: JsonObject | None = None


def required_parameters(operation: Operation) -> list[str]:
    """Return the required query parameters of an operation."""
    if operation.name == "download" and not _is_known(operation):
        return ["file_url"]
    return operation.required_parameters


def required_fields(operation: Operation) -> list[str]:
    """Return the required body fields of an operation.

    Assumption: an action that is not in the table needs an id.
    """
    nameless = (
        operation.kind == "action" and operation.name != "download" and not _is_known(operation)
    )
    return ["id"] if nameless else operation.required_fields


def _is_known(operation: Operation) -> bool:
    known = operation.name in operation.facts.query or operation.name in operation.facts.body
    return known or f"{operation.resource} {operation.name}" in _TAKES


def example(operation: Operation) -> Example:
    """Return a request for an operation.

    An action that is not in the table gets the id of its resource's first record.
    """
    resource = operation.resource
    identity = operation.example_id
    takes = _TAKES.get(f"{resource} {operation.name}")
    if takes is not None:
        query = {name[1:]: value for name, value in takes.items() if name.startswith("?")}
        return Example(
            None, query, {name: value for name, value in takes.items() if not name.startswith("?")}
        )
    if operation.name == "download":
        url = file_url(operation.api, resource, identity)
        return (
            Example(None, {}, {"url": url})
            if resource == "recordings"
            else Example(None, {"file_url": url}, {})
        )
    if operation.kind == "action":
        return Example(None, {}, {"id": identity})
    body = {"name": "Printer on fire"} if operation.name in ("create", "update") else None
    return Example(identity if operation.takes_id else None, {}, body)
