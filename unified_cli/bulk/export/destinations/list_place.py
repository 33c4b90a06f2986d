"""Where the objects of a list are in an object store."""

import hashlib
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import NamedTuple, Self

from unified_cli.storage.object_store.stored_objects import Stored, StoredObjects

_LOGS = ".log"


class ListPlace(NamedTuple):
    """Where the objects of a list are: its chunks in `folder`, beginning with `begin`, and its log."""

    folder: str
    begin: str
    suffix: str
    log: str

    @classmethod
    def of(cls, file: str) -> Self:
        """The place of what a local folder holds as this file, such as `acme/ats/jobs.2.ndjson`."""
        path = PurePosixPath(file)
        resource, _, number = path.stem.rpartition(".")
        added = bool(resource) and number.isdecimal()
        begin = int(number) if added else 1
        folder = path.parent / (resource if added else path.stem)
        return cls(str(folder), f"{begin:04}-", path.suffix, f"{_LOGS}/{folder}/{begin:04}")

    def chunk(self, number: int) -> str:
        """The name of the chunk of the entry with this number.

        It is that of every writer: who was frozen and wakes finds it taken, and leaves nothing that readers count.
        """
        return f"{self.begin}{number:06}{self.suffix}"

    def chunks(self, objects: StoredObjects) -> dict[str, Stored]:
        """The chunks that are there, also those that no log knows, by their names."""
        return {name: stored for name, stored in objects.listed(self.folder).items() if name.startswith(self.begin)}


def look(chunks: Mapping[str, Stored]) -> str:
    """What chunks look like in a list of the store: a digest of their names, bytes and tags, empty without tags."""
    found = sorted((name, stored.size, stored.tag) for name, stored in chunks.items())
    return hashlib.sha256(repr(found).encode()).hexdigest() if all(tag for _, _, tag in found) else ""
