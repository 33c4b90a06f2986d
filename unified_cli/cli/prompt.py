"""Prompt on the terminal: confirm a change, or read a line or a secret."""

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

    `settings` are those of the connection. Raises UsageError if the answer is no, or if
    prompts are off or impossible.
    """
    if yes:
        # Return early, because building the question reads the cache.
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
    """Ask before a write to the connections `names`, unless `yes`.

    `what` begins with the verb. Raises UsageError as `confirm_change` does.
    """
    where = f"{counted(len(names), 'connection')} ({named(names)})"
    no_input = common.no_input or stdin_holds_data
    confirm(runtime, f"{what} in {where}", "nothing was sent", yes=yes, no_input=no_input)


def confirm(runtime: Runtime, what: str, undone: str, *, yes: bool, no_input: bool) -> None:
    """Ask whether to do `what`, unless `yes`.

    `what` begins with the verb. Raises UsageError if the answer is no or a prompt is
    impossible. Its message begins with `undone`.
    """
    if yes:
        return
    if not at_terminal(runtime, no_input=no_input):
        raise UsageError(f"{undone}: cannot ask whether to {what}", hint="add --yes")
    if not ask(runtime, f"{what}?"):
        raise UsageError(undone)


class Asking(NamedTuple):
    """Functions to talk to the user. `note` prints a line, and `ask` is None if a
    prompt is impossible.
    """

    note: Callable[[str], None]
    ask: Callable[[str], bool] | None


def asking(runtime: Runtime, settings: Settings) -> Asking:
    """Return the functions for a terminal. `ask` is None without a terminal, or if
    prompts are off.
    """
    return Asking(
        runtime.stderr.note,
        partial(ask, runtime) if at_terminal(runtime, no_input=settings.no_input) else None,
    )


def at_terminal(runtime: Runtime, *, no_input: bool) -> bool:
    """Return whether a prompt on a terminal is possible and allowed."""
    return runtime.stdin_is_terminal and runtime.stderr_is_terminal and not no_input


def ask(runtime: Runtime, question: str, *, default: bool = False) -> bool:
    """Ask a yes/no question. An empty line means the default, and the end of the input
    means no.
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

    Prints the errors of wrong answers, and raises the third.
    """
    for _ in range(_TRIES - 1):
        try:
            return read(ask())
        except UnifiedError as error:
            runtime.stderr.line(error.message)
    return read(ask())


def line(runtime: Runtime, question: str) -> str:
    """Ask a question, and return the typed line without surrounding spaces."""
    runtime.stderr.prompt(question)
    text = runtime.stdin.readline(_LONGEST) if runtime.stdin else b""
    return text.decode("utf-8", "replace").strip()


def hidden(runtime: Runtime, question: str) -> bytes:
    """Ask for a secret, and return it without the line end."""
    with _without_echo(runtime):
        runtime.stderr.prompt(question)
        text = runtime.stdin.readline(_LONGEST) if runtime.stdin else b""
    return text.removesuffix(b"\n").removesuffix(b"\r")


@contextlib.contextmanager
def _without_echo(runtime: Runtime) -> Iterator[None]:
    try:
        assert runtime.stdin is not None  # noqa: S101  a terminal
        handle = runtime.stdin.fileno()
        before = termios.tcgetattr(handle)
    except io.UnsupportedOperation:
        # stdin is not a terminal, for example in a test.
        yield
        return
    after = [*before]
    after[3] &= ~termios.ECHO
    try:
        termios.tcsetattr(handle, termios.TCSAFLUSH, after)
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSAFLUSH, before)
        # End the line here, because the terminal did not show the Enter key.
        runtime.stderr.line("")
