"""Read a line or a secret from the terminal."""

import contextlib
import io
from collections.abc import Callable, Iterator
from typing import TypeVar

from unified_cli.errors import UnifiedError
from unified_cli.runtime import Runtime

_LONGEST = 8192
_TRIES = 3
AnswerT = TypeVar("AnswerT")
FoundT = TypeVar("FoundT")


def until_valid(runtime: Runtime, ask: Callable[[], AnswerT], read: Callable[[AnswerT], FoundT]) -> FoundT:
    """What the first answer means that `read` accepts; the error of a wrong one is said. Raises that of the third."""
    for _ in range(_TRIES - 1):
        try:
            return read(ask())
        except UnifiedError as error:
            runtime.stderr.line(error.message)
    return read(ask())


def line(runtime: Runtime, question: str) -> str:
    """The line typed as the answer, without surrounding blanks."""
    runtime.stderr.prompt(question)
    found = runtime.stdin.readline(_LONGEST) if runtime.stdin else b""
    return found.decode("utf-8", "replace").strip()


def hidden(runtime: Runtime, question: str) -> bytes:
    """The line typed as the answer, not shown by the terminal, without its line end."""
    with _without_echo(runtime):
        runtime.stderr.prompt(question)
        found = runtime.stdin.readline(_LONGEST) if runtime.stdin else b""
    return found.removesuffix(b"\n").removesuffix(b"\r")


@contextlib.contextmanager
def _without_echo(runtime: Runtime) -> Iterator[None]:
    """Switch the terminal's echo off, and on again however the block ends."""
    try:
        import termios  # noqa: PLC0415  only for a prompt, and not on Windows

        assert runtime.stdin is not None  # noqa: S101  a terminal
        handle = runtime.stdin.fileno()
        before = termios.tcgetattr(handle)
    except (ImportError, io.UnsupportedOperation):
        # Not a terminal, as in a test, or a system without termios.
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
