"""Differences of JSON texts: exact, path by path, and the same as comparing the values
would give.
"""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, strategies as st

from unified_cli.json_text.difference import (
    PathRules,
    ValueDifference,
    canonical,
    differences,
    without_ignored,
)

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=4)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("ab.", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def found(one: str, other: str, **rules: frozenset[str]) -> list[ValueDifference]:
    return [*differences(one.encode(), other.encode(), PathRules(**rules))]


def paths(one: str, other: str, **rules: frozenset[str]) -> list[str]:
    return [difference.path for difference in found(one, other, **rules)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.10", "1.1"),
        ("11e-1", "1.1"),
        ("1E2", "100"),
        ("-0", "0.0"),
        ("0.5", "5e-1"),
        ("12345678901234567890.10", "12345678901234567890.1"),
        ('"\\u00e9\\n"', '"é\\u000a"'),
        ('{"a": 1, "b": null}', '{"a":1}'),
        ('{"b":[1, {"x":2}],"a":1}', '{"a":1,"b":[1.0,{"x":2,"y":null}]}'),
    ],
)
def test_equal_values_have_no_difference(one: str, other: str) -> None:
    assert paths(one, other) == paths(other, one) == []
    assert canonical(one.encode()) == canonical(other.encode())


@pytest.mark.parametrize(
    ("one", "other", "where"),
    [
        ("12345678901234567890", "12345678901234567891", [""]),
        ("1e400", "1e401", [""]),
        ("1", '"1"', [""]),
        ("1", "true", [""]),
        ("0", "null", [""]),
        ('{"a":{"b":[1,2]}}', '{"a":{"b":[1,3]}}', ["a.b[1]"]),
        ('{"a":[1]}', '{"a":[1,2]}', ["a"]),
        ('{"a":[]}', '{"a":{}}', ["a"]),
        ('{"a":1,"b":2}', '{"c":3}', ["a", "b", "c"]),
        ('{"a":[null]}', '{"a":[]}', ["a"]),
    ],
)
def test_different_values_have_a_difference(one: str, other: str, where: list[str]) -> None:
    assert paths(one, other) == where


def test_the_values_of_a_difference_are_as_they_were_written() -> None:
    assert found('{"a":1.10}', '{"a":"1.10"}') == [ValueDifference("a", b"1.10", b'"1.10"')]
    assert found('{"a":1.10}', "{}") == [ValueDifference("a", b"1.10", None)]


def test_a_path_is_left_out_with_all_below_it() -> None:
    one, other = (
        '{"a":{"b":1,"c":2},"tags":[{"id":1,"n":2}]}',
        '{"a":{"b":2,"c":3},"tags":[{"id":2,"n":3}]}',
    )
    assert paths(one, other, ignored=frozenset({"a", "tags.id"})) == ["tags[0].n"]
    assert paths(one, other, ignored=frozenset({"a.b", "tags[0]"})) == ["a.c"]
    rules = PathRules(frozenset({"a.b", "tags.id"}))
    assert without_ignored(one.encode(), rules) == b'{"a":{"c":2},"tags":[{"n":2}]}'


def test_the_order_of_an_unordered_array_does_not_matter_but_how_often_an_item_is_there() -> None:
    one, other = (
        '{"t":[{"id":1,"at":5},{"id":2,"at":6},{"id":2,"at":6}]}',
        '{"t":[{"id":2,"at":7},{"id":1},{"id":2}]}',
    )
    rules = {"unordered": frozenset({"t"}), "ignored": frozenset({"t.at"})}
    assert paths(one, other, **rules) == []
    assert paths(one, '{"t":[{"id":1},{"id":1},{"id":2}]}', **rules) == ["t"]
    assert paths(one, other, ignored=rules["ignored"]) == ["t[0].id", "t[1].id"]


def same(one: Any, other: Any) -> bool:
    """Whether two decoded values are the same, by a rule that is written down another
    way.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        return all(same(one.get(name), other.get(name)) for name in {*one, *other})
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


@given(VALUES, VALUES)
def test_there_is_a_difference_exactly_where_values_differ(one: Any, other: Any) -> None:
    texts = [json.dumps(value) for value in (one, other)]
    decoded = [json.loads(text, parse_int=Decimal, parse_float=Decimal) for text in texts]
    assert (paths(*texts) == []) is same(*decoded)
    assert paths(texts[0], json.dumps(one, ensure_ascii=False, indent=1)) == []
