"""Whether text is JSON: the standard library, which is there anyway, and msgspec agree about it."""

import json
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from unified_cli.http.answer import decoding

# fmt: off
ODD = [
    "", " ", "null", " 1 ", "01", "-", "-0", "1.", ".5", "1e5", "1E+05", "1e", "+1", "0x1", "NaN", "-Infinity", "nul",
    "[]", "[1,]", "[,1]", "[1 2]", "[", "]", "[[]", '{"a":1}', '{"a":1,}', "{a:1}", '{"a" 1}', '{"a":1,"a":2}', "{}{}",
    '"', '"a', '"\\u12"', '"\\x41"', '"\\ud83d"', '"\\ude00\\ud83d"', '"\t"', '"\x7f"', '"\u2028"', "'a'", "1 1", "t f",
    "[1]\x00", "\ufeff1", "\x0b1", "\u00a01", "/* */1", "9" * 5000, "1e999999", "[" * 150 + "]" * 150,
]
# fmt: on
DOCUMENT = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def by_msgspec(text: bytes) -> bool:
    """msgspec's word, which alone counted once; halves of surrogate pairs are let pass."""
    for one in (text, decoding._SURROGATE.sub(rb"\\ufffd", text)):
        with suppress(msgspec.DecodeError):
            msgspec.json.decode(one, type=msgspec.Raw)
            return True
    return False


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_odd_texts(text: str) -> None:
    body = text.encode()
    assert (decoding.flaw(body) is None) == decoding._is_json(body) == by_msgspec(body)


@settings(max_examples=300, deadline=None)
@given(
    document=DOCUMENT,
    ascii_only=st.booleans(),
    at=st.integers(0, 200),
    cut=st.integers(0, 2),
    added=st.sampled_from([*' \n\\"{}[]:,-+.eE019tfnu/\x00\x1f\x7f', ""]),
)
def test_texts_that_were_damaged_a_little(document: object, ascii_only: bool, at: int, cut: int, added: str) -> None:
    text = json.dumps(document, ensure_ascii=ascii_only)
    body = (text[:at] + added + text[at + cut :]).encode("utf-8", "replace")
    assert decoding._is_json(body) == by_msgspec(body)
