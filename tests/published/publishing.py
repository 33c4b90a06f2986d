"""The service as it is published: one file for each shape of an answer, and a service
that answers exactly so.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from server import Reply, Seen, serving

SHAPES = Path(__file__).with_name("shapes")
ENVIRONMENT, OWN = "tk-e-0123456789abcdef", "tk-o-9876543210fedcba"
ACCOUNT = "0b8e6c1e-5a3c-4a0e-9d53-2f1f2d6a7c11"
_SCOPED = ("unified", "proxy", "custom")
_ME = "/integrated-account/me"


@dataclass(frozen=True)
class Shape:
    """An answer as it is published, and the request that it belongs to.

    `optional` names members that may be missing, or may have any value: `result.label`,
    `result.*`.
    """

    method: str
    path: str
    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    query: dict[str, str] = field(default_factory=dict)
    sends: Any = None

    def reply(self) -> Reply:
        return Reply(
            self.status,
            json.dumps(self.body).encode(),
            {"Content-Type": "application/json", **self.headers},
        )


@cache
def shape(name: str) -> Shape:
    """The shape in the file of that name; one that is `$like` another has its members
    and more.
    """
    document = json.loads((SHAPES / f"{name}.json").read_text())
    request, answer = document["request"], document["answer"]
    optional = set(document.get("optional", ()))
    body = _whole(answer["body"], "", optional)
    return Shape(
        request["method"],
        request["path"],
        answer["status"],
        body,
        answer.get("headers", {}),
        frozenset(optional),
        request.get("query", {}),
        request.get("body"),
    )


def _whole(value: Any, place: str, optional: set[str]) -> Any:
    if isinstance(value, list):
        return [_whole(item, place, optional) for item in value]
    if not isinstance(value, dict):
        return value
    found = {}
    if like := value.get("$like"):
        other = shape(like)
        found = dict(other.body)
        optional |= {f"{place}{name}" for name in other.optional}
    members = {name: member for name, member in value.items() if name != "$like"}
    return found | {
        name: _whole(member, f"{place}{name}.", optional) for name, member in members.items()
    }


def names() -> list[str]:
    """The names of all shapes."""
    return sorted(path.stem for path in SHAPES.glob("*.json"))


class PublishedService:
    """Answers as is published, for the token of an environment and for the own token of
    a connection.

    `answers` may be changed: a test's entry replaces the file.
    """

    def __init__(self, url: str, seen: list[Seen]) -> None:
        self.url = url
        self.seen = seen
        self.answers: dict[tuple[str, str], Shape] = {}
        for name in names():
            one = shape(name)
            if one.status < 300:
                self.answers[one.method, one.path] = one

    def environ(self, token: str = ENVIRONMENT, account: str | None = ACCOUNT) -> dict[str, str]:
        """The environment in which commands talk to it."""
        found = {
            "UNIFIED_BASE_URL": self.url,
            "UNIFIED_TOKEN": token,
            "UNIFIED_RATE": "0",
            "NO_COLOR": "1",
        }
        return found if account is None else {**found, "UNIFIED_ACCOUNT_ID": account}

    def change(self, name: str, alter: Callable[[Any], Any]) -> None:
        """Answer with this shape, its body changed."""
        one = shape(name)
        body = json.loads(json.dumps(one.body))
        self.answers[one.method, one.path] = replace(one, body=alter(body))

    def fail(self, name: str, path: str, method: str = "GET") -> None:
        """Answer this request with an error as it is published."""
        self.answers[method, path] = shape(f"error-{name}")

    def reply(self, seen: Seen) -> Reply:
        """The answer to a request."""
        token = seen.headers.get("authorization", "").removeprefix("Bearer ")
        if token not in (ENVIRONMENT, OWN):
            return shape("error-wrong-token").reply()
        scoped = seen.segments[0] in _SCOPED
        if token == OWN and not scoped and seen.path != _ME:
            return shape("error-own-token").reply()
        if scoped:
            account = dict(seen.query).get(
                "integrated_account_id", ACCOUNT if token == OWN else None
            )
            if account != ACCOUNT:
                return shape("error-no-account" if account is None else "error-not-found").reply()
        if token == ENVIRONMENT and seen.path == _ME:
            return shape("error-not-found").reply()
        return self.answers.get((seen.method, seen.path), shape("error-not-found")).reply()


@contextmanager
def publishing() -> Iterator[PublishedService]:
    """The service on a real socket, until the block ends."""
    with serving() as running:
        service = PublishedService(running.url, running.seen)
        running.reply = service.reply
        yield service


def differences(
    served: Any, published: Any, optional: frozenset[str], place: str = ""
) -> list[str]:
    """Where an answer has not the members, or the types, that are published."""
    if published is None or served is None or f"{place}*" in optional:
        return []
    if isinstance(published, list) and isinstance(served, list):
        return [line for item in served for line in _of_item(item, published, optional, place)]
    if isinstance(published, dict) and isinstance(served, dict):
        missing = [
            f"{place}{name} is missing"
            for name in published.keys() - served
            if f"{place}{name}" not in optional
        ]
        more = [f"{place}{name} is not published" for name in served.keys() - published]
        return [
            *missing,
            *more,
            *(
                line
                for name in published.keys() & served
                if f"{place}{name}" not in optional
                or (isinstance(published[name], type(served[name])) and served[name] is not None)
                for line in differences(served[name], published[name], optional, f"{place}{name}.")
            ),
        ]
    kinds = [_kind(served), _kind(published)]
    return [] if kinds[0] == kinds[1] else [f"{place.rstrip('.')} is {kinds[0]}, not {kinds[1]}"]


def _of_item(item: Any, published: list[Any], optional: frozenset[str], place: str) -> list[str]:
    """The differences from the published item that is nearest."""
    return min((differences(item, one, optional, place) for one in published), key=len, default=[])


def _kind(value: Any) -> str:
    return (
        "a number"
        if isinstance(value, (int, float)) and not isinstance(value, bool)
        else type(value).__name__
    )
