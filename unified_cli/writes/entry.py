"""Define the lines of a journal.

The first line is the header. The other lines have the call, the start and the outcome
of each write.
"""

from collections.abc import Container
from enum import Enum
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from unified_cli.errors import StateError
from unified_cli.http.attempt import Doubt
from unified_cli.masking import NO_TEXT, MaskedText, cut, masked
from unified_cli.storage import state

# Much shorter than the longest valid line.
_LONGEST_TEXT = 64 * 1024
VERSION = 1


class EntryState(Enum):
    """The state of one write."""

    NEW = "new"
    SENT = "sent"
    """The write may have been carried out. No response has arrived yet."""
    OK = "ok"
    REFUSED = "refused"
    """The write was not carried out, and would fail again."""
    FAILED = "failed"
    """The write was not carried out, but may succeed if it is sent again."""
    UNKNOWN = "unknown"
    """The write may have been carried out. The response was lost."""
    LEFT_OUT = "left out"
    """There was nothing to send."""


STATES = tuple(EntryState)
IN_DOUBT = (EntryState.SENT, EntryState.UNKNOWN)
NOT_DONE = (EntryState.REFUSED, EntryState.FAILED)
AFTER_SENT = (EntryState.UNKNOWN, EntryState.FAILED)
"""The states of a write after it was sent."""
OUTCOMES = {
    EntryState.OK: "done",
    **dict.fromkeys(NOT_DONE, "failed"),
    **dict.fromkeys(IN_DOUBT, "in-doubt"),
    EntryState.NEW: "not-tried",
    EntryState.LEFT_OUT: "left-out",
}
"""The word for the outcome of a write in each state."""


class RunCall(msgspec.Struct, omit_defaults=True):
    """One call of a run: its connection, and its request without the key and the token.

    `body` is None if all calls share the body in the journal's header. `line` is the
    number of the line in the input. A call without a `base_url` is for an invalid line
    of the input.
    """

    profile: str | None
    base_url: str
    account: str
    operation: str
    id: str | None = None
    query: tuple[tuple[str, str], ...] = ()
    body: str | None = None
    line: int = 0

    @property
    def is_request(self) -> bool:
        """Whether there is a request to send."""
        return bool(self.base_url)


class JournalEntry(msgspec.Struct, omit_defaults=True):
    """One line: `s` is the state of write `n`.

    The line of a sent write has its idempotency key `k` and the time `t`. It also has
    the hash `h` of its record, unless an earlier line has the `call`. The line of an
    outcome has `id`, `status` and `why`. After an error, it also has the exit `code` of
    this write and, if the write is in doubt, the kind of `doubt`.
    """

    s: EntryState
    n: int
    h: str = ""
    k: str = ""
    t: float = 0
    id: str = ""
    status: int = 0
    why: MaskedText = NO_TEXT
    call: RunCall | None = None
    code: int = 0
    doubt: str = ""

    @property
    def reason(self) -> MaskedText:
        """The reason why a write is in this state.

        If the write is in doubt, the reason begins with the kind of doubt.
        """
        if self.s is EntryState.SENT:
            return masked(Doubt.UNSEEN.value)
        return masked(f"{self.doubt}: {self.why}") if self.doubt else self.why


def bounded(entry: JournalEntry) -> JournalEntry:
    """Return the entry with texts that fit in a line of the journal.

    An id that is too long or contains a secret is removed. A long reason is cut.
    """
    secret = bool(entry.id) and masked(entry.id) != entry.id
    if len(entry.id) + len(entry.why) < _LONGEST_TEXT and not secret:
        return entry
    identifier = entry.id if len(entry.id) < _LONGEST_TEXT and not secret else ""
    return msgspec.structs.replace(entry, id=identifier, why=cut(entry.why))


class RunKind(Enum):
    """The kind of a run. Runs of imports, exports and plans keep their state in other
    files.
    """

    FAN_OUT = "fan-out"
    LINES = "lines"
    AGENT = "agent"
    IMPORT = "import"
    EXPORT = "export"
    APPLY = "apply"

    @property
    def unit(self) -> str:
        """The word for one call of such a run."""
        return {RunKind.FAN_OUT: "connection", RunKind.LINES: "record"}.get(self, "call")


class JournalHeader(Protocol):
    """The common part of the headers of all journals. Older versions did not write the
    kind.
    """

    v: int

    @property
    def kind(self) -> RunKind | None:
        """The kind of run that the journal belongs to."""


HeaderT = TypeVar("HeaderT", bound=JournalHeader)


def read_header(
    line: bytes,
    path: Path,
    form: type[HeaderT],
    kinds: Container[RunKind | None],
    *,
    hint: str | None = None,
) -> HeaderT:
    """Decode the header of a journal of one of these kinds.

    Raises StateError if the header is invalid, or if another version wrote it in
    another format.
    """
    result = state.decoded(line, form)
    if result is None or result.kind not in kinds:
        raise StateError(f"{path} is damaged in line 1, or is not a journal", hint=hint)
    if result.v != VERSION:
        raise StateError(f"{path} was written by another version of this program", hint=hint)
    return result
