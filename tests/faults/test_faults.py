from pathlib import Path

import pytest
from faults.rig import cases, hold

ALL = cases(Path(__file__).parent / "cases")


@pytest.mark.parametrize("name", ALL)
def test_survives(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hold(ALL[name], tmp_path, monkeypatch)
