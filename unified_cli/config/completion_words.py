"""Words that completion offers: line files of what was last seen of a resource, which the shells read by themselves."""

import os
import re
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

from unified_cli.storage import cache, folders, regular_file

_MOST = 300
# What no shell takes for anything but a word.
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_LARGEST = 64 * 1024


class CompletionWords:
    """Files in `completion/PROFILE/API.RESOURCE.KIND` of the cache folder; nothing is kept without such a folder.

    The first line of a file is when it was written, in seconds since 1970, and the connection; each other line is a
    word. The shells take the file for at most a day, and no connection but this one adds to it.
    """

    def __init__(self, folder: Path | None, wall: Callable[[], float]) -> None:
        self._folder = folder / "completion" if folder else None
        self._wall = wall

    def add(self, profile: str, resource: tuple[str, str, str], connection: str, words: Iterable[str]) -> None:
        """Put words before those that the file has; `resource` is API, resource and kind. Raises OSError.

        Words that a shell might take for more than a word are left out.
        """
        names = (profile, *resource)
        if self._folder is None or not all(map(_WORD.fullmatch, names)):
            return
        path = self._folder / profile / ".".join(resource)
        found = dict.fromkeys(islice((word for word in words if _WORD.fullmatch(word)), _MOST))
        if not found:
            return
        found |= dict.fromkeys(self._read(path, connection))
        folders.make_private(path.parent)
        lines = [f"{self._wall():.0f} {connection}", *islice(found, _MOST), ""]
        cache.replace(path, "\n".join(lines).encode("ascii"))

    def _read(self, path: Path, connection: str) -> list[str]:
        """The words of the file, if it is of this connection, of this user and of today."""
        try:
            with os.fdopen(regular_file.descriptor(path), "rb") as file:
                own = os.fstat(file.fileno()).st_uid == os.geteuid()
                first, *words = file.read(_LARGEST).decode("ascii").split("\n") if own else [""]
            written, _, of = first.partition(" ")
            fresh = of == connection and 0 <= self._wall() - float(written) < cache.LIFETIME
        except (OSError, ValueError):
            return []
        return [word for word in words if _WORD.fullmatch(word)] if fresh else []
