"""Save words for completion in files that shells read, and remove the words of a
profile's earlier connections.
"""

import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path

from unified_cli.config.file import Config
from unified_cli.config.settings import Settings
from unified_cli.masking import masked
from unified_cli.runtime import Runtime
from unified_cli.storage import atomic_file, cache, folders, permissions, regular_file
from unified_cli.storage.regular_file import NotRegularError

_MOST_WORDS = 300
# Characters that no shell treats as special.
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_LARGEST_FILE = 64 * 1024


class CompletionWords:
    """The files `completion/PROFILE/API.RESOURCE.KIND` in the cache folder, if there is
    one.

    The first line of a file has the time of writing in seconds since 1970, the
    connection, and the path of the config file. Each other line is a word. The shell
    functions cannot resolve a profile. So they use a file for at most a day, and only
    if its modification time and the path in it match the config file.
    """

    def __init__(
        self,
        folder: Path | None,
        wall: Callable[[], float],
        profile: str,
        connection: str,
        config: Config,
    ) -> None:
        """`connection` is the digest of the profile's connection."""
        self._folder = _folder(folder, profile)
        self._wall = wall
        path = config.path or Path()
        self._changed = config.changed
        self._source = f" {connection} ".encode("ascii") + os.fsencode(path)
        self._is_named = path.is_absolute() and "\n" not in str(path)

    def add(self, resource: tuple[str, str, str], words: Iterable[str]) -> None:
        """Add words before the existing words, without known secrets and special
        characters.

        `resource` is API, resource and kind. Raises OSError.
        """
        if self._folder is None or not self._is_named or not all(map(_WORD.fullmatch, resource)):
            return
        path = self._folder / ".".join(resource)
        harmless = (word for word in words if _WORD.fullmatch(word) and masked(word) == word)
        found = dict.fromkeys(islice(harmless, _MOST_WORDS))
        if not found:
            return
        found |= dict.fromkeys(self._read(path))
        folders.make_private(path.parent)
        atomic_file.sweep_unheld(path.parent)
        first = f"{self._wall():.0f}".encode("ascii") + self._source
        cache.replace(
            path,
            b"\n".join(
                [first, *(word.encode("ascii") for word in islice(found, _MOST_WORDS)), b""]
            ),
        )
        # Shells use the file only from now on, because its time now matches the config
        # file.
        os.utime(path, ns=(self._changed, self._changed))

    def _read(self, path: Path) -> list[str]:
        """Return the words of the file if they can be used.

        They must belong to this connection and be less than a day old, and no other
        user may be able to write the file.
        """
        try:
            with os.fdopen(regular_file.descriptor(path), "rb") as file:
                own = permissions.problem(path, os.fstat(file.fileno())) is None
                first, *words = file.read(_LARGEST_FILE).split(b"\n") if own else [b""]
            written, source = first[: -len(self._source)], first[-len(self._source) :]
            fresh = source == self._source and 0 <= self._wall() - float(written) < cache.LIFETIME
            found = [word.decode("ascii") for word in words] if fresh else []
        except (OSError, ValueError):
            return []
        return [word for word in found if _WORD.fullmatch(word)]


def drop_others(runtime: Runtime, settings: Settings) -> None:
    """Remove the words of the profile's earlier connections."""
    if not (settings.profile and settings.is_of_file):
        return
    folder = _folder(runtime.folder("cache"), settings.profile)
    if folder is None or not folder.is_dir():
        return
    # Ignore errors, because the call does not depend on this cleanup.
    with suppress(OSError, NotRegularError):
        for path in folder.glob("[!.]*"):
            with os.fdopen(regular_file.descriptor(path), "rb") as file:
                first = file.readline(_LARGEST_FILE).split(b" ")
            if first[1:2] != [settings.digest.encode("ascii")]:
                path.unlink(missing_ok=True)


def _folder(cache_folder: Path | None, profile: str) -> Path | None:
    named = cache_folder and _WORD.fullmatch(profile)
    return cache_folder / "completion" / profile if cache_folder and named else None
