from pathlib import Path

import pytest
from faults.case import Case
from faults.rig import cases, hold

ALL = cases(Path(__file__).parent / "cases")


@pytest.mark.parametrize("name", ALL)
def test_survives(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = ALL[name]
    if not isinstance(case, Case):
        pytest.skip(case)
    hold(case, tmp_path, monkeypatch)
