"""Make one call of a plan: look at the record first, and change it only if it is as it was when the plan was made."""

from dataclasses import dataclass
from http import HTTPStatus

import msgspec

from unified_cli.catalogue import Service
from unified_cli.commands.move.difference import PathRules, member_differences
from unified_cli.commands.move.plan_format import PlannedCall
from unified_cli.errors import RefusedError, UnifiedError
from unified_cli.http.client import Client
from unified_cli.http.request import Request
from unified_cli.json_text.members import Parts, parts
from unified_cli.masking import excerpt, masked
from unified_cli.writes import attempt as write_attempt
from unified_cli.writes.attempt import WriteAttempt
from unified_cli.writes.entry import EntryState, JournalEntry

_LONGEST_VALUE = 80
_ABSENT = b"null"


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """A call to be made: its request, the one that looks at the record before, and the line for the journal.

    `rules` are those that the plan was made by.
    """

    plan: int
    call: PlannedCall
    request: Request
    look: Request | None
    rules: PathRules
    sent: JournalEntry
    profile: str | None = None
    """There is one connection."""


def attempt(client: Client, job: PlannedJob, *, overwrite: bool) -> WriteAttempt:
    """Make a call. With `overwrite` what changed since the plan was made does not matter."""
    number = job.sent.n
    try:
        if job.look is not None and (settled := _looked(client, job, job.look, overwrite=overwrite)):
            return settled
        answer = write_attempt.sent(client, job.request)
    except UnifiedError as error:
        return _failed(job, error)
    own = _own_id(answer.body or b"", client.service)
    return WriteAttempt(JournalEntry(EntryState.OK, number, id=own, status=answer.status), answer)


def _failed(job: PlannedJob, error: UnifiedError, *, in_doubt: bool = False) -> WriteAttempt:
    failed = write_attempt.failed(job.sent.n, error)
    return failed._replace(entry=msgspec.structs.replace(failed.entry, s=EntryState.UNKNOWN)) if in_doubt else failed


def _looked(client: Client, job: PlannedJob, look: Request, *, overwrite: bool) -> WriteAttempt | None:
    """The outcome where there is nothing to send: it is done already, or something else changed the record."""
    deletes = job.call.operation == "delete"
    try:
        now = _record(client.send(look).body or b"", client.service)
    except UnifiedError as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return _done(job) if deletes else _conflict(job, "it is gone")
        # Nothing was sent by this attempt; an earlier one may still have done it.
        return _failed(job, error, in_doubt=job.request.in_doubt)
    if not deletes and not _differences(parts(job.call.body) or {}, now, job.rules):
        return _done(job)
    changed = [] if overwrite else _differences(parts(job.call.seen) or {}, now, job.rules)
    return _conflict(job, "; ".join(changed)) if changed else None


def _done(job: PlannedJob) -> WriteAttempt:
    return WriteAttempt(JournalEntry(EntryState.OK, job.sent.n))


def _conflict(job: PlannedJob, what: str) -> WriteAttempt:
    why = f"{job.call.id} has changed since the plan was made: {what}"
    error = RefusedError(why, hint="--overwrite-changed overwrites it", origin="local")
    # Another time it may be done: with the option, or when the record is as it was.
    code = int(error.code)
    return WriteAttempt(JournalEntry(EntryState.FAILED, job.sent.n, why=masked(why), code=code), error=error)


def _differences(wanted: Parts, now: Parts, rules: PathRules) -> list[str]:
    return [
        f"{one.path} was {_shown(one.one)} and is {_shown(one.other)}"
        for name, value in wanted.items()
        for one in member_differences(name, value, now.get(name), rules)
    ]


def _shown(value: bytes | None) -> str:
    return excerpt((value or _ABSENT).decode("utf-8"), _LONGEST_VALUE)


def _record(body: bytes, service: Service) -> Parts:
    """The members of the record in an answer, which may stand in an envelope."""
    try:
        members = parts(body.strip()) or {}
        inner = members.get(service.items, b"")
        return (parts(inner) or {}) if "id" not in members and inner.startswith(b"{") else members
    except (msgspec.DecodeError, RecursionError):
        return {}


def _own_id(body: bytes, service: Service) -> str:
    """The id of the record in an answer, as JSON text; empty where there is none to be seen."""
    found = _record(body, service).get("id", b"")
    return found.decode("utf-8") if found.startswith(b'"') or found.lstrip(b"-").isdigit() else ""
