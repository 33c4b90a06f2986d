"""The program, driven through its front door: `unified("ticketing tickets list")` reads
like a terminal.
"""

import functools
import gc
import io
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import read_once  # noqa: F401  all that it does is done by importing it
from front_door import Clock, Process, Result, Unified
from hypothesis import HealthCheck, settings
from installed import skip_without
from server import Service, serving
from summary import pytest_terminal_summary  # noqa: F401  pytest finds the hook by its name
from workers import reading_order

from unified_cli import masking
from unified_cli.main import main
from unified_cli.runtime import Runtime
from unified_cli.sandbox import application
from unified_cli.sandbox.pytest_plugin import UnifiedSandbox, unified_sandbox
from unified_cli.stderr import Stderr

__all__ = ["unified_sandbox"]
pytest_plugins = ("campaigns", "crash_points", "pytester")

MEMORY = Path("/dev/shm")


def pytest_configure() -> None:
    """Put the folders of the tests into memory where there is room, so that no test
    waits for a disk.
    """
    # Collected tests stay: see pytest_collection_finish.
    gc.disable()
    # A thousand processes are started, and each would compile the program.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK):
        found = os.statvfs(MEMORY)
        if found.f_bavail * found.f_frsize > 1 << 30 and not found.f_flag & os.ST_NOEXEC:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_xdist_auto_num_workers() -> int:
    """Twice as many workers as there are processors: tests wait for processes, and for
    time to pass.
    """
    return (os.cpu_count() or 1) * 2


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Have each worker read other files first, where all files are read."""
    config = session.config
    worker = getattr(config, "workerinput", None)
    # pytest ignores no file that it is given by name.
    ignores = config.getoption("ignore") or config.getoption("ignore_glob")
    if worker and config.args == config.getini("testpaths") and not ignores:
        files = [str(path) for path in sorted(Path(__file__).parent.rglob("test_*.py"))]
        number = int(worker["workerid"].removeprefix("gw"))
        config.args = reading_order(files, number, worker["workercount"])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Bring the tests of a worker into the order that the others have."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.path)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose programs are not installed."""
    for mark in item.iter_markers("needs"):
        skip_without(*mark.args)


def pytest_collection_finish() -> None:
    """Spare the garbage collector the permanent objects: it would look at thousands of
    tests again and again.
    """
    gc.collect()
    gc.freeze()
    # Looking after each 700 objects took a thirtieth of the time of the tests; most are
    # freed without it.
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


# A shell has what it starts in the background ignore Ctrl-C, as nohup does, and
# processes inherit that. The program respects it, so the tests that press Ctrl-C begin
# as if they had been started in the foreground.
signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes says more of the machine than of the program; and examples
# share what a fixture made.
settings.register_profile(
    "unified",
    deadline=None,
    # The checkout may be read-only; an example that fails is printed.
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("unified")


@pytest.fixture(autouse=True)
def no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the secrets of other tests, as each process begins without any."""
    monkeypatch.setattr(masking, "_FORMS", {})


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """Set back what an export into a shared folder sets for the whole process."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def unified(tmp_path: Path) -> Unified:
    """Run a command line in this process, with folders of its own, no environment and a
    clock that never waits.
    """

    def run(
        command: str | list[str],
        *,
        environ: Mapping[str, str] | None = None,
        stdin: bytes | None = b"",
        tty: bool = False,
        columns: int | None = None,
        **world: Any,
    ) -> Result:
        argv = shlex.split(command) if isinstance(command, str) else command
        stdout, stderr = io.BytesIO(), io.BytesIO()
        clock = Clock()
        settings: dict[str, Any] = {
            "stdin": None if stdin is None else io.BytesIO(stdin),
            "stdout": stdout,
            "stderr": Stderr(stderr),
            "environ": environ or {},
            "stdin_is_terminal": tty,
            "stdout_is_terminal": tty,
            "stderr_is_terminal": tty,
            "columns": columns or (80 if tty else None),
            "folders": {"config": tmp_path / "config", "data": tmp_path / "data"},
            "monotonic": clock.now,
            "sleep": clock.sleep,
            "uniform": lambda low, _high: low,
            **world,
        }
        code = main(argv, Runtime(**settings))
        raw = stdout.getvalue()
        return Result(
            raw.decode("utf-8", "backslashreplace"), stderr.getvalue().decode(), code, raw
        )

    return run


@pytest.fixture
def service() -> Iterator[Service]:
    """A service on a real socket; `unified(…, environ=service.environ)` talks to it."""
    with serving() as running:
        yield running


@pytest.fixture(name="kept_ids")
def _kept_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the sandbox in this process keep the ids of created records, so that a test
    can choose them.
    """
    monkeypatch.setattr(
        application, "Sandbox", functools.partial(application.Sandbox, keep_ids=True)
    )


@pytest.fixture
def served(unified_sandbox: UnifiedSandbox) -> dict[str, str]:
    """The environment in which commands talk to a sandbox on a socket, to its empty
    connection, as fast as they can.
    """
    return {
        "UNIFIED_BASE_URL": unified_sandbox.url,
        "UNIFIED_TOKEN": unified_sandbox.token,
        "UNIFIED_ACCOUNT_ID": "empty",
        "UNIFIED_RATE": "0",
    }


@pytest.fixture
def config(tmp_path: Path) -> Callable[[str], Path]:
    """Write the config file that `unified` reads."""

    def write(text: str) -> Path:
        path = tmp_path / "config" / "config.toml"
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.write_text(text)
        path.chmod(0o600)
        return path

    return write


@pytest.fixture
def process(tmp_path: Path) -> Process:
    """Run a command line as a process of its own, with a home of its own."""

    def run(
        command: str | list[str], *, environ: Mapping[str, str] | None = None, **more: Any
    ) -> Any:
        argv = shlex.split(command) if isinstance(command, str) else command
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        return subprocess.run(
            [sys.executable, "-m", "unified_cli", *argv],
            check=False,
            capture_output="stdout" not in more,
            timeout=60,
            env={**kept, "HOME": str(home), **(environ or {})},
            **more,
        )

    return run
