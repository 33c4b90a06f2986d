"""What single faults do to a request that goes on: to its paging, its records, the shape of its answer."""

from collections.abc import Callable
from dataclasses import replace

from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox.api.list_page import ListTerms
from unified_cli.sandbox.api.operation_call import OperationCall
from unified_cli.sandbox.fault_plan import FaultHits
from unified_cli.sandbox.messages import Refusal, SandboxResponse

_WAIT = {"retry-after": "1"}


def failure(status: int) -> Refusal:
    """The service's answer of this status, for no fault of the client's."""
    if status == 429:
        return Refusal(429, "too many requests", headers=_WAIT)
    return Refusal(status, f"the sandbox was told to answer {status}")


def bent(terms: ListTerms, found: FaultHits) -> ListTerms:
    """The terms of a list as the faults have them."""
    return replace(
        terms,
        greatest=min(terms.greatest, found.get("page-size", terms.greatest)),
        lifetime=found.get("cursor-ttl", terms.lifetime),
        repeat_cursor="dup-cursor" in found,
        empty="empty-pages" in found,
    )


def drift(call: OperationCall) -> None:
    """Delete the first record or add one at the end, in turn, if the list is being paged through."""
    if not call.query.get(call.service.cursor):
        return
    records = call.records()
    with call.store.transaction():
        first = next(records.rows(), None)
        last = next(records.rows_back(1 << 62), None)
        # As many additions as deletions, so that paging record by record still comes to an end.
        if first is not None and last is not None and (first.position + last.position) % 2:
            records.delete(first, str(first.value.get("id") or first.position))
        else:
            records.create({"name": dump("Drifted in")}, None, call.now)


def deleted(call: OperationCall, run: Callable[[OperationCall], SandboxResponse], shape: str) -> SandboxResponse:
    """Run a write; a delete answers its id, the whole record, or nothing."""
    if call.operation.kind != "delete" or shape == "id":
        return run(call)
    identity = call.identity or call.named("id") or ""
    row = call.records().get(identity)
    run(call)
    return SandboxResponse.json(row.text) if shape == "record" and row is not None else SandboxResponse(204)
