"""`list --follow`: poll a list, and print new and changed records until a signal."""

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, NoReturn, Self

from unified_cli import signals
from unified_cli.call import Mode, builder, record_output, selected_reads
from unified_cli.call.selected_reads import ReadWork, SelectedRead, SelectedReads
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli.flags import part
from unified_cli.cli.options import OperationOptions, ReadOptions
from unified_cli.errors import UnifiedError, UsageError
from unified_cli.fleet.conclude import Ending, conclude
from unified_cli.fleet.read import FairReaders
from unified_cli.http.pagination import Page
from unified_cli.json_text.change_time import (
    FIELD,
    ChangeFilter,
    Instant,
    changed_at,
    earlier,
    parse,
    timestamp,
)
from unified_cli.json_text.members import Record, parts
from unified_cli.json_text.record_label import LABEL
from unified_cli.output import stdout
from unified_cli.output.printer import Printer
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.storage.cache import Cache
from unified_cli.values import Json

_EVERY = 30.0
_SHORTEST_LOOK_BACK = 60.0
_LARGEST_STATE = 64 * 1024 * 1024


def run(
    runtime: Runtime,
    catalogue: Catalogue,
    operation: Operation,
    options: OperationOptions,
    mode: Mode,
) -> NoReturn:
    """Poll the list of every selected connection until a signal, and print new states
    of records.

    Raises UsageError for options that cannot be used with --follow, and the error of a
    single connection.
    """
    read_options = part(options, ReadOptions)
    _check(read_options, mode)
    since = builder.change_filter(runtime, read_options.since, read_options.query)

    def select() -> SelectedReads:
        # Each poll adds its own filter, so leave out `since` here.
        return selected_reads.select(
            runtime, catalogue, operation, replace(read_options, since=None), mode
        )

    selected = select()
    selected.note_same()
    following = _Following(selected, since)
    stdout.check(runtime)
    stdout.bypass_pager(runtime)
    with FairReaders(runtime, catalogue, options.workers) as readers:
        try:
            while True:
                began = runtime.monotonic()
                following.poll(selected, readers)
                following.pause(began)
                if selected.several:
                    # Profiles may have been added or tagged since. If the selection
                    # fails, keep the previous one until the next poll.
                    with suppress(UnifiedError):
                        selected = select()
        except KeyboardInterrupt as stop:
            signals.say_how_to_continue(stop, following.so_far(), following.continuation())
            raise
        except UnifiedError as error:
            if following.printed:
                error.add_hint(
                    f"after {following.so_far()}; to continue: {following.continuation()}"
                )
            raise


def _check(options: ReadOptions, mode: Mode) -> None:
    builder.check_own_filter("--follow", options.query)
    for given, spelling in (
        (options.expect, "--expect"),
        (options.until, "--until"),
        (options.fail_if, "--fail-if"),
        (options.junit, "--junit"),
        (options.limit, "--limit"),
        (options.cursor, "--cursor"),
        (mode.shown, "--dry-run and --as"),
    ):
        if given:
            raise UsageError(
                f"--follow cannot be used with {spelling}",
                hint="--since TIME sets the time to begin at",
            )


class SeenState(NamedTuple):
    """A state of a record: its digest, and when it was changed, or None if unknown."""

    digest: int
    at: Instant | None


class FollowedList:
    """Remembers the printed states that a poll may return again.

    `reached` is the time of the newest change in a complete poll, or the time when
    following began. Changes before `floor` are never new. A state without a time is
    forgotten if no poll has returned it for `look_back`.
    """

    def __init__(self, reached: datetime, floor: Instant, look_back: timedelta) -> None:
        self.reached = reached
        self.untimed = 0
        """The number of printed states without a time."""
        self._newest = reached
        self._floor = floor
        self._look_back = look_back
        self._start = self._next_start()
        self._poll_began = reached
        self._timed: dict[int, Instant] = {}
        self._untimed: dict[int, datetime] = {}

    def begin_poll(self, now: datetime) -> tuple[str, str]:
        """Return the filter of the next poll, which begins now."""
        self._poll_began = now
        return f"{FIELD}[gt]", timestamp(self._start.at)

    def new(self, records: Sequence[Record], now: datetime) -> list[tuple[Record, SeenState]]:
        """Return the records with a state that was not printed yet.

        They are filtered here because a provider may ignore the filter of the request.
        """
        found: dict[int, tuple[Record, SeenState]] = {}
        for record in records:
            change = _change(record)
            if change.at is None and change.digest in self._untimed:
                self._untimed[change.digest] = now
            elif change.at is None or (
                change.at > self._start and change.digest not in self._timed
            ):
                found.setdefault(change.digest, (record, change))
        return [*found.values()]

    def remember(self, changes: Iterable[SeenState], now: datetime) -> None:
        """Record that these states were printed."""
        for digest, at in changes:
            if at is None:
                self.untimed += 1
                self._untimed[digest] = now
            else:
                self._timed[digest] = at
                # A time in the future, from a wrong clock, must not hide the changes
                # before it.
                self._newest = max(self._newest, min(at.at, now))

    def end_poll(self, now: datetime) -> None:
        """Advance the time from which the next poll reads.

        Also forgets states that the next poll cannot return. Do not call it after a
        failed poll, so that the next poll begins at the same time.
        """
        # Keep the records that this poll saw, however long it took.
        self.reached, since = self._newest, min(self._poll_began, now - self._look_back)
        self._start = self._next_start()
        self._timed = {digest: at for digest, at in self._timed.items() if at > self._start}
        self._untimed = {digest: at for digest, at in self._untimed.items() if at >= since}

    def _next_start(self) -> Instant:
        return max(self._floor, Instant(earlier(self.reached, self._look_back.total_seconds())))

    def state(self) -> Json:
        """Return the remembered states, as JSON."""
        timed = {str(digest): at.text for digest, at in self._timed.items()}
        return {"reached": timestamp(self.reached), "timed": timed, "untimed": [*self._untimed]}

    @classmethod
    def from_state(cls, state: Json, look_back: timedelta, now: datetime) -> Self:
        """Restore a list from its saved state.

        Raises ValueError, TypeError or KeyError if the state is invalid.
        """
        reached = datetime.fromisoformat(state["reached"])
        made = cls(reached, Instant(datetime.fromtimestamp(0, UTC)), look_back)
        made._timed = {int(digest): parse(at) for digest, at in state["timed"].items()}
        made._untimed = {int(digest): now for digest in state["untimed"]}
        return made


class _Following:
    """The followed lists by connection name, and the printer of new states."""

    def __init__(self, selected: SelectedReads, since: ChangeFilter | None) -> None:
        common = selected.common
        self._since = since
        self._runtime = common.runtime
        self._every = part(common.options, ReadOptions).every or _EVERY
        self._look_back = timedelta(seconds=max(_SHORTEST_LOOK_BACK, 2 * self._every))
        self._cache = Cache(
            self._runtime.folder("cache"), "follow", self._runtime.wall, largest=_LARGEST_STATE
        )
        self._began = self._now()
        self._lists: dict[str, tuple[SelectedRead, FollowedList]] = {}
        self._failures: dict[str, str] = {}
        self.printed = 0
        self._printer = self._made_printer(selected)
        self._left_out: Sequence[str] = ()

    def _made_printer(self, selected: SelectedReads) -> Printer:
        common, first = selected.common, (LABEL,) if selected.several else ()
        style = record_output.style_for(common, selected.operation, first=first)
        # Not strict: a followed list does not end, so missing columns are never
        # reported.
        return Printer(self._runtime, style, record_output.program(common.options), strict=False)

    def poll(self, selected: SelectedReads, readers: FairReaders) -> None:
        """Read every list once and print new states.

        Raises the error if no list can be followed.
        """
        failures: dict[str, UnifiedError] = {}
        for read in selected.reads:
            known = self._lists.get(read.name)
            # A profile may name a different connection now.
            if known is None or known[0].request != read.request:
                self._lists[read.name] = (read, self._begin(read))
        asking = [
            selected_read._replace(
                request=selected_read.request.with_query(
                    self._lists[selected_read.name][1].begin_poll(self._now())
                )
            )
            for selected_read in selected.reads
        ]
        with closing(readers.read(asking, ReadWork(selected, readers.clients).run)) as results:
            for read, found in results:
                if isinstance(found, Page):
                    self._print(read, found, several=selected.several)
                elif found is None:
                    self._lists[read.name][1].end_poll(self._now())
                    self._failures.pop(read.name, None)
                else:
                    failures[read.name] = found
                    self._report_new_error(read, found, several=selected.several)
        # Sort the failures in the order of the selection, because they occur in any
        # order.
        failed = {
            selected_read.name: failures[selected_read.name]
            for selected_read in selected.reads
            if selected_read.name in failures
        }
        if len(failed) == len(selected.reads) and not any(
            error.retryable for error in failed.values()
        ):
            conclude(Ending("connection", len(failed), failed))

    def pause(self, began: float) -> None:
        runtime = self._runtime
        seconds = max(0.0, began + self._every - runtime.monotonic())
        if runtime.stderr.verbosity:
            runtime.stderr.line(f"next poll in {seconds:.1f} s")
        runtime.sleep(seconds)

    def so_far(self) -> str:
        untimed = sum(followed.untimed for _, followed in self._lists.values())
        without = f", {untimed} of them without {FIELD}" if untimed else ""
        return f"{counted(self.printed, 'record')}{without}"

    def continuation(self) -> str:
        """Return the options with which another command continues.

        Saves the printed states, so that they are not printed again. If this fails, the
        options begin earlier, so that no change is missed.
        """
        reached = min(
            (followed.reached for _, followed in self._lists.values()), default=self._began
        )
        try:
            for read, followed in self._lists.values():
                self._cache.write(followed.state(), *_key(read, timestamp(reached)))
            self._cache.sweep()
            is_saved = self._runtime.folder("cache") is not None
        except OSError:
            is_saved = False
        return f"--follow --since {timestamp(reached if is_saved else reached - self._look_back)}"

    def _begin(self, read: SelectedRead) -> FollowedList:
        since, now = self._since, self._now()
        if since is None:
            return FollowedList(now, Instant(now - self._look_back), self._look_back)
        if fact := self._cache.read(*_key(read, since.text)):
            with suppress(ValueError, TypeError, KeyError, AttributeError):
                return FollowedList.from_state(fact.value, self._look_back, now)
        return FollowedList(since.after.at, since.after, self._look_back)

    def _print(self, read: SelectedRead, page: Page, *, several: bool) -> None:
        followed, now = self._lists[read.name][1], self._now()
        found = followed.new(page.records, now)
        if not found:
            return
        name = read.name if several else None
        first = followed.untimed == 0
        self._printer.page(
            [record for record, _ in found], one_line=page.one_line, large=page.large, profile=name
        )
        if (left_out := self._printer.left_out()) != self._left_out:
            self._left_out = left_out
            self._runtime.stderr.line("; ".join(left_out))
        followed.remember((change for _, change in found), now)
        self.printed += len(found)
        if first and followed.untimed:
            named = f"{read.name}: " if several else ""
            self._runtime.stderr.note(
                f"{named}records without {FIELD} are distinguished by their content"
            )

    def _report_new_error(self, read: SelectedRead, error: UnifiedError, *, several: bool) -> None:
        if self._failures.get(read.name) != error.reason:
            self._failures[read.name] = error.reason
            named = f"{read.name}: " if several else ""
            self._runtime.stderr.line(f"{named}{error.one_line}; next try in {self._every:g} s")

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._runtime.wall(), UTC)


def _key(read: SelectedRead, since: str) -> tuple[str, ...]:
    return read.request.address.origin, read.request.account, read.request.target, since


def _change(record: Record) -> SeenState:
    at, text = changed_at(record), bytes(record)
    members = parts(text) or {}
    if at is not None and "id" in members:
        text = members["id"] + b"\0" + at.text.encode()
    return SeenState(int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big"), at)
