"""Loaded into each worker of the tests: what a hostile one does is written into a file
`hostile` of its home.

The variable HOSTILE says what one worker does.
"""

import inspect
import os
import pickle
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from unified_cli import __version__
from unified_cli.commands.export import (
    chunk_log,
    connection_task as tasks,
    engine_worker,
    store_folder,
)
from unified_cli.commands.export.engine_messages import (
    Failure,
    TaskOrder,
    TaskOutcome,
    WorkerReport,
    digest,
)
from unified_cli.exported.manifest import Manifest, ManifestEntry
from unified_cli.storage.object_store import StoredObjects, StoreUrl

WORK = engine_worker.work
MODE = Path.home() / "hostile"
BEFORE: list[bytes] = []
AT, PUT = StoredObjects.at, StoredObjects.put


def on_another_disk(url: StoreUrl, environ: Mapping[str, str], *, make: bool) -> StoredObjects:
    """What is at the same path on a disk of this worker's own."""
    folder = Path.home() / f"disk-{os.getpid()}" / url.prefix.lstrip("/")
    folder.mkdir(parents=True, exist_ok=True)
    made = AT(url._replace(prefix=str(folder)), environ, make=make)
    made.url = url
    return made


def nowhere(_self: StoredObjects, _path: str, _data: bytes) -> None:
    """Write nothing."""


class Pickled:
    """Its pickle makes a file where it is read."""

    def __reduce__(self) -> Any:
        return os.system, (f"touch {Path.home()}/unpickled-by-$PPID",)


class PickledError(Exception):
    def __reduce__(self) -> Any:
        return os.system, (f"touch {Path.home()}/unpickled-by-$PPID",)


def answer(payload: bytes, tell: Callable[[bytes], None]) -> Any:
    """Answer in the way that the payload names."""
    from distributed import get_worker  # noqa: PLC0415  the tests import this module too
    from distributed.protocol import to_serialize  # noqa: PLC0415  as above

    kind = payload.decode()
    if kind == "raise":
        raise PickledError
    if kind == "news":
        for news in (b"{}", b"", b"\xff", b"x" * 100_000):
            tell(news)
        worker = get_worker()
        worker.log_event("print", {"args": ("hostile",)})
        worker.log_event("warn", {"message": pickle.dumps(Pickled())})
    if kind == "stream":
        worker, topic = get_worker(), inspect.getclosurevars(tell).nonlocals["topic"]
        message = {"op": "log-event", "topic": topic, "msg": to_serialize(Pickled())}
        worker.loop.add_callback(worker.batched_send, message)
        time.sleep(60)
    return {
        "text": "text",
        "pickle": Pickled(),
        "pickled in a list": [Pickled()],
        "nothing": None,
        "number": 7,
        "news": b"news",
        "bytes": b"bytes",
    }[kind]


def work(payload: bytes, tell: Callable[[bytes], None]) -> Any:
    """What an export has workers do, but for what the file says."""
    mode = MODE.read_text() if MODE.exists() else os.environ.get("HOSTILE", "")
    if mode == "hang" and b'"type":"task"' in payload:
        (MODE.parent / f"hanging-{os.getpid()}").touch()
        while MODE.exists():
            time.sleep(0.02)
    tasks.__version__ = "0.0.9" if mode == "version" else __version__
    StoredObjects.at = on_another_disk if mode == "disk" else AT  # type: ignore[assignment]
    StoredObjects.put = nowhere if mode == "writes nowhere" else PUT  # type: ignore[method-assign]
    if mode in LIES and b'"type":"task"' in payload:
        return LIES[mode](payload)
    if mode in {"", "version", "hang", "disk", "writes nowhere", *LIES} or mode.startswith(
        "check "
    ) != (b'"type":"check"' in payload):
        BEFORE.append(WORK(payload, tell))
        return BEFORE[-1]
    answers = {
        "pickled": pickle.dumps(Pickled()),
        "other": BEFORE[-1] if BEFORE else b"",
        "pickle": Pickled(),
    }
    return answers[mode.removeprefix("check ")]


def says_done(payload: bytes) -> bytes:
    """Do nothing, and say that it is done."""
    return msgspec.json.encode(WorkerReport(digest(payload), outcome=TaskOutcome(0, {})))


def says_so_in_the_manifest(payload: bytes) -> bytes:
    """Write a manifest of lists that are not there, and of more records than there can
    be.
    """
    task = msgspec.json.decode(payload, type=TaskOrder).task
    entries = {}
    for number, name in enumerate(task.lists):
        file = f"{task.name}/{name}.ndjson"
        entry = ManifestEntry(
            file, task.name, task.account, task.base_url, *name.split("/"), complete=True
        )
        entry.records, entry.bytes = (1 << 48, 0) if number else (7, 700)
        entry.look = chunk_log.look({}) if number else ""
        entry.started = entry.ended = "2026-01-01T00:00:00+00:00"
        entries[file] = entry
    name = f"manifest-of-{task.name}.json"
    objects = store_folder.objects(engine_worker._context().runtime, task.to, make=False)
    objects.put(
        name, Manifest(name, "2026-01-01T00:00:00+00:00", ended="x", entries=entries).text()
    )
    return says_done(payload)


def says_that_all_failed(payload: bytes) -> bytes:
    """Refuse each list with a long text."""
    task = msgspec.json.decode(payload, type=TaskOrder).task
    failed = {f"{task.name}/{name}.ndjson": Failure(5, "x" * 100_000) for name in task.lists}
    return msgspec.json.encode(WorkerReport(digest(payload), outcome=TaskOutcome(0, failed)))


def says_that_it_cannot(payload: bytes) -> bytes:
    """Refuse the task with a long text, as if it had been interrupted."""
    return msgspec.json.encode(WorkerReport(digest(payload), error=Failure(130, "y" * 100_000)))


LIES: dict[str, Callable[[bytes], bytes]] = {
    "says done": says_done,
    "says so in the manifest": says_so_in_the_manifest,
    "says that all failed": says_that_all_failed,
    "says that it cannot": says_that_it_cannot,
}


def dask_setup(_worker: Any) -> None:
    engine_worker.work = work
