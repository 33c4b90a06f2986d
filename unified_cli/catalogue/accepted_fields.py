"""The fields that the body of an operation is known to take."""

from unified_cli.catalogue.known import KnownField
from unified_cli.catalogue.model import Operation

# Fields that the service fills in, and those outside the unified model.
_NOT_SENT = {"id", "created_at", "updated_at", "etag", "remote_data"}


def accepted_fields(operation: Operation) -> tuple[KnownField, ...]:
    """Those of the body where they are known, else those of the record that the service does not fill in."""
    facts = operation.facts
    body = facts.body.get(operation.name, ())
    if body or operation.kind == "action":
        return body
    return tuple(field for field in facts.fields if field.name not in _NOT_SENT)
