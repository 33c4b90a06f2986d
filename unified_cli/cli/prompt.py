"""Prompt at the terminal: confirm an irreversible change, read a line or a secret, and
check whether a person can answer.
"""

import contextlib
import io
import termios
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from unified_cli.config import connection_facts
from unified_cli.config.settings import Settings
from unified_cli.errors import UnifiedError, UsageError
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime

_ANSWERS = {b"y": True, b"yes": True, b"n": False, b"no": False}
_LONGEST_ANSWER = 100
_LONGEST = 8192
_TRIES = 3
AnswerT = TypeVar("AnswerT")
FoundT = TypeVar("FoundT")


def confirm_change(
    runtime: Runtime,
    settings: Settings,
    verb: str,
    what: str,
    *,
    yes: bool,
    stdin_holds_data: bool = False,
) -> None:
    """Ask before `what` is deleted or updated, unless `yes`.

    `settings` are those of its connection. Raises UsageError if no one confirms it: the
    answer is no, prompts are off, or there is no terminal to ask on.
    """
    if yes:
        # Return early, because the question needs a read of the cache.
        return
    known = connection_facts.recall(runtime, settings)
    account = f"account {settings.account_id}" + (
        f", {known.product}" if known and known.product else ""
    )
    where = f'profile "{settings.profile}" ({account})' if settings.profile else account
    no_input = settings.no_input or stdin_holds_data
    confirm(runtime, f"{verb} {what} in {where}", f"not {verb}d", yes=False, no_input=no_input)


def confirm_several(
    runtime: Runtime,
    common: Settings,
    what: str,
    names: Sequence[str],
    *,
    yes: bool,
    stdin_holds_data: bool = False,
) -> None:
    """Ask before a write to several connections, unless `yes`.

    `names` are theirs. `what` begins with the verb. Raises UsageError if no one
    confirms it, as `confirm_change` does.
    """
    where = f"{counted(len(names), 'connection')} ({named(names)})"
    no_input = common.no_input or stdin_holds_data
    confirm(runtime, f"{what} in {where}", "nothing was sent", yes=yes, no_input=no_input)


def confirm(runtime: Runtime, what: str, undone: str, *, yes: bool, no_input: bool) -> None:
    """Ask whether to do `what`, unless `yes`.

    `what` begins with the verb. Raises UsageError, with a message that begins with
    `undone`, if no one can be asked or the answer is no.
    """
    if yes:
        return
    if not at_terminal(runtime, no_input=no_input):
        raise UsageError(f"{undone}: cannot ask whether to {what}", hint="add --yes")
    if not ask(runtime, f"{what}?"):
        raise UsageError(undone)


class Asking(NamedTuple):
    """How to talk to a person: `note` prints a line; `ask` is None if no one can be
    asked.
    """

    note: Callable[[str], None]
    ask: Callable[[str], bool] | None


def asking(runtime: Runtime, settings: Settings) -> Asking:
    """Return how to ask the person at the terminal.

    Its `ask` is None if there is no terminal, or if prompts are off.
    """
    return Asking(
        runtime.stderr.note,
        partial(ask, runtime) if at_terminal(runtime, no_input=settings.no_input) else None,
    )


def at_terminal(runtime: Runtime, *, no_input: bool) -> bool:
    """Return whether a person at a terminal may be asked."""
    return runtime.stdin_is_terminal and runtime.stderr_is_terminal and not no_input


def ask(runtime: Runtime, question: str, *, default: bool = False) -> bool:
    """Return whether the person at the terminal says yes.

    An empty line means the default, the end of the input means no.
    """
    while True:
        runtime.stderr.prompt(f"{question} [{'Y/n' if default else 'y/N'}] ")
        answer = runtime.stdin.readline(_LONGEST_ANSWER) if runtime.stdin else b""
        if not answer:
            return False
        word = answer.strip().lower()
        if word in _ANSWERS or not word:
            return _ANSWERS.get(word, default)
        runtime.stderr.line("please answer y or n")


def until_valid(
    runtime: Runtime, ask: Callable[[], AnswerT], read: Callable[[AnswerT], FoundT]
) -> FoundT:
    """Ask until `read` accepts an answer, and return its result.

    Prints the error of a wrong answer. Raises the error of the third.
    """
    for _ in range(_TRIES - 1):
        try:
            return read(ask())
        except UnifiedError as error:
            runtime.stderr.line(error.message)
    return read(ask())


def line(runtime: Runtime, question: str) -> str:
    """Return the answer's line, without surrounding blanks."""
    runtime.stderr.prompt(question)
    found = runtime.stdin.readline(_LONGEST) if runtime.stdin else b""
    return found.decode("utf-8", "replace").strip()


def hidden(runtime: Runtime, question: str) -> bytes:
    """Return a typed line that the terminal does not show. The line end is removed."""
    with _without_echo(runtime):
        runtime.stderr.prompt(question)
        found = runtime.stdin.readline(_LONGEST) if runtime.stdin else b""
    return found.removesuffix(b"\n").removesuffix(b"\r")


@contextlib.contextmanager
def _without_echo(runtime: Runtime) -> Iterator[None]:
    try:
        assert runtime.stdin is not None  # noqa: S101  a terminal
        handle = runtime.stdin.fileno()
        before = termios.tcgetattr(handle)
    except io.UnsupportedOperation:
        # Not a terminal, as in a test.
        yield
        return
    after = [*before]
    after[3] &= ~termios.ECHO
    try:
        termios.tcsetattr(handle, termios.TCSAFLUSH, after)
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSAFLUSH, before)
        # Replaces the Enter that was not shown.
        runtime.stderr.line("")
