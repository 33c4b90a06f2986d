"""Change a config file in processes that die, fail or race at a chosen system call;
prints what became of them.

Run as `python file_crashes.py CONFIG MODE ARGUMENT…`, in a process of its own: it
forks.
"""

import errno
import io
import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from unified_cli.main import main
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr
from unified_cli.storage import private_file

CALLS = ("open", "write", "fsync", "replace", "unlink", "mkdir", "close")


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def run(path: Path, *argv: str) -> int:
    runtime = Runtime(io.BytesIO(), io.BytesIO(), Stderr(None), {"UNIFIED_CONFIG": str(path)})
    return main(["profile", *argv], runtime)


def forked(work: Callable[[], int]) -> int:
    """The exit code of the work in a child, negative for a signal."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = work()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def arm(at: int, strike: Callable[[Callable[..., Any], tuple[Any, ...]], Any]) -> list[int]:
    """Have `strike` take the place of system call number `at` of those that change
    something.
    """
    count = [0]

    def armed(name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            count[0] += 1
            return (
                strike(lambda *new: real(*(new or args), **kwargs), args)
                if count[0] == at
                else real(*args, **kwargs)
            )

        return call

    for name in CALLS:
        setattr(os, name, armed(name))
    return count


def die_before(_: Callable[..., Any], __: tuple[Any, ...]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_after(call: Callable[..., Any], args: tuple[Any, ...]) -> None:
    # A write is cut in the middle: half of it reached the file.
    half = (
        (args[0], args[1][: len(args[1]) // 2])
        if len(args) == 2 and isinstance(args[1], bytes)
        else ()
    )
    try:
        call(*half)
    finally:
        os.kill(os.getpid(), signal.SIGKILL)


def no_space(_: Callable[..., Any], __: tuple[Any, ...]) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def broken_disk(_: Callable[..., Any], __: tuple[Any, ...]) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


STRIKES = {
    "die_before": die_before,
    "die_after": die_after,
    "no_space": no_space,
    "broken_disk": broken_disk,
}


def strike_each(path: Path, how: str, argv: list[str]) -> None:
    """For each system call of a change: the code of the struck process and the file it
    left, one line each.
    """
    before = path.read_bytes()

    def struck(at: int) -> int:
        arm(at, STRIKES[how])
        return run(path, *argv)

    def counted() -> int:
        count = arm(-1, no_space)
        run(path, *argv)
        return count[0]

    total = forked(counted)
    after = path.read_bytes()
    for at in range(1, total + 1):
        path.write_bytes(before)
        code = forked(lambda at=at: struck(at))  # type: ignore[misc]
        left = path.read_bytes()
        mode = path.stat().st_mode & 0o777
        again = forked(lambda: run(path, *argv))
        rest = sorted(entry.name for entry in path.parent.iterdir())
        names = {before: "old", after: "new"}
        say(
            code,
            names.get(left, "damaged"),
            oct(mode),
            again,
            names.get(path.read_bytes(), "damaged"),
            *rest,
        )


def race(path: Path, processes: int) -> None:
    """Many processes at once, each of which sets a key of its own, five in a profile;
    their codes.
    """
    keys = ("account_id", "base_url", "ca_bundle", "token_file", "timeout")
    children = []
    for number in range(processes):
        profile, key = number // len(keys), keys[number % len(keys)]
        special = {
            "base_url": f"https://{number}.example",
            "timeout": f"{number + 1}",
            "ca_bundle": f"/changed-{number}",
            "token_file": f"/changed-{number}",
        }
        value = special.get(key, f"changed-{number}")
        child = os.fork()
        if child == 0:
            code = 99
            try:
                code = run(path, "set", f"p{profile}", f"{key}={value}")
            finally:
                os._exit(code)
        children.append(child)
    say(*[os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])


if __name__ == "__main__":
    config, mode, *rest = sys.argv[1:]
    # The modules of a command are imported before the forks.
    run(Path(config), "set", "nobody", "retries=1")
    import_module("unified_cli.config.edit")

    if mode == "race":
        # How long one waits is shown elsewhere; on a busy machine the last of them
        # waits longer.
        private_file._LOCK_SECONDS = 300
        race(Path(config), int(rest[0]))
    else:
        strike_each(Path(config), mode, rest)
