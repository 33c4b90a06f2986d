"""Where this user's sandbox keeps its state."""

from collections.abc import Mapping

from unified_cli.errors import StorageError
from unified_cli.runtime import Runtime
from unified_cli.sandbox.store import SandboxStore

NAME = "sandbox.db"


def own_store(
    runtime: Runtime, seed: str | None = None, records: Mapping[tuple[str, str], int] | None = None
) -> SandboxStore:
    """The store in the user's data folder; in memory, with a note, where that cannot be written."""
    folder = runtime.folder("data")
    if folder is None:
        runtime.stderr.note("the sandbox forgets its records when this ends: there is no home folder to keep them in")
        return SandboxStore.open(None, seed, records=records)
    try:
        return SandboxStore.open(folder / NAME, seed, records=records)
    except StorageError as error:
        runtime.stderr.note(f"the sandbox forgets its records when this ends: {error.message}")
        return SandboxStore.open(None, seed, records=records)
