"""The check that the folder of an export still holds what its manifest lists."""

from dataclasses import dataclass, field

from unified_cli.bulk.export.destinations.destination import Destination
from unified_cli.bulk.export.manifest import NAME, Manifest, ManifestEntry, without_lists
from unified_cli.errors import StateError
from unified_cli.plural import counted


@dataclass(slots=True)
class ManifestCheck:
    """How many files were compared with their manifest, what differs, and what was never completed."""

    compared: int = 0
    differences: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def verify(destination: Destination) -> ManifestCheck:
    """Compare what is at a destination with its manifests.

    Raises StateError where there is none, or a damaged one; UnsafeError where a folder in it is a link; StorageError.
    """
    found = destination.manifests()
    if not found:
        raise StateError(f"{destination} holds no {NAME}, so it is no export")
    check = ManifestCheck()
    entries: list[ManifestEntry] = []
    for name in found:
        manifest = Manifest.of(destination.read(name) or b"", name, str(destination))
        entries += manifest.entries.values()
        if manifest.ended is None:
            check.missing.append(f"{name}: the export has not come to its end")
        for entry in manifest.entries.values():
            if entry.complete:
                check.compared += 1
                check.differences += [f"{entry.file}: {said}" for said in destination.differences(entry)]
            elif entry.offered:
                check.missing.append(f"{entry.file}: not complete: {entry.why}")
    for name, of_it in without_lists(entries).items():
        check.missing.append(f"{name}: none of its {counted(len(of_it), 'list')} is offered, so nothing was read")
    return check
