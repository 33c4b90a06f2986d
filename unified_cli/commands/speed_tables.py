"""What the benchmarks measured, as tables of `unified help speed`."""

from importlib.resources import files

import msgspec

from unified_cli.cli.help_page import Rows

_MEASURED = "measured.json"
"""Written by `python tests/benchmarks/run.py --write`."""
_SMALL = 0.1


class MeasuredComparison(msgspec.Struct):
    """A command beside another: `ratio` is ours over theirs; of the memory, which has no `seconds`, it is MiB."""

    ratio: float
    met: bool
    seconds: float | None
    goal: float | None
    other: str = msgspec.field(name="with")


class MeasuredJob(msgspec.Struct):
    """The median time of a job in seconds, and what it was measured beside."""

    job: str
    seconds: float
    comparisons: list[MeasuredComparison]


class MeasuredGrowth(msgspec.Struct):
    """A job in three sizes with the seconds of each; `change` is how the cost of one more changes with the size."""

    job: str
    sizes: dict[str, float]
    change: float


class Measurements(msgspec.Struct):
    """All that was measured, and on what."""

    measured: str
    jobs: list[MeasuredJob]
    growth: list[MeasuredGrowth]


def speed_tables() -> list[tuple[str, Rows | str]]:
    """A table for each job with those that it was measured beside, then what it was measured on."""
    content = files("unified_cli.commands").joinpath(_MEASURED).read_bytes()
    facts = msgspec.json.decode(content, type=Measurements)
    tables: list[tuple[str, Rows | str]] = [
        (f"{job.job} ({_time(job.seconds)})", [_row(one) for one in job.comparisons]) for job in facts.jobs
    ]
    growth = [(one.job, _growth(one)) for one in facts.growth]
    heading = "Cost of one more at a large size, divided by that at a small size"
    return [*tables, (heading, growth), ("Measured", f"{facts.measured}.")]


def _row(one: MeasuredComparison) -> tuple[str, str]:
    goal = "" if one.goal is None else f" (goal {one.goal:g}: {'met' if one.met else 'missed'})"
    if one.seconds is None:
        return one.other, f"{one.ratio:.0f} MiB{goal}"
    return one.other, f"{_figure(one.ratio)} x {_time(one.seconds)}{goal}"


def _growth(one: MeasuredGrowth) -> str:
    sizes = ", ".join(f"{size}: {_time(seconds)}" for size, seconds in one.sizes.items())
    return f"{one.change:.2f} ({sizes})"


def _figure(number: float) -> str:
    return f"{number:.2f}" if number >= _SMALL else f"{number:.3f}"


def _time(seconds: float) -> str:
    if seconds < _SMALL / 10:
        return f"{seconds * 1000:.2f} ms"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"
