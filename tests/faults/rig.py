"""Play a case: listeners, a home and a secret of its own, one run, and every promise
checked afterwards.
"""

import contextlib
import importlib
import io
import itertools
import json
import logging
import os
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from faults import authority, memory, search
from faults.case import Case
from faults.script import Listener, reply
from front_door import ROOT

from unified_cli.main import main
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

_KEY = re.compile(rb"^idempotency-key: *(\S+)", re.IGNORECASE | re.MULTILINE)


@dataclass
class Run:
    """The files that a run left behind."""

    code: int
    stdout: bytes
    stderr: str
    seconds: float
    slept: float
    peak: int
    logged: bytes = b""


class Clock:
    """Real time, in which sleeping takes none."""

    def __init__(self) -> None:
        self.slept = 0.0

    def now(self) -> float:
        return time.monotonic() + self.slept

    def sleep(self, seconds: float) -> None:
        self.slept += seconds


class Rig:
    """One origin, one evil listener that must get no request, one home, one secret."""

    def __init__(self, case: Case, home: Path, patch: pytest.MonkeyPatch) -> None:
        self.case = case
        self.home = home
        self.token = search.canary()
        self.account = "ACCT-" + self.token[7:19]
        self._patch = patch
        context = authority.context(case.tls) if case.tls else None
        inner = authority.context(case.tunnel) if case.tunnel else None
        self.origin = Listener(case.server, context, inner)
        self.evil = Listener([reply(b'{"evil":true}')])
        scheme = "https://localhost" if case.tls else "http://127.0.0.1"
        self.words = {
            "@ORIGIN@": f"{scheme}:{self.origin.port}",
            "@EVIL@": f"127.0.0.1:{self.evil.port}",
            "@PORT@": str(self.origin.port),
            "@TOKEN@": self.token,
            "@HOME@": str(home),
        }

    def filled(self, text: str) -> str:
        """The text with its words replaced by this run's values."""
        for word, value in self.words.items():
            text = text.replace(word, value)
        return text

    @property
    def argv(self) -> list[str]:
        """The command line."""
        given = self.case.command
        words = shlex.split(given) if isinstance(given, str) else given
        return [self.filled(word) for word in words]

    @property
    def environ(self) -> dict[str, str]:
        """The environment: how to reach the origin, and what the case adds or (None)
        takes away.
        """
        own = {
            "UNIFIED_BASE_URL": "@ORIGIN@",
            "UNIFIED_TOKEN": "@TOKEN@",
            "UNIFIED_ACCOUNT_ID": self.account,
        }
        if self.case.tls or self.case.tunnel:
            own["UNIFIED_CA_BUNDLE"] = "@HOME@/authority.pem"
        merged = {**own, "HOME": "@HOME@", **self.case.environ}
        return {name: self.filled(value) for name, value in merged.items() if value is not None}

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Both listeners at work, the files in their places."""
        if self.case.tls or self.case.tunnel:
            authority.write(self.home / "authority.pem")
        for name, (content, mode) in self.case.files.items():
            path = self.home / name
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.write_bytes(self.filled(content.decode("latin-1")).encode("latin-1"))
            path.chmod(mode)
        for name, mode in self.case.folders.items():
            (self.home / name).chmod(mode)
        words = {word.encode(): value.encode() for word, value in self.words.items()}
        self.origin.start(words)
        self.evil.start({})
        with contextlib.ExitStack() as ending:
            ending.callback(self.origin.stop)
            ending.callback(self.evil.stop)
            if self.case.hole:
                _dig(ending, self.origin.port)
            yield

    def run(self) -> Run:
        """Run the command and wait for its end."""
        return self._process() if self.case.process else self._here()

    def _here(self) -> Run:
        stdout, stderr, clock, log = io.BytesIO(), io.BytesIO(), Clock(), io.StringIO()
        settings: dict[str, Any] = {
            "stdin": io.BytesIO(self.case.stdin),
            "stdout": stdout,
            "stderr": Stderr(stderr),
            "environ": self.environ,
            "stdin_is_terminal": self.case.tty,
            "stdout_is_terminal": self.case.tty,
            "stderr_is_terminal": self.case.tty,
            "columns": 80,
            "folders": {"config": self.home / "config", "data": self.home / "data"},
            "monotonic": clock.now,
            "sleep": clock.sleep,
            "uniform": lambda low, high: (low + high) / 2,
            **self.case.world,
        }
        if self.case.names:
            self._patch.setattr(socket, "getaddrinfo", _names(self.case.names))
        self._patch.chdir(self.home)
        memory.begin()
        with _logging(log):
            began = clock.now()
            code = main(self.argv, Runtime(**settings))
            seconds = clock.now() - began
        peak = memory.grown()
        self._patch.undo()
        told = stderr.getvalue().decode()
        return Run(
            code, stdout.getvalue(), told, seconds, clock.slept, peak, log.getvalue().encode()
        )

    def _process(self) -> Run:
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        began = time.monotonic()
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "unified_cli", *self.argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.home,
            env={**kept, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", **self.environ},
        )
        with memory.Watch(child.pid) as watched:
            stdout, stderr = child.communicate(self.case.stdin, timeout=60)
        seconds = time.monotonic() - began
        return Run(
            child.returncode, stdout, stderr.decode(), seconds, 0, watched.peak, watched.argv
        )


def _descriptors() -> set[tuple[str, str]]:
    """The open descriptors of this process, and their targets."""
    found = set()
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208  nothing may be opened for looking
        # The one of the looking itself is gone by now.
        with contextlib.suppress(OSError):
            found.add((name, os.readlink(f"/proc/self/fd/{name}")))  # noqa: PTH115  as above
    return found


def hold(case: Case, home: Path, patch: pytest.MonkeyPatch) -> Rig:
    """Play the case and assert that every promise held."""
    descriptors = _descriptors()
    rig = Rig(case, home, patch)
    with rig.listening():
        before = search.tree(home)
        run = rig.run()
        after = search.tree(home)
    asked = len(rig.origin.requests)
    told = (
        f"exit {run.code} after {run.seconds:.2f} s\n{run.stderr}\n{run.stdout[:2000]!r}\nrequests:"
        f" {asked}"
    )
    assert run.code == case.exit, told
    _check_streams(rig, run, told)
    _check_requests(rig, run, told)
    expected = {
        name: (rig.filled(text.decode()).encode(), mode)
        for name, (text, mode) in case.creates.items()
    }
    assert after == {**before, **expected}
    assert (rig.evil.connections, rig.evil.requests) == (0, []), told
    changed = {
        name: content for name, (content, _) in after.items() if after[name] != before.get(name)
    }
    places = {
        "stdout": run.stdout,
        "stderr": run.stderr.encode(),
        "logs, argv and children": run.logged,
        **changed,
    }
    assert search.hits(rig.token, places) == [], told
    # Each by what it leads to: what a test before this one left may be closed
    # in between, and would make up for a leak.
    assert _descriptors() - descriptors == set(), told
    # A busy machine takes its time, and a case that hangs takes longer than that.
    assert run.seconds <= case.timeout + 5, told
    assert run.peak < memory.LARGEST, f"{run.peak} kB"
    return rig


def _check_streams(rig: Rig, run: Run, told: str) -> None:
    case = rig.case
    for pattern in case.stderr:
        assert re.search(rig.filled(pattern), run.stderr), f"no {pattern!r}: {told}"
    for pattern in (*case.never, "Traceback", "Exception ignored"):
        assert not re.search(rig.filled(pattern), run.stderr), f"{pattern!r}: {told}"
    assert "".join(run.stderr.split("\n")).isprintable(), told
    assert max(map(len, run.stderr.splitlines()), default=0) < 3000, told
    if case.exit:
        assert re.search(r'^(error: .*|{"error": .*)\n(  .*\n)*\Z', run.stderr, re.MULTILINE), told
        assert case.exit == 1 or "a bug" not in run.stderr, told
    if case.calm:
        assert run.stdout, told
        assert re.sub("[\n\t]", "", run.stdout.decode()).isprintable(), told
    if case.shows is not None:
        shown = run.stdout.decode()
        assert json.loads(shown) == case.shows, told
        assert "".join(shown.split("\n")).isprintable(), told
        assert not re.search("[\u0300-\u036f]{20}", shown), told
    if case.stdout is not None or case.exit:
        wanted = case.stdout() if callable(case.stdout) else case.stdout
        assert run.stdout == (wanted or b""), told


def _check_requests(rig: Rig, run: Run, told: str) -> None:
    case, seen = rig.case, rig.origin.requests
    if isinstance(case.requests, int):
        assert len(seen) == case.requests, told
    elif case.requests is not None:
        wanted = [rig.filled(pattern.decode()).encode() for pattern in case.requests]
        for pattern, request in itertools.zip_longest(wanted, seen):
            assert pattern is not None, told
            assert request is not None, told
            assert re.search(pattern, request, re.DOTALL), f"{pattern!r} is not in {request!r}"
    if case.connections is not None:
        assert rig.origin.connections == case.connections, told
    if case.waits is not None:
        assert case.waits[0] <= run.slept <= case.waits[1], f"slept {run.slept}: {told}"
    if case.one_key:
        keys = {match for request in seen for match in _KEY.findall(request)}
        assert len(keys) == 1, keys
        assert not case.exit or keys.pop().decode() in run.stderr, told


@contextlib.contextmanager
def _logging(log: io.StringIO) -> Iterator[None]:
    """Everything that any library logs, as a user sees it who turned all of it on."""
    root, handler = logging.getLogger(), logging.StreamHandler(log)
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        root.setLevel(level)
        root.removeHandler(handler)


def _dig(ending: contextlib.ExitStack, port: int) -> None:
    """Fill a listener's queue, which is never emptied, so that the next connection
    waits for ever.
    """
    hole = ending.enter_context(socket.socket())
    hole.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    hole.bind(("127.0.0.9", port))
    hole.listen(0)
    for _ in range(2):
        waiting = ending.enter_context(socket.socket())
        waiting.setblocking(False)
        waiting.connect_ex(("127.0.0.9", port))


def _names(found: Callable[[str], Sequence[str]]) -> Callable[..., Any]:
    def look_up(host: bytes | str, port: int, *_: object, **__: object) -> list[Any]:
        name = host.decode() if isinstance(host, bytes) else host
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found(name)
        ]

    return look_up


def cases(folder: Path) -> Mapping[str, Case]:
    """Every case by the words it is named in."""
    found: dict[str, Case] = {}
    for path in sorted(folder.rglob("*.py")):
        name = ".".join(path.relative_to(folder.parent.parent).with_suffix("").parts)
        words = path.stem.replace("_", " ")
        for variant, case in importlib.import_module(name).CASES.items():
            found[f"{words}: {variant}" if variant else words] = case
    return found
