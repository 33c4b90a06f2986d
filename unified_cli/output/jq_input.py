"""Detect values that jq would change, and numbers that jq computed."""

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
# A double always keeps this many digits.
_SAFE_DIGITS = 15
_LONG_NUMBER = re.compile(rb"-?\d[\d.]{%d,}(?:[eE][+-]?\d+)?" % _SAFE_DIGITS)


class _UnsupportedError(Exception):
    """jq cannot represent a value. The message names the value."""


def find_unsupported(text: bytes) -> str:
    """Describe the first value that jq would drop or change, or return ""."""
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
        # jq counts the exponent from the first digit, not from the decimal point, so
        # add the length of the mantissa.
        most = len(str(_LARGEST_EXPONENT))
        if len(digits) > most or int(digits or "0") + len(mantissa) > _LARGEST_EXPONENT:
            raise _UnsupportedError(f"the number {excerpt(text, _LONGEST_NUMBER)}")


def _refuse(word: str) -> NoReturn:
    raise _UnsupportedError(word)


# Discard values, so that a large text takes little memory.
_SCANNER = JSONDecoder(
    object_pairs_hook=_members,
    parse_float=_number,
    parse_int=lambda _: None,
    parse_constant=_refuse,
)


def computed(results: Iterable[bytes], *sources: bytes) -> str | None:
    """Return the first number in the results that jq computed, or None.

    The function finds only numbers that have more than 15 digits and that no source
    contains.
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
    """Return the long numbers in the sources, in a normal form.

    The result includes numbers in strings. It contains each number with and without its
    sign.
    """
    found = (number for source in sources for number in _LONG_NUMBER.findall(source))
    return {canonical(text) for number in found for text in (number, number.lstrip(b"-"))}
