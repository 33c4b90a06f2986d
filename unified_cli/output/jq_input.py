"""Detect values that jq cannot hold, and numbers that it computed."""

import re
from collections.abc import Iterable
from json import JSONDecoder
from typing import NoReturn

from unified_cli.json_text import json_check
from unified_cli.json_text.difference import canonical
from unified_cli.json_text.members import STRING
from unified_cli.masking import excerpt

_LARGEST_EXPONENT = 999_999_999
_LONGEST_NUMBER = 60
_STRING = re.compile(STRING, re.DOTALL)
# The digits that a double always keeps.
_SAFE_DIGITS = 15
_LONG_NUMBER = re.compile(rb"-?\d[\d.]{%d,}(?:[eE][+-]?\d+)?" % _SAFE_DIGITS)


class _UnsupportedError(Exception):
    """The text says what jq cannot hold."""


def find_unsupported(text: bytes) -> str:
    """Return the name of a value that jq would drop or change.

    An example is `half a surrogate pair`. Empty if jq keeps everything.
    """
    if json_check.without_halves(text) != text:
        return "half a surrogate pair"
    try:
        _SCANNER.decode(text.decode("utf-8"))
    except _UnsupportedError as error:
        return str(error)
    except UnicodeDecodeError:
        return "a text that is not UTF-8"
    return ""


def _members(pairs: list[tuple[str, None]]) -> None:
    names = set[str]()
    for name, _ in pairs:
        if name in names:
            raise _UnsupportedError(f'the name "{excerpt(name, _LONGEST_NUMBER)}" twice')
        names.add(name)


def _number(text: str) -> None:
    mantissa, letter, exponent = text.lower().partition("e")
    if letter:
        digits = exponent.lstrip("+-0")
        # JSON counts an exponent from the point, but jq counts it from the first digit,
        # so the length of the mantissa is added.
        most = len(str(_LARGEST_EXPONENT))
        if len(digits) > most or int(digits or "0") + len(mantissa) > _LARGEST_EXPONENT:
            raise _UnsupportedError(f"the number {excerpt(text, _LONGEST_NUMBER)}")


def _refuse(word: str) -> NoReturn:
    raise _UnsupportedError(word)


# Values are dropped, so that a large text takes little memory.
_SCANNER = JSONDecoder(
    object_pairs_hook=_members,
    parse_float=_number,
    parse_int=lambda _: None,
    parse_constant=_refuse,
)


def computed(results: Iterable[bytes], *sources: bytes) -> str | None:
    """Return the first number that jq computed in doubles.

    The number has more than 15 digits and occurs in no source. None if there is no such
    number.
    """
    known: set[bytes] | None = None
    for result in results:
        if not _LONG_NUMBER.search(result):
            continue
        for number in _LONG_NUMBER.findall(_STRING.sub(b'""', result)):
            if not _is_long(number):
                continue
            known = _numbers(sources) if known is None else known
            if canonical(number) not in known:
                return excerpt(number.decode(), _LONGEST_NUMBER)
    return None


def _is_long(number: bytes) -> bool:
    mantissa = re.split(rb"[eE]", number)[0]
    return len(mantissa.replace(b".", b"").lstrip(b"-0")) > _SAFE_DIGITS


def _numbers(sources: Iterable[bytes]) -> set[bytes]:
    """Return the sources' long numbers, written in one way.

    Numbers within texts are included. Each number is added without its sign as well.
    """
    found = (number for source in sources for number in _LONG_NUMBER.findall(source))
    return {canonical(one) for number in found for one in (number, number.lstrip(b"-"))}
