"""Typical mistakes: a reader who sees only the message can say what to do."""

from pathlib import Path

import pytest
from front_door import Unified
from program.mistakes import MISTAKES, Mistake
from server import Service


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: f"{one.command}: {one.said[:40]}")
def test_the_message_of_a_mistake_says_what_to_do(
    mistake: Mistake,
    unified: Unified,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("exists.json").write_text("{}")
    service.reply = lambda _: mistake.reply

    def filled(text: str) -> str:
        text = text.replace("@CWD@", str(tmp_path))
        return text.replace("@URL@", service.url).replace("@PLACE@", service.url.partition("//")[2])

    result = unified(
        mistake.command, environ={name: filled(value) for name, value in mistake.environ.items()}
    )
    assert (result.code, result.stderr) == (mistake.code, f"error: {filled(mistake.said)}\n")
