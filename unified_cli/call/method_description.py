"""Request a connection's own description of a method."""

from unified_cli.call import introspection
from unified_cli.catalogue import Operation
from unified_cli.catalogue.described import MethodDescription, SchemaError, description
from unified_cli.errors import RefusedError, ServiceError
from unified_cli.http import request as requests
from unified_cli.http.client import Client
from unified_cli.http.request import Content, Request, Scope
from unified_cli.json_text import json_codec


def request_for(scope: Scope, operation: Operation) -> Request:
    """Return the request that asks for an operation's description."""
    service = scope.service
    path = (
        f"{service.prefix}/{operation.api}/{operation.resource}/{service.schema}/{operation.name}"
    )
    return requests.for_path(scope, "GET", path, Content())._replace(
        largest=introspection.LARGEST_RESPONSE
    )


def fetch(client: Client, scope: Scope, operation: Operation) -> MethodDescription:
    """Request the connection's description of the operation.

    Raises the errors of a request, RefusedError if the method has no description, and
    ServiceError if the response cannot be read.
    """
    request = request_for(scope, operation)
    body = client.send(request).body or b""
    try:
        document = json_codec.read(body.decode("utf-8"))
        if not isinstance(document, dict):
            raise SchemaError("it is not an object")
        described = description(document, body)
    except (ValueError, RecursionError) as error:
        raise ServiceError(
            f"the answer cannot be read: {error} (GET {request.path})", retryable=False
        ) from None
    if described is None:
        raise RefusedError(f"{operation.command} has no description on this connection", status=404)
    return described
