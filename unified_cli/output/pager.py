"""Show output that is longer than the terminal in a pager."""

import contextlib
import io
import os
import signal
import subprocess
import termios
import threading
from collections.abc import Iterator
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from unified_cli import os_limits, signals, text_width
from unified_cli.config import file, other_program
from unified_cli.config.keys import KEYS
from unified_cli.errors import StorageError, UnifiedError
from unified_cli.masking import COLOUR
from unified_cli.runtime import Runtime, WholeWriter

if TYPE_CHECKING:
    import subprocess

    from _typeshed import ReadableBuffer

_DEFAULT = "less -FRX"
# Options for less and lv, the same as those of git.
_OPTIONS = {"LESS": "FRX", "LV": "-c"}
_LONGEST_HOLD = 1.0
"""How long to buffer output, in seconds. After this time the output is shown, even if
it is not complete.
"""
_LONGEST_KEPT = 1024 * 1024
"""How much output to keep for the case that the pager fails, in bytes."""


_STOPPED = {-int(number) for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)}
_ENDINGS = {0, 130, 143, *_STOPPED}
"""The exit codes of a pager that its user quit."""


class _State(Enum):
    HELD = auto()
    """The output fits the screen so far, and is buffered."""
    PAGED = auto()
    """The pager is running."""
    QUIT = auto()
    """The user has quit the pager, and further output is dropped."""
    DIRECT = auto()
    """Output goes directly to the terminal."""


class PagedStdout(io.RawIOBase):
    """Writes safe text to a terminal on stdout. Starts a pager if the text is longer
    than the screen.

    The text is buffered until it fills the screen. A message on stderr first shows the
    buffered text, and no pager starts after that. While a pager is running, messages
    wait.
    """

    def __init__(self, runtime: Runtime, terminal: BinaryIO) -> None:
        self._runtime = runtime
        self._terminal = terminal
        self._state = _State.HELD
        self._kept = b""
        """The output that may have to be shown directly on the terminal."""
        self._lock = threading.RLock()
        self._child: subprocess.Popen[bytes] | None = None
        self._pipe: WholeWriter | None = None
        self._before: list[Any] | None = None

    def fileno(self) -> int:
        """Return the terminal's descriptor."""
        return self._terminal.fileno()

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write some text. Raises OSError if the terminal cannot be written."""
        text, problem = bytes(data), None
        with self._lock:
            if self._state is _State.HELD:
                first = not self._kept
                self._kept += text
                if not self._fits():
                    problem = self._start_pager()
                elif first and text:
                    self._show_soon()
            elif self._state is _State.PAGED:
                problem = self._feed(text)
            elif self._state is _State.DIRECT:
                self._put(text)
        if problem:
            self._runtime.stderr.note(problem)
        return len(text)

    def bypass_pager(self) -> None:
        """Show the buffered output, and write further output immediately."""
        with self._lock:
            if self._state is _State.HELD:
                self._state = _State.DIRECT
                text, self._kept = self._kept, b""
                self._put(text)

    def is_free(self) -> bool:
        """Show buffered output, and return whether a message can be written now."""
        # A write to the running pager holds the lock, so take the lock only to show
        # buffered text.
        if self._state is _State.HELD and self._kept:
            # If the terminal is gone, the next write reports it.
            with contextlib.suppress(OSError):
                self.bypass_pager()
        return self._state is not _State.PAGED

    def is_quit(self) -> bool:
        """Return whether the user has quit the pager."""
        if self._state is _State.PAGED and self._child and self._child.poll() == 0:
            self._end()
        return self._state is _State.QUIT

    def end(self) -> None:
        """Wait until the pager ends, if it is running, and write further output
        directly to the terminal.
        """
        with contextlib.suppress(OSError):
            self.bypass_pager()
        problem = self._end() if self._state is _State.PAGED else None
        self._state = _State.DIRECT
        self._runtime.stderr.catch_up(problem)

    def make_way(self) -> None:
        """Show the buffered output, and wait for the pager. A pager may start again for
        later output.
        """
        was_held = self._state is _State.HELD
        self.end()
        if was_held:
            self._state = _State.HELD

    def kill(self) -> None:
        """Terminate the pager so that it can restore the terminal."""
        if self._state is _State.PAGED and self._child:
            self._child.terminate()

    def _put(self, text: bytes) -> None:
        self._terminal.write(text)
        self._terminal.flush()

    def _fits(self) -> bool:
        try:
            columns, rows = os.get_terminal_size(self.fileno())
        except OSError:
            return True
        if not (columns and rows):
            return True
        # Keep the last row free for the prompt.
        return (
            self._kept.count(b"\n") < rows
            and _rows(self._kept.decode(errors="replace"), columns) < rows
        )

    def _show_soon(self) -> None:
        # If no thread can be started, the output is shown a little later.
        with contextlib.suppress(StorageError):
            os_limits.start_thread(self._show_late)

    def _show_late(self) -> None:
        self._runtime.sleep(_LONGEST_HOLD)
        with contextlib.suppress(OSError):
            self.bypass_pager()

    def _start_pager(self) -> str | None:
        try:
            text = _command(self._runtime)
            if not text.strip():
                self.bypass_pager()
                return None
            environ = self._runtime.environ
            self._before = _attributes(self.fileno())
            # The command is the user's own setting, and runs without a shell.
            self._child = subprocess.Popen(  # noqa: S603
                _with_colours(other_program.words(text, environ)),
                stdin=subprocess.PIPE,
                stdout=self.fileno(),
                env=_OPTIONS | other_program.environment(environ),
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            self.bypass_pager()
            return (
                f"the pager cannot start: {getattr(error, 'strerror', None) or error} (use"
                " --no-pager, or name a pager in PAGER)"
            )
        assert self._child.stdin is not None  # noqa: S101  a pipe, as above
        # Without blocking, a signal just before a write does not have to wait for the
        # write.
        os.set_blocking(self._child.stdin.fileno(), False)
        self._pipe = WholeWriter(self._child.stdin.fileno())
        self._state = _State.PAGED
        signals.share_terminal()
        held, self._kept = self._kept, b""
        return self._feed(held)

    def _feed(self, text: bytes) -> str | None:
        assert self._pipe is not None  # noqa: S101  there while there is a pager
        if len(self._kept) <= _LONGEST_KEPT:
            self._kept += text
        try:
            self._pipe.write(text)
        except BrokenPipeError:
            return self._end()
        return None

    def _end(self) -> str | None:
        """Wait for the end of the pager.

        If the pager failed, show the output on the terminal, and return the error.
        """
        child = self._child
        assert child is not None  # noqa: S101  there while there is a pager
        assert child.stdin is not None  # noqa: S101  a pipe
        child.stdin.close()
        code = other_program.wait(child)
        unshown, self._kept = self._kept, b""
        if code in _ENDINGS:
            self._state = _State.QUIT
            return None
        if self._before is not None:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self.fileno(), termios.TCSADRAIN, self._before)
        self._state = _State.DIRECT
        self._put(unshown if len(unshown) <= _LONGEST_KEPT else b"")
        return f"the pager {other_program.ending(code)}"


@contextlib.contextmanager
def opened(runtime: Runtime) -> Iterator[Runtime]:
    """Use a pager during the block, unless settings turn it off.

    Waits for the end of the pager.
    """
    terminal = runtime.stdout
    if terminal is None or not _is_real(terminal) or runtime.environ.get("TERM") == "dumb":
        yield runtime
        return
    paged = PagedStdout(runtime, terminal)
    runtime.stderr.sharer = paged if runtime.stderr_is_terminal else None
    try:
        yield runtime._replace(stdout=cast("BinaryIO", paged))
    except BaseException:
        paged.kill()
        raise
    finally:
        paged.end()
        runtime.stderr.sharer = None


def _is_real(stream: BinaryIO) -> bool:
    try:
        return os.isatty(stream.fileno())
    except (OSError, ValueError):
        return False


def _command(runtime: Runtime) -> str:
    found = runtime.environ.get(KEYS["pager"].variable)
    if found is None:
        try:
            found = file.read(runtime).top.get("pager")
        except UnifiedError:
            # Help must work with an invalid config file. Other commands report the
            # problem.
            found = None
    return str(runtime.environ.get("PAGER", _DEFAULT) if found is None else found)


def _with_colours(words: list[str]) -> list[str]:
    """Return the pager's command, with -R for less.

    Without -R, less does not show colours, and the user's LESS may lack it.
    """
    return [*words, "-R"] if Path(words[0]).name == "less" else words


def _rows(text: str, columns: int) -> int:
    lines = COLOUR.sub("", text).expandtabs().split("\n")
    rows = sum(max(1, -(-text_width.width(line) // columns)) for line in lines)
    return rows - 1 if text.endswith("\n") else rows


def _attributes(descriptor: int) -> list[Any] | None:
    try:
        return termios.tcgetattr(descriptor)
    except termios.error:
        return None
