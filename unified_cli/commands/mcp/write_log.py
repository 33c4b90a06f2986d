"""The run of a server: every write of its agent is in a journal before it is sent, and its outcome after."""

import threading
from collections.abc import Sequence

from unified_cli.errors import AbandonedError, UnsafeError
from unified_cli.http.request import Request
from unified_cli.runtime import Runtime
from unified_cli.writes.attempt import WriteAttempt
from unified_cli.writes.entry import EntryState, JournalEntry, RunCall
from unified_cli.writes.header import RunKind
from unified_cli.writes.registry import RunHeader, RunRegistry
from unified_cli.writes.run import StoredRun

_MOST = 1_000_000
"""Writes of one server: nobody knows how many there will be."""


class WriteLog:
    """Begins a run at the first write; for all threads."""

    def __init__(self, runtime: Runtime, selection: Sequence[str]) -> None:
        self._runtime = runtime
        self._selection = tuple(selection)
        self._lock = threading.Lock()
        self._run: StoredRun | None = None
        self._number = 0
        self._closed = False

    def sending(self, profile: str, request: Request, identifier: str | None) -> tuple[str, int]:
        """Note a write that is about to be sent; gives the id of the run, and the write's number.

        Raises StorageError, and then it must not be sent; UnsafeError after too many, AbandonedError after the end.
        """
        assert request.operation is not None  # noqa: S101  the tool sends nothing else
        body = None if request.body is None else request.body.decode("utf-8")
        query = tuple(request.own_query)
        address = str(request.address)
        call = RunCall(profile, address, request.account, request.operation.command, identifier, query, body)
        with self._lock:
            if self._closed:
                raise AbandonedError("the server has ended")
            if self._number >= _MOST:
                raise UnsafeError(f"this server made {_MOST} writes, the most of one run", hint="start it again")
            run = self._begun()
            self._number += 1
            number, key = self._number, request.key or ""
            run.journal.add([JournalEntry(EntryState.NEW, number, k=key, call=call)])
            run.journal.add_sent([JournalEntry(EntryState.SENT, number, k=key, t=self._runtime.wall())])
            return run.id, number

    def ended(self, attempt: WriteAttempt) -> None:
        """Note what became of a write. Raises StorageError."""
        with self._lock:
            if self._run:
                self._run.journal.add([attempt.entry])
                self._run.journal.sync()

    def close(self) -> None:
        """Close the journal, if there is one; the outcome of what is still on its way is in doubt."""
        with self._lock:
            if self._run:
                self._run.close()
                self._run = None
            self._closed = True

    def _begun(self) -> StoredRun:
        if self._run is None:
            runtime = self._runtime
            header = RunHeader("", "mcp serve", runtime.wall(), selection=self._selection, calls=_MOST)
            header.kind = RunKind.AGENT
            registry = RunRegistry(runtime.folder("data"), runtime.wall)
            self._run, not_kept = StoredRun.begin(registry, header, lambda: iter(()))
            if not_kept:
                runtime.stderr.line(f"the log of this server is not kept: {not_kept.message}")
        return self._run
