"""When many writes are to stop: after too many failures, or after a stage that was not done as a whole."""

import math
from itertools import accumulate, pairwise
from typing import NamedTuple

from unified_cli.errors import UsageError

_STAGES = "--stages 1,5,20%"


class StopRules(NamedTuple):
    """`stages` are the sizes of the first stages, `most_failures` how many may fail; None where there is no bound."""

    stages: tuple[int, ...] = ()
    most_failures: int | None = None

    def parts(self, total: int) -> list[range]:
        """The positions of the calls of each stage, the last with all that are left."""
        ends = [end for end in accumulate(self.stages) if end < total]
        return [range(begin, end) for begin, end in zip([0, *ends], [*ends, total], strict=True)]

    def stops(self, failures: int) -> bool:
        """Whether so many failures are too many to go on."""
        return self.most_failures is not None and failures > self.most_failures

    def ends_stage(self, failures: int) -> bool:
        """Whether so many failures until the end of a stage are too many for the next one."""
        return failures > (self.most_failures or 0)


def parse(stages: str | None, most: str | None, total: int, *, fail_fast: bool) -> StopRules:
    """The rules as typed: numbers, or shares of the total. Raises UsageError."""
    if fail_fast and most is not None:
        raise UsageError("--fail-fast stops at the first failure, so --max-failures cannot be used with it")
    sizes = () if stages is None else _stages(stages, total)
    if most is None:
        return StopRules(sizes, 0 if fail_fast else None)
    return StopRules(sizes, _count(most.strip(), total, "--max-failures", least=0))


def _stages(text: str, total: int) -> tuple[int, ...]:
    """The sizes of the first stages, each at least as large as the one before."""
    if not text:
        raise UsageError("--stages is empty", hint=_STAGES)
    parts = [part.strip() for part in text.split(",")]
    sizes = tuple(_count(part, total, "--stages", least=1) for part in parts)
    for before, after in pairwise(parts):
        # Which of a number and a share is larger depends on how many there are.
        if before.endswith("%") == after.endswith("%") and int(after.rstrip("%")) < int(before.rstrip("%")):
            raise UsageError(f"--stages: {after} comes after {before}, and a later stage is not smaller", hint=_STAGES)
    return sizes


def _count(text: str, total: int, flag: str, *, least: int) -> int:
    number = text.removesuffix("%")
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise UsageError(f"{flag}: {text!r} is neither a number nor a share such as 20%")
    if text == number:
        found = int(number)
    elif int(number) <= 100:
        # Of the failures that are allowed no part of one more.
        found = (math.ceil if least else math.floor)(total * int(number) / 100)
    else:
        raise UsageError(f"{flag}: {text} is more than all")
    if int(number) < least:
        raise UsageError(f"{flag}: {text!r} must be {least} or more")
    return found
