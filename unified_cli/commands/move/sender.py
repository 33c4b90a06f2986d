"""Send the calls of plans in order.

Before a record is changed, it is read. If the record has changed since the plan was
made, that is a conflict. Calls are sent in parallel. Each call is recorded in the
journal before it is sent.
"""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import NamedTuple

import msgspec

from unified_cli.catalogue import Service
from unified_cli.commands.move.id_file import IdFile, IdMap, IdPair
from unified_cli.commands.move.order import CallStep
from unified_cli.commands.move.plan_file import NO_JSON, PlannedCall
from unified_cli.commands.move.plan_validation import CheckedPlan
from unified_cli.commands.move.references import IdReference, IdReferences
from unified_cli.config.settings import Settings
from unified_cli.errors import RefusedError, UnifiedError
from unified_cli.http import request as requests
from unified_cli.http.client import Client
from unified_cli.http.request import Content, Request, Scope
from unified_cli.json_text import difference
from unified_cli.json_text.difference import PathRules
from unified_cli.json_text.members import parts
from unified_cli.masking import masked
from unified_cli.output.progress import Progress
from unified_cli.runtime import Runtime
from unified_cli.writes import outcome
from unified_cli.writes.apply_journal import ApplyJournal
from unified_cli.writes.entry import IN_DOUBT, EntryState, JournalEntry
from unified_cli.writes.outcome import WriteAttempt
from unified_cli.writes.sender import FairWriters, Sender, SendWay, SentJob
from unified_cli.writes.stop_rules import ConnectionStops

# Stop after this many consecutive failures, because the other calls would probably
# fail, too.
_MOST_FAILURES = 10
_MOST_PRINTED = 20


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """A call, its request and its journal entry.

    `check` is the request that reads the record first, and `rules` says which fields to
    compare.
    """

    plan: int
    call: PlannedCall
    request: Request
    check: Request | None
    rules: PathRules
    sent: JournalEntry
    profile: str | None = None
    """None if there is only one connection."""


@dataclass(slots=True)
class PlanSender:
    """Sends the calls of the plans of one connection.

    The ids of created records are added to `ids` and its file. `name` is None if there
    is only one connection. With `overwrite`, records that changed since the plan was
    made are overwritten.
    """

    plans: Sequence[tuple[CheckedPlan, ApplyJournal]]
    runtime: Runtime
    settings: Settings
    scope: Scope
    writers: FairWriters
    overwrite: bool
    ids: IdMap
    ids_file: IdFile | None
    retry_in_doubt: bool = False
    name: str | None = None
    failed: int = 0

    def open_client(self) -> Client:
        """Open a client for the connection."""
        return self.writers.clients.open_bulk(self.settings, name=self.name)

    def learn(self) -> None:
        """Add the ids of records that earlier runs created.

        After a crash, the file may lack them. Raises StorageError.
        """
        for plan, journal in self.plans:
            for number in plan.sources.values():
                if journal.done(number):
                    self._note_id(plan.call(number), plan, journal.last(number).id)

    def _note_id(self, call: PlannedCall, plan: CheckedPlan, new: str) -> None:
        resource = plan.file.header.resource
        if call.source is None or not new:
            return
        known = self.ids.new_id(resource, msgspec.json.encode(call.source))
        pair = IdPair(resource, call.source, msgspec.json.decode(new, type=str | int))
        if known is None and self.ids.add(pair) and self.ids_file is not None:
            self.ids_file.append([pair])

    def job(self, at: int, number: int) -> PlannedJob | None:
        """Return the job for a call of plan `at`.

        Returns None if a referenced record was not created, or if sending the call
        again is not safe.
        """
        plan, _ = self.plans[at]
        call = plan.call(number)
        body = self._body(call, plan)
        if body is None and call.operation != "delete":
            return None
        return self._filled_job(
            at, number, msgspec.structs.replace(call, body=msgspec.Raw(body) if body else NO_JSON)
        )

    def _body(self, call: PlannedCall, plan: CheckedPlan) -> bytes | None:
        """Return the body with new ids in its references.

        Returns None if a new id is unknown or the call is a delete.
        """
        if not call.references:
            return bytes(call.body) or None
        waiting, unknown = {reference.path for reference in call.references}, False

        def exchange(reference: IdReference) -> bytes | None:
            nonlocal unknown
            new = (
                self.ids.new_id(reference.resource, reference.id)
                if reference.path in waiting
                else None
            )
            unknown = unknown or (new is None and reference.path in waiting)
            return new

        body = IdReferences(plan.file.resource).replace_ids(bytes(call.body), exchange)
        return None if unknown else body

    def _filled_job(self, at: int, number: int, call: PlannedCall) -> PlannedJob | None:
        plan, journal = self.plans[at]
        rules = PathRules(frozenset(plan.file.header.ignore), frozenset(plan.file.header.set))
        doubtful = journal.state(number) in IN_DOUBT
        before = journal.sent(number) if doubtful else None
        key = before.k if before else _key(plan.file.sha256, number, bytes(call.body))
        request = self._request(call, plan, key)._replace(in_doubt=doubtful)
        first_sent = before.t if before else self.runtime.wall()
        if doubtful and call.operation == "create" and not self.retry_in_doubt:
            age = self.runtime.wall() - first_sent
            if not outcome.may_resend(request, age, self.settings.idempotency_window):
                return None
        sent = JournalEntry(EntryState.SENT, number, k=request.key or "", t=first_sent)
        return PlannedJob(
            at, call, request, self._check_request(call, plan), rules, sent, self.name
        )

    def _request(self, call: PlannedCall, plan: CheckedPlan, key: str) -> Request:
        operation = plan.file.resource.operations[call.operation]
        identifier = None if call.id is None else str(call.id)
        content = Content(
            (), bytes(call.body) or None, key if operation.method in {"POST", "PATCH"} else None
        )
        return requests.for_operation(self.scope, operation, identifier, content)

    def _check_request(self, call: PlannedCall, plan: CheckedPlan) -> Request | None:
        get = plan.file.resource.operations.get("get")
        if call.operation == "create" or get is None:
            return None
        return requests.for_operation(self.scope, get, str(call.id), Content())

    def count(self, sent: SentJob[PlannedJob], shown: Progress) -> None:
        """Count an outcome, and print why it failed."""
        job, (entry, _, error) = sent
        shown.add(1, failed=error is not None)
        if error is None:
            if job.call.operation == "create":
                self._note_id(job.call, self.plans[job.plan][0], entry.id)
            return
        self.failed += 1
        if self.failed <= _MOST_PRINTED:
            name = self.plans[job.plan][0].file.path
            self.runtime.stderr.line(f"{name}, line {entry.n}: {error.one_line}")


class LaneItem(NamedTuple):
    """A call, by the numbers of its connection, its plan and its line."""

    lane: str | None
    plan: int
    number: int


def run(
    lanes: Sequence[tuple[PlanSender, Iterator[CallStep]]],
    writers: FairWriters,
    shown: Progress,
    *,
    overwrite: bool,
) -> ConnectionStops:
    """Send the calls of all connections, one step of each connection at a time.

    Returns the connections that stopped early. Raises StateError and StorageError of
    the journals and the plans.
    """
    stops = ConnectionStops(alone=len(lanes) == 1, most_in_a_row=_MOST_FAILURES)
    senders = {sender.name: sender for sender, _ in lanes}
    way = SendWay[LaneItem, PlannedJob](
        lambda item: item.lane,
        lambda item: senders[item.lane].job(item.plan, item.number),
        lambda lane: senders[lane].open_client(),
        partial(_attempt, overwrite=overwrite),
    )
    while not stops.ended:
        steps = {
            sender.name: step for sender, its in lanes if (step := next(its, None)) is not None
        }
        if not steps:
            break
        items = (
            LaneItem(lane, step.plan, number)
            for lane, step in steps.items()
            for number in step.numbers
        )
        journals = {lane: senders[lane].plans[step.plan][1] for lane, step in steps.items()}
        for sent in Sender(writers, journals, way, stops).outcomes(items):
            stops.count(sent.job.profile, sent.attempt.error)
            senders[sent.job.profile].count(sent, shown)
    return stops


def _key(plan: str, number: int, body: bytes) -> str:
    """Return the idempotency key of a line, which is the same for every attempt."""
    digest = hashlib.sha256(f"{plan}|{number}|".encode() + body).digest()
    return base64.b32encode(digest).decode("ascii")[:40]


def _attempt(client: Client, job: PlannedJob, *, overwrite: bool) -> WriteAttempt:
    number = job.sent.n
    try:
        if job.check is not None and (
            settled := _check_first(client, job, job.check, overwrite=overwrite)
        ):
            return settled
        response = outcome.sent(client, job.request)
    except UnifiedError as error:
        return _failed(job, error)
    own = _own_id(response.body or b"", client.service)
    return WriteAttempt(
        JournalEntry(EntryState.OK, number, id=own, status=response.status), response
    )


def _failed(job: PlannedJob, error: UnifiedError, *, in_doubt: bool = False) -> WriteAttempt:
    failed = outcome.failed(job.sent.n, error)
    return (
        failed._replace(entry=msgspec.structs.replace(failed.entry, s=EntryState.UNKNOWN))
        if in_doubt
        else failed
    )


def _check_first(
    client: Client, job: PlannedJob, check: Request, *, overwrite: bool
) -> WriteAttempt | None:
    """Read the record, and return the outcome of the call if the call must not be sent.

    A call must not be sent if its change was already made, or if the record has changed
    or cannot be read.
    """
    deletes = job.call.operation == "delete"
    try:
        now = outcome.record_in(client.send(check).body or b"", client.service)
    except UnifiedError as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return _success(job) if deletes else _conflict(job, "it is gone")
        # This attempt sent nothing, but an earlier attempt may have.
        return _failed(job, error, in_doubt=job.request.in_doubt)
    if not deletes and not difference.changes(parts(job.call.body) or {}, now, job.rules):
        return _success(job)
    changed = [] if overwrite else difference.changes(parts(job.call.seen) or {}, now, job.rules)
    return _conflict(job, "; ".join(changed)) if changed else None


def _success(job: PlannedJob) -> WriteAttempt:
    return WriteAttempt(JournalEntry(EntryState.OK, job.sent.n))


def _conflict(job: PlannedJob, what: str) -> WriteAttempt:
    why = f"{job.call.id} has changed since the plan was made: {what}"
    error = RefusedError(why, hint="--overwrite-changed overwrites it", origin="local")
    # The call is only skipped: a later run sends it with --overwrite-changed, or if the
    # record was changed back.
    code = int(error.code)
    return WriteAttempt(
        JournalEntry(EntryState.FAILED, job.sent.n, why=masked(why), code=code), error=error
    )


def _own_id(body: bytes, service: Service) -> str:
    """Return the id of a response's record as JSON text.

    Returns "" if it has none.
    """
    found = outcome.record_in(body, service).get("id", b"")
    return found.decode("utf-8") if found.startswith(b'"') or found.lstrip(b"-").isdigit() else ""
