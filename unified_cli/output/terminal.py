"""Prepare text for a terminal: colours, escapes for control characters, and columns."""

import io
import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NewType

from unified_cli.masking import MaskedText, is_harmless, unsafe, visible, visible_styled
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    from rich.console import RenderableType

GAP = 2
"""The number of spaces between two columns."""
TerminalText = NewType("TerminalText", str)
"""Text that is safe for a terminal: its only control sequences are our own colours."""


def ellipsis(runtime: Runtime) -> str:
    """Return an ellipsis in stdout's encoding."""
    return "…" if runtime.encoding.lower().startswith("utf") else "~"


def encodable(text: str, encoding: str) -> str:
    """Escape the characters that the encoding lacks."""
    if text.isascii() or encoding.lower().startswith("utf"):
        return text
    return text.encode(encoding, "backslashreplace").decode(encoding)


def json_visible(text: str) -> TerminalText:
    r"""Return JSON text with control characters as `\\u…`, except line breaks and
    tabs.
    """
    if is_harmless(text.replace("\n", "")):
        return TerminalText(text)
    return TerminalText(unsafe().sub(_json_escape, text))


def lines_visible(text: str) -> TerminalText:
    """Return the text with escapes for control characters, except line breaks and
    tabs.
    """
    return TerminalText(visible(text, but="\n\t"))


def styled(text: str) -> TerminalText:
    """Escape our own text like `lines_visible`, but keep its colours.

    Untrusted text in it must already be escaped.
    """
    return TerminalText(visible_styled(text, but="\n\t"))


def _json_escape(match: re.Match[str]) -> str:
    character = match[0]
    if character == "\r":
        # A raw carriage return occurs only outside strings, where it is white space.
        # Before a line feed it is harmless.
        return "\r" if match.string.startswith("\n", match.end()) else " "
    if character in "\n\t":
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))


def rendered(*things: "RenderableType", colour: bool, encoding: str, width: int) -> str:
    """Render objects with rich."""
    from rich.console import Console  # noqa: PLC0415  only where something is drawn

    console = Console(
        # rich reads the encoding of this file, and never writes to it.
        file=io.TextIOWrapper(io.BytesIO(), encoding=encoding),
        force_terminal=True,
        color_system="standard" if colour else None,
        no_color=False,
        width=width,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    with console.capture() as capture:
        for thing in things:
            console.print(thing)
    return capture.get()


def coloured_help(text: str) -> str:
    """Return a help page with coloured headings and options."""
    from rich.text import Text  # noqa: PLC0415  only on a terminal

    page = Text(text.removesuffix("\n"), no_wrap=True, overflow="ignore")
    page.highlight_regex(re.compile(r"^\S[^:\n]*:$|^Usage:|^Options:", re.MULTILINE), "bold")
    page.highlight_regex(
        re.compile(r"^ {2,6}(-[\w-]+(, --[\w-]+)?|[a-z][\w-]*(?=  ))", re.MULTILINE), "cyan"
    )
    # Highlight the second column of a list of commands. Rich uses the name of the
    # regex group, `cyan`, as the style.
    page.highlight_regex(
        re.compile(r"^  [a-z][\w-]*  +\S.*?  +(?P<cyan>[a-z][\w-]*)(?=  )", re.MULTILINE)
    )
    return rendered(page, colour=True, encoding="utf-8", width=10_000)


def is_id(column: str) -> bool:
    """Return whether a column has ids, which must not be cut."""
    return column == "id" or column.endswith(("_id", " id"))


def total_width(widths: Collection[int]) -> int:
    """Return the width of all columns, including the gaps."""
    return sum(widths) + GAP * (len(widths) - 1)


def narrow(widths: list[int], least: list[int], room: int) -> list[int]:
    """Narrow the widest columns until all columns fit in `room`.

    No column becomes narrower than its entry in `least`.
    """
    narrowed = widths.copy()
    while total_width(narrowed) > room:
        open_ones = [at for at, size in enumerate(narrowed) if size > least[at]]
        if not open_ones:
            break
        narrowed[max(open_ones, key=narrowed.__getitem__)] -= 1
    return narrowed


def tabbed(rows: Sequence[Sequence[MaskedText]]) -> bytes:
    """Return a line for each row, with tabs between the cells.

    Tabs and line breaks in cells become spaces. File names that are not UTF-8 keep
    their bytes.
    """
    text = "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)
    return text.encode("utf-8", "surrogateescape")
