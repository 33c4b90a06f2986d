"""A list on the service of the tests: the test decides the content of each page, and
requests are kept.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from server import Reply, Seen, Service

JSON = {"Content-Type": "application/json"}


def served(body: Any, status: int = 200) -> Reply:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Reply(status, text, dict(JSON))


def cursor_of(seen: Seen) -> str | None:
    return dict(seen.query).get("next_cursor")


def serve(service: Service, pages: Sequence[Sequence[Any]], **more: Any) -> None:
    """Serve these records, page by page; `more` is added to every envelope."""

    def reply(seen: Seen) -> Reply:
        at = int((cursor_of(seen) or "c0")[1:])
        onward = f"c{at + 1}" if at + 1 < len(pages) else None
        return served({"result": pages[at], "next_cursor": onward, **more})

    service.reply = reply


def by_cursor(service: Service, answers: Mapping[str | None, Any | Callable[[], Reply]]) -> None:
    """Serve what belongs to each cursor: a body, or a function that gives a reply."""

    def reply(seen: Seen) -> Reply:
        answer = answers[cursor_of(seen)]
        return answer() if callable(answer) else served(answer)

    service.reply = reply


def offer(unified: Mapping[str, Mapping[str, Sequence[Any]]], **more: Any) -> Any:
    """The offers of a connection, as the service answers: the operations by API and
    resource.
    """
    entries = [
        {"model": api, "resource": resource, "methods": [*methods], "env_overridden": False}
        for api, resources in unified.items()
        for resource, methods in resources.items()
    ]
    return {"unified": entries, **more}


def tickets(count: int, start: int = 0) -> list[dict[str, Any]]:
    return [
        {"id": f"t-{number}", "name": f"Ticket {number}"} for number in range(start, start + count)
    ]


def envelope(records: bytes, onward: str = "null") -> bytes:
    return b'{"result": ' + records + b', "next_cursor": ' + onward.encode() + b"}"
