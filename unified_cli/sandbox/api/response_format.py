"""The answer in the format that the query asks for, and without its envelope where a fault wants that."""

from unified_cli.json_text import lossless
from unified_cli.json_text.json_codec import dump, read
from unified_cli.json_text.values import JsonObject
from unified_cli.sandbox.api.operation_call import OperationCall
from unified_cli.sandbox.messages import SandboxResponse


def debugged(answer: SandboxResponse, call: OperationCall) -> SandboxResponse:
    """The answer with `debug`, which says what was requested from the provider."""
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
        members = lossless.split(text)
        count = int(members[service.record_count])
        facts |= {
            "nextCursor": read(members[service.cursor]),
            "isLooping": False,
            "isEmptyResult": not count,
            "resultCount": count,
        }
    elif operation.kind == "action":
        members = lossless.split(text)
    return SandboxResponse.json(lossless.join({**members, "debug": dump(facts)}), answer.status)


def raw(answer: SandboxResponse, call: OperationCall) -> SandboxResponse:
    """The answer as a provider might give it: its own records in its own envelope."""
    service, operation = call.service, call.operation
    if not operation.lists and operation.kind != "action":
        return answer
    members = lossless.split(answer.body.decode())
    if operation.lists:
        more = {"data": members[service.items], "has_more": dump(members[service.cursor] != "null")}
        return SandboxResponse.json(lossless.join(more), answer.status)
    return SandboxResponse.json(members[service.items], answer.status)


def unwrapped(answer: SandboxResponse, items: str) -> SandboxResponse:
    """An action's answer without its envelope, as the service's pages print it."""
    return SandboxResponse.json(lossless.split(answer.body.decode()).get(items, "null"), answer.status)
