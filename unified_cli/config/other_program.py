"""Run programs of the user without a shell: a pager, an editor, or a program that
prints a token.
"""

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from unified_cli import signals
from unified_cli.config.file import expand
from unified_cli.runtime import TOKEN_VARIABLE


def words(text: str, environ: Mapping[str, str]) -> list[str]:
    """Return the program's path and arguments, split like a shell, but without
    expansions.

    Raises ValueError with the reason if a quote is not closed, the text is empty, or
    the program is not found.
    """
    try:
        found = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{text!r}: {str(error).lower()}") from None
    if not found:
        raise ValueError("no program is named")
    path = find(found[0], environ)
    if path is None:
        raise ValueError(f"no program {found[0]!r}")
    return [path, *found[1:]]


def find(program: str, environ: Mapping[str, str]) -> str | None:
    """Return the program's path, or None. Does not search the working directory."""
    path = expand(program, environ)
    if path.is_absolute():
        return str(path)
    if os.sep in program:
        return None
    # Empty and relative entries of PATH mean the working directory, which is not
    # trusted.
    folders = [
        entry
        for entry in environ.get("PATH", os.defpath).split(os.pathsep)
        if Path(entry).is_absolute()
    ]
    return shutil.which(program, path=os.pathsep.join(folders))


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return our environment without the token."""
    return {name: value for name, value in environ.items() if name != TOKEN_VARIABLE}


def run_at_terminal(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run a program such as an editor on the terminal, and return its exit code.

    The code is negative if a signal ended the program. Only the program receives
    Ctrl-C. Raises OSError if it cannot be started.
    """
    with (
        signals.interrupts_left_to_others(),
        # The program is the user's choice, and no shell runs.
        subprocess.Popen(argv, env=environment(environ)) as child,  # noqa: S603
    ):
        return wait(child)


def wait(child: "subprocess.Popen[bytes]") -> int:
    """Wait for a program on the terminal, and return its exit code. Only the program
    receives Ctrl-C.
    """
    with signals.interrupts_left_to_others():
        try:
            return child.wait()
        except BaseException:
            child.terminate()
            raise


def ending(code: int) -> str:
    """Say how a program ended. A negative code is a signal."""
    return f"was killed by signal {-code}" if code < 0 else f"ended with {code}"
