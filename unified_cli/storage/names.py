"""Compare names that some disks do not distinguish, because they differ only in case or
Unicode normalisation.
"""

import contextlib
import os
import tempfile
import unicodedata
from collections.abc import Iterable
from pathlib import Path


def folded(name: str) -> str:
    """Return the form of a name for comparisons.

    Names that a file system may not distinguish have the same form.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def others_like(name: str, names: Iterable[str]) -> list[str]:
    """Return the names that some disks do not distinguish from this name."""
    wanted = folded(name)
    return [other for other in names if other != name and folded(other) == wanted]


def find_same(
    folder: Path, names: Iterable[str], existing: Iterable[str] = ()
) -> tuple[str, str] | None:
    """Return two names that the folder's disk does not distinguish, or None.

    The first is from `names`, and the second from `names` or `existing`. The folder may
    not exist yet.
    """
    by_fold: dict[str, list[str]] = {}
    for name in dict.fromkeys(existing):
        by_fold.setdefault(folded(name), []).append(name)
    for name in dict.fromkeys(names):
        alike = by_fold.setdefault(folded(name), [])
        for other in alike:
            if other != name and are_same(folder, other, name):
                return other, name
        alike.append(name)
    return None


def are_same(folder: Path, one: str, other: str) -> bool:
    """Return whether two names mean the same file on the folder's disk.

    Creates a file in a temporary folder to find out, because the answer depends on the
    format and the mount options of the disk. Returns False if the folder cannot be
    written.
    """
    with contextlib.suppress(OSError):
        parent = next(place for place in (folder, *folder.parents) if place.is_dir())
        with tempfile.TemporaryDirectory(prefix=".unified-", dir=parent) as made:
            (Path(made) / one).touch()
            return os.path.lexists(Path(made) / other)
    return False
