"""Print differences to a terminal, grouped by the paths at which records differ."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple, Self

from unified_cli import text_width
from unified_cli.commands.move.join import UNMATCHED, Change
from unified_cli.json_text.difference import ValueDifference
from unified_cli.json_text.members import one_line, text
from unified_cli.masking import NO_TEXT, masked, visible
from unified_cli.output import layout, terminal
from unified_cli.output.screen import Cell, Look, Word
from unified_cli.output.terminal import TerminalText
from unified_cli.plural import named
from unified_cli.runtime import Runtime

_INDENT = "  "
_EXAMPLES = 3
_MOST_KEYS = 12
_MOST_PATHS = 6
_MOST_GROUPS = 20
# Keep at most this many groups, to save memory if each record differs at other paths.
# Records of further groups are only counted.
_MOST_KEPT = 1000
_LONGEST = 512
_LONG = 40
_KEY = 20
_BEFORE = 12
_ITEM = re.compile(r"\[\d+\]")
_WHOLE = "the whole record"
_NONE = "(nothing)"

Kind = tuple[Change, tuple[str, ...]]
"""How records differ: the change, and the paths.

The items of an array count as one path.
"""


class ShownDifference(NamedTuple):
    """A path and its value on both sides.

    A long value is cut: it starts just before the first difference.
    """

    path: str
    before: str
    after: str
    begins_later: bool

    @classmethod
    def from_difference(cls, difference: ValueDifference) -> Self:
        """Return the printable form of a difference."""
        before, after = (
            " ".join((_NONE if value is None else _text(value)).split())
            for value in (difference.before, difference.after)
        )
        same = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
        )
        start = max(0, same - _BEFORE) if max(len(before), len(after)) > _LONG else 0
        end = start + _LONGEST
        return cls(difference.path, before[start:end], after[start:end], start > 0)


def _text(value: bytes) -> str:
    return (
        text(value)
        if value.startswith(b'"')
        else one_line(value).decode("utf-8", "backslashreplace")
    )


class DifferingRecord(NamedTuple):
    """The key of a record, and its differences."""

    key: str
    differences: Sequence[ShownDifference]
    paths: int


@dataclass(slots=True)
class DifferenceGroups:
    """Counts the differing records of each kind, and keeps the first few to print."""

    counts: Counter[Kind] = field(default_factory=Counter)
    examples: dict[Kind, list[DifferingRecord]] = field(default_factory=dict)
    uncounted: int = 0
    """The number of records in groups beyond the limit."""

    def add(self, change: Change, key: str, differences: Sequence[ValueDifference]) -> None:
        """Add a record, or several records with the same key."""
        kind = (
            change,
            tuple(
                dict.fromkeys(
                    _ITEM.sub("[]", difference.path) or _WHOLE for difference in differences
                )
            ),
        )
        if kind not in self.counts and len(self.counts) >= _MOST_KEPT:
            self.uncounted += 1
            return
        self.counts[kind] += 1
        examples = self.examples.setdefault(kind, [])
        if len(examples) < (_EXAMPLES if differences else _MOST_KEYS):
            shown = [*map(ShownDifference.from_difference, differences[:_MOST_PATHS])]
            examples.append(DifferingRecord(key[:_LONGEST], shown, len(differences)))

    @property
    def is_complete(self) -> bool:
        """Whether all differences are printed."""
        cut = any(
            difference.paths > _MOST_PATHS
            for several in self.examples.values()
            for difference in several
        )
        shown = all(number == len(self.examples[kind]) for kind, number in self.counts.items())
        return shown and not cut and not self.uncounted and len(self.counts) <= _MOST_GROUPS

    def lines(self, runtime: Runtime, names: tuple[str, str]) -> Iterator[TerminalText]:
        """Yield the lines to print. `names` are the two sides."""
        order = [*UNMATCHED, Change.DIFFERENT, Change.ONLY_FROM, Change.ONLY_TO]
        kinds = sorted(self.counts, key=lambda kind: (order.index(kind[0]), -self.counts[kind]))
        for kind in kinds[:_MOST_GROUPS]:
            yield layout.lines(
                runtime, [Word(masked(_group_words(kind, self.counts[kind], names)), Look.STRONG)]
            )
            yield from _shown(runtime, kind, self.examples[kind], self.counts[kind])
        if rest := sum(self.counts[kind] for kind in kinds[_MOST_GROUPS:]) + self.uncounted:
            yield layout.lines(runtime, [masked(f"{rest} in other paths")])


def _group_words(kind: Kind, number: int, names: tuple[str, str]) -> str:
    change, paths = kind
    words = {
        Change.NO_KEY: "without the key",
        Change.SAME_KEY: "with a key that several records share",
        Change.ONLY_FROM: f"only in {names[0]}",
        Change.ONLY_TO: f"only in {names[1]}",
        Change.DIFFERENT: (
            f"{'differs' if number == 1 else 'differ'} in {named(paths, _MOST_PATHS)}"
        ),
    }
    return f"{number} {words[change]}"


def _shown(
    runtime: Runtime, kind: Kind, examples: Sequence[DifferingRecord], number: int
) -> Iterator[TerminalText]:
    """Yield the first records of a kind.

    Prints the differing values of a changed record, and the key of any other record.
    """
    more = f" and {number - len(examples)} more" if number > len(examples) else ""
    if kind[0] is not Change.DIFFERENT:
        keys = ", ".join(example.key for example in examples)
        yield layout.lines(runtime, [masked(f"{keys}{more}")], indent=len(_INDENT), hanging="")
        return
    size = max(text_width.width(visible(masked(example.key))) for example in examples)
    # Long keys leave no room for the values.
    beside = size <= _KEY
    room = runtime.width - (size if beside else 0) - len(_INDENT) * 2
    for example in examples:
        values: list[Cell] = [
            value
            for difference in example.differences
            for value in _values(runtime, difference, room)
        ]
        if example.paths > _MOST_PATHS:
            values.append(masked(f"and {example.paths - _MOST_PATHS} more paths"))
        key = masked(example.key)
        if beside:
            rows = zip([key, *[NO_TEXT] * (len(values) - 1)], values, strict=True)
            yield layout.rows(runtime, [size, room], rows, indent=len(_INDENT), hanging=_INDENT)
        else:
            yield layout.lines(runtime, [key], indent=len(_INDENT), hanging="")
            yield layout.lines(runtime, values, indent=len(_INDENT) * 2, hanging=_INDENT)
    if more:
        yield layout.lines(runtime, [masked(more.strip())], indent=len(_INDENT))


def _values(runtime: Runtime, difference: ShownDifference, room: int) -> Iterator[Word]:
    """Yield a path and its two values, as in a diff."""
    sign = terminal.ellipsis(runtime)
    for mark, value, look in (
        ("-", difference.before, Look.BAD),
        ("+", difference.after, Look.GOOD),
    ):
        later = sign if difference.begins_later else ""
        where = f"{mark} {difference.path}: " if difference.path else f"{mark} "
        text = visible(masked(f"{where}{later}{value}"))
        yield Word(masked(text_width.cut(text, room, sign)), look)
