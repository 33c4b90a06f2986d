"""Whether twice the work takes twice the time: the same job in three sizes, and how the
slope changes.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from jobs import Place, has_records
from measure import Command, Sample, interleaved, middle

LARGEST_CHANGE = 1.15


@dataclass(frozen=True)
class Growth:
    """One job in three sizes, each larger than the one before; `command` makes the run
    of a size.

    One more may take at most `cpu_ms` milliseconds of the processor.
    """

    name: str
    sizes: Sequence[int]
    command: Callable[[int], Command]
    cpu_ms: float | None = None


@dataclass(frozen=True)
class Slopes:
    """Result of a growth: the median of each size, in its order."""

    growth: Growth
    medians: Sequence[Sample]

    @property
    def change(self) -> float:
        """The cost of one more at the large sizes, divided by that at the small ones;
        of seconds.
        """
        return self._change([one.seconds for one in self.medians])

    @property
    def cpu_change(self) -> float:
        """The same of the processor's seconds, which other people's work disturbs
        less.
        """
        return self._change([one.cpu for one in self.medians])

    def _change(self, costs: Sequence[float]) -> float:
        first, second, third = self.growth.sizes
        return ((costs[2] - costs[1]) / (third - second)) / (
            (costs[1] - costs[0]) / (second - first)
        )

    @property
    def cpu_ms(self) -> float:
        """How many milliseconds of the processor one more costs at the large sizes."""
        _, second, third = self.growth.sizes
        return (self.medians[2].cpu - self.medians[1].cpu) / (third - second) * 1000

    @property
    def met(self) -> bool:
        """Whether one more costs no more at the large sizes than at the small ones, and
        no more of the processor than it may.
        """
        return self.change <= LARGEST_CHANGE and self.cpu_ms <= (self.growth.cpu_ms or math.inf)

    def facts(self) -> Mapping[str, object]:
        """Everything, for a program."""
        seconds = {
            str(size): one.seconds
            for size, one in zip(self.growth.sizes, self.medians, strict=True)
        }
        return {
            "job": self.growth.name,
            "sizes": seconds,
            "change": self.change,
            "cpu_change": self.cpu_change,
            "cpu_ms": self.cpu_ms,
        }


def all_growths(place: Place) -> Iterator[Growth]:
    """Pages of one connection, pages of many at once, many profiles with a page each,
    and creates.
    """

    def pages(number: int) -> Command:
        ours = place.ours(
            str(number), "ticketing tickets list --all -o ndjson", connection=f"pages-{number}-0"
        )
        return replace(ours, holds=has_records(number))

    yield Growth("pages", (100, 1_000, 10_000), pages, cpu_ms=0.5)
    yield Growth("creates", (100, 1_000, 10_000), lambda number: place.creates(number, 0), 0.4)
    yield Growth(
        "chains of 50 pages", (1, 8, 64), lambda number: place.fan_out(number, 50, 0, workers=64)
    )
    yield Growth(
        "profiles of one page", (1, 100, 1_000), lambda number: place.fan_out(number, 1, 0)
    )


def measured(growth: Growth, rounds: int) -> Slopes:
    """The slopes of a growth."""
    commands = [replace(growth.command(size), name=str(size)) for size in growth.sizes]
    samples = interleaved(commands, rounds)
    return Slopes(growth, [middle(samples[str(size)]) for size in growth.sizes])


def table(slopes: Sequence[Slopes]) -> str:
    """The growths as Markdown. `ms` is the processor's time for one more."""
    lines = [
        "| growth | small | middle | large | slope, large to small | of processor time | ms | |",
        "| --- | --- | --- | --- | ---: | ---: | ---: | --- |",
    ]
    for one in slopes:
        cells = [
            f"{size:,}: {sample.seconds:.2f} s, {sample.mib:.0f} MiB"
            for size, sample in zip(one.growth.sizes, one.medians, strict=True)
        ]
        verdict = "met" if one.met else "**missed**"
        goal = f" (≤ {one.growth.cpu_ms:g})" if one.growth.cpu_ms else ""
        figures = [f"{one.change:.2f}", f"{one.cpu_change:.2f}", f"{one.cpu_ms:.2f}{goal}"]
        row = [one.growth.name, *cells, *figures, verdict]
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)
