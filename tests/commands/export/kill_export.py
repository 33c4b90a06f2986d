"""Kill an export before each of its changes to the disk and in the middle of each
write, run it again, and compare.

A program of its own, because it forks: `kill_export.py SPEC`, and SPEC is `{"argv",
"environ", "home", "target", "most", "share", "again"}` as JSON: at most `most` points,
the first at an offset from the start of all, as a share of what lies between two; with
`again` the command has come to its end once. Prints how many points there were and what
went wrong.
"""

import gc
import json
import os
import re
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import read_once

from unified_cli.exported import partial_file
from unified_cli.exported.local_folder import LocalFolder
from unified_cli.main import main
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

CALLS = ("open", "write", "replace", "link", "unlink", "ftruncate", "mkdir")
NEVER = 0
_MOMENT = 0.3
TRACES = (".part", ".ckpt", ".lock", ".tmp")
# Below these are tables, and their new records: read by their library, or not
# at all.
LOG, PAGES = "_delta_log", ".pages"
GONE_AT = re.compile(rb'"gone_at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(?:Z|\+00:00)"}')


class Counter:
    """Counts the changes this process makes to the disk, and kills it at the one that
    is asked for.
    """

    names = CALLS

    def __init__(self, deadly: int, number: int = signal.SIGKILL) -> None:
        self.count = 0
        self._lock = threading.Lock()
        self._deadly = deadly
        self._signal = number

    def watch(self) -> None:
        for name in self.names:
            setattr(os, name, self._counted(name, getattr(os, name)))
        # Data in the kernel survives a kill, so nothing waits for a disk here.
        os.fsync = lambda _: None
        if find_spec("deltalake"):
            # The library's own calls are not seen here: it is killed before each
            # commit, and after it.
            table = import_module("unified_cli.commands.export.delta_table").ListTable
            table._write_log = self._around(table._write_log)

    def _around(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def around(*args: Any, **more: Any) -> Any:
            self._point()
            result = real(*args, **more)
            self._point()
            return result

        return around

    def _counted(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **more: Any) -> Any:
            if name == "open" and not args[1] & os.O_CREAT:
                return real(*args, **more)
            self._point()
            if name == "write":
                self._point(lambda: real(args[0], bytes(args[1])[: len(args[1]) // 2]))
            return real(*args, **more)

        return counted

    def _point(self, torn: Callable[[], Any] = lambda: None) -> None:
        with self._lock:
            self.count += 1
            is_deadly = self.count == self._deadly
        if is_deadly:
            torn()
            os.kill(os.getpid(), self._signal)
            # Another thread is to notice, which needs a moment.
            time.sleep(_MOMENT)


def in_child(work: Callable[[], Any]) -> tuple[int, Any]:
    """Do it in a process of its own: its exit code (negative: a signal), and what it
    gave.
    """
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        send = os.write
        code, said = 0, None
        try:
            said = work()
        except BaseException as error:  # noqa: BLE001  told by the parent
            code, said = 99, f"{type(error).__name__}: {error}"
        send(write, json.dumps([said, *sys.modules]).encode())
        os._exit(code)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said, *modules = json.loads(pipe.read() or "[null]")
    _, status = os.waitpid(pid, 0)
    for name in modules:
        # Modules that one child imported, the next ones find; some libraries make
        # modules that have no file.
        with suppress(Exception):
            import_module(name)
    return os.waitstatus_to_exitcode(status), said


def child(spec: dict[str, Any], deadly: int) -> tuple[int, int]:
    """Run the command in a process of its own: its exit code, and how many points it
    passed if it was not killed.
    """

    def export() -> tuple[int, int]:
        counter, home = Counter(deadly), Path(spec["home"])
        counter.watch()
        folders = {"config": home, "data": home}
        with (
            open(os.devnull, "wb") as sink,  # noqa: PTH123  as in a shell
            open(home / "stderr", "wb") as stderr,  # noqa: PTH123  as in a shell
        ):
            code = main(
                spec["argv"], Runtime(None, sink, Stderr(stderr), spec["environ"], folders=folders)
            )
        return code, counter.count

    code, said = in_child(export)
    return (code, 0) if code else (said[0], said[1])


def content(target: Path) -> dict[str, bytes]:
    """Every file below the target, or the target itself, with its content, without the
    times that differ from run to run: manifests stay out.
    """
    if target.is_file():
        return {target.name: target.read_bytes()}
    logs = [*target.rglob(LOG)]
    files = [
        path
        for path in target.rglob("*")
        if path.is_file()
        and not path.name.startswith("manifest")
        and PAGES not in path.parts
        and not any(path.is_relative_to(log.parent) for log in logs)
    ]
    tables = {str(log.parent.relative_to(target)): rows(log.parent) for log in logs}
    # One that was made and not written yet has none.
    found = {name: table for name, table in tables.items() if table}
    return {**found, **{str(path.relative_to(target)): timeless(path) for path in files}}


def timeless(file: Path) -> bytes:
    """The content of a file, with the same time for all gone ids."""
    found = file.read_bytes()
    return GONE_AT.sub(b'"gone_at":TIME}', found) if file.name.startswith("gone.") else found


def rows(table: Path) -> bytes:
    """The rows of a table, in a process of its own: the library's threads outlive no
    fork.
    """

    def read() -> str:
        from deltalake import DeltaTable  # noqa: PLC0415  see above

        return "".join(
            sorted(f"{row}\n" for row in DeltaTable(table).to_pyarrow_table().to_pylist())
        )

    code, text = in_child(read)
    assert code == 0, text
    return str(text).encode()


def beside(target: Path) -> list[str]:
    """The ids that should be gone after a good end."""
    found = [path for path in target.parent.rglob("*") if path.is_file()]
    return sorted(path.name for path in found if path.name.endswith(TRACES) or PAGES in path.parts)


def clean(spec: dict[str, Any], target: Path) -> None:
    """Begin anew, or where the first run ended."""
    shutil.rmtree(target.parent)
    target.parent.mkdir()
    if spec["again"]:
        kept = Path(spec["home"]) / "kept"
        if not kept.exists():
            child(spec, NEVER)
            shutil.copytree(target, kept)
            shutil.rmtree(target)
        shutil.copytree(kept, target)


def survives(
    spec: dict[str, Any], target: Path, expected: dict[str, bytes], point: int
) -> str | None:
    """The problem when the export was killed at this call and run again; None where
    nothing did.
    """
    clean(spec, target)
    before = content(target) if target.exists() else {}
    code, _ = child(spec, point)
    if code != -signal.SIGKILL:
        return f"{point}: not killed, but ended with {code}"
    early = content(target) if target.is_dir() or target.exists() else {}
    whole = {
        name: {expected.get(name), before.get(name)} for name in early if not name.endswith(TRACES)
    }
    if wrong := [name for name, either in whole.items() if early[name] not in either]:
        return f"{point}: {wrong} have their names and are not whole"
    code, _ = child(spec, NEVER)
    # Killed after the last trace of the run was gone, a single list finds its file
    # complete and does not touch it.
    if code != 0 and not (code == 11 and early == expected):
        return (
            f"{point}: run again it ended with {code}:"
            f" {(Path(spec['home']) / 'stderr').read_text()}"
        )
    if code == 0 and beside(target):
        return f"{point}: left behind {beside(target)}"
    return None if content(target) == expected else f"{point}: not the same files"


def run(spec: dict[str, Any]) -> dict[str, Any]:
    # Every page is made safe on its own, so that there is a crash point at each.
    assert partial_file._SECONDS == LocalFolder.save_seconds == 1
    partial_file._SECONDS = LocalFolder.save_seconds = 0
    target = Path(spec["target"])
    read_once.help_of(spec["argv"])
    # The first run leaves in the user's folders what later ones find.
    clean(spec, target)
    child(spec, NEVER)
    clean(spec, target)
    code, points = child(spec, NEVER)
    if code:
        return {
            "points": 0,
            "wrong": [
                f"undisturbed it ended with {code}: {(Path(spec['home']) / 'stderr').read_text()}"
            ],
        }
    expected = content(target)
    gc.freeze()
    step = max(1, points // spec["most"])
    tried = [*range(1 + int(step * spec["share"]), points + 1, step)]
    wrong = [said for point in tried if (said := survives(spec, target, expected, point))]
    return {"points": points, "tried": len(tried), "wrong": wrong, "files": len(expected)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(json.loads(sys.argv[1]))))
