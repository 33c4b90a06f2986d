"""JSON as values of classes, of which several threads may each have the first."""

import subprocess
import sys

import pytest
from front_door import ROOT

RACE = """
import sys, threading
from dataclasses import dataclass
from typing import Annotated
import msgspec
from unified_cli.json_text import typed_json

sys.setswitchinterval(1e-6)
for _ in range(200):
    @dataclass
    class Kind:
        number: Annotated[int, msgspec.Meta(ge=0)]
        name: Annotated[str, msgspec.Meta(pattern="^x")]
    begin, found = threading.Barrier(8), []
    def read():
        begin.wait()
        found.append(CALL)
    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [Kind(1, "x")] * 8
"""
CALLS = [
    'typed_json.decode(b\'{"number": 1, "name": "x"}\', Kind)',
    'typed_json.convert({"number": 1, "name": "x"}, Kind)',
]


@pytest.mark.parametrize("call", CALLS, ids=["decode", "convert"])
def test_threads_that_read_a_class_for_the_first_time_at_once_do_not_crash(call: str) -> None:
    argv = [sys.executable, "-c", RACE.replace("CALL", call)]
    ended = subprocess.run(
        argv, env={"PYTHONPATH": str(ROOT)}, capture_output=True, check=False, timeout=60
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
