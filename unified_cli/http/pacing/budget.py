"""How many sends are left, as the service says in the headers of its answers."""

from unified_cli.http.pacing.rate_headers import RateFacts
from unified_cli.http.pacing.send_log import NEVER

_MOST_LIES = 2
# A reset without the length of its window may be that of a day, or of nothing: it is waited for so long, then tried.
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
        """When the request was sent whose answer is believed; answers to older ones say nothing new."""
        self._lies = 0
        """How often nothing was left right after a reset, though the request was accepted."""

    def forget(self) -> None:
        """Nothing is known any more."""
        self.until, self.unsure = -NEVER, False

    def believe(self, facts: RateFacts, sent_at: float, flying: int, now: float) -> None:
        """Take over what an answer says; it does not count those that are still in flight."""
        if facts.remaining is None or facts.reset is None or sent_at < self._sent_at or self._lies >= _MOST_LIES:
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
