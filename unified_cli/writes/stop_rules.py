"""Decide when many writes stop: after too many failures, or after an unfinished stage.

Stages are for runs over several connections; piped records have only the limit of
failures. In both cases, a connection gets no more writes after an error that its other
writes would meet, too.
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
    """`stages` are the sizes of the first stages, `most_failures` how many may fail.

    With None any number may fail.
    """

    stages: tuple[int, ...] = ()
    most_failures: int | None = None

    def parts(self, total: int) -> list[range]:
        """Return the positions of the calls of each stage, the last with all that are
        left.
        """
        ends = [end for end in accumulate(self.stages) if end < total]
        return [range(begin, end) for begin, end in zip([0, *ends], [*ends, total], strict=True)]

    def stops(self, failures: int) -> bool:
        """Return whether this many failures are too many to continue."""
        return self.most_failures is not None and failures > self.most_failures

    def ends_stage(self, failures: int) -> bool:
        """Return whether this many failures by the end of a stage prevent the next
        stage.
        """
        return failures > (self.most_failures or 0)


class ConnectionStops:
    """The connections that get no more writes, each with the error that stopped it.

    With `alone` all writes are for one connection, whatever its name, and end with it.
    `most_in_a_row` failures that are not the record's fault stop a connection; with
    None they never do.
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
        """Whether nothing more is to be sent at all."""
        return self._over or (self._alone and bool(self.stopped))

    @property
    def error(self) -> UnifiedError | None:
        """The error that ended all writes, or None."""
        return self._error or (next(iter(self.stopped.values()), None) if self._alone else None)

    def end(self, error: UnifiedError | None = None) -> None:
        """Let nothing more be sent, for the reason of that error."""
        self._over, self._error = True, self._error or error

    def note(self, profile: str | None, error: UnifiedError | None) -> None:
        """Stop the connection of this outcome if its other writes would fail, too.

        Any thread may call it.
        """
        if error is not None and error.stops_connection:
            self.stopped.setdefault(profile, error)

    def count(self, profile: str | None, error: UnifiedError | None) -> None:
        """Stop the connection of this outcome after too many failures in a row."""
        refused = error is not None and state_of(error) is EntryState.REFUSED
        self._failures[profile] = 0 if error is None or refused else self._failures[profile] + 1
        if error is not None and self._most is not None and self._failures[profile] >= self._most:
            self.stopped.setdefault(profile, error)


def parse(options: StopOptions, total: int) -> StopRules:
    """Return the rules as typed: numbers, or shares of the total. Raises UsageError."""
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
    """Return the sizes of the first stages, each at least as large as the one
    before.
    """
    if not text:
        raise UsageError("--stages is empty", hint=_STAGES)
    parts = [part.strip() for part in text.split(",")]
    sizes = tuple(_count(part, total, "--stages", least=1) for part in parts)
    for before, after in pairwise(parts):
        # A number and a share are not compared, because their order depends on the
        # total.
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
        raise UsageError(f"{flag}: {text!r} is neither a number nor a share such as 20%")
    if text == number:
        found = int(number)
    elif int(number) <= 100:
        # Allowed failures are rounded down, and sizes of stages up.
        found = (math.ceil if least else math.floor)(total * int(number) / 100)
    else:
        raise UsageError(f"{flag}: {text} is more than all")
    if int(number) < least:
        raise UsageError(f"{flag}: {text!r} must be {least} or more")
    return found
