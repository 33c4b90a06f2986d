"""Generate random numbers that depend only on given words, so that they are the same on
every machine.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import repeat
from struct import Struct
from typing import Self, TypeVar
from zlib import crc32

T = TypeVar("T")

MIX = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1
DAY = 86_400
_SECONDS = [f"{second:02d}" for second in range(60)]
NEWEST = 1_767_268_800  # 2026-01-01T12:00:00Z: no seeded record has a later time
# The most numbers that are faster to compute one by one than together in a long
# integer.
_FEW = 8


class SeededRandom:
    """The random numbers of one record, which depend only on the record and the field's
    name.
    """

    __slots__ = ("key",)

    def __init__(self, key: int) -> None:
        self.key = key

    @classmethod
    def from_words(cls, *words: object) -> Self:
        """Return a source of the random numbers for these words."""
        return cls(crc32("\0".join(map(str, words)).encode("utf-8", "surrogatepass")))

    def keys(self, numbers: Iterable[int]) -> list[int]:
        """Return one key for each number. It depends on the words and on the number."""
        return [crc32(b"\0%d" % number, self.key) for number in numbers]

    def below(self, name: str, limit: int) -> int:
        """Return a number from 0 to below `limit`."""
        # A checksum is linear, so similar words would give similar numbers. The product
        # mixes the bits.
        mixed = (crc32(name.encode(), self.key) + 1) * MIX & MASK
        return ((mixed ^ mixed >> 29) * MIX & MASK) * limit >> 64

    def pick(self, name: str, choices: tuple[T, ...]) -> T:
        """Return one of the choices."""
        return choices[self.below(name, len(choices))]


def timestamp(seconds: float) -> str:
    """Return a time in the service's format: `2026-01-31T10:00:00.000Z`."""
    whole = int(seconds)
    text = timestamps((whole,))[0]
    return text if whole == seconds else f"{text[:-4]}{int((seconds - whole) * 1000):03d}Z"


def timestamps(times: Iterable[int]) -> list[str]:
    """Return the timestamps of several times in whole seconds."""
    return [
        f"{_DATES[moment // DAY]}T{_HOURS[moment % DAY // 60]}:{_SECONDS[moment % 60]}.000Z"
        for moment in times
    ]


class _Texts(dict[int, str]):
    """A cache of formatted texts by number. Formatting is slow, and there are few
    different days and minutes.
    """

    def __init__(self, text: Callable[[int], str]) -> None:
        super().__init__()
        self._text = text

    def __missing__(self, number: int) -> str:
        text = self[number] = self._text(number)
        return text


_DATES = _Texts(lambda day: time.strftime("%Y-%m-%d", time.gmtime(day * DAY)))
_HOURS = _Texts(lambda minute: f"{minute // 60:02d}:{minute % 60:02d}")


class SeededColumns:
    """The random numbers of several records. Each result has a value for each record,
    in order.
    """

    __slots__ = ("_keys",)

    def __init__(self, keys: Sequence[int]) -> None:
        self._keys = keys

    def __getitem__(self, place: int) -> SeededRandom:
        return SeededRandom(self._keys[place])

    def below(self, name: str, limit: int) -> Sequence[int]:
        """Return numbers from 0 to below `limit`."""
        if len(self._keys) < _FEW:
            return [SeededRandom(key).below(name, limit) for key in self._keys]
        word = name.encode()
        return _mixed(list(map(crc32, repeat(word), self._keys)), limit)

    def pick(self, name: str, choices: Sequence[T]) -> list[T]:
        """Return one of the choices for each record."""
        return [choices[place] for place in self.below(name, len(choices))]

    def one_in(self, name: str, often: int) -> list[bool]:
        """Return True for about one in `often` records, and False for the others."""
        return [place == 0 for place in self.below(name, often)]

    def creation_times(self) -> list[int]:
        """Return the records' creation times, in seconds since 1970.

        They are in 2024 and 2025.
        """
        days, seconds = self.below("born", 700), self.below("hour", DAY)
        return [
            NEWEST - (1 + day) * DAY - second for day, second in zip(days, seconds, strict=True)
        ]

    def times_after(self, name: str, starts: Iterable[int], days: int) -> list[int]:
        """Return a later time for each record.

        The time is at most this many days after the start of the record, but not after
        `NEWEST`.
        """
        later = self.below(name, days * DAY)
        return [
            min(start + 60 + seconds, NEWEST) for start, seconds in zip(starts, later, strict=True)
        ]


def _mixed(checks: Sequence[int], limit: int) -> Sequence[int]:
    """Return the result of `SeededRandom.below` for each checksum.

    All checksums are in one long integer, with 128 bits for each checksum, so that each
    step is done only once.
    """
    lanes = _lanes(len(checks))
    value = (int.from_bytes(lanes.low.pack(*checks), "little") + lanes.ones) * MIX & lanes.mask
    value = ((value ^ value >> 29 & lanes.mask) * MIX & lanes.mask) * limit
    return lanes.high.unpack(value.to_bytes(lanes.high.size, "little"))


class _Lanes:
    """Several numbers of 128 bits in one integer.

    `ones` has the value 1 in each of the numbers, and `mask` keeps the lower 64 bits of
    each number. `low` packs and unpacks the lower halves of the numbers, and `high` the
    upper halves.
    """

    def __init__(self, count: int) -> None:
        self.ones = sum(1 << 128 * place for place in range(count))
        self.mask = self.ones * MASK
        self.low, self.high = Struct("<" + "Q8x" * count), Struct("<" + "8xQ" * count)


_lanes = lru_cache(64)(_Lanes)
