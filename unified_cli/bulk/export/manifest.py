"""The manifest of an export: what its folder holds, file by file; and the check that this is still so."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from unified_cli import __version__
from unified_cli.bulk.export.partial_file import digest
from unified_cli.errors import StateError, StorageError
from unified_cli.json_text.values import JsonObject
from unified_cli.storage import atomic_file

NAME = "manifest.json"
_VERSION = 1
_BLOCK = 1024 * 1024


@dataclass(slots=True)
class ManifestEntry:
    """One list of one connection; `file` is below the folder, `why` says why it is not there, or not complete.

    `offered` is False where the connection has no such resource.
    """

    file: str
    profile: str
    account_id: str
    origin: str
    api: str
    resource: str
    fingerprint: str = ""
    records: int = 0
    pages: int = 0
    bytes: int = 0
    sha256: str = ""
    started: str = ""
    ended: str = ""
    complete: bool = False
    offered: bool = True
    why: str | None = None


@dataclass(slots=True)
class Manifest:
    """The manifest of a folder, or of one shard of an export."""

    path: Path
    started: str
    shard: str | None = None
    ended: str | None = None
    entries: dict[str, ManifestEntry] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path, shard: str | None, wall: float) -> "Manifest":
        """The manifest in the file, an empty one where there is none. Raises StateError for a damaged one."""
        try:
            data = json.loads(path.read_bytes())
        except FileNotFoundError:
            return cls(path, timestamp(wall), shard)
        except OSError as error:
            raise StorageError(f"cannot read {path}: {error.strerror}") from None
        except ValueError:
            data = None
        try:
            entries = [ManifestEntry(**entry) for entry in data["files"]]
            manifest = cls(path, data["started"], data["shard"], data["ended"])
        except (TypeError, KeyError):
            raise StateError(f"{path} is damaged, or of another version (--restart starts anew)") from None
        manifest.entries = {entry.file: entry for entry in entries}
        return manifest

    @property
    def complete(self) -> bool:
        """Whether all that is offered is there."""
        return all(entry.complete or not entry.offered for entry in self.entries.values())

    def save(self) -> None:
        """Write it to its place, whole. Raises StorageError."""
        value: JsonObject = {
            "v": _VERSION,
            "tool": f"unified-cli {__version__}",
            "started": self.started,
            "ended": self.ended,
            "shard": self.shard,
            "complete": self.complete,
            "files": [asdict(self.entries[name]) for name in sorted(self.entries)],
        }
        try:
            atomic_file.replace(self.path, json.dumps(value, indent=1).encode() + b"\n")
        except OSError as error:
            raise StorageError(f"cannot write {self.path}: {error.strerror}") from None


def timestamp(wall: float) -> str:
    """A time as ISO 8601 writes it, in UTC."""
    return datetime.fromtimestamp(wall, UTC).isoformat(timespec="seconds")


@dataclass(slots=True)
class ManifestCheck:
    """How many files were compared with their manifest, what differs, and what was never completed."""

    compared: int = 0
    differences: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def verify(folder: Path) -> ManifestCheck:
    """Compare the files of a folder with its manifests. Raises StateError where there is none, or a damaged one."""
    found = sorted(folder.glob("manifest*.json"))
    if not found:
        raise StateError(f"{folder} holds no {NAME}, so it is no export")
    check = ManifestCheck()
    for path in found:
        manifest = Manifest.open(path, None, 0)
        if manifest.ended is None:
            check.missing.append(f"{path.name}: the export has not come to its end")
        for entry in manifest.entries.values():
            if entry.complete:
                check.compared += 1
                check.differences += [f"{entry.file}: {said}" for said in _differences(folder, entry)]
            elif entry.offered:
                check.missing.append(f"{entry.file}: not complete: {entry.why}")
    return check


def _differences(folder: Path, entry: ManifestEntry) -> Iterator[str]:
    path = folder / entry.file
    try:
        size = path.stat().st_size
        if size != entry.bytes:
            yield f"{size} bytes, not {entry.bytes}"
        elif digest(path) != entry.sha256:
            yield "not the bytes that were written"
        elif path.suffix == ".ndjson" and (lines := _lines(path)) != entry.records:
            yield f"{lines} records, not {entry.records}"
    except OSError as error:
        yield error.strerror or "cannot be read"


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b""))
