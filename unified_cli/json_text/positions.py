r"""Where the parts of valid JSON text stand, found without decoding it: also of text that msgspec refuses.

Whatever a text holds, its parts are cut out of it as they are. Nothing is put into it that it could hold itself.
"""

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
"""The pattern of a JSON string. It keeps no way back, so that it takes no memory however long the string is."""

_BLANKS = rb"[ \t\n\r]*+"
_KEY = re.compile(rb"[ \t\n\r,]*+(" + STRING + rb")" + _BLANKS + rb":" + _BLANKS, re.DOTALL)
_BETWEEN_ITEMS = re.compile(rb"[ \t\n\r,]*+")
_SCALAR = re.compile(STRING + rb"|[^ \t\n\r,\]}]++", re.DOTALL)
_NO_BRACKET = rb'[^"\[\]{}]*+(?:' + STRING + rb'[^"\[\]{}]*+)*+'
# Brackets with none between them are passed at once: most objects in records are such.
_BRACKET = re.compile(_NO_BRACKET + rb"(?:[\[{]" + _NO_BRACKET + rb"[\]}]|([\[{])|([\]}]))", re.DOTALL)
_OPENING, _CLOSING = 1, 2


def members(text: bytes, lengths: Mapping[bytes, int] = MappingProxyType({})) -> Iterator[tuple[bytes, int, int]]:
    """The members of an object in their order: the key as it is written, and where its value begins and ends.

    A key that stands twice comes twice. Values whose `lengths` are known by their keys are not looked through.
    """
    at = text.index(b"{") + 1
    while found := _KEY.match(text, at):
        key, start = found[1], found.end()
        at = start + lengths[key] if key in lengths else _end(text, start)
        yield key, start, at


def items(text: bytes, start: int, lengths: Iterable[int]) -> "array[int]":
    """Where the items of an array begin and end, one after the other; it begins at `start`, and they are so long."""
    bounds, at = array("q"), start + 1
    for length in lengths:
        found = _BETWEEN_ITEMS.match(text, at)
        assert found is not None  # noqa: S101  it may match nothing
        at = found.end() + length
        bounds.append(found.end())
        bounds.append(at)
    return bounds


def _end(text: bytes, start: int) -> int:
    """Where the value ends that begins there."""
    if text[start] not in b"[{":
        found = _SCALAR.match(text, start)
        assert found is not None  # noqa: S101  the text is JSON
        return found.end()
    depth, at = 0, start
    while found := _BRACKET.match(text, at):
        at = found.end()
        depth += (found.lastindex == _OPENING) - (found.lastindex == _CLOSING)
        if depth == 0:
            return at
    raise ValueError("a bracket has no end")
