"""The run of a server: a journal records every write of the agent before it is sent,
and then its outcome.
"""

import threading
from collections.abc import Sequence

from unified_cli.errors import AbandonedError, UnsafeError
from unified_cli.http.request import Request
from unified_cli.runtime import Runtime
from unified_cli.writes.entry import EntryState, JournalEntry, RunCall, RunKind
from unified_cli.writes.registry import RunHeader, RunRegistry
from unified_cli.writes.run import StoredRun

_MOST = 1_000_000
"""The most writes of a server."""


class WriteLog:
    """The journal of the agent's writes; thread-safe. The run begins at the first
    write.
    """

    def __init__(self, runtime: Runtime, selection: Sequence[str]) -> None:
        self._runtime = runtime
        self._selection = tuple(selection)
        self._lock = threading.Lock()
        self._run: StoredRun | None = None
        self._number = 0
        self._closed = False

    def plan(
        self, profile: str, request: Request, identifier: str | None
    ) -> tuple[str, JournalEntry]:
        """Record a write before it is sent.

        Returns the id of the run, and the journal line that marks the write as sent.

        Raises StorageError if writing fails, UnsafeError after too many writes, and
        AbandonedError after `close`.
        """
        assert request.operation is not None  # noqa: S101  the tool sends nothing else
        body = None if request.body is None else request.body.decode("utf-8")
        query = tuple(request.own_query)
        address = str(request.address)
        call = RunCall(
            profile, address, request.account, request.operation.command, identifier, query, body
        )
        with self._lock:
            self._check_open()
            if self._number >= _MOST:
                raise UnsafeError(
                    f"this server made {_MOST} writes, the most of one run", hint="start it again"
                )
            run = self._new_run()
            self._number += 1
            number, key = self._number, request.key or ""
            run.journal.add([JournalEntry(EntryState.NEW, number, k=key, call=call)])
        return run.id, JournalEntry(EntryState.SENT, number, k=key, t=self._runtime.wall())

    def add_sent(self, entry: JournalEntry) -> None:
        """Record on disk that this write is about to be sent.

        The record is synced. Raises StorageError if writing fails, and AbandonedError
        after `close`.
        """
        with self._lock:
            self._check_open()
            run = self._new_run()
            run.journal.add_sent([entry])

    def add(self, entry: JournalEntry) -> None:
        """Record the outcome of a write, unless the journal is closed.

        Raises StorageError.
        """
        with self._lock:
            if self._run:
                self._run.journal.add([entry])
                self._run.journal.sync()

    def close(self) -> None:
        """Close the journal, if there is one.

        The outcome of a write in flight is in doubt.
        """
        with self._lock:
            if self._run:
                self._run.close()
                self._run = None
            self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise AbandonedError("the server has ended")

    def _new_run(self) -> StoredRun:
        if self._run is None:
            runtime = self._runtime
            header = RunHeader(
                "", "mcp serve", runtime.wall(), selection=self._selection, calls=_MOST
            )
            header.kind = RunKind.AGENT
            registry = RunRegistry(runtime)
            self._run, not_kept = StoredRun.begin(registry, header, lambda: iter(()))
            if not_kept:
                runtime.stderr.line(f"the log of this server is not kept: {not_kept.message}")
        return self._run
