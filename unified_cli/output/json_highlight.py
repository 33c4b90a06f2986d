"""Colour JSON text with rich."""

from rich.color import ColorSystem
from rich.highlighter import RegexHighlighter
from rich.theme import Theme

from unified_cli.output.terminal import TerminalText


class _JsonHighlighter(RegexHighlighter):
    """Highlights JSON text.

    rich's own JSONHighlighter fails on strings that end with a backslash and on `1E5`,
    and takes ten seconds for a number of 16,000 digits.
    """

    base_style = "json."
    highlights = (
        r"""(?x)
          (?P<key>  "[^"\\]*+(?:\\.[^"\\]*+)*+"(?=\s*:))
        | (?P<str>  "[^"\\]*+(?:\\.[^"\\]*+)*+")
        | (?P<number>  -?\d[\d.eE+-]*)
        | (?P<bool_true>  true)
        | (?P<bool_false>  false)
        | (?P<null>  null)
        | (?P<brace>  [][{}]+)
        """,
    )


# The terminal colours with the most contrast in eleven common palettes, light and dark.
# Blue is hard to read on black, and cyan and bright green on white.
_STYLES = Theme(
    {
        "json.key": "bold bright_blue",
        "json.number": "bright_magenta",
        "json.bool_true": "italic green",
        "json.bool_false": "italic bright_red",
        "json.null": "italic bright_magenta",
    }
).styles
_HIGHLIGHTER = _JsonHighlighter()


def highlighted(text: TerminalText) -> TerminalText:
    """Add colours to JSON text, and change nothing else.

    The text must begin and end outside strings.
    """
    # rich drops carriage returns, so use spaces to keep the positions.
    spans = _HIGHLIGHTER(text.replace("\r", " ")).spans
    made, done = [], 0
    for start, end, style in spans:
        coloured = _STYLES[str(style)].render(text[start:end], color_system=ColorSystem.STANDARD)
        made += [text[done:start], coloured]
        done = end
    return TerminalText("".join([*made, text[done:]]))
