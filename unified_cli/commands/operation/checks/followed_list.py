"""A list that is followed: from when on the next poll asks for changes, and which of its answer is new."""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Self

from unified_cli.json_text.change_time import FIELD, Instant, changed_at, earlier, parse, timestamp
from unified_cli.json_text.members import Record, parts
from unified_cli.json_text.values import Json


class SeenState(NamedTuple):
    """A state of a record: its digest, and when it changed, None where it does not say so."""

    digest: int
    at: Instant | None


class FollowedList:
    """Remembers the states that were printed, as far back as a poll looks.

    `reached` is the newest time of change that a whole poll gave, or when the following began. Nothing from before
    `floor` is new. A state without a time of change is remembered until it was not seen for that long.
    """

    def __init__(self, reached: datetime, floor: Instant, look_back: timedelta) -> None:
        self.reached = reached
        self.untimed = 0
        """How many states without a time of change were printed."""
        self._newest = reached
        self._floor = floor
        self._look_back = look_back
        self._start = self._next_start()
        self._poll_began = reached
        self._timed: dict[int, Instant] = {}
        self._untimed: dict[int, datetime] = {}

    def begin_poll(self, now: datetime) -> tuple[str, str]:
        """The filter of the next poll, which begins now."""
        self._poll_began = now
        return f"{FIELD}[gt]", timestamp(self._start.at)

    def new(self, records: Sequence[Record], now: datetime) -> list[tuple[Record, SeenState]]:
        """The records in a state that was not printed yet. Assumption: a provider may ignore the filter."""
        found: dict[int, tuple[Record, SeenState]] = {}
        for record in records:
            change = _change(record)
            if change.at is None and change.digest in self._untimed:
                self._untimed[change.digest] = now
            elif change.at is None or (change.at > self._start and change.digest not in self._timed):
                found.setdefault(change.digest, (record, change))
        return [*found.values()]

    def remember(self, changes: Iterable[SeenState], now: datetime) -> None:
        """Note that these states were printed."""
        for digest, at in changes:
            if at is None:
                self.untimed += 1
                self._untimed[digest] = now
            else:
                self._timed[digest] = at
                # A time to come, of a wrong clock, must not hide the changes until then.
                self._newest = max(self._newest, min(at.at, now))

    def end_poll(self, now: datetime) -> None:
        """Begin the next poll later, and forget what it cannot show. A poll that broke off is begun where it was."""
        # What this poll saw stays, however long it took.
        self.reached, since = self._newest, min(self._poll_began, now - self._look_back)
        self._start = self._next_start()
        self._timed = {digest: at for digest, at in self._timed.items() if at > self._start}
        self._untimed = {digest: at for digest, at in self._untimed.items() if at >= since}

    def _next_start(self) -> Instant:
        return max(self._floor, Instant(earlier(self.reached, self._look_back.total_seconds())))

    def state(self) -> Json:
        """What is remembered, as JSON."""
        timed = {str(digest): at.text for digest, at in self._timed.items()}
        return {"reached": timestamp(self.reached), "timed": timed, "untimed": [*self._untimed]}

    @classmethod
    def of(cls, state: Json, look_back: timedelta, now: datetime) -> Self:
        """The list as it was left. Raises ValueError, TypeError or KeyError for what is no state."""
        reached = datetime.fromisoformat(state["reached"])
        made = cls(reached, Instant(datetime.fromtimestamp(0, UTC)), look_back)
        made._timed = {int(digest): parse(at) for digest, at in state["timed"].items()}
        made._untimed = {int(digest): now for digest in state["untimed"]}
        return made


def _change(record: Record) -> SeenState:
    at, text = changed_at(record), bytes(record)
    members = parts(text) or {}
    if at is not None and "id" in members:
        text = members["id"] + b"\0" + at.text.encode()
    return SeenState(int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big"), at)
