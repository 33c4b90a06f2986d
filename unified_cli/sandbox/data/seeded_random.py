"""Numbers that look drawn and are not: the same for the same words, in every process and on every machine."""

import time
from typing import TypeVar
from zlib import crc32

T = TypeVar("T")

_MIX = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
_DAY = 86_400
_NOON_OF_THE_DATA = 1_767_268_800  # 2026-01-01T12:00:00Z: the newest moment that seeded records speak of


class SeededRandom:
    """Draws for one record: what a field gets depends on the record and the field's name, not on other draws."""

    __slots__ = ("_key",)

    def __init__(self, *words: object) -> None:
        self._key = crc32("\0".join(map(str, words)).encode("utf-8", "surrogatepass"))

    def below(self, name: str, limit: int) -> int:
        """A number from 0 up to, not including, `limit`."""
        # A checksum alone is linear, so neighbours would draw alike; the product mixes its bits.
        mixed = (crc32(name.encode(), self._key) + 1) * _MIX & _MASK
        return ((mixed ^ mixed >> 29) * _MIX & _MASK) * limit >> 64

    def pick(self, name: str, choices: tuple[T, ...]) -> T:
        """One of the choices."""
        return choices[self.below(name, len(choices))]

    def one_in(self, name: str, often: int) -> bool:
        """Whether this is one of the records, one in `often`, that have something."""
        return self.below(name, often) == 0


def moment(seconds: float) -> str:
    """Seconds since 1970 as the service writes times: `2026-01-31T10:00:00.000Z`."""
    whole = int(seconds)
    return time.strftime(f"%Y-%m-%dT%H:%M:%S.{int((seconds - whole) * 1000):03d}Z", time.gmtime(whole))


def born(dice: SeededRandom) -> int:
    """When a record was made, in seconds since 1970: some time in the two years before 2026."""
    return _NOON_OF_THE_DATA - (1 + dice.below("born", 700)) * _DAY - dice.below("hour", _DAY)


def after(dice: SeededRandom, name: str, start: int, days: int) -> int:
    """A moment at most so many days after another, and not beyond the newest of the data."""
    return min(start + 60 + dice.below(name, days * _DAY), _NOON_OF_THE_DATA)
