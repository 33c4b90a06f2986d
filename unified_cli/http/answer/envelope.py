"""The record within an answer that is not a page."""

from unified_cli.catalogue import Operation, Service
from unified_cli.json_text import members as records


def unwrapped(body: bytes, service: Service, operation: Operation | None) -> bytes:
    """The record, or the array of records, in an answer that is not a page; known operations but actions never wrap."""
    body = body.strip()
    members = records.parts(body) if operation is None or operation.kind == "action" else None
    inner = (members or {}).get(service.items, body)
    return inner if inner[:1] in b"[{" else body
