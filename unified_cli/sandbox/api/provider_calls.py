"""Calls that are forwarded to the provider as they are; the sandbox's provider answers with the call itself."""

from unified_cli.json_text import lossless
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.values import JsonObject
from unified_cli.sandbox.api.operation_call import OperationCall
from unified_cli.sandbox.messages import SandboxResponse

_STEERING = "methodConfig"


def forwarded(call: OperationCall) -> SandboxResponse:
    """What the provider got, in the service's envelope: without what steers the service, and without the connection."""
    service, request = call.service, call.request
    members = {name: text for name, text in call.body.members.items() if name != _STEERING}
    sent: JsonObject = {
        "method": request.method,
        "path": request.path.removeprefix(service.connections.custom),
        "query": [list(pair) for pair in request.query if pair[0] != service.connection],
    }
    got = {name: dump(value) for name, value in sent.items()} | {"body": lossless.join(members)}
    answer = {service.items: lossless.join(got), service.cursor: "null", service.previous_cursor: "null"}
    return SandboxResponse.json(lossless.join(answer))
