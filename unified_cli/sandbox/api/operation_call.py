"""One operation that is asked of one connection: everything that answers it may look at."""

from dataclasses import dataclass
from typing import Any

from unified_cli.catalogue import Catalogue, Operation, Service
from unified_cli.sandbox.api.list_page import ListTerms, shaped
from unified_cli.sandbox.api.query_tree import texts
from unified_cli.sandbox.api.request_content import Body
from unified_cli.sandbox.api.stored_records import Records, Row
from unified_cli.sandbox.messages import Refusal, SandboxRequest, SandboxResponse
from unified_cli.sandbox.store import SandboxStore


@dataclass(slots=True)
class OperationCall:
    """A request understood: `query` is its tree of parameters, `now` the time as the service writes it."""

    request: SandboxRequest
    operation: Operation
    catalogue: Catalogue
    store: SandboxStore
    account: str
    seeded: bool
    terms: ListTerms
    identity: str | None
    query: dict[str, Any]
    body: Body
    now: str

    @property
    def service(self) -> Service:
        """The service's own words."""
        return self.catalogue.service

    def records(self, resource: str | None = None) -> Records:
        """The records of a resource of this API, by default the one that is asked."""
        name = resource or self.operation.resource
        return Records(self.store, self.account, self.operation.api, name, seeded=self.seeded)

    def named(self, *names: str) -> str | None:
        """What the first of these holds, in the body or the query; `x[id]` and `{"x": {"id": …}}` count as `x_id`."""
        for name in names:
            found = self.body.text(name) or _first(self.query.get(name))
            if found is None and name.endswith("_id"):
                nested = self.body.value(name[:-3])
                inner = nested.get("id") if isinstance(nested, dict) else nested
                found = str(inner) if isinstance(inner, (str, int)) else _inner(self.query.get(name[:-3]))
            if found:
                return found
        return None

    def need(self, row: Row | None, resource: str, identity: str) -> Row:
        """The row, or the service's 404."""
        if row is None:
            raise Refusal(404, f"{self.operation.api}/{resource} has no record {identity!r}")
        return row


def _first(value: Any) -> str | None:
    return next(iter(texts(value)), None) if isinstance(value, (str, list)) else None


def _inner(value: Any) -> str | None:
    return _first(value.get("id")) if isinstance(value, dict) else _first(value)


def missing(kind: str, names: list[str]) -> Refusal:
    """The refusal for parameters (`query_parameters`) or fields (`body_fields`) that are required and not there."""
    words = kind.replace("_", " ")
    return Refusal(
        400,
        f"missing required {words}: {', '.join(names)}",
        insight={f"missing_required_{kind}": {"description": f"These {words} are required", "value": names}},
    )


def result(row: Row, call: OperationCall) -> SandboxResponse:
    """One record as the answer to an action.

    Assumption: the service's pages print the bare record and its notes a wrapper; the wrapper it is.
    """
    return SandboxResponse.json(f'{{"{call.service.items}":{shaped([row], call.query, call.service)[0]}}}')


def record(row: Row, call: OperationCall, status: int = 200) -> SandboxResponse:
    """One record as an answer, without a wrapper."""
    return SandboxResponse.json(shaped([row], call.query, call.service)[0], status)
