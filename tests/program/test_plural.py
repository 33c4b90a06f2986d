"""A number and its noun agree."""

import pytest

from unified_cli.plural import all_of, counted


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [(0, "record", "0 records"), (1, "record", "1 record"), (2, "reply", "2 replies"), (2, "day", "2 days")],
)
def test_a_noun_is_in_the_plural_unless_there_is_one(number: int, noun: str, text: str) -> None:
    assert counted(number, noun) == text


def test_all_of_one_is_the_only_one() -> None:
    assert (all_of(1, "list"), all_of(2, "list")) == ("the only list", "all 2 lists")
