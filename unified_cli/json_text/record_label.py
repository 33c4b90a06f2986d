"""Add and remove the label of a record: the member `_profile`, which names its
connection.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from unified_cli.json_text import members
from unified_cli.json_text.members import Record, keys, parts, string

LABEL = "_profile"

# The pattern also matches escaped letters, because JSON may escape the letters of a
# key.
_KEY = re.compile(
    b'"%b"' % b"".join(b"(?:%c|\\\\u00(?i:%02x))" % (letter, letter) for letter in LABEL.encode())
)
_ESCAPED_LETTER = re.compile(rb"\\u00[5-7]")
# Matches our own labels, which can be removed without parsing.
_FIRST = re.compile(rb'\{"_profile":"([^"\\]*)"(?:,|(?=\}))')


def label(records: Sequence[Record], name: str) -> list[Record]:
    """Return the records with the connection's name as the first member.

    A value that is not an object becomes the member `_record` of an object. If a record
    already has `_profile`, it is renamed.
    """
    first = b"{%b:%b" % (msgspec.json.encode(LABEL), msgspec.json.encode(name))
    start = first + b","
    texts = [*map(bytes, records)]
    # Search the whole page at once, which takes half the time.
    unlabelled = not _may_carry(b"\n".join(texts))
    return [
        Record(start + text[1:])
        if text.startswith(b'{"') and (unlabelled or not _may_carry(text))
        else _labelled(text, first)
        for text in texts
    ]


def relabel(records: Sequence[Record], name: str) -> list[Record]:
    """Return the results of a jq program that ran on labelled records, with a new
    label.

    An existing label is removed first, because the program may have changed it.
    """
    texts = map(bytes, records)
    return label([Record(_without(text) if carries(text) else text) for text in texts], name)


def _without(record: bytes) -> bytes:
    return _joined((key, value) for key, name, value in _members(record) if name != LABEL)


def _members(record: bytes) -> Iterator[tuple[bytes, str, bytes]]:
    """Yield the members of an object, in order.

    A member consists of the key as written, the decoded key, and the value. Keys may
    repeat.
    """
    for key, start, end in members.member_bounds(record):
        yield key, string(key), record[start:end]


def _joined(members: Iterable[tuple[bytes, bytes]]) -> bytes:
    return b"{" + b",".join(key + b":" + value for key, value in members) + b"}"


def _may_carry(text: bytes) -> bool:
    # Searching from the end takes a third of the time.
    return text.rfind(b"_profile") >= 0 or (
        b"\\" in text and _ESCAPED_LETTER.search(text) is not None
    )


def _labelled(record: bytes, first: bytes) -> Record:
    if not record.startswith(b"{"):
        return Record(first + b',"_record":' + record + b"}")
    if carries(record):
        record = _with_profile_renamed(record)
    rest = record[1:].lstrip()
    return Record(first + (b"" if rest == b"}" else b",") + rest)


def _with_profile_renamed(record: bytes) -> bytes:
    existing = {*keys(record)}
    found = []
    for key, name, value in _members(record):
        free = name
        while name == LABEL and free in existing:
            free += "_served"
        existing.add(free)
        found.append((key if free == name else msgspec.json.encode(free), value))
    return _joined(found)


def carries(record: bytes) -> bool:
    """Return whether a record, which is valid JSON, has `_profile`."""
    return _may_carry(record) and _KEY.search(record) is not None and LABEL in (parts(record) or {})


def split(record: bytes) -> tuple[bytes, str]:
    """Return the record without `_profile`, and the value of `_profile`.

    Raises ValueError with the reason unless `_profile` occurs exactly once and is a
    string.
    """
    alone = record.count(LABEL.encode()) == 1 and b"\\u00" not in record
    if alone and (first := _FIRST.match(record)):
        return b"{" + record[first.end() :], first[1].decode("utf-8")
    found = [*_members(record)] if record.startswith(b"{") else []
    values = [value for _, name, value in found if name == LABEL]
    if not values:
        raise ValueError(f"has no {LABEL}, so it belongs to no connection")
    if len(values) > 1:
        raise ValueError(f"has {LABEL} more than once")
    if not values[0].startswith(b'"'):
        raise ValueError(f"has a {LABEL} that is not text")
    return _joined((key, value) for key, name, value in found if name != LABEL), string(values[0])
