"""Run the program that prints a token, without a shell, for at most ten seconds."""

import contextlib
import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Sequence

from unified_cli import hints
from unified_cli.config import other_program
from unified_cli.errors import ConfigError
from unified_cli.masking import MaskedText, excerpt, hide
from unified_cli.runtime import Runtime

SECONDS = 10.0
LONGEST = 8 * 1024
_LONGEST_ERROR = 2 * 1024
_EXIT_POLL = 0.1
_LONGEST_REASON = 200
_SHORTEST = 8
# A long word with a digit may be a token, unless it is a path.
_TOKEN_LIKE = re.compile(r"(?<![\w./~+=-])(?=\S*[0-9])[A-Za-z0-9][\w./+=~-]{19,}")


def run(
    argv: Sequence[str], runtime: Runtime, what: str, poll: Callable[[], None] = lambda: None
) -> bytes:
    """Return the line that the program prints to stdout, without its line end.

    `what` names the program in errors. `poll` is called during the wait, and may end it
    by raising an error. Raises ConfigError, and kills the program and its child
    processes, if the program is not found, fails, hangs, or prints too much or several
    lines.
    """
    program, *arguments = argv
    found = other_program.find(program, runtime.environ)
    if found is None:
        raise ConfigError(f"{what}: no program {program!r}", hint=hints.NAME_PROGRAM)
    try:
        # The arguments are from the user's config, and no shell runs.
        child = subprocess.Popen(  # noqa: S603
            [found, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=other_program.environment(runtime.environ),
            start_new_session=True,
            bufsize=0,
        )
    except OSError as error:
        raise ConfigError(f"{what}: cannot run {found}: {error.strerror}") from None
    try:
        output = _read_output(child, what, poll)
    except BaseException:
        _kill(child)
        raise
    finally:
        for stream in (child.stdout, child.stderr):
            if stream is not None:
                stream.close()
    return _line(child.returncode, *output, what=what)


def _read_output(
    child: "subprocess.Popen[bytes]", what: str, poll: Callable[[], None]
) -> tuple[bytes, bytes]:
    assert child.stdout is not None  # noqa: S101  a pipe, as above
    assert child.stderr is not None  # noqa: S101  as above
    # The program runs in real time, so the runtime's clock is not used.
    until = time.monotonic() + SECONDS
    printed = complaint = b""
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        selector.register(child.stderr, selectors.EVENT_READ)
        while selector.get_map():
            poll()
            left = until - time.monotonic()
            if left <= 0:
                raise ConfigError(f"{what} gave no answer within {SECONDS:g} seconds")
            # Check for the exit before reading, so that no output is missed.
            has_exited = child.poll() is not None
            ready = selector.select(0 if has_exited else min(left, _EXIT_POLL))
            if not ready and has_exited:
                # The program has exited, but a background process keeps the pipe open.
                break
            for key, _ in ready:
                chunk = os.read(key.fd, 4096)
                if not chunk:
                    selector.unregister(key.fileobj)
                elif key.fileobj is child.stdout:
                    printed += chunk
                else:
                    complaint = (complaint + chunk)[-_LONGEST_ERROR:]
            if len(printed) > LONGEST:
                raise ConfigError(f"{what} printed more than {LONGEST >> 10} KiB")
    try:
        child.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise ConfigError(f"{what} gave no answer within {SECONDS:g} seconds") from None
    return printed, complaint


def _line(code: int, printed: bytes, complaint: bytes, *, what: str) -> bytes:
    line = printed.removesuffix(b"\n").removesuffix(b"\r")
    if code:
        how = f"was killed by signal {-code}" if code < 0 else f"failed with {code}"
        reason = _reason(printed.decode("utf-8", "replace"), complaint.decode("utf-8", "replace"))
        raise ConfigError(
            f"{what} {how}" + (f": {reason}" if reason else ""),
            hint=None if reason or code < 0 else "run the command by itself to see why",
        )
    if b"\n" in line:
        raise ConfigError(f"{what} printed more than one line")
    return line


def _reason(printed: str, complaint: str) -> MaskedText:
    """Return the last line of stderr without possible tokens.

    Also removes words that the program printed to stdout.
    """
    for secret in (*printed.splitlines(), *_TOKEN_LIKE.findall(f"{printed}\n{complaint}")):
        if len(secret) >= _SHORTEST:
            hide(secret)
    if len(complaint) >= _LONGEST_ERROR:
        # The first word may be the end of a token, so drop it.
        complaint = complaint.partition(" ")[2]
    return excerpt(complaint.strip().rpartition("\n")[2], _LONGEST_REASON)


def _kill(child: "subprocess.Popen[bytes]") -> None:
    # Kill the process group, because the program may have started others.
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()
    child.wait()
