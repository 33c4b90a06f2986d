"""The check that the folder of an export still holds what its manifest lists."""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import BinaryIO

from unified_cli.bulk.export.manifest import NAME, Manifest, ManifestEntry, without_lists
from unified_cli.errors import StateError, StorageError
from unified_cli.plural import counted
from unified_cli.storage import folders, regular_file

_BLOCK = 1024 * 1024


@dataclass(slots=True)
class ManifestCheck:
    """How many files were compared with their manifest, what differs, and what was never completed."""

    compared: int = 0
    differences: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def verify(folder: Path) -> ManifestCheck:
    """Compare the files of a folder with its manifests, following no link in it.

    Raises StateError where there is none, or a damaged one; UnsafeError where a folder in it is a link; StorageError.
    """
    found = _manifests(folder)
    if not found:
        raise StateError(f"{folder} holds no {NAME}, so it is no export")
    check = ManifestCheck()
    entries: list[ManifestEntry] = []
    for path in found:
        manifest = Manifest.open(path, None, 0)
        entries += manifest.entries.values()
        if manifest.ended is None:
            check.missing.append(f"{path.name}: the export has not come to its end")
        for entry in manifest.entries.values():
            if entry.complete:
                check.compared += 1
                check.differences += [f"{entry.file}: {said}" for said in _differences(folder, entry)]
            elif entry.offered:
                check.missing.append(f"{entry.file}: not complete: {entry.why}")
    for name, of_it in without_lists(entries).items():
        check.missing.append(f"{name}: none of its {counted(len(of_it), 'list')} is offered, so nothing was read")
    return check


def _manifests(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if fnmatch(path.name, "manifest*.json"))
    except (FileNotFoundError, NotADirectoryError):
        raise StateError(f"there is no folder {folder}") from None
    except OSError as error:
        raise StorageError(f"cannot read the folder {folder}: {error.strerror}") from None


def _differences(folder: Path, entry: ManifestEntry) -> Iterator[str]:
    path = folder / entry.file
    try:
        folders.check_below(folder, path)
        with os.fdopen(regular_file.descriptor(path), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size != entry.bytes:
                yield f"{counted(size, 'byte')}, not {entry.bytes}"
            elif hashlib.file_digest(file, "sha256").hexdigest() != entry.sha256:
                yield "not the bytes that were written"
            elif path.suffix == ".ndjson" and (lines := _lines(file)) != entry.records:
                yield f"{counted(lines, 'record')}, not {entry.records}"
    except OSError as error:
        yield error.strerror or "cannot be read"


def _lines(file: BinaryIO) -> int:
    file.seek(0)
    return sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b""))
