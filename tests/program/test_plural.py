"""A number and its noun agree; an age is said in a few words."""

import pytest

from unified_cli.plural import ago, all_of, counted

MINUTE, HOUR, DAY = 60, 3600, 86400


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (0, "record", "0 records"),
        (1, "record", "1 record"),
        (2, "reply", "2 replies"),
        (2, "day", "2 days"),
    ],
)
def test_a_noun_is_in_the_plural_unless_there_is_one(number: int, noun: str, text: str) -> None:
    assert counted(number, noun) == text


def test_all_of_one_is_the_only_one() -> None:
    assert (all_of(1, "list"), all_of(2, "list")) == ("the only list", "all 2 lists")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "just now"),
        (59.9, "just now"),
        (-59, "just now"),
        (60, "1 min ago"),
        (12.9 * MINUTE, "12 min ago"),
        (HOUR - 1, "59 min ago"),
        (HOUR, "1 h ago"),
        (DAY - 1, "23 h ago"),
        (DAY, "1 day ago"),
        (29.9 * DAY, "29 days ago"),
        (30 * DAY, "1 month ago"),
        (364 * DAY, "12 months ago"),
        (365 * DAY, "1 year ago"),
        (900 * DAY, "2 years ago"),
        (-2 * HOUR, "in 2 h"),
    ],
)
def test_a_time_is_said_in_a_few_words(seconds: float, said: str) -> None:
    assert ago(seconds) == said
