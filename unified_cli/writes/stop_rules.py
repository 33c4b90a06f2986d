"""Decide when to stop a run: after too many failures, or after a failed stage.

Only a run with several connections has stages. After an error that affects all writes
to a connection, the other writes to this connection are skipped.
"""

import math
from collections import Counter
from itertools import accumulate, pairwise
from typing import NamedTuple

from unified_cli.cli.option_parts import StopOptions
from unified_cli.errors import UnifiedError, UsageError
from unified_cli.writes.entry import EntryState
from unified_cli.writes.outcome import state_of

_STAGES = "--stages 1,5,20%"


class StopRules(NamedTuple):
    """The sizes of all stages but the last, and the maximum number of failed calls. A
    maximum of None means no limit.
    """

    stages: tuple[int, ...] = ()
    most_failures: int | None = None

    def parts(self, total: int) -> list[range]:
        """Return the positions of the calls in each stage. The last stage has all
        remaining calls.
        """
        ends = [end for end in accumulate(self.stages) if end < total]
        return [range(begin, end) for begin, end in zip([0, *ends], [*ends, total], strict=True)]

    def stops(self, failures: int) -> bool:
        """Return whether to stop after this many failures."""
        return self.most_failures is not None and failures > self.most_failures

    def ends_stage(self, failures: int) -> bool:
        """Return whether to stop if a stage ends with this many failures."""
        return failures > (self.most_failures or 0)


class ConnectionStops:
    """The connections that have stopped, and the error that stopped each connection.

    `alone` means that there is only one connection. The run ends when this connection
    stops. A connection also stops after `most_in_a_row` consecutive failures that are
    not about a single record. None means no limit.
    """

    def __init__(self, *, alone: bool, most_in_a_row: int | None = None) -> None:
        self.stopped: dict[str | None, UnifiedError] = {}
        self._alone = alone
        self._most = most_in_a_row
        self._failures = Counter[str | None]()
        self._error: UnifiedError | None = None
        self._over = False

    @property
    def ended(self) -> bool:
        """Whether all connections have stopped."""
        return self._over or (self._alone and bool(self.stopped))

    @property
    def error(self) -> UnifiedError | None:
        """The error that ended all writes, or None."""
        return self._error or (next(iter(self.stopped.values()), None) if self._alone else None)

    def end(self, error: UnifiedError | None = None) -> None:
        """Stop all connections because of this error."""
        self._over, self._error = True, self._error or error

    def note(self, profile: str | None, error: UnifiedError | None) -> None:
        """Stop the connection if the error would affect its other writes.

        Thread-safe.
        """
        if error is not None and error.stops_connection:
            self.stopped.setdefault(profile, error)

    def count(self, profile: str | None, error: UnifiedError | None) -> None:
        """Stop the connection after too many consecutive failures."""
        refused = error is not None and state_of(error) is EntryState.REFUSED
        self._failures[profile] = 0 if error is None or refused else self._failures[profile] + 1
        if error is not None and self._most is not None and self._failures[profile] >= self._most:
            self.stopped.setdefault(profile, error)


def parse(options: StopOptions, total: int) -> StopRules:
    """Parse the rules, which are numbers or percentages of the total. Raises
    UsageError.
    """
    most = options.max_failures
    if options.fail_fast and most is not None:
        raise UsageError(
            "--fail-fast stops at the first failure, so --max-failures cannot be used with it"
        )
    sizes = () if options.stages is None else _stages(options.stages, total)
    if most is None:
        return StopRules(sizes, 0 if options.fail_fast else None)
    return StopRules(sizes, _count(most.strip(), total, "--max-failures", least=0))


def _stages(text: str, total: int) -> tuple[int, ...]:
    """Parse the sizes of the first stages. A stage must be at least as large as the
    stage before it.
    """
    if not text:
        raise UsageError("--stages is empty", hint=_STAGES)
    parts = [part.strip() for part in text.split(",")]
    sizes = tuple(_count(part, total, "--stages", least=1) for part in parts)
    for before, after in pairwise(parts):
        # Do not compare a number with a percentage, because the total is not known yet.
        if before.endswith("%") == after.endswith("%") and int(after.rstrip("%")) < int(
            before.rstrip("%")
        ):
            raise UsageError(
                f"--stages: {after} comes after {before}, but a later stage cannot be smaller",
                hint=_STAGES,
            )
    return sizes


def _count(text: str, total: int, flag: str, *, least: int) -> int:
    number = text.removesuffix("%")
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise UsageError(f"{flag}: {text!r} is neither a number nor a percentage such as 20%")
    if text == number:
        result = int(number)
    elif int(number) <= 100:
        # Round the number of allowed failures down, and the sizes of stages up.
        result = (math.ceil if least else math.floor)(total * int(number) / 100)
    else:
        raise UsageError(f"{flag}: {text} is more than the total")
    if int(number) < least:
        raise UsageError(f"{flag}: {text!r} must be {least} or more")
    return result
