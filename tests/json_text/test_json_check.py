"""The check of JSON: the standard library and msgspec agree about every text, and the
problem is named.
"""

import json
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from unified_cli.json_text import json_check

ODD = [
    "",
    " ",
    "null",
    " 1 ",
    "01",
    "-",
    "-0",
    "1.",
    ".5",
    "1e5",
    "1E+05",
    "1e",
    "+1",
    "0x1",
    "NaN",
    "-Infinity",
    "nul",
    "[]",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[",
    "]",
    "[[]",
    '{"a":1}',
    '{"a":1,}',
    "{a:1}",
    '{"a" 1}',
    '{"a":1,"a":2}',
    "{}{}",
    '"',
    '"a',
    '"\\u12"',
    '"\\x41"',
    '"\\ud83d"',
    '"\\ude00\\ud83d"',
    '"\t"',
    '"\x7f"',
    '"\u2028"',
    "'a'",
    "1 1",
    "t f",
    "[1]\x00",
    "\ufeff1",
    "\x0b1",
    "\u00a01",
    "/* */1",
    "9" * 5000,
    "1e999999",
    "[" * 150 + "]" * 150,
]
DOCUMENT = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


def by_scan(text: bytes) -> bool:
    """Whether the standard library, which reads small texts, takes it."""
    try:
        json_check.scan(text.decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return True


def by_msgspec(text: bytes) -> bool:
    """Whether msgspec, which reads large texts, takes it; halves of surrogate pairs are
    let pass.
    """
    for one in (text, json_check.without_surrogates(text)):
        with suppress(msgspec.DecodeError):
            msgspec.json.decode(one, type=msgspec.Raw)
            return True
    return False


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_odd_texts(text: str) -> None:
    body = text.encode()
    # Blanks behind it make it so long that msgspec reads it.
    long = body + b" " * (1 << 20)
    assert (
        (not json_check.flaw(body))
        == (not json_check.flaw(long))
        == by_scan(body)
        == by_msgspec(body)
    )


@settings(max_examples=300)
@given(
    document=DOCUMENT,
    ascii_only=st.booleans(),
    at=st.integers(0, 200),
    cut=st.integers(0, 2),
    added=st.sampled_from([*' \n\\"{}[]:,-+.eE019tfnu/\x00\x1f\x7f', ""]),
)
def test_texts_that_were_damaged_a_little(
    document: object, ascii_only: bool, at: int, cut: int, added: str
) -> None:
    text = json.dumps(document, ensure_ascii=ascii_only)
    body = (text[:at] + added + text[at + cut :]).encode("utf-8", "replace")
    assert by_scan(body) == by_msgspec(body)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'"caf\xe9"', "is not UTF-8 at byte 4"),
        (b'"' + b"x" * (1 << 20) + b'\xc3"', f"is not UTF-8 at byte {(1 << 20) + 1}"),
        (b"[1,]", "is not JSON: "),
        (b"[" * 100_000, "is nested deeper than 200 levels"),
        (b'"\\ud83d"', ""),
    ],
)
def test_the_problem_is_named(text: bytes, reason: str) -> None:
    found = json_check.flaw(text)
    assert found.startswith(reason)
    assert bool(found) == bool(reason)


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        (b"1", 0),
        (b"[]", 1),
        (b'{"a":[{"b":1}]}', 3),
        (b"[[],[[]],{}]", 3),
        (b'["]]]]","[[[[","\\"[[[["]', 1),
        (b'"' + b"\\\\" * (1 << 19) + b'"', 0),
        (b"[" * 50 + b" " * (1 << 20) + b"]" * 50, 50),
        (b"[" * 150 + b" " * (1 << 20) + b"[" * 150 + b"]" * 300, 300),
        (b"[" * 150 + b'"' + b"x" * (2 << 20) + b'",' + b"{}" + b"]" * 150, 151),
        ((b"[" * 90 + b"]" * 90 + b"," + b" " * (1 << 19)) * 4, 90),
        (b"[" * 99 + (b"[" + b" " * (1 << 20) + b"],") * 3 + b"]" * 99, 100),
    ],
)
def test_depth_counts_brackets_outside_of_strings(text: bytes, depth: int) -> None:
    assert not json_check.deeper_than(text, depth)
    assert depth == 0 or json_check.deeper_than(text, depth - 1)
