"""Sends one write, and returns its line for the journal, with the answer or the
error.
"""

from typing import NamedTuple

import msgspec

from unified_cli.catalogue import Service
from unified_cli.errors import IncompleteError, RefusedError, UnifiedError, UnknownError
from unified_cli.http import decoding
from unified_cli.http.answer import Answer
from unified_cli.http.client import Client
from unified_cli.http.request import Request
from unified_cli.json_text import json_check
from unified_cli.json_text.members import Parts, member, parts, string
from unified_cli.writes.entry import EntryState, JournalEntry


class WriteAttempt(NamedTuple):
    """The outcome of a write: the line for the journal, and the answer or the error."""

    entry: JournalEntry
    answer: Answer | None = None
    error: UnifiedError | None = None


def attempt(client: Client, request: Request, number: int, identifier: str | None) -> WriteAttempt:
    """Send the request of write `number`.

    `identifier` is the id of its record, if already known.
    """
    try:
        answer = sent(client, request)
    except UnifiedError as error:
        return failed(number, error)
    found = identifier_of(answer.body or b"", client.service) or identifier or ""
    return WriteAttempt(JournalEntry(EntryState.OK, number, id=found, status=answer.status), answer)


def sent(client: Client, request: Request) -> Answer:
    """Return the answer to a write.

    Content that is not JSON is read to its end, because the answer counts only if it is
    complete.

    Raises the errors of `Client.send`.
    """
    answer, size = client.send(request), 0
    for chunk in answer.chunks:
        size += len(chunk)
        if size > decoding.LARGEST_BODY:
            break
    return answer


def failed(number: int, error: UnifiedError) -> WriteAttempt:
    """Return the outcome of a write that ended with an error."""
    return WriteAttempt(entry_of(error, number, state_of(error)), error=error)


def entry_of(error: UnifiedError, number: int, state: EntryState) -> JournalEntry:
    """Return the line for the journal about a write that ended with an error."""
    doubt = error.doubt if isinstance(error, UnknownError) else ""
    status = error.status or 0
    return JournalEntry(
        state, number, status=status, why=error.one_line, code=int(error.code), doubt=doubt
    )


def restored(entry: JournalEntry) -> UnifiedError:
    """Return the error of a write, as far as its line in the journal records it.

    Older versions recorded no exit code, so their errors become IncompleteError.
    """
    kinds = {int(kind.code): kind for kind in UnifiedError.__subclasses__()}
    error = kinds.get(entry.code, IncompleteError)(entry.why)
    error.status = entry.status or None
    return error


def state_of(error: UnifiedError) -> EntryState:
    """Return the known facts about a write that ended with an error."""
    if isinstance(error, UnknownError):
        return EntryState.UNKNOWN
    return (
        EntryState.REFUSED
        if isinstance(error, RefusedError) and not error.retryable
        else EntryState.FAILED
    )


def identifier_of(body: bytes, service: Service) -> str | None:
    """Return the id of the record in an answer. None if no id is found. The record may
    be in an envelope.
    """
    try:
        text = body.strip()
        found = member(text, "id") or member(member(text, service.items) or b"", "id") or b""
    except (msgspec.DecodeError, RecursionError):
        return None
    if found.startswith(b'"'):
        # An id with half a surrogate pair cannot be sent in a request.
        return string(found) if json_check.without_halves(found) == found else None
    return found.decode("ascii") if found.lstrip(b"-").isdigit() else None


def may_resend(request: Request, age: float, window: float) -> bool:
    """Return whether a request in doubt can be repeated without taking effect twice.
    `age` is the number of seconds since it was first sent.

    `window` is the number of seconds for which the service honours an idempotency key,
    as far as we know.
    """
    return (not request.may_act_twice and 0 <= age < window) or request.method == "DELETE"


def record_in(body: bytes, service: Service) -> Parts:
    """Return the members of the record in an answer, which may be in an envelope.

    Empty if there is no record.
    """
    try:
        members = parts(body.strip()) or {}
        inner = members.get(service.items, b"")
        return (parts(inner) or {}) if "id" not in members and inner.startswith(b"{") else members
    except (msgspec.DecodeError, RecursionError):
        return {}
