"""The answer in the format that `truto_response_format` asks for, and in the shape that a fault gives it."""

from typing import Any

from unified_cli.catalogue import Operation
from unified_cli.json_text import lossless
from unified_cli.json_text.json_values import dump, read
from unified_cli.sandbox.messages import SandboxRequest, SandboxResponse


def debugged(
    answer: SandboxResponse, operation: Operation, request: SandboxRequest, items: str, cursor: str
) -> SandboxResponse:
    """The answer with `debug` beside it, which tells what was asked of the provider."""
    text = answer.body.decode()
    facts: dict[str, Any] = {
        "requestUrl": f"https://provider.example/v3/{operation.resource}",
        "requestOptions": {"method": request.method},
        "responseHeaders": {"content-type": "application/json"},
        "data": None,
    }
    members = {items: text}
    if operation.lists:
        members = lossless.split(text)
        count = int(members["result_count"])
        facts |= {
            "nextCursor": read(members[cursor]),
            "isLooping": False,
            "isEmptyResult": not count,
            "resultCount": count,
        }
    elif operation.kind == "action":
        members = lossless.split(text)
    return SandboxResponse.json(lossless.join({**members, "debug": dump(facts)}), answer.status)


def raw(answer: SandboxResponse, operation: Operation, items: str, cursor: str) -> SandboxResponse:
    """The answer as the provider might have given it: records of its own kind in an envelope of its own."""
    if not operation.lists and operation.kind != "action":
        return answer
    members = lossless.split(answer.body.decode())
    if operation.lists:
        more = {"data": members[items], "has_more": dump(members[cursor] != "null")}
        return SandboxResponse.json(lossless.join(more), answer.status)
    return SandboxResponse.json(members[items], answer.status)


def unwrapped(answer: SandboxResponse, items: str) -> SandboxResponse:
    """An action's answer without its envelope, as the service's pages print it."""
    return SandboxResponse.json(lossless.split(answer.body.decode()).get(items, "null"), answer.status)
