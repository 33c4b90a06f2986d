"""Where this user's sandbox keeps its state."""

from collections.abc import Mapping

from unified_cli.errors import StorageError
from unified_cli.runtime import Runtime
from unified_cli.sandbox.store import SandboxStore

NAME = "sandbox.db"


def own_store(
    runtime: Runtime, seed: str | None = None, records: Mapping[tuple[str, str], int] | None = None
) -> SandboxStore:
    """The store in the user's data folder; in memory, which is told, where that cannot be written."""
    folder = runtime.folder("data")
    if folder is None:
        return _forgetful(runtime, "there is no home folder to keep them in", seed, records)
    try:
        store = SandboxStore.open(folder / NAME, seed, records=records)
    except StorageError as error:
        return _forgetful(runtime, error.message, seed, records)
    tell_lost(runtime, store)
    return store


def tell_lost(runtime: Runtime, store: SandboxStore) -> None:
    """Say where the latest changes of a store are missing."""
    if store.lost:
        beside = f"{store.path}-wal"
        runtime.stderr.line(f"the latest changes to the sandbox are missing: they were in {beside}, which is not there")


def _forgetful(
    runtime: Runtime, why: str, seed: str | None, records: Mapping[tuple[str, str], int] | None
) -> SandboxStore:
    """A store in memory. With `--quiet` nothing is said of it before a write, which will be lost."""
    told = f"the sandbox forgets its records when this ends: {why}"
    runtime.stderr.note(told)
    store = SandboxStore.open(None, seed, records=records)
    if runtime.stderr.quiet:
        store.warn = lambda: runtime.stderr.line(told)
    return store
