"""JSON objects as text per key, so that what was posted comes back with the digits it was sent with."""

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

# No record is nested like this, and what is read here is read again where less of the stack is left.
_DEEPEST = 100
_SPACE = re.compile(r"[ \t\n\r]*")


def _constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


# Numbers stay text: this finds where a value ends, and a number of 5,000 digits costs nothing.
_SCAN = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=_constant)
_READ = json.JSONDecoder(parse_constant=_constant)


def split(text: str) -> dict[str, str]:
    """The members of a JSON object, each value as the text it was written with; of a key given twice the last holds.

    Raises ValueError where the text is not JSON, and TypeError where it is JSON but no object.
    """
    try:
        value, end = _SCAN.raw_decode(text, _skip(text, 0))
        if _skip(text, end) != len(text):
            raise ValueError("something follows the JSON value")
        if not isinstance(value, dict):
            raise TypeError("not a JSON object")
        _check_depth(value)
        return _members(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(_DEEPEST):
        lists = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, (dict, list))]
        level = [item for items in lists for item in items]
        if not level:
            return
    raise ValueError("nested too deeply")


def _members(text: str) -> dict[str, str]:
    # The whole text is known to be sound JSON by now, so nothing is checked twice.
    members = {}
    at = _skip(text, _skip(text, 0) + 1)
    while text[at] != "}":
        name, at = _SCAN.raw_decode(text, at)
        start = _skip(text, _skip(text, at) + 1)
        _, end = _SCAN.raw_decode(text, start)
        members[name] = text[start:end]
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return members


def join(members: Mapping[str, str]) -> str:
    """The JSON object with these members."""
    return "{" + ",".join(f"{dump(name)}:{value}" for name, value in members.items()) + "}"


def dump(value: Any) -> str:
    """A value as compact JSON; text stays readable but for lone surrogates, which UTF-8 cannot carry."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def read(text: str) -> Any:
    """A value for looking at, never for giving back: very long numbers become text, others may lose digits."""
    try:
        return _READ.decode(text)
    except ValueError:
        return _SCAN.decode(text)


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at
