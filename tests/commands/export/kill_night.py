"""Kill the export of a night at each point, run it again, and read its files all the
while.

A program of its own, because it forks: `kill_night.py FILE` reads a `Job` as JSON, and
prints a line for each point.
"""

import ctypes
import gc
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
from kill_export import Counter, in_child
from line_stops import watch_lines
from nights import READERS, Place, State, differing

from unified_cli import signals
from unified_cli.main import main
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

_ANY_PROCESS = -1
_MISSES = 3
_PR_SET_PTRACER = 0x59616D61
_MISSING = re.compile(r"No such file|NoSuchKey|not found|404", re.IGNORECASE)


@dataclass
class Job:
    """The process to kill and where: `kind` is `calls` of Python, those of them that
    are `commits`, `lines` of the program, `puts` at a store, or names of system calls.
    The process gets this `signal` there. It is its first run unless that is `begun`
    already; then it may be `watched` by readers.

    Places begin as `kept`; `before` and `after` are the states of each list. Of many
    points every `step`th is tried, from `first` on, until `until`.
    """

    argv: list[str]
    environ: dict[str, str]
    home: str
    form: str
    kept: str
    is_file: bool
    before: dict[str, list[list[str]]]
    after: dict[str, list[list[str]]]
    kind: str
    first: int = 1
    step: int = 1
    until: int = 1_000_000
    proxy: str = ""
    signal: int = signal.SIGKILL
    begun: bool = True
    watched: bool = True
    seconds: float = 3600
    states: dict[str, tuple[State, State]] = field(default_factory=dict)

    def place(self, name: str) -> Place:
        """A place of its own, as the one that is kept."""
        root = f"{self.kept}-{name}"
        return Place(
            f"file://{root}" if self.is_file else root, root, self.environ if "://" in root else {}
        )


class Calls(Counter):
    """Counts also what waits for a disk, new connections, and what a library puts into
    a folder that is a store, before and after.
    """

    def watch(self) -> None:
        super().watch()
        store = import_module("obstore.store").LocalStore
        for name in ("put", "delete"):
            setattr(store, name, self._around(getattr(store, name)))
        os.fsync = self._counted("fsync", lambda _: None)
        socket.socket.connect = self._counted("connect", socket.socket.connect)  # type: ignore[method-assign]


class Commits(Calls):
    """Counts of the changes to a disk only those that make or remove something."""

    names = ("replace", "link", "unlink")


class Lines(Counter):
    """Counts the lines of the program that keep state."""

    def watch(self) -> None:
        os.fsync = lambda _: None
        watch_lines(self._point)


COUNTERS = {"calls": Calls, "commits": Commits, "lines": Lines}


class Night:
    """The export of the night, killed or not."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def run(self, place: Place, deadly: int) -> tuple[int, int]:
        """The exit code, and how many points there were; 0 is no point."""
        job = self._job
        if deadly and job.kind not in {*COUNTERS, "puts"}:
            return self._traced(place, deadly), 0
        code, said = in_child(lambda: self._export(place, deadly))
        if job.kind == "puts":
            # A run with fewer writes leaves the next ones to be counted.
            self._arm(0, 0)
        return (code, 0) if code else (said[0], said[1])

    def _export(self, place: Place, deadly: int) -> tuple[int, int]:
        job = self._job
        counter = COUNTERS.get(job.kind, Calls)(deadly, job.signal)
        if job.kind == "puts":
            self._arm(os.getpid(), deadly)
        else:
            counter.watch()
        return self._main(place), counter.count

    def _arm(self, pid: int, deadly: int) -> None:
        """Have the process get the signal at this write; 0 for none."""
        order = f"{pid}/{deadly}/{int(self._job.signal)}"
        with urllib.request.urlopen(f"{self._job.proxy}/.kill/{order}", timeout=10) as answer:
            answer.read()

    def _main(self, place: Place) -> int:
        home = Path(self._job.home)
        with open(os.devnull, "wb") as sink, open(home / "stderr", "wb") as stderr:  # noqa: PTH123  as in a shell
            words = [place.to if word == "{to}" else word for word in self._job.argv]
            folders = {"config": home, "data": home}
            environ = {**os.environ, **self._job.environ}
            signals.handle_signals()
            return main(words, Runtime(None, sink, Stderr(stderr), environ, folders=folders))

    def _traced(self, place: Place, deadly: int) -> int:
        """The same, killed by strace at this call of some thread."""
        pid = os.fork()
        if pid == 0:
            # Some systems let only parents trace by default.
            ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_ulong(_ANY_PROCESS), 0, 0, 0)
            os.kill(os.getpid(), signal.SIGSTOP)
            code = 99
            with suppress(BaseException):
                code = self._main(place)
            os._exit(code)
        os.waitpid(pid, os.WUNTRACED)
        inject = f"--inject={self._job.kind}:signal=KILL:when={deadly}"
        words = [
            "strace",
            "-f",
            "-o",
            os.devnull,
            "-p",
            str(pid),
            f"--trace={self._job.kind}",
            inject,
        ]
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as tracer:
            assert tracer.stderr
            tracer.stderr.readline()
            os.kill(pid, signal.SIGCONT)
            _, status = os.waitpid(pid, 0)
            tracer.communicate()
        return os.waitstatus_to_exitcode(status)


class Reader:
    """Reads all lists again and again, in a process of its own, and says what it found
    that may not be.
    """

    def __init__(self, job: Job, place: Place) -> None:
        self._read, write = os.pipe()
        self._stop, stopped = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(stopped)
            said = self._watch(job, place)
            os.write(write, json.dumps(said).encode())
            os._exit(0)
        os.close(write)
        self._stopped = stopped

    def end(self) -> dict[str, Any]:
        """Let it come to its end; how often it read, and what was wrong."""
        os.close(self._stopped)
        with os.fdopen(self._read, "rb") as pipe:
            found: dict[str, Any] = json.loads(
                pipe.read() or '{"reads": 0, "wrong": "the reader died"}'
            )
        os.waitpid(self._pid, 0)
        return found

    def _watch(self, job: Job, place: Place) -> dict[str, Any]:
        os.set_blocking(self._stop, False)
        reads = 0
        while True:
            for who, read in READERS[job.form].items():
                for name, states in job.states.items():
                    begun = time.monotonic()
                    try:
                        found = read(place, name)
                    except Exception as error:  # noqa: BLE001  whatever a reader meets
                        # Plain files have no versions: of what a killed run left in a
                        # store one may be gone.
                        if job.form != "delta" and place.is_store and _MISSING.search(str(error)):
                            continue
                        return {
                            "reads": reads,
                            "wrong": f"{who}, {name}: {type(error).__name__}: {error}",
                        }
                    if wrong := mixed(found, states):
                        return {"reads": reads, "wrong": f"{who}, {name}: {wrong}"}
                    reads += 1
                    if "://" in place.root:
                        # The server answers the run, too.
                        time.sleep(time.monotonic() - begun)
            with suppress(BlockingIOError):
                if os.read(self._stop, 1) == b"":
                    return {"reads": reads, "wrong": ""}


def mixed(found: State, states: Iterable[State]) -> str:
    """Which list is neither as it was before nor as it is after the night; a list is
    that of one connection.
    """
    known = [by_connection(state) for state in states]
    there = by_connection(found)
    for name in {name for state in known for name in state} | there.keys():
        if there.get(name) not in [state.get(name) for state in known]:
            said = " / ".join(
                differing(there.get(name, {}), state.get(name, {})) for state in known
            )
            return f"the list of {name} is of no night: {said}"
    return ""


def by_connection(state: State) -> dict[str, State]:
    """The list of each connection."""
    found: dict[str, State] = {}
    for key, text in state.items():
        found.setdefault(key[0], {})[key] = text
    return found


def final(job: Job, place: Place) -> str:
    """Records that readers find in the end and should not."""
    for who, read in READERS[job.form].items():
        for name, (before, after) in job.states.items():
            if said := differing(read(place, name), after):
                return f"{who}, {name}: {said}"
            if (
                job.form == "delta"
                and job.begun
                and (said := differing(first_version(job, place, name), before))
            ):
                return f"{name}, the version before: {said}"
    return ""


def first_version(job: Job, place: Place, name: str) -> State:
    """The table as it was before the night."""
    from nights import table  # noqa: PLC0415  an extra

    kept = Place(job.kept, job.kept, place.environ)
    version = table(kept, name).version()
    rows = (
        table(place, name, version)
        .to_pyarrow_table(columns=["_profile", "id", "record"])
        .to_pylist()
    )
    return {(row["_profile"], row["id"]): row["record"] for row in rows}


def fresh(job: Job, place: Place) -> None:
    """Begin as before the night."""
    if "://" not in place.root:
        shutil.copytree(job.kept, place.root)
        return
    if not job.begun:
        return
    code, said = in_child(lambda: _copied(job, place))
    assert code == 0, said


def _copied(job: Job, place: Place) -> None:
    import stores  # noqa: PLC0415  as others

    *_, name, kept = job.kept.split("/", 3)
    stores.Bucket(place.environ["AWS_ENDPOINT_URL"], name).copy(kept, place.root.split("/", 3)[3])


def survives(job: Job, point: int) -> dict[str, Any]:
    """The outcome of the point."""
    place, night = job.place(f"{job.kind.replace(',', '-')}-{point}"), Night(job)
    fresh(job, place)
    reader = Reader(job, place) if job.begun and job.watched else None
    code, _ = night.run(place, point)
    killed = code in {-signal.SIGKILL, 130, 143}
    again = night.run(place, 0)[0] if killed else code
    seen = reader.end() if reader else {"reads": 0, "wrong": ""}
    wrong = seen["wrong"] or (
        f"the end is {again}: {told(job)}" if again else in_child(lambda: final(job, place))[1]
    )
    if "://" not in place.root:
        shutil.rmtree(place.root)
    return {"point": point, "killed": killed, "reads": seen["reads"], "wrong": wrong}


def told(job: Job) -> str:
    """The output of the last run."""
    return (Path(job.home) / "stderr").read_text()


def run(job: Job) -> None:
    """Kill at every point, or at some; the last one is not reached any more."""
    for name in job.before:
        states = [
            {(one, of): text for one, of, text in rows[name]} for rows in (job.before, job.after)
        ]
        job.states[name] = (states[0], states[1])
    until = time.monotonic() + job.seconds
    # No process is killed; children leave their modules here.
    survives(job, job.until)
    gc.freeze()
    missed = 0
    for point in count(job.first, job.step):
        found = survives(job, point)
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()
        # Not every run of two workers has as many points.
        missed = 0 if found["killed"] else missed + 1
        if missed == _MISSES or point >= job.until or time.monotonic() > until:
            return


if __name__ == "__main__":
    run(msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Job))
