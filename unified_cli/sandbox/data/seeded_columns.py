"""Random numbers of many records at once: those that `SeededRandom` gives for each of them."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import repeat
from struct import Struct
from typing import TypeVar
from zlib import crc32

from unified_cli.sandbox.data.seeded_random import DAY, MASK, MIX, NEWEST, SeededRandom

T = TypeVar("T")

# For fewer records a long integer costs more than it saves.
_FEW = 8


class SeededColumns:
    """The random numbers of several records of a resource: each result has one value for each of them, in order."""

    __slots__ = ("_keys",)

    def __init__(self, resource: SeededRandom, numbers: Iterable[int]) -> None:
        self._keys = resource.keys(numbers)

    def __getitem__(self, place: int) -> SeededRandom:
        """The random numbers of one of the records."""
        return SeededRandom(self._keys[place])

    def below(self, name: str, limit: int) -> Sequence[int]:
        """Numbers from 0 up to, not including, `limit`."""
        if len(self._keys) < _FEW:
            return [SeededRandom(key).below(name, limit) for key in self._keys]
        word = name.encode()
        return _mixed(list(map(crc32, repeat(word), self._keys)), limit)

    def pick(self, name: str, choices: Sequence[T]) -> list[T]:
        """For each record one of the choices."""
        return [choices[place] for place in self.below(name, len(choices))]

    def one_in(self, name: str, often: int) -> list[bool]:
        """True for one record in `often`."""
        return [place == 0 for place in self.below(name, often)]

    def creation_times(self) -> list[int]:
        """When the records were created; see `creation_time`."""
        days, seconds = self.below("born", 700), self.below("hour", DAY)
        return [NEWEST - (1 + day) * DAY - second for day, second in zip(days, seconds, strict=True)]

    def times_after(self, name: str, starts: Iterable[int], days: int) -> list[int]:
        """For each record a time after another one; see `time_after`."""
        later = self.below(name, days * DAY)
        return [min(start + 60 + seconds, NEWEST) for start, seconds in zip(starts, later, strict=True)]


def _mixed(checks: Sequence[int], limit: int) -> Sequence[int]:
    """What `SeededRandom.below` makes of each of these checksums.

    They stand side by side in one long integer, 128 bits for each, so that each step is done once for all of them.
    """
    lanes = _lanes(len(checks))
    value = (int.from_bytes(lanes.low.pack(*checks), "little") + lanes.ones) * MIX & lanes.mask
    value = ((value ^ value >> 29 & lanes.mask) * MIX & lanes.mask) * limit
    return lanes.high.unpack(value.to_bytes(lanes.high.size, "little"))


class _Lanes:
    """So many numbers of 128 bits in one integer: 1 and 64 ones in each, their lower and their upper halves."""

    def __init__(self, count: int) -> None:
        self.ones = sum(1 << 128 * place for place in range(count))
        self.mask = self.ones * MASK
        self.low, self.high = Struct("<" + "Q8x" * count), Struct("<" + "8xQ" * count)


_lanes = lru_cache(64)(_Lanes)
