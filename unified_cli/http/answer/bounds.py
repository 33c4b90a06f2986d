"""How much an answer may hold: checked before memory is taken for it, so that no answer takes all there is."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unified_cli.json_text.json_check import has_more_commas, is_longer

if TYPE_CHECKING:
    from unified_cli.json_text.members import Record

LARGEST_BODY = 64 * 1024 * 1024
"""Bytes of a JSON body, decompressed."""
LARGEST_CAPABILITIES = 8 * 1024 * 1024
"""The same of what a connection offers, which is decoded as a whole."""
DEEPEST = 200
"""Levels of a JSON body that is not a page of records."""
MOST_RECORDS = 500_000
"""Records of a page."""
LARGEST_RECORD = 8 * 1024 * 1024
"""Bytes of a record that is one of several."""
MOST_VALUES = 200_000
"""Values within a record, at any depth: each takes a hundred times its own bytes when it is decoded."""

_LESS = "(ask for less: --page-size)"
_AS_SERVED = "(-o raw prints one page as served)"


class TooLargeError(Exception):
    """The answer holds more than may be held in memory; the text says which bound it exceeds."""


def body_error(largest: int) -> TooLargeError:
    """The error for a body of more than `largest` bytes."""
    said = f"the answer is larger than {largest >> 20} MiB"
    return TooLargeError(f"{said} {_LESS}" if largest == LARGEST_BODY else said)


def check_array(array: "bytes | Record") -> None:
    """Raise TooLargeError where the array of records has too many of them."""
    if is_longer(memoryview(array), MOST_RECORDS):
        raise TooLargeError(f"the page has more than {MOST_RECORDS} records {_LESS}")


def check_records(records: "Sequence[Record | bytes]") -> None:
    """Raise TooLargeError where a record is too large or has too many values."""
    for record in records:
        size = len(memoryview(record))
        if size > LARGEST_RECORD:
            raise TooLargeError(f"a record is larger than {LARGEST_RECORD >> 20} MiB {_AS_SERVED}")
        if size > MOST_VALUES and has_more_commas(bytes(record), MOST_VALUES):
            raise _too_many_values()


def check_document(body: bytes) -> None:
    """Raise TooLargeError where a document holds more than can be taken apart: in itself, or in an array of records."""
    if len(body) <= LARGEST_RECORD and not has_more_commas(body, MOST_VALUES):
        return
    from unified_cli.json_text import members  # noqa: PLC0415  msgspec is needed for large documents only

    text = body.strip()
    if text.startswith(b"{") and is_longer(text, MOST_VALUES):
        raise _too_many_values()
    for value in (members.parts(text) or {"": text}).values():
        if value.startswith(b"["):
            check_array(value)
            check_records(members.items(value))
        else:
            check_records([value])


def _too_many_values() -> TooLargeError:
    return TooLargeError(f"a record has more than {MOST_VALUES} values {_AS_SERVED}")
