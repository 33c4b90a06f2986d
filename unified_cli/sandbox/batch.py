"""Several requests in one: each runs as if it had been sent alone, a list to its end."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from unified_cli.catalogue import Service
from unified_cli.catalogue.model import STANDARD
from unified_cli.json_text import lossless
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.values import JsonObject
from unified_cli.sandbox.accounts import kind_of
from unified_cli.sandbox.messages import Refusal, SandboxRequest, SandboxResponse
from unified_cli.sandbox.operation_call import missing
from unified_cli.sandbox.request_content import Body, body_of

_BESIDE_BODY = ("resource", "method", "id", "query", "body", "persist", "response_format")


@dataclass(slots=True)
class Batch:
    """A batch; `answer` is how the sandbox answers each request in it."""

    service: Service
    request: SandboxRequest
    answer: Callable[[SandboxRequest], SandboxResponse]
    _found: dict[str, list[str]] = field(default_factory=dict)
    _errors: dict[str, list[str]] = field(default_factory=dict)

    @property
    def connection(self) -> str:
        """The connection that it is for. Raises Refusal for a body that names none, or an unknown one."""
        name = self.service.connection
        account = self._body().text(name)
        if not account:
            raise missing("body_fields", [name])
        if kind_of(account) is None:
            raise Refusal(404, f"no connection {account!r} that this token can see")
        return account

    def _body(self) -> Body:
        return body_of(self.request, passthrough=False)

    def run(self) -> SandboxResponse:
        """The records of each resource, and the errors of each. Raises Refusal for a batch that cannot be read."""
        words = self.service.connections
        asked = self._body().value(words.batch_requests)
        if not isinstance(asked, list) or not all(isinstance(one, dict) for one in asked):
            raise Refusal(422, f"{words.batch_requests} must be an array of objects")
        for one in asked:
            self._run(one)
        members = {self.service.items: _joined(self._found), words.batch_errors: _joined(self._errors)}
        return SandboxResponse.json(lossless.join(members))

    def _run(self, one: JsonObject) -> None:
        resource, method = one.get("resource"), one.get("method")
        if not isinstance(resource, str) or not isinstance(method, str):
            raise Refusal(422, "each request in a batch needs resource and method, as texts")
        if more := one.keys() - {*_BESIDE_BODY}:
            raise Refusal(422, f"the sandbox does not do {min(more)} in a batch")
        records: list[str] = []
        for answer in self._answers(resource, method, one):
            if answer.status >= 400:
                self._errors.setdefault(resource, []).append(answer.body.decode())
            else:
                records += self._records(answer, method)
        if one.get("persist", True):
            self._found.setdefault(resource, []).extend(records)

    def _answers(self, resource: str, method: str, one: JsonObject) -> Iterator[SandboxResponse]:
        """The answers to a request: one, or all pages of a list."""
        verb, place = STANDARD.get(method, ("POST", f"/{quote(method, safe='')}"))
        prefix = self.service.prefix if "/" in resource else self.service.proxy
        place = place.replace("{id}", quote(str(one.get("id", "")), safe=""))
        path = f"{prefix}/{quote(resource, safe='/')}{place}"
        body = dump(one.get("body") or {}).encode() if verb in ("POST", "PATCH") else b""
        query = [(self.service.connection, self.connection), *_pairs(one.get("query") or {})]
        cursor: str | None = None
        while True:
            more = [(self.service.cursor, cursor)] if cursor else []
            target = f"{path}?{urlencode([*query, *more])}"
            headers = {"authorization": self.request.header("authorization"), "content-type": "application/json"}
            answer = self.answer(SandboxRequest.of(verb, target, headers, body))
            yield answer
            members = lossless.split(answer.body.decode()) if method == "list" and answer.status < 400 else {}
            following = members.get(self.service.cursor, "null")
            if following == "null":
                return
            cursor = following.strip('"')

    def _records(self, answer: SandboxResponse, method: str) -> list[str]:
        text = answer.body.decode()
        if method in STANDARD and method != "list":
            return [text]
        result = lossless.split(text).get(self.service.items, text)
        return [inner] if (inner := result.strip()[1:-1] if method == "list" else result) else []


def _joined(lists: dict[str, list[str]]) -> str:
    return lossless.join({name: f"[{','.join(texts)}]" for name, texts in lists.items()})


def _pairs(query: JsonObject, within: str = "") -> Iterator[tuple[str, str]]:
    """The parameters of a query that is given as an object, with brackets for what is nested."""
    for name, value in query.items():
        key = f"{within}[{name}]" if within else name
        if isinstance(value, dict):
            yield from _pairs(value, key)
        elif isinstance(value, list):
            yield from ((f"{key}[]", _text(item)) for item in value)
        else:
            yield key, _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else dump(value)
