"""Run commands in turn and time each as a whole process, so that a slow minute of the
machine slows all alike.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

# Variables that change how fast an interpreter starts or which authorities are loaded.
_UNWANTED = {
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "AWS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
}


@dataclass(frozen=True)
class Command:
    """A measured command: its name in the table, its words and environment.

    `holds` looks at the lines it printed and says whether the work was done. `times` is
    how often the work of this command has to be done for the work of the others.
    """

    name: str
    argv: Sequence[str]
    environ: Mapping[str, str] = field(default_factory=dict)
    holds: Callable[[Iterable[bytes]], bool] = lambda _: True
    times: float = 1


@dataclass(frozen=True)
class Sample:
    """One run: seconds from start to end, processor seconds, and the largest memory of
    the process in MiB.
    """

    seconds: float
    cpu: float
    mib: float


class BrokenError(Exception):
    """A command did not do what it was to do; measuring it would mean nothing."""


def environment() -> dict[str, str]:
    """This process's environment without what would distort a figure, nor anybody's
    settings.
    """
    unwanted = ("UNIFIED_", "SSL_CERT_", "GH_", "LINODE_", "AWS_")
    return {
        name: value
        for name, value in os.environ.items()
        if name not in _UNWANTED and not name.startswith(unwanted)
    }


def check(command: Command) -> None:
    """Run it once and look at what it prints; raises BrokenError where it does not do
    its work.
    """
    # In a file: what this process holds would be counted as the memory of those it
    # starts.
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as said:
        done = subprocess.run(
            command.argv,
            env={**environment(), **command.environ},
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=said,
            check=False,
            timeout=600,
        )
        size = printed.tell()
        printed.seek(0)
        said.seek(0)
        if done.returncode or not command.holds(printed):
            complaint = said.read().decode("utf-8", "replace").strip()[-300:]
            raise BrokenError(
                f"{command.name} ended with {done.returncode}, {size} bytes: {complaint}"
            )


def once(command: Command) -> Sample:
    """Time one run, its output thrown away."""
    null = os.open(os.devnull, os.O_RDWR)
    environ = {**environment(), **command.environ}
    started = time.perf_counter()
    child = os.posix_spawn(
        command.argv[0],
        [*command.argv],
        environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, null, stream) for stream in (0, 1, 2)],
    )
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - started
    os.close(null)
    if status:
        raise BrokenError(f"{command.name} ended with {os.waitstatus_to_exitcode(status)}")
    return Sample(
        seconds * command.times,
        (usage.ru_utime + usage.ru_stime) * command.times,
        usage.ru_maxrss / 1024,
    )


def interleaved(commands: Sequence[Command], rounds: int) -> dict[str, list[Sample]]:
    """Samples by name: A B C, then B C A, and so on; the first run of each is for
    warming up.
    """
    samples: dict[str, list[Sample]] = {command.name: [] for command in commands}
    for command in commands:
        check(command)
    for turn in range(rounds):
        first = turn % len(commands)
        for command in (*commands[first:], *commands[:first]):
            samples[command.name].append(once(command))
    return samples


def ratio(ours: Sequence[Sample], theirs: Sequence[Sample], of: str = "seconds") -> float:
    """How many times more ours takes `of` a sample's figure: the median of the ratios
    within each round.
    """
    return median(
        getattr(our, of) / getattr(their, of) for our, their in zip(ours, theirs, strict=True)
    )


def middle(samples: Sequence[Sample]) -> Sample:
    """The median of each figure."""
    return Sample(
        median(one.seconds for one in samples),
        median(one.cpu for one in samples),
        median(one.mib for one in samples),
    )
