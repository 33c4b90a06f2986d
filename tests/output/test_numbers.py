"""Numbers that jq changes: what the detector says is what the library does."""

import jq
import pytest
from hypothesis import given, settings, strategies as st

from unified_cli.output.jq_program import changed_by_jq

KEPT = [
    "0",
    "7",
    "-7",
    "1.5",
    "-0.25",
    "0.1",
    "4.35",
    "1e-05",
    "5e-324",
    "0.0001",
    "123456789012345",
    "9007199254740992",
    "9007199254740994",
    "100000000000000000000",
    "10000000000000000000000",
    "2.5e-07",
]
CHANGED = [
    "1.10",
    "1.0",
    "0.0",
    "-0",
    "-0.0",
    "1e2",
    "1E5",
    "1e+5",
    "1e-5",
    "0.00001",
    "1e-400",
    "1E400",
    "-1E400",
    "10000000000000000000001",
    "9007199254740993",
    "12345678901234567",
    "3.14159265358979323846",
    "0e10",
    "9" * 5000,
    "1" + "0" * 23,
    "0." + "3" * 5000,
]
PROGRAM = jq.compile(".")
NUMBER = st.from_regex(
    r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?", fullmatch=True
)


def by_jq(number: str) -> bool:
    """Whether jq writes it differently."""
    return str(PROGRAM.input_text(number).text()) != number


@pytest.mark.parametrize("number", KEPT + CHANGED, ids=lambda number: number[:30])
def test_the_table_of_numbers(number: str) -> None:
    assert by_jq(number) == (number in CHANGED)
    assert changed_by_jq(number.encode()) == (number if number in CHANGED else None)


@settings(max_examples=200)
@given(number=NUMBER)
def test_any_number(number: str) -> None:
    assert (changed_by_jq(number.encode()) is not None) == by_jq(number)


def test_the_first_is_named_and_strings_are_none() -> None:
    assert changed_by_jq(b'{"1.10":"2.20 \\" 3.30","a":[1,{"b":4.40}],"c":5.50}') == "4.40"
    assert changed_by_jq(b'{"a":"1.10","b":["\\\\"],"c":7}') is None
