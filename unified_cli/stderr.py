"""Write to stderr.

No other module writes to stderr. All text is safe for a terminal, and secrets are
masked.
"""

import os
import re
import stat
from threading import Lock
from typing import BinaryIO, Protocol

from unified_cli import text_width
from unified_cli.masking import COLOUR, masked, visible, visible_styled

_WIDTH = 80
"""The width of output that is not a terminal."""
_INDENT = "  "
_ANSWER = len(" yes ")
_KEPT = "\u00a0"
# Text that users may copy: an option with its value, or a command.
_COPIED = r"(?<![\w-])(--?[a-z][\w-]* \S|unified (?:[^(),;:]|:(?! ))*(?<! ))"


class RequestObserver(Protocol):
    """Observes the requests of a run, for example to show progress."""

    @property
    def draws(self) -> bool:
        """Whether a status line shows the progress."""

    def waiting(self, seconds: float, reason: str, total: float) -> None:
        """Record that a request waits for this many `seconds`, for this `reason`.

        `total` is the time that requests have waited, including this wait.
        """

    def retried(self) -> None:
        """Record that a request is sent again."""


class TerminalSharer(Protocol):
    """Another program that writes to the same terminal, such as a pager."""

    def is_free(self) -> bool:
        """Return whether a message can be written now."""

    def make_way(self) -> None:
        """Give up the terminal, so that a question can be asked."""


class Stderr:
    """Writes messages to stderr.

    Secrets are masked, and control characters are escaped. Each call writes all of its
    text at once. Nothing is written if `stream` is None because stderr is closed.
    `verbosity` is the number of `-v`. Thread-safe.
    """

    def __init__(self, stream: BinaryIO | None, *, encoding: str = "utf-8") -> None:
        self._stream = stream
        self.encoding = encoding
        self._lock = Lock()
        self._status = ""
        self._erased = False
        """Whether the status line was erased, so that the cursor is at the start of a
        line.
        """
        self._waiting = ""
        """Messages to print when another program has left the terminal."""
        self.sharer: TerminalSharer | None = None
        self.observer: RequestObserver | None = None
        self.quiet = False
        self.machine = False
        """Whether errors are printed as JSON."""
        self.verbosity = 0
        self.run = ""
        """The id of the present run, for errors in JSON."""
        self.reported: set[str] = set()
        """The unknown query parameters and the notes that were already printed."""
        self.has_sent = False
        """Whether a request was sent."""
        self.names_runs = True
        """Whether the ids of runs are printed, because runs are stored."""

    @property
    def columns(self) -> int:
        """The terminal's current width, or 80 without a terminal."""
        return self._terminal_columns() or _WIDTH

    def goes_to(self, stream: BinaryIO | None) -> bool:
        """Return whether a stream and stderr are the same file, as with `2>&1`."""
        try:
            pair = [
                os.fstat(open_stream.fileno())
                for open_stream in (self._stream, stream)
                if open_stream is not None
            ]
        except (OSError, ValueError):
            return False
        return len({(status.st_dev, status.st_ino) for status in pair}) == 1 < len(
            pair
        ) and not stat.S_ISCHR(pair[0].st_mode)

    def named(self, name: str) -> "Stderr":
        """Return a writer that prefixes each line with the name of a connection."""
        return _NamedStderr(self, name)

    def begin_run(self, run: str) -> None:
        """Print the id of a run that begins or continues."""
        if self.names_runs:
            self.run = run
            self.note(f"run {run}")

    def note(self, text: str) -> None:
        """Print a line that `--quiet` suppresses."""
        if not self.quiet:
            self.line(text)

    def note_once(self, text: str) -> None:
        """Print a line that `--quiet` suppresses, unless the same line was already
        printed.
        """
        if text not in self.reported:
            self.reported.add(text)
            self.note(text)

    def line(self, text: str) -> None:
        """Print a line at any verbosity."""
        self.block([text])

    def status(self, text: str) -> None:
        """Keep this status line below all other lines on a terminal.

        An empty text removes the status line. The text may be coloured, and should be
        shorter than the width of the terminal.
        """
        if self.quiet or not self.is_free():
            return
        with self._lock:
            shown = visible_styled(masked(text))
            if shown != self._status:
                # The old line is overwritten, not erased first, so that nothing
                # flickers.
                start, end = self._status_line_controls()
                self._status = shown
                self._write(f"{start}{shown}{end}")
                self._erased = not shown

    def end_line(self) -> None:
        """Begin a new line on a terminal, because the current line may show `^C`."""
        with self._lock:
            if self._terminal_columns() and not self._erased and self.is_free():
                self._write("\n")

    def prompt(self, text: str) -> None:
        """Print a prompt.

        The answer is typed on the last line, which has room for a short answer.
        """
        if self.sharer is not None:
            self.sharer.make_way()
        shown = visible(masked(text))
        if columns := self._terminal_columns():
            question = shown.rstrip()
            shown = "\n".join(wrapped(question, columns - _ANSWER)) + shown[len(question) :]
        with self._lock:
            self._write(shown)

    def exact(self, text: str) -> None:
        """Print a line of data without breaking it, so that it can be copied.

        A narrow terminal may wrap it.
        """
        self._print([visible(masked(text))])

    def block(self, lines: list[str]) -> None:
        """Print lines in one write, above the status line."""
        shown = [visible(masked(line)) for line in lines]
        if (columns := self._terminal_columns()) and not self.machine:
            shown = [part for line in shown for part in wrapped(line, columns)]
        self._print(shown)

    def _print(self, lines: list[str]) -> None:
        text = "".join(f"{line}\n" for line in lines)
        with self._lock:
            if self._status:
                start, end = self._status_line_controls()
                text = f"{start}{end}{text}{self._status}"
            self._write(text)

    def catch_up(self, first: str | None) -> None:
        """Print the messages that were held back while another program used the
        terminal.

        The line `first` is printed before them, unless `--quiet` suppresses it.
        """
        with self._lock:
            if first and not self.quiet:
                self._waiting = f"{visible(masked(first))}\n{self._waiting}"
            if self._waiting:
                self._write("")

    def is_free(self) -> bool:
        """Return whether a message can be written, because no other program uses the
        terminal.
        """
        return self.sharer is None or self.sharer.is_free()

    @property
    def draws(self) -> bool:
        """Whether the observer draws a status line, which shows waits."""
        return self.observer is not None and self.observer.draws

    def waiting(self, seconds: float, reason: str, total: float) -> None:
        """Tell the observer that a request waits."""
        if self.observer is not None:
            self.observer.waiting(seconds, reason, total)

    def sends(self) -> None:
        """Record that a request is sent."""
        self.has_sent = True

    def retried(self) -> None:
        """Tell the observer that a request is sent again."""
        if self.observer is not None:
            self.observer.retried()

    def _terminal_columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns if self._stream else 0
        except (OSError, ValueError):
            return 0

    def _status_line_controls(self) -> tuple[str, str]:
        if not self._status:
            return "", ""
        # If the terminal has become narrower, it has wrapped the status line.
        above = (len(COLOUR.sub("", self._status)) - 1) // self.columns
        return (f"\x1b[{above}A\r", "\x1b[J") if above else ("\r", "\x1b[K")

    def _write(self, text: str) -> None:
        if self._stream is None:
            return
        if not self.is_free():
            self._waiting += text
            return
        text, self._waiting = self._waiting + text, ""
        self._erased = False
        try:
            self._stream.write(text.encode(self.encoding, "backslashreplace"))
            self._stream.flush()
        except (OSError, ValueError):
            # The reader has closed its end. The exit code still reports the result.
            self._stream = None


class _NamedStderr(Stderr):
    """Writes through another Stderr, which owns the stream."""

    def __init__(self, stderr: Stderr, name: str) -> None:
        super().__init__(None)
        self._through = stderr
        self._name = name
        self.quiet, self.machine, self.verbosity = stderr.quiet, stderr.machine, stderr.verbosity
        self.reported = stderr.reported

    def block(self, lines: list[str]) -> None:
        self._through.block([f"{self._name}: {line}" for line in lines])

    def exact(self, text: str) -> None:
        self._through.exact(f"{self._name}: {text}")

    @property
    def draws(self) -> bool:
        return self._through.draws

    def waiting(self, seconds: float, reason: str, total: float) -> None:
        self._through.waiting(seconds, reason, total)

    def sends(self) -> None:
        self._through.sends()

    def retried(self) -> None:
        self._through.retried()


def wrapped(line: str, width: int) -> list[str]:
    """Return the line, broken into lines of that width.

    All lines after the first are indented. Commands and long words are not broken.
    """
    if line.isascii() and len(line) <= width:
        return [line]

    unbroken = re.sub(_COPIED, lambda match: _whole(match[0], width - len(_INDENT)), line)
    return [
        text.replace(_KEPT, " ") for text in text_width.wrapped(unbroken, width, indent=_INDENT)
    ]


def _whole(text: str, room: int) -> str:
    return text.replace(" ", _KEPT) if len(text) <= room else text
