"""The output of the built-in commands off a terminal is that of the version before the
screens, byte for byte.

Where a content was wrong the files have the right one: `profile list` and `doctor` say
"seen" before the age of what they know of a connection; `capabilities` tells JSON
readers what keeps an offered operation from being called (`held`). New output is in
them, too: the setting `pager`, the words for a new login, `export --dry-run`, the
members that a plan does not compare, the version that made a plan, the state and the
next command of a run, which operations reach people, the connection and the time of a
test in JUnit, and `connections list --health` with the broken ones first.
"""

from pathlib import Path

import pytest
from recorder import PRINTED, printed


def test_the_output_off_a_terminal_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = {one.file.name: one for one in printed(tmp_path)}
    assert found.keys() == {file.name for file in PRINTED.iterdir()}
    assert {name: one.text.encode() for name, one in found.items()} == {
        name: one.file.read_bytes() for name, one in found.items()
    }
