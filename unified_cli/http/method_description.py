"""Ask a connection what a method of its product takes."""

from unified_cli.catalogue import Operation
from unified_cli.catalogue.described import MethodDescription, SchemaError, description
from unified_cli.errors import RefusedError, ServiceError
from unified_cli.http import request as requests
from unified_cli.http.answer import decoding
from unified_cli.http.client import Client
from unified_cli.http.request import Content, Request, Scope
from unified_cli.json_text import json_codec


def request_for(scope: Scope, operation: Operation) -> Request:
    """The request for the description of an operation, for the connection of the scope."""
    service = scope.service
    path = f"{service.prefix}/{operation.api}/{operation.resource}/{service.schema}/{operation.name}"
    return requests.for_path(scope, "GET", path, Content())._replace(largest=decoding.LARGEST_CAPABILITIES)


def ask(client: Client, scope: Scope, operation: Operation) -> MethodDescription:
    """What the connection says that the operation takes.

    Raises the errors of a request; RefusedError where the method has no description, ServiceError for an answer that
    cannot be read.
    """
    request = request_for(scope, operation)
    body = client.send(request).body or b""
    try:
        document = json_codec.read(body.decode("utf-8"))
        if not isinstance(document, dict):
            raise SchemaError("it is no object")
        found = description(document, body)
    except (ValueError, RecursionError) as error:
        raise ServiceError(f"the answer cannot be read: {error} (GET {request.path})", retryable=False) from None
    if found is None:
        raise RefusedError(f"{operation.command} has no description on this connection", status=404)
    return found
