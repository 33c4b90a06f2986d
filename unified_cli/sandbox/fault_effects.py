"""What faults do to a request: to its paging, its records, its answer."""

from collections.abc import Callable
from dataclasses import replace

from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox.api.list_page import ListTerms
from unified_cli.sandbox.api.operation_call import OperationCall
from unified_cli.sandbox.fault_plan import FaultHits
from unified_cli.sandbox.messages import Refusal, SandboxResponse

_WAIT = {"retry-after": "1"}


def failure(status: int) -> Refusal:
    """The service's answer of this status."""
    if status == 429:
        return Refusal(429, "too many requests", headers=_WAIT)
    return Refusal(status, f"the sandbox was told to answer {status}")


def changed_terms(terms: ListTerms, hits: FaultHits) -> ListTerms:
    """The terms of a list, changed by faults."""
    size, lifetime = hits.get("page-size"), hits.get("cursor-ttl")
    return replace(
        terms,
        greatest=min(terms.greatest, size.number) if size else terms.greatest,
        lifetime=lifetime.seconds if lifetime else terms.lifetime,
        repeat_cursor="dup-cursor" in hits,
        empty="empty-pages" in hits,
    )


def drift(call: OperationCall) -> None:
    """Between two pages of a list delete its first record or add one at its end, in turn."""
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


def run_delete(call: OperationCall, run: Callable[[OperationCall], SandboxResponse], shape: str) -> SandboxResponse:
    """Run a delete that answers the id, the whole `record`, or nothing."""
    if shape == "id":
        return run(call)
    identity = call.identity or call.named("id") or ""
    row = call.records().get(identity)
    run(call)
    return SandboxResponse.json(row.text) if shape == "record" and row is not None else SandboxResponse(204)
