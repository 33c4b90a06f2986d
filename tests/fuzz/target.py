"""Targets of the fuzzers: how one is run, and its examples."""

import contextlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from unified_cli.errors import UnifiedError


class Target(NamedTuple):
    """A parser: a function that is given any bytes, and some bytes that it reads."""

    run: Callable[[bytes], None]
    examples: tuple[bytes, ...]


def run(target: Target, data: bytes) -> None:
    """Give the bytes to the parser; whatever it raises but a UnifiedError is a
    finding.
    """
    with contextlib.suppress(UnifiedError):
        target.run(data)


def pieces() -> Iterator[bytes]:
    """Text that confuses parsers, for mutations."""
    yield from (
        b"\xff",
        b"\0",
        b"\r",
        b"\n",
        b'"',
        b"\\ud83d",
        b"\xed\xa0\xbd",
        b"\xef\xbb\xbf",
        b"\xe2\x80\xae",
        b"9" * 5000,
    )
    yield from (
        b"[" * 300,
        b'{"a":' * 300,
        b"1e999",
        b"-0",
        b"NaN",
        b"null",
        b"..",
        b"/",
        b"%ff",
        b"{}",
        b"[]",
        b'""',
    )
    yield from (
        b'"result"',
        b'"next_cursor"',
        b'"id"',
        b'"statusCode":400',
        b'"_profile":"acme",',
        b"0x" + b"f" * 5000,
        b"\x1b[31m",
        b"1.10",
    )
