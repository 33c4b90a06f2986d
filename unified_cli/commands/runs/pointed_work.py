"""Imports, exports and applied plans in the list of runs: their state is kept elsewhere."""

from collections import Counter
from pathlib import Path

from unified_cli.bulk.apply import apply_journal
from unified_cli.bulk.export.destinations.local_folder import LocalFolder
from unified_cli.bulk.export.manifest import NAME, Manifest
from unified_cli.bulk.import_ import import_journal
from unified_cli.errors import UsageError
from unified_cli.runtime import Runtime
from unified_cli.writes.registry import RunHeader


def state_of(runtime: Runtime, header: RunHeader) -> tuple[Counter[str] | None, str]:
    """The outcomes of an import's records or a plan's calls, None for an export; and a word for the state.

    Raises StateError and StorageError for what cannot be read.
    """
    path = Path(header.path)
    if header.command.startswith("import "):
        return (import_journal.counts(path), "import") if path.is_file() else (None, "gone")
    if header.command.startswith("apply "):
        return _of_plan(path) if path.is_file() else (None, "gone")
    if not path.is_absolute():
        # An object store is not asked.
        return None, "export"
    text = LocalFolder(runtime, path).read(NAME)
    if text is None:
        return None, "gone"
    manifest = Manifest.of(text, NAME, header.path)
    # One that is under way, or was cut off, has no end; what it names may be complete all the same.
    return None, "done" if manifest.complete and manifest.ended else "open"


def _of_plan(path: Path) -> tuple[Counter[str], str]:
    found = apply_journal.counts(path)
    return found, "done" if found["done"] == found.total() else "open"


def refuse(header: RunHeader) -> None:
    """Raise UsageError for a run that the same command as before continues."""
    if header.path:
        kind = header.command.partition(" ")[0]
        raise UsageError(
            f"run {header.run} is an {kind}, which keeps its state in {header.path}",
            hint="run the same command again to continue it",
        )
