"""Keep the ids and columns that a list showed on a terminal, for completion."""

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path

from unified_cli.call import Call
from unified_cli.catalogue import Operation
from unified_cli.config import file, known_methods
from unified_cli.http import decoding, page_body
from unified_cli.json_text import members
from unified_cli.json_text.members import Record
from unified_cli.masking import masked
from unified_cli.storage import atomic_file, cache, folders, names, permissions, regular_file

_MOST_WORDS = 300
# What no shell takes for anything but a word.
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_LARGEST_FILE = 64 * 1024


class CompletionWords:
    """Files in `completion/PROFILE/API.RESOURCE.KIND` of the cache folder; nothing is
    kept without such a folder.

    The first line of a file is when it was written, in seconds since 1970, the
    connection, and the config file; each other line is a word. The shells take the file
    for at most a day, where it is of their config file, and only until that changes:
    they cannot tell where a profile leads. No connection but this one adds to it.
    """

    def __init__(
        self,
        folder: Path | None,
        wall: Callable[[], float],
        profile: str,
        connection: str,
        config: Path,
    ) -> None:
        """Words are seen by this profile of this config file; `connection` stands for
        the one that it led to.
        """
        self._folder = (
            folder / "completion" / profile if folder and _WORD.fullmatch(profile) else None
        )
        self._wall = wall
        self._source = f" {connection} ".encode("ascii") + os.fsencode(config)
        self._is_named = config.is_absolute() and "\n" not in str(config)

    def add(self, resource: tuple[str, str, str], words: Iterable[str]) -> None:
        """Put words before those that the file has; `resource` is API, resource and
        kind. Raises OSError.

        Words that a shell might take for more than a word are left out, and known secrets.
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

    def _read(self, path: Path) -> list[str]:
        """The words of the file, if it is of this connection, of today, and nobody else
        can have written it.
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


_LARGEST = 4 * 1024 * 1024
_MOST = 300


def keep_page(call: Call, operation: Operation | None, body: bytes) -> None:
    """The same of a page that is not taken apart yet; one of several MiB is left alone."""
    if len(body) > _LARGEST:
        return
    with contextlib.suppress(decoding.TooLargeError):
        if page := page_body.split(body, call.catalogue.service):
            keep(call, operation, page.records)


def keep(call: Call, operation: Operation | None, records: Sequence[Record]) -> None:
    """Keep the ids and columns of records that a person saw, if the connection was
    named by its profile.
    """
    words = _words(call)
    if not (operation and operation.lists and words):
        return
    found = [parts for one in records[:_MOST] if (parts := members.parts(one))]
    ids = [members.text(parts.get("id")) for parts in found]
    columns = dict.fromkeys(name for parts in found for name in parts)
    # The call has done its work: what cannot be kept must not fail it.
    with contextlib.suppress(OSError):
        words.add((operation.api, operation.resource, "ids"), ids)
        words.add((operation.api, operation.resource, "columns"), columns)


def keep_described(call: Call, operation: Operation) -> None:
    """Keep for completion what is known of an operation's parameters and fields from
    its description.
    """
    words = _words(call)
    known = known_methods.recall(call.runtime, call.settings, operation) if words else None
    if words is None or known is None:
        return
    with contextlib.suppress(OSError):
        words.add(
            (operation.api, operation.resource, f"{operation.name}.query"),
            [one.name for one in known.query],
        )
        words.add(
            (operation.api, operation.resource, f"{operation.name}.body"),
            [one.name for one in known.body],
        )


def _words(call: Call) -> CompletionWords | None:
    """The words of the connection; None where completion cannot know it: by its
    profile, as the config file has it.
    """
    runtime, _, settings, *_ = call
    path = file.locate(runtime)
    if not (settings.profile and settings.is_of_file and path):
        return None
    if names.others_like(settings.profile, file.read(runtime).profiles):
        # A shell cannot tell whose words they are where a disk takes the names for one.
        return None
    return CompletionWords(
        runtime.folder("cache"), runtime.wall, settings.profile, settings.digest, path
    )
