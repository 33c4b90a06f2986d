"""A Dask scheduler, its workers and a service with limits, as processes on this
machine.
"""

import json
import os
import re
import signal
import socket
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import forking
from forking import Forked

HERE = Path(__file__).parent
Started = Forked
# The configuration of a process is in its own environment.
DASK = """
import runpy
import dask.config
dask.config.refresh()
runpy.run_module("distributed.cli.dask_{}", run_name="__main__", alter_sys=True)
"""
SERVICE = """
import runpy, sys
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def started(program: str, words: list[str], folder: Path, log: Path, **environ: str) -> Started:
    """A process with a home of its own, whose messages are in the log."""
    own = {"HOME": str(folder), "PATH": os.environ["PATH"], **environ}
    with log.open("ab") as messages:
        return forking.start(
            words, own, preload=forking.CLUSTER, program=program, output=messages.fileno()
        )


def stop(one: Started) -> None:
    with suppress(ProcessLookupError):
        one.send_signal(signal.SIGCONT)
        one.kill()
    one.wait()


@dataclass
class Cluster:
    """The processes, and the folder that all of them have as their home; workers can be
    made `odd`.
    """

    home: Path
    service: str
    port: int
    processes: ExitStack
    scheme: str = "tcp"
    settings: dict[str, str] = field(default_factory=dict)
    odd: bool = True
    scheduler: Started | None = None
    workers: list[Started] = field(default_factory=list)

    @property
    def engine(self) -> str:
        return f"{'tls' if self.scheme == 'tls' else 'dask'}://127.0.0.1:{self.port}"

    def start_scheduler(self) -> None:
        words = [
            "--host",
            f"{self.scheme}://127.0.0.1",
            "--port",
            str(self.port),
        ]
        words += ["--no-dashboard", "--no-show"]
        self.scheduler = self.start(DASK.format("scheduler"), words, "scheduler")
        wait_until(self.answers)

    def start_worker(self, **more: str) -> Started:
        """Another worker, with more in its environment."""
        words = [
            f"{self.scheme}://127.0.0.1:{self.port}",
            "--no-nanny",
            "--no-dashboard",
        ]
        words += ["--nthreads", "2", "--local-directory", str(self.home / "scratch")]
        if self.odd:
            words += ["--preload", "odd_worker"]
        name = f"worker-{len(self.workers)}"
        worker = self.start(DASK.format("worker"), words, name, **more)
        self.workers.append(worker)
        return worker

    def replace(self, worker: Started) -> None:
        """Kill this worker, and wait until another is there: a test that begins before
        has one fewer.
        """
        worker.kill()
        before = self.registered()
        self.start_worker()
        wait_until(lambda: self.registered() > before)

    def start(self, program: str, words: list[str], name: str, **more: str) -> Started:
        own = {**self.settings, **more}
        made = started(program, words, self.home, self.home / f"{name}.log", **own)
        self.processes.callback(stop, made)
        return made

    def answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    def registered(self) -> int:
        """How many workers have registered until now.

        On a busy machine one may do so twice, under the same address.
        """
        log = (self.home / "scheduler.log").read_text()
        return len({*re.findall(r"Starting worker compute stream, (\S+)", log)})

    @property
    def driver(self) -> Path:
        """The home of who runs the program; the workers have another, with a
        configuration of their own.
        """
        return self.home / "driver"

    def config(self, profiles: dict[str, str], *homes: Path) -> None:
        """Write the configuration, everywhere or in these homes: profiles, each with a
        token if it has one.
        """
        for home in homes or (self.home, self.driver):
            self._config(profiles, home)

    def _config(self, profiles: dict[str, str], home: Path) -> None:
        path = home / ".config" / "unified" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        tables = "".join(
            f'[profiles.{name}]\naccount_id = "of-{name}"\n'
            + (f'token_file = "{self.token_file(token)}"\n' if token else "")
            for name, token in profiles.items()
        )
        path.write_text(f'base_url = "{self.service}"\n{tables}')
        path.chmod(0o600)

    def token_file(self, token: str) -> Path:
        path = self.home / token
        path.write_text(f"{token}-0123456789\n")
        path.chmod(0o600)
        return path

    def unified(self, *words: str) -> Started:
        """The program, as a process."""
        own = {"HOME": str(self.driver), "PATH": os.environ["PATH"], **self.settings}
        return forking.start(
            words,
            own,
            preload=forking.CLUSTER,
            program=f"import dask.config\ndask.config.refresh()\n{forking.MAIN}",
        )

    def counts(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.service}/counts", timeout=5) as answer:
            found: dict[str, Any] = json.load(answer)
            return found


def wait_until(holds: Any, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


@contextmanager
def cluster(
    home: Path, *, pages: int, records: int, workers: int = 2, odd: bool = True, **settings: str
) -> Iterator[Cluster]:
    """All of it, stopped at the end."""
    home.mkdir(exist_ok=True)
    with ExitStack() as processes:
        service = started(
            SERVICE,
            [str(HERE / "limited_service.py"), str(pages), str(records)],
            home,
            home / "service.log",
        )
        processes.callback(stop, service)
        scheme = "tls" if "DASK_DISTRIBUTED__COMM__TLS__CA_FILE" in settings else "tcp"
        made = Cluster(home, "", free_port(), processes, scheme, settings, odd)
        made.start_scheduler()
        for _ in range(workers):
            made.start_worker()
        wait_until(lambda: (home / "service.log").read_text().endswith("\n"))
        made.service = f"http://127.0.0.1:{(home / 'service.log').read_text().split()[-1]}"
        wait_until(lambda: made.registered() >= workers)
        yield made


def records_of(folder: Path) -> list[str]:
    """The ids of all records in an export's folder."""
    return [
        json.loads(line)["id"]
        for path in sorted(folder.rglob("*.ndjson"))
        for line in path.read_text().splitlines()
    ]
