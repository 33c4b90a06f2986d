"""The README's pictures: what the program prints now, in any home."""

import re
from subprocess import CalledProcessError

import pytest

from unified_cli.docs.terminal_picture import FOLDER, TerminalPicture, pictures, svg

PICTURES = [*pictures()]


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_shows_the_current_output(picture: TerminalPicture) -> None:
    text = svg(picture)
    hint = "stale; run: python -m unified_cli.docs --write"
    assert (FOLDER / f"{picture.name}.svg").read_text("utf-8") == text, hint
    assert re.findall(r"url\((?!#)|href|<script|font-face", text) == []


def test_every_picture_is_generated() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.svg")) == sorted(
        picture.name for picture in PICTURES
    )


def test_a_command_that_fails_makes_no_picture() -> None:
    with pytest.raises(CalledProcessError, match="unified nothing"):
        svg(TerminalPicture("x", "x", 80, [], ["unified nothing"]))


def test_a_picture_shows_the_final_screen() -> None:
    unseen = " echo unseen > file"
    shown = ["printf 'half\\rmore\\033[K\\r\\033[Krun 20260102-0abc\\n'; false || true", unseen]
    text = svg(TerminalPicture("x", "x", 80, [], shown, ["cat file"]))
    assert re.findall(r">([^<>]*(?:half|more|run|unseen|false)[^<>]*)<", text) == [
        "$&#160;printf&#160;&#x27;half\\rmore\\033[K\\r\\033[Krun&#160;20260102-0abc\\n&#x27;;&#160;false",
        "run&#160;20261123-7f3a",
    ]


def test_programs_of_a_picture_end_if_a_command_fails() -> None:
    with pytest.raises(CalledProcessError, match="exit 3"):
        svg(TerminalPicture("x", "x", 80, ["exit 2"], [], ["exit 3"]))


def test_the_run_fails_in_two_connections_and_its_retry_in_none() -> None:
    text = (FOLDER / "first.svg").read_text("utf-8").replace("&#160;", " ")
    ends = [
        "done: 1 of 3 connections",
        "error: 2 of 3 connections failed: globex, wayne",
        "done: 3 of 3 connections",
    ]
    assert re.findall(r">((?:done|error): [^<]*)<", text) == ends
