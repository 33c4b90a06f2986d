from typing import Any
from urllib.parse import parse_qsl

import pytest

from unified_cli.sandbox.query import tree


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("a=1&b=", {"a": "1", "b": ""}),
        ("a=1&a=2", {"a": "2"}),
        ("foo[bar]=baz", {"foo": {"bar": "baz"}}),
        ("foo[bar1][bar2]=v", {"foo": {"bar1": {"bar2": "v"}}}),
        ("foo[]=a&foo[]=b", {"foo": ["a", "b"]}),
        ("foo[0]=a&foo[1]=b", {"foo": ["a", "b"]}),
        ("foo[10]=b&foo[9]=a", {"foo": ["a", "b"]}),
        ("foo%5B%5D=a+b&foo%5B%5D=%C3%A4", {"foo": ["a b", "ä"]}),
        ("foo[][x]=1&foo[][y]=2&foo[][x]=3", {"foo": [{"x": "1", "y": "2"}, {"x": "3"}]}),
        ("foo[0][x]=1&foo[1][x]=3", {"foo": [{"x": "1"}, {"x": "3"}]}),
        ("foo[in][]=a&foo[in][]=b", {"foo": {"in": ["a", "b"]}}),
        ("a[b=1&a]b=2&[]=3&[x]=4", {"a[b": "1", "a]b": "2", "[]": "3", "[x]": "4"}),
        ("a=1&a[b]=2", {"a": {"b": "2"}}),
        ("a[b]=1&a=2", {"a": "2"}),
        ("a[][b][]=1&a[][b][]=2", {"a": [{"b": ["1"]}, {"b": ["2"]}]}),
    ],
)
def test_brackets_become_a_tree(query: str, expected: dict[str, Any]) -> None:
    assert tree(parse_qsl(query, keep_blank_values=True)) == expected
