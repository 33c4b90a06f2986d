"""What is drawn for people: bars in which nothing that matters is too small to be seen."""

import pytest

from unified_cli.output import screen
from unified_cli.output.screen import Bar, Look
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr


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
