"""How long a window that was learned is kept to while no answer confirms it, and what a refusal says of it then."""

from unified_cli.http.pacing.send_log import NEVER, SendLog, Window

FROM_HEADERS = 2.0
"""So many of its windows is trusted what the headers of an answer said, or what was found by trying."""
FROM_BEFORE = 1.0
"""The same for what an earlier run learned."""
FROM_PAUSE = 0.85
"""The same for what was concluded from a Retry-After alone: the pause and this are at most twice the pause."""
# Windows that are shorter, as those of a token bucket seem, would be doubted too soon.
_SHORTEST = 1.2
# A window that begins at a fixed time lets twice as much through, half of it before that time and half after.
_MOST_FITTING = 2
# A Retry-After is in whole seconds.
_ROUNDED_UP = 1.2


class WindowTrust:
    """Until when the known window counts; then sends go on without it, until a refusal shows whether it was true."""

    def __init__(self) -> None:
        self.until = NEVER
        self.doubted: Window | None = None
        """The window that is not kept to any more, while nothing was refused since."""
        self._begun = 0.0
        """When that window began last."""
        self._guessed = False
        """It was concluded from a Retry-After alone."""

    def begin(self, window: Window | None, at: float, windows: float) -> None:
        """Trust a window, if there is one, that an answer showed at that time, or that is used from then on."""
        if window is None:
            return
        self._guessed = windows == FROM_PAUSE
        shortest = 0 if self._guessed else _SHORTEST
        self.until, self.doubted = at + windows * max(window.seconds, shortest), None

    def confirm(self) -> None:
        """A refusal showed that there is a limit."""
        self.until, self.doubted = NEVER, None

    def doubt(self, window: Window, begun: float) -> None:
        """Keep to the window no longer, which began at that time."""
        self.until, self.doubted, self._begun = NEVER, window, begun

    @property
    def flying(self) -> float:
        """How many may be in flight at first without the window; its refusal is likelier where it was no guess."""
        return 2.0 if self._guessed else 1.0

    def is_tried(self, accepted: SendLog) -> bool:
        """Whether what was accepted does not show yet that there is no such limit, so that few should fly."""
        most = _MOST_FITTING if self._guessed else 2 * _MOST_FITTING
        return self.doubted is not None and accepted.count(self._begun) <= most * self.doubted.sends

    def refused(self, accepted: SendLog, now: float, reopens: float) -> Window | None:
        """What holds after a refusal that ends at that time: the window that was doubted, or None where it is another.

        It is where far more was accepted than it allows, or where the end of the refusal is far behind its own.
        """
        window = self.doubted
        self.confirm()
        if window is None or accepted.count(now - window.seconds) > _MOST_FITTING * window.sends:
            return None
        late = reopens > self._begun + window.seconds + _ROUNDED_UP
        return None if self._guessed and late else window
