"""Records that come through a pipe, kept in a file, so that an import of them has a
journal to go on from.
"""

from pathlib import Path
from typing import Any

from unified_cli.errors import StorageError, UsageError
from unified_cli.runtime import Runtime
from unified_cli.storage import atomic_file, folders, input_bounds, permissions
from unified_cli.storage.atomic_file import AtomicFile
from unified_cli.writes import import_journal

_FOLDER, _NAME = "imports", "stdin"


def keep(runtime: Runtime, where: list[Any], token_stdin: bool) -> Path:
    """Read standard input to its end and keep it in the data folder; `where` is what
    the records go into.

    The same records for the same place are the same file, so that a second run finds
    the journal of the first. Raises UsageError where there is nothing to read, or with
    `token_stdin`, as the token cannot come from there too; StorageError.
    """
    if token_stdin:
        raise UsageError(
            "standard input holds the records, so no token can be read from it (--token-file FILE)"
        )
    if runtime.stdin is None:
        raise UsageError("standard input is closed, so there is nothing to import")
    if runtime.stdin_is_terminal:
        raise UsageError(
            "standard input is a terminal (name a file, or: … | unified import API/RESOURCE -)"
        )
    data = runtime.folder("data")
    if data is None:
        raise StorageError("no home directory for the journal (import from a file instead)")
    import hashlib  # noqa: PLC0415  only where something is piped in
    import json  # noqa: PLC0415  as above

    folder = data / _FOLDER
    try:
        folders.make_private(folder)
        permissions.check_own_folder(folder)
        path = _copy(runtime, folder, hashlib.sha256(json.dumps(where).encode()))
    except OSError as error:
        raise StorageError(f"cannot keep what is piped in: {folder}: {error.strerror}") from None
    runtime.stderr.note(f"standard input is saved as {path}")
    return path


def unfinished(runtime: Runtime) -> list[Path]:
    """The journals of imports from a pipe that were killed, or left records that are not done."""
    data = runtime.folder("data")
    if data is None:
        return []
    found = []
    for journal in sorted((data / _FOLDER).glob(f"*{import_journal.SUFFIX}")):
        results = {
            path.name
            for path in journal.parent.glob(f"{journal.name.removesuffix(import_journal.SUFFIX)}.*")
        }
        results.discard(journal.name)
        if not (results and all("unified-done" in name for name in results)):
            found.append(journal)
    return found


def _copy(runtime: Runtime, folder: Path, digest: Any) -> Path:
    assert runtime.stdin is not None  # noqa: S101  checked above
    atomic_file.sweep_unheld(folder, _NAME)
    with AtomicFile.beside(folder / _NAME) as copy:
        while chunk := runtime.stdin.read(1 << 20):
            if copy.size > input_bounds.LARGEST_COPY:
                bound = f"{input_bounds.LARGEST_COPY >> 30} GiB"
                raise UsageError(
                    f"standard input is larger than {bound}",
                    hint="put it into a file, and name that",
                )
            digest.update(chunk)
            copy.write(chunk)
        path = folder / f"{digest.hexdigest()[:24]}.ndjson"
        copy.publish(path, replace=True)
    return path
