"""Where the objects of a list are in an object store."""

from pathlib import PurePosixPath
from typing import NamedTuple, Self

from unified_cli.storage.object_store.stored_objects import StoredObjects

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

    def chunks(self, objects: StoredObjects) -> dict[str, int]:
        """The names of the chunks that are there, also of those that no log knows, with their bytes."""
        return {name: size for name, size in objects.sizes(self.folder).items() if name.startswith(self.begin)}
