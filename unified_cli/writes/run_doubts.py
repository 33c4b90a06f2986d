"""Explain the calls of a run that are in doubt.

A resume repeats some of these calls. For the other calls, the user learns how to see
whether they were done, and how to repeat them.
"""

import contextlib
import shlex

from unified_cli.catalogue import Catalogue
from unified_cli.config import file, profiles
from unified_cli.config.keys import Overrides
from unified_cli.errors import UnifiedError
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.writes import doubt, next_step, noted_calls, renewal
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.doubt import DoubtfulCall
from unified_cli.writes.entry import IN_DOUBT, RunKind
from unified_cli.writes.noted_calls import NotedCall
from unified_cli.writes.outcome import may_resend
from unified_cli.writes.registry import RunHeader
from unified_cli.writes.run import StoredRun

_MOST_AGAIN = 10
_MOST_CHECKS = 10


class RunDoubts:
    """The calls in doubt of a run of any kind.

    A run without an id in its header is not in the list of runs, so that no command can
    name the run.
    """

    def __init__(
        self,
        header: RunHeader,
        connections: RunConnections,
        wall: float,
        body: bytes | None = None,
    ) -> None:
        """`body` is the body of calls that do not have their own body."""
        self._header, self._connections = header, connections
        self._wall, self._body = wall, body
        # Keep only the calls that are printed, because thousands of calls of an import
        # may be in doubt.
        self._checks: dict[str, dict[str, None]] = {}
        """The options that select the connections, by the words of each check."""
        self._left: list[DoubtfulCall] = []
        self._number_left = 0
        self.repeated = 0
        """The number of calls in doubt that a resume sends again."""

    def add(self, noted: NotedCall) -> None:
        """Add a call in doubt."""
        doubtful = noted.as_doubtful(self._body)
        self._add_look(doubtful)
        # If the call was sent by an earlier command, its profile may have been removed,
        # or may name another connection now.
        with contextlib.suppress(UnifiedError):
            if self._is_checked_first(doubtful) or may_repeat(
                noted, self._connections, self._wall, self._body
            ):
                self.repeated += 1
            else:
                self._number_left += 1
                if len(self._left) < _MOST_AGAIN:
                    self._left.append(doubtful)

    def _add_look(self, doubtful: DoubtfulCall) -> None:
        words = doubt.check_command(self._connections.catalogue, doubtful, ())
        if words is None or (words not in self._checks and len(self._checks) > _MOST_CHECKS):
            return
        selections = self._checks.setdefault(words, {})
        # This command lists all connections, so it needs no options that select
        # connections.
        if words != renewal.SHOWS_RESULT:
            selections.setdefault(shlex.join(self._selection(doubtful)))

    def _is_checked_first(self, doubtful: DoubtfulCall) -> bool:
        """Return whether a repeat reads the record first, and sends nothing if the call
        was done.
        """
        name = doubtful.call.operation.rpartition(" ")[2]
        return self._header.kind is RunKind.APPLY and name != "create"

    def show(self, runtime: Runtime, *, closes: bool) -> None:
        """Print which calls a resume repeats, why it does not repeat the other calls,
        and how to repeat these.

        `closes` means that only calls in doubt are left. In this case, also prints how
        to close the run.
        """
        run = self._header.run
        if self.repeated and run:
            what = counted(self.repeated, "call")
            runtime.stderr.line(
                f"a resume sends {what} in doubt again, with the same keys, so nothing"
                " is done twice"
            )
        if not self._left:
            return
        first = self._left[0].call
        window = self._connections.settings(first.profile).idempotency_window
        runtime.stderr.line(doubt.rule(self._connections.operation(first.operation), window))
        again = [
            line
            for call in self._left
            if (line := doubt.repeat_command(call, self._selection(call)))
        ]
        if again:
            runtime.stderr.line("to repeat a call that was not done, with its key:")
        for line in again:
            runtime.stderr.line(f"  {line}")
        if run:
            again_all = next_step.retry_in_doubt(run)
            runtime.stderr.line(
                f"to repeat all {self._number_left} calls, with their keys: {again_all}"
            )
            if closes and not self.repeated:
                closing = next_step.remove(run)
                runtime.stderr.line(f"if all calls were done, this closes the run: {closing}")

    @property
    def check_command(self) -> str | None:
        """The command that shows whether the calls were done.

        If the calls are for several records, the text has several lines with a command
        each. It is None if no operation shows whether calls were done.
        """
        header, found = self._header, self._checks
        several = header.kind is RunKind.FAN_OUT or profiles.is_several(header.selection)
        if len(found) == 1 and several and header.run and all(found.values()):
            return f"{next(iter(found))} -p run:{header.run}:in-doubt"
        lines = [" ".join(filter(None, [words, *options])) for words, options in found.items()]
        return "\n".join(lines[:_MOST_CHECKS]) or None

    def _selection(self, doubtful: DoubtfulCall) -> list[str]:
        header = self._header
        aim = (("-a", header.account_id), ("--base-url", header.base_url))
        given = [word for flag, value in aim if value for word in (flag, value)]
        return [*doubt.profile_option(doubtful.call.profile), *given]


def read(runtime: Runtime, catalogue: Catalogue, stored: StoredRun) -> RunDoubts:
    """Return the doubts of a run in the registry. Raises the errors of its files."""
    header = stored.listed_header
    flags = Overrides(base_url=header.base_url or None, account_id=header.account_id or None)
    connections = RunConnections(runtime, catalogue, file.read(runtime), flags)
    if not header.path:
        connections.find_renamed(stored)
    result = RunDoubts(header, connections, runtime.wall(), stored.body)
    with noted_calls.opened(catalogue, stored, IN_DOUBT) as calls:
        for call in calls:
            result.add(call)
    return result


def may_repeat(
    noted: NotedCall, connections: RunConnections, wall: float, body: bytes | None
) -> bool:
    """Return whether a call in doubt may be sent again.

    `body` is the body of a call that does not have its own body. Raises the errors of
    the call's connection.
    """
    if noted.sent is None:
        return False
    settings = connections.settings(noted.call.profile)
    request = connections.request(noted.call, body, noted.key)
    return may_resend(request, wall - noted.sent.t, settings.idempotency_window)
