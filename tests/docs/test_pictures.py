"""The README's pictures: what the program prints now, in any home."""

import re
from subprocess import CalledProcessError

import pytest

from unified_cli.docs.terminal_picture import FOLDER, TerminalPicture, pictures, svg

PICTURES = [*pictures()]


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_shows_what_is_printed_now(picture: TerminalPicture) -> None:
    text = svg(picture)
    hint = "stale; run: python -m unified_cli.docs --write"
    assert (FOLDER / f"{picture.name}.svg").read_text("utf-8") == text, hint
    assert re.findall(r"url\((?!#)|href|<script|font-face", text) == []


def test_there_is_no_other_picture() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.svg")) == sorted(picture.name for picture in PICTURES)


def test_a_command_that_fails_makes_no_picture() -> None:
    with pytest.raises(CalledProcessError, match="unified nothing"):
        svg(TerminalPicture("x", "x", 80, [], ["unified nothing"]))
