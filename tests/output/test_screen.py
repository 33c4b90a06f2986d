"""Screens for people: bars in which every relevant part is visible."""

import pytest

from unified_cli.masking import masked
from unified_cli.output import layout, screen
from unified_cli.output.layout import Branch
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
        (
            {"TERM": "xterm"},
            "utf-8",
            "\x1b[32m████\x1b[0m\x1b[31m▒▒\x1b[0m\x1b[35m░\x1b[0m\x1b[2m·\x1b[0m\n",
        ),
        ({"TERM": "xterm", "NO_COLOR": "1"}, "utf-8", "████▒▒░·\n"),
        ({"TERM": "dumb"}, "ascii", "####xx?.\n"),
    ],
)
def test_a_bar_can_be_read_without_colours(
    environ: dict[str, str], encoding: str, expected: str
) -> None:
    runtime = Runtime(
        None, None, Stderr(None), environ, stdout_is_terminal=True, columns=20, encoding=encoding
    )
    bar = Bar([(4, Look.GOOD), (2, Look.BAD), (1, Look.DOUBT), (1, Look.OPEN)], 8)
    assert screen.render(runtime, screen.text(runtime, bar)) == expected


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_unencodable_characters_are_as_wide_as_their_escapes(encoding: str) -> None:
    runtime = Runtime(
        None,
        None,
        Stderr(None),
        {"TERM": "dumb"},
        stdout_is_terminal=True,
        columns=40,
        encoding=encoding,
    )
    name = masked("中文名称很长" * 9)
    drawn = (
        screen.table(
            runtime, ["name", "status", "id"], [[masked("中文名称"), masked("open"), masked("i1")]]
        ),
        screen.render(runtime, screen.paragraph(runtime, name)),
        layout.lines(runtime, [name]),
        layout.tree(runtime, masked("head"), [20, 16], [Branch([name, masked("x")], [])]),
    )
    for one in drawn:
        sent = one.encode(encoding, "backslashreplace").decode(encoding)
        assert max(map(len, sent.splitlines())) <= 40, sent
        assert "\\u4e2d" in sent
