"""Ask the person at the terminal: a line, or a secret that does not show."""

import contextlib
import io
from collections.abc import Iterator

from unified_cli.runtime import Runtime

_LONGEST = 8192


def line(runtime: Runtime, question: str) -> str:
    """What is typed in answer, without blanks around it."""
    runtime.stderr.prompt(question)
    found = runtime.stdin.readline(_LONGEST) if runtime.stdin else b""
    return found.decode("utf-8", "replace").strip()


def hidden(runtime: Runtime, question: str) -> bytes:
    """What is typed in answer, which the terminal does not show; without its line end."""
    with _unseen(runtime):
        runtime.stderr.prompt(question)
        found = runtime.stdin.readline(_LONGEST) if runtime.stdin else b""
    return found.removesuffix(b"\n").removesuffix(b"\r")


@contextlib.contextmanager
def _unseen(runtime: Runtime) -> Iterator[None]:
    """The terminal without its echo; it is back whatever ends the question."""
    try:
        import termios  # noqa: PLC0415  only where somebody is asked, and not on Windows

        assert runtime.stdin is not None  # noqa: S101  a terminal
        handle = runtime.stdin.fileno()
        before = termios.tcgetattr(handle)
    except (ImportError, io.UnsupportedOperation):
        # No terminal to be seen on: an input of a test, or a system that has no such switch.
        yield
        return
    after = [*before]
    after[3] &= ~termios.ECHO
    try:
        termios.tcsetattr(handle, termios.TCSAFLUSH, after)
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSAFLUSH, before)
        # The Enter that was not shown.
        runtime.stderr.line("")
