"""Join the records of two sides by their keys. Only digests and record numbers are kept
in memory.
"""

import hashlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from unified_cli.commands.move.side import SpooledSide
from unified_cli.json_text.difference import PathRules, canonical, differences
from unified_cli.json_text.members import member, parts
from unified_cli.json_text.record_columns import pick
from unified_cli.writes.input_records import RecordMap

_NONE = -1
_SEVERAL = -2
_PROGRAM = "."
# Empty values are not keys, because all records without a value would be joined.
_EMPTY = frozenset((b"null", b"{}", b"[]"))


class RecordKey:
    """Finds the key of a record. A name that begins with a dot is a jq program, and any
    other name is the path of a value.
    """

    def __init__(self, names: Sequence[str]) -> None:
        """Raises UsageError if the program is not valid jq."""
        self.names = names
        self._readers = [
            _program(name) if name.startswith(_PROGRAM) else _path(name) for name in names
        ]

    def values(self, record: bytes) -> list[bytes] | None:
        """Return the key's values as JSON text, or None.

        Returns None if a value is missing, null or empty.
        """
        found = [read(record) for read in self._readers]
        values = [value for value in found if value is not None and canonical(value) not in _EMPTY]
        return values if len(values) == len(found) else None


def text_of(values: Sequence[bytes]) -> bytes:
    """Return a byte string that is different for each key."""
    return b"\n".join(canonical(value) for value in values)


def _path(name: str) -> Callable[[bytes], bytes | None]:
    if "." in name or name.endswith("]"):
        return lambda record: pick(parts(record) or {}, name)
    return lambda record: member(record, name)


def _program(name: str) -> Callable[[bytes], bytes | None]:
    program = RecordMap(name, "--key")

    def read(record: bytes) -> bytes | None:
        try:
            found = program(record)
        except ValueError:
            # If the program fails on a record, the record has no key.
            return None
        return found[0] if len(found) == 1 else None

    return read


class Change(Enum):
    """How a record, or several records with the same key, differs."""

    ONLY_FROM = "only from"
    ONLY_TO = "only to"
    DIFFERENT = "different"
    NO_KEY = "no key"
    SAME_KEY = "same key"
    """Several records of one side have this key, so they cannot be paired."""


UNMATCHED = (Change.NO_KEY, Change.SAME_KEY)
"""Records that could not be compared."""


class Pairing(NamedTuple):
    """The numbers of the records with the same key on both sides."""

    change: Change
    source: tuple[int, ...] = ()
    target: tuple[int, ...] = ()


class RecordJoin:
    """Joins the records of two sides. After `pairings` has run, `same` is the number of
    equal pairs.
    """

    def __init__(self, source: SpooledSide, target: SpooledSide, key: RecordKey) -> None:
        self._key = key
        self._sides = (source, target)
        self._slots: dict[bytes, int] = {}
        self._numbers = (array("q"), array("q"))
        self._several: dict[tuple[int, int], list[int]] = {}
        self._without = (array("q"), array("q"))
        self.same = 0

    def add(self, side: SpooledSide, identifier: bytes, record: bytes) -> None:
        """Add a record to a side. `identifier` is its original id. Raises
        StorageError.
        """
        number, seen = side.add(identifier, record)
        at, values = self._sides.index(side), self._key.values(seen)
        if values is None:
            self._without[at].append(number)
            return
        digest = hashlib.blake2b(text_of(values), digest_size=16).digest()
        slot = self._slots.setdefault(digest, len(self._slots))
        if slot == len(self._numbers[0]):
            for numbers in self._numbers:
                numbers.append(_NONE)
        before = self._numbers[at][slot]
        if before == _NONE:
            self._numbers[at][slot] = number
        else:
            self._several.setdefault((at, slot), [before]).append(number)
            self._numbers[at][slot] = _SEVERAL

    def pairings(self, rules: PathRules) -> Iterator[Pairing]:
        """Yield all records that differ.

        Records without a key come first, then the others in the order of the first
        side.
        """
        source, target = self._without
        yield from (Pairing(Change.NO_KEY, (number,)) for number in source)
        yield from (Pairing(Change.NO_KEY, (), (number,)) for number in target)
        for slot in range(len(self._slots)):
            found = self._pairing(slot, rules)
            if found is None:
                self.same += 1
            else:
                yield found

    def _pairing(self, slot: int, rules: PathRules) -> Pairing | None:
        one, other = self._numbers[0][slot], self._numbers[1][slot]
        if _SEVERAL in {one, other}:
            return Pairing(Change.SAME_KEY, self._all(0, slot), self._all(1, slot))
        if other == _NONE:
            return Pairing(Change.ONLY_FROM, (one,))
        if one == _NONE:
            return Pairing(Change.ONLY_TO, (), (other,))
        return (
            Pairing(Change.DIFFERENT, (one,), (other,)) if self._differ(one, other, rules) else None
        )

    def _all(self, at: int, slot: int) -> tuple[int, ...]:
        number = self._numbers[at][slot]
        if number == _SEVERAL:
            return tuple(self._several[at, slot])
        return () if number == _NONE else (number,)

    def _differ(self, one: int, other: int, rules: PathRules) -> bool:
        source, target = self._sides
        if source.digest(one) == target.digest(other):
            return False
        return any(True for _ in differences(source.record(one), target.record(other), rules))
