"""Send one write, and return its journal entry with the response or the error."""

from typing import NamedTuple

import msgspec

from unified_cli.catalogue import Service
from unified_cli.errors import IncompleteError, RefusedError, UnifiedError, UnknownError
from unified_cli.http import decoding
from unified_cli.http.client import Client
from unified_cli.http.request import Request
from unified_cli.http.response import Response
from unified_cli.json_text import json_check
from unified_cli.json_text.members import Parts, member, parts, string
from unified_cli.writes.entry import EntryState, JournalEntry


class WriteAttempt(NamedTuple):
    """The outcome of a write: the journal entry, and the response or the error."""

    entry: JournalEntry
    response: Response | None = None
    error: UnifiedError | None = None


def attempt(client: Client, request: Request, number: int, identifier: str | None) -> WriteAttempt:
    """Send the request of a write. `identifier` is the id of its record, if known."""
    try:
        response = sent(client, request)
    except UnifiedError as error:
        return failed(number, error)
    found = identifier_of(response.body or b"", client.service) or identifier or ""
    return WriteAttempt(
        JournalEntry(EntryState.OK, number, id=found, status=response.status), response
    )


def sent(client: Client, request: Request) -> Response:
    """Send a write and return the complete response.

    Reads the complete body, even if it is not JSON, because a partial response is an
    error. Raises the same errors as `Client.send`.
    """
    response, size = client.send(request), 0
    for chunk in response.chunks:
        size += len(chunk)
        if size > decoding.LARGEST_BODY:
            break
    return response


def failed(number: int, error: UnifiedError) -> WriteAttempt:
    """Return the outcome of a write that ended with an error."""
    return WriteAttempt(entry_of(error, number, state_of(error)), error=error)


def entry_of(error: UnifiedError, number: int, state: EntryState) -> JournalEntry:
    """Return the journal entry for a write that ended with an error."""
    doubt = error.doubt if isinstance(error, UnknownError) else ""
    status = error.status or 0
    return JournalEntry(
        state, number, status=status, why=error.one_line, code=int(error.code), doubt=doubt
    )


def restored(entry: JournalEntry) -> UnifiedError:
    """Restore the error of a write from its journal entry.

    The journal entries of older versions have no exit code, so their errors become
    IncompleteError.
    """
    kinds = {int(kind.code): kind for kind in UnifiedError.__subclasses__()}
    error = kinds.get(entry.code, IncompleteError)(entry.why)
    error.status = entry.status or None
    return error


def state_of(error: UnifiedError) -> EntryState:
    """Return the state of a write that ended with an error."""
    if isinstance(error, UnknownError):
        return EntryState.UNKNOWN
    return (
        EntryState.REFUSED
        if isinstance(error, RefusedError) and not error.retryable
        else EntryState.FAILED
    )


def identifier_of(body: bytes, service: Service) -> str | None:
    """Return the id of the record in the body of a response, or None. The record may be
    in an envelope.
    """
    try:
        text = body.strip()
        found = member(text, "id") or member(member(text, service.items) or b"", "id") or b""
    except (msgspec.DecodeError, RecursionError):
        return None
    if found.startswith(b'"'):
        # A request cannot contain an id with a lone surrogate.
        return string(found) if json_check.without_halves(found) == found else None
    return found.decode("ascii") if found.lstrip(b"-").isdigit() else None


def may_resend(request: Request, age: float, window: float) -> bool:
    """Return whether repeating a request in doubt is safe.

    `age` is the time since the request was first sent. `window` is how long the service
    remembers idempotency keys. Both are in seconds.
    """
    return (not request.may_act_twice and 0 <= age < window) or request.method == "DELETE"


def record_in(body: bytes, service: Service) -> Parts:
    """Return the members of the record in a response.

    Returns nothing if there is no record. The record may be in an envelope.
    """
    try:
        members = parts(body.strip()) or {}
        inner = members.get(service.items, b"")
        return (parts(inner) or {}) if "id" not in members and inner.startswith(b"{") else members
    except (msgspec.DecodeError, RecursionError):
        return {}
