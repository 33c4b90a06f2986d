"""Colours for JSON text, found and drawn by rich."""

from rich.color import ColorSystem
from rich.highlighter import RegexHighlighter
from rich.theme import Theme

from unified_cli.output.terminal import TerminalText


class _JsonHighlighter(RegexHighlighter):
    """Finds the parts of JSON text by its grammar.

    rich's own JSONHighlighter overruns the end of a string that ends with a backslash,
    does not know `1E5`, and takes ten seconds for a number of 16,000 digits.
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


# rich's styles in those of the terminal's own colours that keep the most contrast in
# the worst of eleven usual palettes, light and dark: plain blue is hard to read on
# black, cyan and bright green on white.
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
    """Return the JSON text with colours. Without its colours the text is unchanged,
    tabs included.

    The text is whole lines of JSON, or a part of it that begins and ends outside
    strings.
    """
    # rich drops carriage returns; a blank keeps the places of what follows.
    spans = _HIGHLIGHTER(text.replace("\r", " ")).spans
    made, done = [], 0
    for start, end, style in spans:
        coloured = _STYLES[str(style)].render(text[start:end], color_system=ColorSystem.STANDARD)
        made += [text[done:start], coloured]
        done = end
    return TerminalText("".join([*made, text[done:]]))
