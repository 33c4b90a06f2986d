"""Actions on applications, tickets and pages, and exports in the background."""

from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox.crud import create, created, get
from unified_cli.sandbox.data.file_content import file_url
from unified_cli.sandbox.data.vocabulary import singular
from unified_cli.sandbox.messages import SandboxResponse
from unified_cli.sandbox.operation_call import OperationCall, missing, record, result
from unified_cli.sandbox.stored_records import Row
from unified_cli.sandbox.user_actions import pointer

_STEPS = {"queued": "running", "running": "completed"}
_ENDINGS = {"markdown": "md"}


def any_action(call: OperationCall) -> SandboxResponse:
    """The record with this id, with the body's fields merged in: what an action of unknown meaning does."""
    name = f"{singular(call.operation.resource)}_id"
    identity = call.named("id", name)
    if identity is None:
        raise missing("body_fields", [name])
    row = call.need(call.records().get(identity), call.operation.resource, identity)
    members = {key: value for key, value in call.body.members.items() if key not in ("id", name)}
    return result(call.records().update(row, identity, members, call.now), call)


def move_stage(call: OperationCall) -> SandboxResponse:
    """An application in another stage."""
    if lacking := [name for name in ("application_id", "stage_id") if call.named(name) is None]:
        raise missing("body_fields", lacking)
    stage = pointer(call, "job_interview_stages", call.named("stage_id") or "")
    return _application(call, {"current_stage": dump(stage)})


def reject(call: OperationCall) -> SandboxResponse:
    """An application that is rejected, for a reason if one is named."""
    change = {"rejected_at": dump(call.now)}
    if (reason := call.named("reject_reason_id", "reason_id")) is not None:
        change["reject_reason"] = dump(pointer(call, "reject_reasons", reason)["id"])
    return _application(call, change)


def import_record(call: OperationCall) -> SandboxResponse:
    """A new record with the history that is posted with it."""
    return result(created(call), call)


def append(call: OperationCall) -> SandboxResponse:
    """Content at the end of a page."""
    page = call.named("page_id")
    if lacking := [name for name, there in (("page", page), ("body", "body" in call.body.members)) if not there]:
        raise missing("body_fields", lacking)
    call.need(call.records("pages").get(page or ""), "pages", page or "")
    numbers = [row.value.get("sequence") for row in _content(call, page)]
    last = max((number for number in numbers if isinstance(number, int)), default=0)
    members = {"sequence": str(last + 1), **call.body.members}
    return result(call.records().create(members, None, call.now)[1], call)


def export(call: OperationCall) -> SandboxResponse:
    """A page's content in one piece."""
    page = call.named("page_id", "id")
    if page is None:
        raise missing("query_parameters", ["page[id]"])
    pointed = pointer(call, "pages", page)
    bodies = [row.value.get("body") for row in _content(call, page)]
    text = "\n\n".join(str(body.get("content", "")) for body in bodies if isinstance(body, dict))
    piece = {"page": pointed, "body": {"format": "markdown", "content": text}}
    return SandboxResponse.json(dump({call.service.items: piece}))


def start_export(call: OperationCall) -> SandboxResponse:
    """An export in the background: it has no link yet."""
    wanted = call.named("page_id")
    start = {"status": '"queued"', "urls": "[]"}
    if wanted is not None:
        start["page"] = dump(pointer(call, "pages", wanted))
    call.body.members = {**start, **call.body.members}
    return create(call)


def poll_export(call: OperationCall) -> SandboxResponse:
    """The state of an export; each request brings it one step on, from queued over running to completed."""
    identity = call.identity or ""
    records = call.records()
    with call.store.transaction():
        row = records.get(identity)
        step = _STEPS.get(str(row.value.get("status"))) if row is not None else None
        if row is None or step is None:
            return get(call)
        change = {"status": dump(step)}
        if step == "completed":
            ending = _ENDINGS.get(str(row.value.get("format")), "html")
            url = file_url(call.operation.api, call.operation.resource, identity, f"page.{ending}")
            change["urls"] = dump([{"type": "download", "url": url}])
        records.update(row, identity, change, call.now)
    return record(row, call)


def _application(call: OperationCall, change: dict[str, str]) -> SandboxResponse:
    identity = call.named("application_id", "id")
    if identity is None:
        raise missing("body_fields", ["application_id"])
    row = call.need(call.records().get(identity), call.operation.resource, identity)
    return result(call.records().update(row, identity, change, call.now), call)


def _content(call: OperationCall, page: str | None) -> list[Row]:
    rows = call.records().rows()
    return [row for row in rows if isinstance(row.value.get("page"), dict) and row.value["page"].get("id") == page]
