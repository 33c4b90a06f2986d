"""100,000 records against 100,000: the result is exact, and memory is that of keys and
digests.
"""

import json
import os
from pathlib import Path

import peak_memory
import pytest
from front_door import ROOT

RECORDS, EVERY = 100_000, 100
TEXT = "x" * 500


def side(path: Path, order: range, *, changed: bool) -> None:
    with path.open("w") as file:
        for number in order:
            name = "new" if changed and not number % EVERY else "old"
            file.write(
                f'{{"id":"t{number}","name":"{name}","text":"{TEXT}","price":1.{number}0}}\n'
            )


@pytest.mark.long(seconds=5)
def test_one_percent_of_many_records_differs(tmp_path: Path) -> None:
    side(tmp_path / "a", range(RECORDS), changed=False)
    side(tmp_path / "b", range(RECORDS - 1, -1, -1), changed=True)
    out = tmp_path / "out"
    words = [
        "diff",
        "ticketing/tickets",
        "--from",
        str(tmp_path / "a"),
        "--to",
        str(tmp_path / "b"),
        "--quiet",
    ]
    environ = {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "PATH": os.defpath}
    with out.open("wb") as stdout:
        peak = peak_memory.of(words, env=environ, stdout=stdout)
    assert peak.code == 14
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["key"] for row in rows] == [[f"t{number}"] for number in range(0, RECORDS, EVERY)]
    assert {json.dumps(row["differences"]) for row in rows} == {
        '[{"path": "name", "from": "old", "to": "new"}]'
    }
    assert peak.mebibytes < 80
