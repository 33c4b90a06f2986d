"""Measurements beside the goals, as a table for people or facts for programs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from jobs import Job
from measure import Sample, middle, ratio

FLOOR = "the floor"
MEMORY = "MiB"


@dataclass(frozen=True)
class Comparison:
    """Ours against another: the ratio (or, for memory, the figure), and what it may be
    at most.
    """

    name: str
    ratio: float
    goal: float | None
    cpu: float | None = None
    """The ratio of the processor's time, which other people's work on the machine
    disturbs less.
    """

    @property
    def met(self) -> bool:
        """Whether the goal is met; without one, it is."""
        return self.goal is None or self.ratio <= self.goal


@dataclass(frozen=True)
class Result:
    """One job's figures."""

    job: Job
    medians: Mapping[str, Sample]
    comparisons: Sequence[Comparison]

    @classmethod
    def of(cls, job: Job, samples: Mapping[str, Sequence[Sample]]) -> "Result":
        """The result of a job whose commands gave these samples."""
        medians = {name: middle(list(several)) for name, several in samples.items()}
        return cls(job, medians, list(_comparisons(job, samples, medians)))

    @property
    def met(self) -> bool:
        """Whether every goal is met."""
        return all(one.met for one in self.comparisons)

    def facts(self) -> dict[str, object]:
        """Everything, for a program."""
        return {
            "job": self.job.name.replace("`", ""),
            "seconds": self.ours.seconds,
            "comparisons": [
                {
                    "with": "memory" if one.name == MEMORY else one.name,
                    "seconds": self.seconds_of(one),
                    "ratio": one.ratio,
                    "cpu_ratio": one.cpu,
                    "goal": one.goal,
                    "met": one.met,
                }
                for one in self.comparisons
            ],
        }

    @property
    def ours(self) -> Sample:
        """The median of our own command."""
        return next(iter(self.medians.values()))

    def seconds_of(self, one: Comparison) -> float | None:
        """The time of the other command, or of the floor; None for memory."""
        return (
            self.job.floor
            if one.name == FLOOR
            else getattr(self.medians.get(one.name), "seconds", None)
        )


def _comparisons(
    job: Job, samples: Mapping[str, Sequence[Sample]], medians: Mapping[str, Sample]
) -> Iterator[Comparison]:
    ours, *others = (command.name for command in job.commands)
    if job.floor is not None:
        yield Comparison(FLOOR, medians[ours].seconds / job.floor, job.at_most)
    for name in others:
        cpu = ratio(samples[ours], samples[name], "cpu")
        yield Comparison(name, ratio(samples[ours], samples[name]), job.goals.get(name), cpu)
    if job.mib is not None:
        yield Comparison(MEMORY, medians[ours].mib, job.mib)


def table(facts: Mapping[str, object], results: Sequence[Result]) -> str:
    """The table as Markdown, with what it was measured on."""
    lines = [
        "| job | ours | against | ratio | of processor time | goal | |",
        "| --- | ---: | --- | ---: | ---: | ---: | --- |",
    ]
    for result in results:
        lines += _rows(result)
    about = "Below 1 unified is faster; the floor is what the network alone takes."
    return "\n".join([*lines, "", f"{about} {facts['measured']}."])


def _rows(result: Result) -> Iterator[str]:
    head = f"| {result.job.name} | {_time(result.ours.seconds)} "
    for one in result.comparisons:
        theirs = result.seconds_of(one)
        other = "" if theirs is None else f" ({_time(theirs)})"
        against = "memory, MiB" if one.name == MEMORY else f"{one.name}{other}"
        goal = "" if one.goal is None else f"≤ {one.goal:g}"
        verdict = "" if one.goal is None else "met" if one.met else "**missed**"
        cpu = "" if one.cpu is None else _figure(one.cpu)
        yield f"{head}| {against} | {_figure(one.ratio)} | {cpu} | {goal} | {verdict} |"
        head = "| | "


def _figure(number: float) -> str:
    return (
        f"{number:.0f}" if number >= 10 else f"{number:.2f}" if number >= 0.1 else f"{number:.3f}"
    )


def _time(seconds: float) -> str:
    if seconds < 0.01:
        return f"{seconds * 1000:.2f} ms"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"
