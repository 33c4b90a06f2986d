"""Which operation a request is for, also where the id is in the body or only the schema is asked for."""

from dataclasses import dataclass

from unified_cli.catalogue import Catalogue, Operation, Resource
from unified_cli.sandbox.messages import Refusal, SandboxRequest, decoded


@dataclass(frozen=True, slots=True)
class Route:
    """An operation, the id in the path if there is one, and whether the request is for the operation's schema."""

    operation: Operation
    identity: str | None = None
    schema: bool = False


def route(catalogue: Catalogue, request: SandboxRequest) -> Route:
    """The route of a request. Raises Refusal: 405 for a path that exists for other methods, else 404."""
    found = catalogue.match(request.method, request.path)
    if found is not None:
        operation, segment = found
        return Route(operation, None if segment is None else decoded(segment))
    resource, rest = _place(catalogue, request.path)
    if resource is not None:
        if len(rest) == 2 and rest[0] == catalogue.service.schema and request.method == "GET":
            return Route(_operation_named(resource, decoded(rest[1])), schema=True)
        if not rest:
            return Route(_in_body(resource, request))
        if len(rest) == 1 and rest[0]:
            raise _not_allowed(request, {one.method for one in resource.operations.values() if one.takes_id})
    raise Refusal(404, f"no route {request.method} {request.path}")


def _place(catalogue: Catalogue, path: str) -> tuple[Resource | None, list[str]]:
    """The resource of a path, and the segments after it."""
    before, _, below = path.partition(f"{catalogue.service.prefix}/")
    api, _, below = below.partition("/")
    name, *rest = below.split("/")
    if before or api not in catalogue.apis:
        return None, []
    return catalogue.apis[api].resources.get(name), rest


def _operation_named(resource: Resource, method: str) -> Operation:
    if method not in resource.operations:
        raise Refusal(404, f"no method {method!r} of {resource.api}/{resource.name}")
    return resource.operations[method]


def _in_body(resource: Resource, request: SandboxRequest) -> Operation:
    """The update or delete at the collection's path: some providers take the id in the body."""
    for operation in resource.operations.values():
        if operation.takes_id and operation.changes and operation.method == request.method:
            return operation
    raise _not_allowed(request, {one.method for one in resource.operations.values() if one.path == request.path})


def _not_allowed(request: SandboxRequest, allowed: set[str]) -> Refusal:
    if not allowed:
        return Refusal(404, f"no route {request.method} {request.path}")
    message = f"{request.method} is not allowed on {request.path}"
    return Refusal(405, message, headers={"allow": ", ".join(sorted(allowed))})
