"""The pace of sends to one limit, learned from what it lets through; without clock,
threads or waiting.

States of a limit:

- *unknown*: nothing was refused yet. Any request may be sent, only those in flight are
  few at first.
- *closed*: a 429 came. Nothing is sent until a time, then one request, the probe.
  Refused, it closes the limit for longer; accepted, it opens it.
- *known*: a window was learned, from headers or from what was accepted before the 429.
  Sends keep to it. Four clean windows that were used to the full let a larger one be
  tried; a refusal ends the trial.

All times are seconds of one clock that never goes back.
"""

from typing import NamedTuple

from unified_cli.http import rate_windows
from unified_cli.http.rate_headers import RateFacts
from unified_cli.http.rate_windows import (
    FROM_BEFORE,
    FROM_HEADERS,
    FROM_PAUSE,
    NEVER,
    SendLog,
    Window,
    WindowGrowth,
    WindowTrust,
)

_FIRST_FLYING = 8.0
_MOST_REFUSED = 4
# What a window holds may be sent within this share of it, but not in one burst.
_SPREAD = 1 / 3
# A connection that is refused with less than this share of what it may send was refused
# by another limit.
_UNLIKELY = 0.5
_MOST_LIES = 2
# A reset without the length of its window may be that of a day, or of nothing: it is
# waited for so long, then tried.
_LONGEST_UNSURE = 10.0


class Budget:
    """What is left until the service's next reset; believed as long as it can be true."""

    def __init__(self) -> None:
        self.left = 0
        self.until = -NEVER
        """The time of the reset; `left` says nothing from then on."""
        self.unsure = False
        """The service may reset later than `until`: one request goes first then."""
        self._sent_at = -NEVER
        """When the request was sent whose answer is believed; answers to older ones say
        nothing new.
        """
        self._lies = 0
        """How often nothing was left right after a reset, though the request was accepted."""

    def forget(self) -> None:
        """Nothing is known any more."""
        self.until, self.unsure = -NEVER, False

    def believe(self, facts: RateFacts, sent_at: float, flying: int, now: float) -> None:
        """Take over what an answer says; it does not count those that are still in flight."""
        if (
            facts.remaining is None
            or facts.reset is None
            or sent_at < self._sent_at
            or self._lies >= _MOST_LIES
        ):
            return
        alone = facts.window is not None and facts.window.most == 1
        if facts.remaining == 0 and not alone and self.left <= 0 and -NEVER < self.until <= now:
            self._lies += 1
        elif facts.remaining:
            self._lies = 0
        reset = facts.reset if facts.window else min(facts.reset, _LONGEST_UNSURE)
        self.unsure = reset < facts.reset
        self.left, self.until, self._sent_at = facts.remaining - flying, now + reset, sent_at
        if self._lies >= _MOST_LIES:
            self.until = -NEVER


class Turn(NamedTuple):
    """A request that was let through; `round` is that of the limit at that time, which
    changes with each 429.
    """

    at: float
    round: int
    probe: bool


class Pace:
    """When the next request may be sent to one connection, or with one token."""

    def __init__(
        self,
        bound: Window | None = None,
        flying: float = _FIRST_FLYING,
        *,
        recalled: Window | None = None,
    ) -> None:
        """`bound` is the user's own limit, which never grows; `flying` how many may be
        in flight at first.

        `recalled` is what an earlier run learned.
        """
        self._bound = bound
        self._sent = SendLog()
        self._accepted = SendLog()
        """When the service counted the requests it accepted, as far as that can be known."""
        self._known = recalled
        self._before: Window | None = None
        """What was known before the last refusal."""
        self._settled = False
        """A whole window was clean, or the service said how long it is."""
        self._growth = WindowGrowth(recalled)
        self.trust = WindowTrust()
        self._window_start = 0.0
        self._full = False
        """The current window let no more through."""
        self._budget = Budget()
        self._round = 0
        self._opened = NEVER
        """The first send of this round."""
        self._count = 0
        """The requests accepted in this round."""
        self._flying = 0
        self._most_flying = flying
        self._latest = -NEVER
        self._fastest = NEVER
        """The shortest time in seconds in which an answer came."""
        self._closed = self._probing = False
        self._closed_until = -NEVER
        self._fitted, self._refused, self._refused_at = 0, 0, 0.0
        """What was accepted in the window before the last refusal; the probes refused
        in a row, and since when.
        """
        self._promised = self._rounded = self._alone = False
        """A 429 said when to come back; a length that was found so was rounded down
        once; no other header said more.
        """

    @property
    def learned(self) -> Window | None:
        """The window that the service lets through, once that is certain."""
        return self._growth.proven(self._known) if self._settled and self._known else None

    @property
    def exhausted(self) -> bool:
        """Nothing was accepted though it was waited as long as the service asked, or as
        any window lasts.
        """
        searched = (
            self._closed_until - self._refused_at > rate_windows.LONGEST + rate_windows.SLOWEST
        )
        return self._closed and self._refused >= _MOST_REFUSED and (self._promised or searched)

    def reason(self, now: float) -> str:
        """What holds requests back, in words; empty where nothing does."""
        if self._closed:
            pace = f", it let {self._known} through" if self._known else ""
            return f"the service answered 429{pace}"
        if self._known and self._accepted.free(self._known, now, self._flying) > now:
            return f"the service lets {self._known.most} through in {self._known.seconds:.3g} s"
        if self._bound and self._sent.free(self._bound, now) > now:
            return f"at most {self._bound.most} in {self._bound.seconds:.3g} s are sent"
        return ""

    def sends_after(self, time: float) -> int:
        """How many requests were sent after that time."""
        return self._sent.count(time)

    def unlikely(self, now: float) -> bool:
        """Whether far fewer requests were accepted than the known window holds, so that
        its limit cannot be reached.
        """
        known = self._known
        return (
            self._settled
            and known is not None
            and self._accepted.count(now - known.seconds) < _UNLIKELY * known.sends
        )

    def delay(self, now: float) -> float:
        """Seconds until a request may be sent; 0 is now, NEVER is not before another
        was answered.
        """
        wait = self._sent.free(self._bound, now) - now if self._bound else 0.0
        return max(0.0, wait, self._delay(now))

    def _delay(self, now: float) -> float:
        if self._closed:
            return NEVER if self._probing else self._closed_until - now
        free = self._accepted.free(self._known, now, self._flying) if self._known else NEVER
        if now < self._budget.until:
            return 0.0 if self._budget.left > 0 else min(self._budget.until, free) - now
        if self._known is None:
            return (
                0.0 if self._flying < (1 if self._budget.unsure else self._most_flying) else NEVER
            )
        self._full = self._full or free > now
        if free > now >= self.trust.until:
            self._doubt(self._known)
            return self._delay(now)
        spaced = self._latest + self._known.seconds * _SPREAD / self._known.sends
        return max(min(free, self.trust.until), spaced) - now

    def take(self, now: float) -> Turn:
        """Count a request that is sent now, after `delay` was 0."""
        if self._bound:
            self._sent.forget(now - self._bound.seconds)
            self._sent.add(now)
        if self._opened == NEVER:
            self._opened = self._window_start = now
            if self._known:
                self.trust.begin(self._known, now, FROM_BEFORE)
        self._probing = self._closed
        self._flying += 1
        self._budget.left -= 1
        self._latest = now
        return Turn(now, self._round, self._closed)

    def accepted(self, turn: Turn, now: float, facts: RateFacts | None = None) -> None:
        """The request was let through, whatever else its answer says."""
        self._flying -= 1
        self._fastest = min(self._fastest, now - turn.at)
        counted = now - self._fastest
        self._accepted.forget(now - rate_windows.LONGEST)
        self._accepted.add(
            min(counted, turn.at + self._known.seconds / 4) if self._known else counted
        )
        if turn.round != self._round:
            # It was in flight when another was refused, and belongs to the window that
            # was full then.
            self._count += self._closed
            return
        if turn.probe:
            self._open(turn)
        else:
            self._count += 1
            if not self.trust.is_tried(self._accepted):
                self._most_flying += 0.5
            if self._known and now >= self._window_start + self._known.seconds:
                self._known = self._growth.passed(self._known, now, full=self._full)
                self._settled = True
                self._window_start, self._full = now, False
        if facts:
            self._learn(facts.window, now)
            self._budget.believe(facts, turn.at, self._flying, now)

    def lost(self, turn: Turn) -> None:
        """There was no answer, or one of another limit: nothing is known."""
        self._flying -= 1
        if turn.probe and turn.round == self._round:
            self._probing = False

    def refused(
        self, turn: Turn, now: float, wait: float | None = None, facts: RateFacts | None = None
    ) -> bool:
        """A 429 was the answer, which asks to wait so many seconds. True if it closed the limit.

        It counts once for all requests that were in flight together.
        """
        self._flying -= 1
        if wait is None and facts:
            wait = facts.reset
        told = rate_windows.asked_for(wait, now)
        if turn.round != self._round:
            if self._closed and told > self._closed_until:  # The longest of a burst counts.
                self._promised, self._closed_until = True, told
            return False
        self._round += 1
        self._refused = self._refused + 1 if turn.probe else 0
        if not turn.probe:
            self._refused_at = now
            self._forget_earlier_windows(now)
        self._closed, self._probing = True, False
        self._before = self._known
        self._most_flying = max(1.0, self._most_flying / 2)
        self._budget.forget()
        if facts and facts.window:
            self._learn(facts.window, now)
        elif self.trust.doubted:
            self._known = self.trust.refused(self._accepted, now, told)
            self._settled = self._known is not None
        elif self._settled and self._known and not turn.probe:
            self.trust.confirm()
            self._fitted = self._accepted.count(now - self._known.seconds)
            self._known = self._growth.refused(self._known, self._fitted, now)
        self._promised, self._alone = wait is not None, facts is None
        self._closed_until = told if self._promised else self._reopening(now)
        return True

    def forgive(self) -> None:
        """Open again: what was refused last was another limit's doing."""
        if self._closed:
            self._closed = self._probing = False
            self._known = self._before

    def _reopening(self, now: float) -> float:
        if self._settled and self._known:
            return rate_windows.of_window(self._known, self._accepted, self._refused, now)
        return rate_windows.of_search(self._opened, self._fastest, now)

    def _open(self, turn: Turn) -> None:
        self._closed = self._probing = False
        if self._settled and self._refused > 1 and self._fitted and not self._promised:
            # The window is longer than was known: it is over only now.
            passed = turn.at - self._accepted.latest(self._fitted)
            self._known = Window(self._fitted, min(passed, rate_windows.LONGEST))
            self._growth.restart(self._known)
        self._refused = 0
        # Where nothing was accepted before the refusal, others had used the window up,
        # and its size is still unknown.
        if not self._settled and self._count:
            rounded_up, self._rounded = (
                self._promised and not self._rounded,
                self._rounded or self._promised,
            )
            passed = min(turn.at - self._opened, rate_windows.LONGEST)
            seconds = rate_windows.length(passed, rounded_up=rounded_up)
            self._known = Window(self._count, seconds)
            self._growth.restart(self._known)
            if rounded_up and self._alone:
                self.trust.begin(self._known, turn.at, FROM_PAUSE)
        self._opened, self._count = turn.at, 1
        self._window_start, self._full = turn.at, False

    def _forget_earlier_windows(self, now: float) -> None:
        """Let the round begin where the longest window that may be full now began."""
        if (begun := now - rate_windows.LONGEST) > self._opened:
            self._opened, self._count = begun, self._accepted.count(begun)

    def _learn(self, window: Window | None, now: float) -> None:
        if window:
            self._known, self._settled = (
                Window(window.sends, window.seconds * rate_windows.MARGIN),
                True,
            )
            self.trust.begin(self._known, now, FROM_HEADERS)

    def _doubt(self, known: Window) -> None:
        """Send on as if nothing was known, few at first."""
        self.trust.doubt(known, self._window_start)
        self._known, self._settled, self._most_flying = None, False, self.trust.flying
