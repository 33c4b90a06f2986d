"""Where the sandbox of this user keeps its state."""

from unified_cli.errors import StorageError
from unified_cli.runtime import Runtime
from unified_cli.sandbox.store import Store

NAME = "sandbox.db"


def own_store(runtime: Runtime, seed: str | None = None) -> Store:
    """The store in the user's data folder; in memory, with a note, where that cannot be written."""
    folder = runtime.folder("data")
    if folder is None:
        runtime.talk.note("the sandbox forgets its records when this ends: there is no home folder to keep them in")
        return Store.open(None, seed)
    try:
        return Store.open(folder / NAME, seed)
    except StorageError as error:
        runtime.talk.note(f"the sandbox forgets its records when this ends: {error.message}")
        return Store.open(None, seed)
