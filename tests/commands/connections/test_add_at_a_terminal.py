"""`connections add` at a terminal: its table comes first, the question after it."""

from pathlib import Path

import pytest
from screen import Terminal

ADD = ["-p", "sandbox", "connections", "add", "--tag", "demo"]


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 2)])
def test_the_question_comes_after_the_whole_table(answer: str, code: int, tmp_path: Path) -> None:
    pager = tmp_path / "paged"
    environ = {"HOME": str(tmp_path), "UNIFIED_PAGER": f"tee {pager}"}
    terminal = Terminal(ADD, environ, columns=120, cwd=tmp_path)
    terminal.until(r"add \d+ profiles: .*\? \[y/N\] ")
    before = terminal.sent
    # More rows than the screen has, the last in the order of the service included.
    assert before.count("\n") > 40
    terminal.enter(answer)
    assert terminal.end() == code
    assert terminal.sent.count("PROFILE ") == 1
    assert not pager.exists()


def test_with_yes_the_table_goes_to_a_pager(tmp_path: Path) -> None:
    pager = tmp_path / "paged"
    environ = {"HOME": str(tmp_path), "UNIFIED_PAGER": f"tee {pager}"}
    assert Terminal([*ADD, "--yes"], environ, columns=120, cwd=tmp_path).end() == 0
    assert pager.read_text().count("\n") > 40
