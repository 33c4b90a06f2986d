"""Decide when the next request may be sent under a rate limit.

- At first nothing is known. Requests are sent at once, and only the number in flight is
  limited. Each response raises that number.
- A refusal (a 429, or a 403 that is a limit) begins a pause: the time that the service
  asked for, or a guess. Then one request, the probe, is sent alone. If it is accepted,
  the pause ends. No probe is sent if the service gave a time and accepted a part of the
  burst.
- A refusal without Retry-After, or soon after another, sets the rate to the rate of
  accepted requests, pauses included. The rate then rises along a cubic curve, as in
  botocore's adaptive mode: fast to the old rate, slowly near it, and ever faster above.
- Headers that name a window, or how many requests remain in it, also delay requests, as
  long as they are plausible.

The module uses neither a clock nor threads: callers pass all times, in seconds of one
monotonic clock.
"""

from collections import deque
from typing import NamedTuple

NEVER = float("inf")
WINDOW = 10.25
"""How long a request counts towards the rate, in seconds: 10 s, and some latency."""
# The service documents 50 requests in 10 s for a connection.
_DOCUMENTED, _FEW = 50 / WINDOW, 0.6
_IN_FLIGHT = 8.0
_STEP, _STEP_LATER = 0.5, 0.1
"""How much each response adds to the number of requests in flight, before and after two
pauses.
"""
_FALL = 0.15
"""How much of the rate a refusal takes away. The old rate is back after `_ANSWERS`
responses, or after `_SECONDS` seconds, whichever is sooner.
"""
_ANSWERS, _SECONDS = 40, 10.0
_ENOUGH = 20
"""After this many responses, or one window, Retry-After is only a pause."""
_LEAST_KEPT_SOON, _LEAST_KEPT = 0.7, 0.1
"""The least share of the rate that remains after an early and a later refusal."""
_RECOVERY = 4.0
"""How much faster the rate returns if the pause alone was enough."""
_LEAST_RECALLED = 0.5
"""The least rate to recall from an earlier run, in requests per second, so that a run
soon notices a higher limit.
"""
_LEAST_RATE = 1 / 30
"""The least rate, in requests per second. Otherwise one of many connections could delay
a run for minutes.
"""
_LONGEST = 60.0
"""The longest window, and the longest pause that a service may request, in seconds."""
_REMEMBERED = 75.0
"""How long to remember requests, in seconds: the longest window and its pause."""
_FIRST_PAUSE, _LONGER, _LONGEST_GUESS = 0.5, 1.5, 10.0
"""The first guessed pause in seconds, the factor for the next, and the longest guess,
unless the rate requires a longer pause.
"""
_LATE = 0.05
"""How late clocks and responses may be, in seconds."""
_MOST_PROBES, _GIVE_UP, _MOST_LIES = 4, 75.0, 2
_LONGEST_RESET = 10.0
"""The latest plausible reset if the headers have no window, in seconds. A later reset
may belong to a daily limit.
"""


class Window(NamedTuple):
    """A number of requests in a number of seconds."""

    sends: float
    seconds: float

    @property
    def rate(self) -> float:
        """The requests per second."""
        return self.sends / self.seconds

    @property
    def most(self) -> int:
        """The requests as an integer, at least 1."""
        return max(1, int(self.sends))

    def __str__(self) -> str:
        return f"{self.most} requests in {self.seconds:.3g} s"


class RateFacts(NamedTuple):
    """A limit in the headers of a response. Missing or invalid values are None."""

    window: Window | None
    remaining: int | None
    reset: float | None
    """Seconds until the limit is reset."""

    @property
    def used_up(self) -> bool:
        """Whether nothing remains until a known reset."""
        return self.remaining == 0 and self.reset is not None


class Turn(NamedTuple):
    """A permitted request; `round` counts the earlier pauses."""

    at: float
    round: int
    probe: bool


class _Curve:
    """A rate on a curve: `peak` at `progress` 1, a bit less at 0, far more beyond 2."""

    def __init__(self, recalled: Window | None) -> None:
        self.peak, self._progress, self.growth, self.highest = NEVER, 1.0, 1.0, 0.0
        if recalled:
            self.rise(max(recalled.rate, _LEAST_RECALLED) / (1 + _FALL))

    @property
    def known(self) -> bool:
        return self.peak < NEVER

    @property
    def value(self) -> float:
        return self.peak * (1 + _FALL * (self._progress - 1) ** 3)

    def grow(self, seconds: float) -> None:
        self._progress += self.growth * max(1 / _ANSWERS, min(1.0, seconds / _SECONDS))

    def rise(self, rate: float) -> None:
        """Continue above this rate, which may be too low."""
        self.peak, self._progress = rate, 2.0

    def hold(self) -> None:
        """Continue a little below the rate, which did not cause a refusal."""
        self.peak, self._progress = self.value / (1 + _FALL), 1.0

    def fall(self, rate: float) -> None:
        """Continue below this rate, and return to it."""
        self.highest = max(self.highest, self.peak)
        self.peak, self._progress = max(rate, _LEAST_RATE), 0.0


class _Headers:
    """The rate limit in the headers, as long as it is plausible."""

    def __init__(self) -> None:
        self.latest: Window | None = None
        self._until = self.reset = self._sent_at = -NEVER
        self.left = self._lies = 0

    def window(self, now: float) -> Window | None:
        return self.latest if now < self._until else None

    def keep_to(self, window: Window, now: float) -> None:
        self.latest = Window(window.sends, window.seconds * 1.02 + _LATE)
        self._until = now + 2 * max(1.2, window.seconds)

    def forget_reset(self) -> None:
        self.left, self.reset = 0, -NEVER

    def believe(self, facts: RateFacts, sent_at: float, in_flight: int, now: float) -> None:
        """Use the values in a response's headers.

        Ignores them if they are older than those of another response, or were wrong
        twice.
        """
        if facts.window:
            self.keep_to(facts.window, now)
        older = sent_at < self._sent_at or self._lies >= _MOST_LIES
        if facts.remaining is None or facts.reset is None or older:
            return
        alone = facts.window is not None and facts.window.most == 1
        over = self.left <= 0 and -NEVER < self.reset <= now
        untrue = facts.remaining == 0 and not alone and over
        self._lies = self._lies + 1 if untrue else 0 if facts.remaining else self._lies
        self.left, self._sent_at = facts.remaining - in_flight, sent_at
        self.reset = now + (facts.reset if facts.window else min(facts.reset, _LONGEST_RESET))
        if self._lies >= _MOST_LIES:
            self.forget_reset()
            self._until = -NEVER


class Pace:
    """Decides when the next request may be sent to a connection, or with a token."""

    def __init__(
        self,
        bound: Window | None = None,
        flying: float = _IN_FLIGHT,
        *,
        recalled: Window | None = None,
    ) -> None:
        """`bound` is the user's limit, `flying` how many requests may be in flight at
        first, and `recalled` what an earlier run had `learned`.
        """
        self._bound, self._most_in_flight, self._step = bound, flying, _STEP
        self._curve, self._headers = _Curve(recalled), _Headers()
        self._sent: deque[float] = deque()
        self._in_flight = 0
        self._next = self._answered_at = -NEVER
        self._opened, self._answered = NEVER, 0
        self._least_in_flight = 1.0
        self._round = self._refused = self._passed = self._probes = 0
        self._closed = self._probing = self._asked = self._named = self._paused = False
        self._closed_at = self._closed_until = -NEVER

    @property
    def learned(self) -> Window | None:
        """The service's rate for the next run, or None if unknown."""
        if self._headers.latest:
            return self._headers.latest
        if self._round and self._curve.known:
            return Window(self._curve.value * _LONGEST, _LONGEST)
        return None

    @property
    def disproved(self) -> bool:
        """Whether the rate of an earlier run was too low."""
        return not self._round and self._curve.known and self._curve.value > 2 * self._curve.peak

    @property
    def collapsed(self) -> bool:
        """Whether the rate fell below half of what it once was."""
        return self._curve.known and self._curve.value < self._curve.highest / 2

    @property
    def exhausted(self) -> bool:
        """Whether all probes have failed for longer than the longest window."""
        waited = self._closed_until - self._closed_at
        return self._closed and self._probes >= _MOST_PROBES and waited > _GIVE_UP

    def reason(self, now: float) -> str:
        """Return why requests wait, or "" if they do not."""
        if self._closed:
            return "the service limits its callers"
        if window := self._headers.window(now):
            return f"the service lets {window} through"
        if self._next > now:
            return f"the service lets about {self._curve.value:.2g} requests a second through"
        if self._bound and self._free(self._bound) > now:
            return f"at most {self._bound.most} in {self._bound.seconds:.3g} s are sent"
        return ""

    def sends_after(self, time: float) -> int:
        """Return how many requests were sent after that time."""
        return sum(1 for at in self._sent if at > time)

    def unlikely(self, now: float) -> bool:
        """Return whether too few requests were accepted to reach a known limit."""
        latest = self._headers.latest
        rate = min(_DOCUMENTED, latest.rate if latest else self._curve.value)
        accepted = self.sends_after(now - WINDOW) - self._in_flight - self._refused
        return accepted < rate * WINDOW * _FEW

    def delay(self, now: float) -> float:
        """Return the delay until a request may be sent, in seconds.

        NEVER means not before a response to another request.
        """
        bound = self._free(self._bound) - now if self._bound else 0.0
        return max(0.0, bound, self._delay(now))

    def _delay(self, now: float) -> float:
        if self._closed:
            return NEVER if self._probing else self._closed_until - now
        window, headers = self._headers.window(now), self._headers
        free = self._free(window) if window else NEVER
        if now < headers.reset:
            return max(self._next, now if headers.left > 0 else min(headers.reset, free)) - now
        after_reset = headers.left <= 0 and headers.reset > -NEVER
        if window and after_reset and not self._in_flight:
            # A fixed window is open again: send one request to find out how much
            # remains.
            free = min(free, headers.reset + _LATE)
        if window:
            return max(self._next, free) - now
        if self._in_flight >= (1 if after_reset else self._most_in_flight):
            return NEVER
        return self._next - now

    def _free(self, window: Window) -> float:
        if len(self._sent) < window.most:
            return -NEVER
        return self._sent[-window.most] + window.seconds

    def take(self, now: float) -> Turn:
        """Count a request that is sent now, after `delay` returned 0."""
        seconds = max(_REMEMBERED, self._bound.seconds if self._bound else 0)
        while self._sent and self._sent[0] < now - seconds:
            self._sent.popleft()
        if self._closed and self._passed and self._asks_only_to_pause:
            self._open(now)
        self._sent.append(now)
        if self._opened == NEVER:
            self._opened = self._answered_at = now
        self._next = max(now, self._next) + 1 / self._curve.value
        self._in_flight += 1
        self._headers.left -= 1
        self._probing = self._closed
        return Turn(now, self._round, self._closed)

    def lost(self, turn: Turn) -> None:
        """Count a request that had no response, or was refused by another limit."""
        self._in_flight -= 1
        if turn.probe and turn.round == self._round:
            self._probing = False

    def accepted(self, turn: Turn, now: float, facts: RateFacts | None = None) -> None:
        """Count an accepted request, and use the limit in its headers."""
        self._in_flight -= 1
        if turn.round != self._round:
            self._passed += 1
        else:
            if turn.probe:
                self._open(turn.at)
                self._answered_at = now
            self._most_in_flight += self._step
            self._answered += 1
            self._curve.grow(now - self._answered_at)
        self._answered_at = now
        if facts:
            self._headers.believe(facts, turn.at, self._in_flight, now)

    def refused(
        self, turn: Turn, now: float, wait: float | None = None, facts: RateFacts | None = None
    ) -> bool:
        """Count a refusal, and return whether it began a pause.

        `wait` is the requested wait in seconds. Refusals of requests in flight together
        begin only one pause.
        """
        self._in_flight -= 1
        self._refused += 1
        wait = wait or (facts.reset if facts else None)
        until = now + min(wait, _LONGEST) + _LATE if wait else -NEVER
        if turn.round != self._round:
            if self._closed:
                # Each refusal of a burst lowers the number of requests in flight by
                # one, down to half.
                self._most_in_flight = max(self._least_in_flight, self._most_in_flight - 1)
            if self._closed and until > self._closed_until:
                self._asked, self._closed_until = True, until
            return False
        self._round += 1
        self._passed = 0
        self._probes = self._probes + 1 if turn.probe else 0
        if not turn.probe:
            self._closed_at = now
            self._most_in_flight = min(self._most_in_flight, self._in_flight + 1)
            self._least_in_flight = max(1.0, self._most_in_flight / 2)
        first = 1 / self._curve.value if self._curve.known else _FIRST_PAUSE
        guess = now + min(first * _LONGER**self._probes, max(first, _LONGEST_GUESS))
        self._closed, self._probing, self._asked = True, False, wait is not None
        self._closed_until = max(until, guess) if self._probes or not wait else until
        self._step = _STEP_LATER if self._paused else _STEP
        self._headers.forget_reset()
        window = facts.window if facts else None
        self._named = window is not None and self._headers.window(now) is None
        if window:
            self._headers.keep_to(window, now)
        return True

    def forgive(self) -> None:
        """End the pause, because another limit refused the request."""
        self._closed = self._probing = False

    def forget(self) -> None:
        """End the pause and forget the rate, because other limits caused them."""
        self.forgive()
        self._curve, self._next, self._round = _Curve(None), -NEVER, self._round + 1

    @property
    def _enough(self) -> bool:
        return self._answered >= _ENOUGH or self._closed_at - self._opened > WINDOW

    @property
    def _asks_only_to_pause(self) -> bool:
        return self._asked and (self._enough or self._named or not self._paused)

    def _open(self, at: float) -> None:
        """Set the rate to that of the accepted requests, unless the pause was
        enough.
        """
        self._closed = self._probing = False
        since, curve = max(self._opened, at - _REMEMBERED), self._curve
        accepted = sum(since <= sent < at for sent in self._sent) - self._refused
        measured = accepted / max(_LATE, at - since)
        if self._asks_only_to_pause and curve.known:
            curve.hold()
        elif self._asks_only_to_pause:
            curve.growth = _RECOVERY if self._enough else 1.0
        elif curve.known:
            least = _LEAST_KEPT if self._enough else _LEAST_KEPT_SOON / (1 - _FALL)
            curve.fall(max(min(curve.value, measured), curve.value * least))
        elif measured > 0:
            curve.rise(measured)
        self._paused, self._opened = True, at
        self._answered = self._refused = self._probes = 0
        self._next = at + 1 / curve.value
