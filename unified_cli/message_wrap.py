"""Messages on a terminal: broken at blanks, where a terminal would break them in the middle of a word."""

import re

_INDENT = "  "
_KEPT = "\u00a0"
# An option with its value, and a command up to where the sentence goes on: what somebody may copy.
_COPIED = r"(?<![\w-])(--?[a-z][\w-]* \S|unified [^(),;]*)"


def wrapped(line: str, width: int) -> list[str]:
    """The line in lines of at most that width, the later ones indented; commands and long words stay whole."""
    if len(line) <= width:
        return [line]
    import textwrap  # noqa: PLC0415  most messages are short

    kept = re.sub(_COPIED, lambda match: _whole(match[0], width - len(_INDENT)), line)
    lines = textwrap.wrap(
        kept,
        width,
        break_long_words=False,
        break_on_hyphens=False,
        subsequent_indent=_INDENT,
    )
    return [one.replace(_KEPT, " ") for one in lines] or [line]


def _whole(text: str, room: int) -> str:
    return text.replace(" ", _KEPT) if len(text) <= room else text
