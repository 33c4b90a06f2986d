"""One side of a comparison, with its records in a temporary file."""

import hashlib
from array import array
from collections.abc import Callable

import msgspec

from unified_cli.storage.spool_file import SpoolFile


class Identity(msgspec.Struct, frozen=True):
    """The service and account of a connection.

    Profiles with different names may have the same identity.
    """

    origin: str
    account: str


class SideFacts(msgspec.Struct, omit_defaults=True):
    """A side in the header of a plan: its source, and the number and digest of its
    records.

    `kind` is `profile`, `folder` or `file`. `origin` and `account` are empty if they
    are unknown.
    """

    kind: str
    name: str
    origin: str = ""
    account: str = ""
    records: int = 0
    sha256: str = ""

    @property
    def identity(self) -> Identity | None:
        """The connection that the records came from, or None if it is unknown."""
        if not (self.origin and self.account):
            return None
        scheme, slashes, rest = self.origin.partition("://")
        # The `origin` of a profile may include a path, so cut it off.
        return Identity(f"{scheme}{slashes}{rest.partition('/')[0]}", self.account)


class SpooledSide:
    """The records of a side, by number.

    `view` prepares a record for the comparison. `facts` are complete after `complete`
    was called.
    """

    def __init__(
        self,
        facts: SideFacts,
        file: SpoolFile,
        view: Callable[[bytes], bytes] = lambda record: record,
    ) -> None:
        self.facts = facts
        self._file = file
        self._view = view
        self._places = array("q")
        self._positions = array("q")
        self._digests = array("Q")
        self._sha256 = hashlib.sha256()

    def count(self, record: bytes) -> None:
        """Count a record in its original form."""
        self.facts.records += 1
        self._sha256.update(record)
        self._sha256.update(b"\n")

    def add(self, identifier: bytes, record: bytes) -> tuple[int, bytes]:
        """Store a record and its original id as JSON text.

        Returns the record's number and the record as it is compared. Raises
        StorageError.
        """
        self._places.append(self._file.append(identifier + b"\n" + record))
        self._positions.append(self.facts.records)
        seen = self._view(record)
        self._digests.append(int.from_bytes(hashlib.blake2b(seen, digest_size=8).digest(), "big"))
        return len(self._digests) - 1, seen

    def complete(self) -> None:
        """Finish after the last record. Raises StorageError."""
        self._places.append(self._file.append(b""))
        self._file.flush()
        self.facts.sha256 = self._sha256.hexdigest()

    def __len__(self) -> int:
        return len(self._digests)

    def digest(self, number: int) -> int:
        """Return a 64-bit digest of a record."""
        return self._digests[number]

    def record(self, number: int) -> bytes:
        """Return a record in the form for comparisons."""
        return self._view(self._entry(number)[1])

    def stored(self, number: int) -> bytes:
        """Return a record in its original form."""
        return self._entry(number)[1]

    def position(self, number: int) -> int:
        """Return the position of a record among all records read, counted from 1."""
        return self._positions[number]

    def identifier(self, number: int) -> bytes:
        """Return a record's original id as JSON text, or `null`."""
        return self._entry(number)[0]

    def _entry(self, number: int) -> tuple[bytes, bytes]:
        at = self._places[number]
        identifier, _, record = self._file.read(self._places[number + 1] - at, at).partition(b"\n")
        return identifier, record
