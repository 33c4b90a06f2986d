"""The names of the document's components: distinct also in languages that know neither dots nor dashes."""

import re

from unified_cli.catalogue import Operation, Resource
from unified_cli.json_text.values import JsonObject
from unified_cli.sandbox.data.vocabulary import singular


def record_name(api: str, resource: str) -> str:
    """The name of a resource's record, such as `TicketingTicket`."""
    return f"{pascal(api)}{pascal(singular(resource))}"


def action_name(operation: Operation, resource: Resource) -> str:
    """The name that begins those of an action's body and answer, such as `UserDirectoryUserSuspend`."""
    number = "2" if _has_twin(operation, resource) else ""
    return f"{record_name(operation.api, operation.resource)}{pascal(operation.name)}{number}"


def operation_id(operation: Operation, resource: Resource) -> str:
    """The command with dashes between its words; one that another spells with a dash gets a number."""
    return operation.command.replace(" ", "-") + ("-2" if _has_twin(operation, resource) else "")


def _has_twin(operation: Operation, resource: Resource) -> bool:
    """Whether another operation differs from this one in the spelling of its underscores only."""
    dashed = operation.name.replace("_", "-")
    return dashed != operation.name and dashed in resource.operations


def pascal(text: str) -> str:
    """Words joined by dashes or underscores as one word in capitals."""
    return "".join(word[:1].upper() + word[1:] for word in re.split("[-_]", text))


def schema_reference(name: str) -> JsonObject:
    """What stands for a schema of this name."""
    return {"$ref": f"#/components/schemas/{name}"}
