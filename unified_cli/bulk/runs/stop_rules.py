"""When many writes are to stop: after too many failures, or after a stage that was not done as a whole."""

import math
from itertools import accumulate
from typing import NamedTuple

from unified_cli.errors import UsageError


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
    sizes = tuple(_count(part.strip(), total, "--stages", least=1) for part in stages.split(",")) if stages else ()
    if stages == "":
        raise UsageError("--stages is empty", hint="--stages 1,5,20%")
    if most is None:
        return StopRules(sizes, 0 if fail_fast else None)
    return StopRules(sizes, _count(most.strip(), total, "--max-failures", least=0))


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
