"""What is drawn for a person at a terminal, by rich: tables, bars, coloured words; and times as people say them."""

import io
import re
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from unified_cli.masking import MaskedText, visible
from unified_cli.output import terminal
from unified_cli.output.terminal import TerminalText
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_MONTH, _YEAR = 30 * _DAY, 365 * _DAY
_TRAILING = re.compile(r" +((?:\x1b\[0m)?)$", re.MULTILINE)


class Look(Enum):
    """How a word or a part of a bar looks: its style, and the characters of a bar, in UTF-8 and elsewhere.

    The characters differ, because not every terminal has colours and not everybody sees them. The colours are the
    terminal's own, which can be read on a light and on a dark ground.
    """

    GOOD = ("green", "█", "#")
    BAD = ("red", "▒", "x")
    DOUBT = ("yellow", "░", "?")
    OPEN = ("dim", "·", ".")
    STRONG = ("bold", "█", "#")

    @property
    def style(self) -> str:
        """The name of the style, as rich knows it."""
        return str(self.value[0])


class Bar(NamedTuple):
    """A bar of this width whose parts are as long as their numbers; a number that is not 0 can always be seen."""

    parts: Sequence[tuple[int, Look]]
    size: int = 10


class Word(NamedTuple):
    """A text with a look."""

    text: MaskedText
    look: Look


Cell: TypeAlias = MaskedText | Word | Bar
"""What can stand in a table."""


def ago(seconds: float) -> str:
    """How long ago it was, in as few words as say it: `12 min ago`, `3 days ago`; of what is to come `in 2 h`."""
    passed = abs(seconds)
    if passed < _MINUTE:
        return "just now"
    if passed < _HOUR:
        said = f"{passed // _MINUTE:.0f} min"
    elif passed < _DAY:
        said = f"{passed // _HOUR:.0f} h"
    else:
        said = next(
            counted(int(passed // length), unit)
            for length, unit in ((_YEAR, "year"), (_MONTH, "month"), (_DAY, "day"))
            if passed >= length
        )
    return f"{said} ago" if seconds > 0 else f"in {said}"


def lengths(bar: Bar) -> list[int]:
    """How many characters each part of a bar takes: in proportion, but none of a number above 0 is left out."""
    total = sum(number for number, _ in bar.parts)
    if not total:
        return [0] * len(bar.parts)
    found = [max(1, round(number * bar.size / total)) if number else 0 for number, _ in bar.parts]
    # What rounding gave too much or too little is the longest part's.
    while (excess := sum(found) - bar.size) and max(found) > excess:
        found[found.index(max(found))] -= excess
    return found


def drawn(runtime: Runtime, *things: "RenderableType", width: int | None = None) -> TerminalText:
    """What rich draws of these things, in the terminal's width and colours; their foreign text is visible already."""
    from rich.console import Console  # noqa: PLC0415  only where a screen is drawn

    console = Console(
        file=io.StringIO(),
        force_terminal=True,
        color_system="standard" if terminal.has_colour(runtime) else None,
        no_color=False,
        width=width or runtime.width,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    with console.capture() as capture:
        for thing in things:
            console.print(thing)
    return terminal.styled(_TRAILING.sub(r"\1", capture.get()))


def text(runtime: Runtime, cell: Cell) -> "Text":
    """A cell as rich draws it."""
    from rich.text import Text  # noqa: PLC0415  as above

    if isinstance(cell, Bar):
        place = 1 if runtime.encoding.lower().startswith("utf") else 2
        return Text.assemble(*_pieces(cell, place))
    if isinstance(cell, Word):
        return Text(visible(cell.text), cell.look.style)
    return Text(visible(cell))


def _pieces(bar: Bar, place: int) -> Iterator[tuple[str, str]]:
    for length, (_, look) in zip(lengths(bar), bar.parts, strict=True):
        yield str(look.value[place]) * length, look.style
