"""Loaded into each worker of the tests: a file `odd` of its home makes all of them
unusual, the variable ODD one.
"""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unified_cli.commands.export import engine_worker
from unified_cli.commands.export.engine_worker import TaskResult
from unified_cli.storage.object_store import StoredObjects, StoreUrl

WORK, AT = engine_worker.work, StoredObjects.at
MODE = Path.home() / "odd"


def on_another_disk(url: StoreUrl, environ: Mapping[str, str], *, make: bool) -> StoredObjects:
    """The file at the same path on this worker's own disk."""
    folder = Path.home() / f"disk-{os.getpid()}" / url.prefix.lstrip("/")
    folder.mkdir(parents=True, exist_ok=True)
    return AT(url._replace(prefix=str(folder)), environ, make=make)


def work(version: str, to: str, marker: str, text: str) -> TaskResult:
    """Do the task, as soon as the file does not say `hang`."""
    if mode() == "hang":
        (MODE.parent / f"hanging-{os.getpid()}").touch()
        while MODE.exists():
            time.sleep(0.02)
    return WORK(version, to, marker, text)


def mode() -> str:
    return MODE.read_text() if MODE.exists() else os.environ.get("ODD", "")


def dask_setup(_worker: Any) -> None:
    engine_worker.work = work
    if mode() == "version":
        engine_worker.__version__ = "0.0.9"
    if mode() == "disk":
        StoredObjects.at = on_another_disk  # type: ignore[assignment]
