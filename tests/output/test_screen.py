"""What is drawn for people: times in a few words, and bars in which nothing that matters is too small to be seen."""

import pytest

from unified_cli.output import screen
from unified_cli.output.screen import Bar, Look
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

MINUTE, HOUR, DAY = 60, 3600, 86400


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
    assert screen.ago(seconds) == said


@pytest.mark.parametrize(
    ("numbers", "lengths"),
    [
        ((4, 0, 0, 0), [10, 0, 0, 0]),
        ((2, 1, 0, 1), [5, 3, 0, 2]),
        ((99_999, 1, 0, 0), [9, 1, 0, 0]),
        ((1, 1, 1, 99_999), [1, 1, 1, 7]),
        ((1, 1, 1, 0), [4, 3, 3, 0]),
        ((0, 0, 0, 0), [0, 0, 0, 0]),
    ],
)
def test_a_bar_is_full_and_shows_every_number(numbers: tuple[int, ...], lengths: list[int]) -> None:
    looks = (Look.GOOD, Look.BAD, Look.DOUBT, Look.OPEN)
    assert screen.lengths(Bar([*zip(numbers, looks, strict=True)])) == lengths


@pytest.mark.parametrize(
    ("environ", "encoding", "expected"),
    [
        ({"TERM": "xterm"}, "utf-8", "\x1b[32m████\x1b[0m\x1b[31m▒▒\x1b[0m\x1b[33m░\x1b[0m\x1b[2m·\x1b[0m\n"),
        ({"TERM": "xterm", "NO_COLOR": "1"}, "utf-8", "████▒▒░·\n"),
        ({"TERM": "dumb"}, "ascii", "####xx?.\n"),
    ],
)
def test_a_bar_can_be_read_without_colours(environ: dict[str, str], encoding: str, expected: str) -> None:
    runtime = Runtime(None, None, Stderr(None), environ, stdout_is_terminal=True, columns=20, encoding=encoding)
    bar = Bar([(4, Look.GOOD), (2, Look.BAD), (1, Look.DOUBT), (1, Look.OPEN)], 8)
    assert screen.drawn(runtime, screen.text(runtime, bar)) == expected
