"""Tens of thousands of writes to a service that fails in every way, by processes that
are killed: each is done once, and the printed commands come to an end.
"""

import json
import shlex
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from campaigns import dice, size
from front_door import ROOT, Unified

from unified_cli.sandbox.pytest_plugin import UnifiedSandbox

pytestmark = pytest.mark.unified_sandbox(keep_ids=True)

FAULTS = "500=2%,502=1%,429=0.1%,reset=2%,lose-reply=3%,truncate=1%,html=1%"
KINDS = {
    "import": "import ticketing/tags in.ndjson --workers 32",
    "fan-out by record": "ticketing tags update - --yes --workers 32",
    "deletes": "ticketing tags delete - --yes --workers 32",
}
MOST_COMMANDS = 60


class Soak:
    """Writes of one kind, and the commands that do them."""

    def __init__(self, environ: dict[str, str], folder: Path, chosen: Random) -> None:
        self._environ, self._folder, self._chosen = environ, folder, chosen
        self.killed, self.commands = 0, 0

    def run(self, command: str, stdin: bytes, kills: int) -> None:
        """Do the command, and those that are printed, to the end; the first ones are
        killed.
        """
        onward = command
        for _ in range(MOST_COMMANDS):
            self.commands += 1
            code, stderr = self._once(onward, stdin, killed=self.killed < kills)
            if code == 0:
                return
            if code < 0:
                self.killed += 1
                onward = command if command.startswith("import") else "runs resume"
                continue
            assert code in {9, 10}, stderr
            last = stderr.splitlines()[-1]
            assert last.startswith("  unified "), stderr
            onward = last.removeprefix("  unified ")
        raise AssertionError(f"no end after {MOST_COMMANDS} commands: {onward}")

    def _once(self, words: str, stdin: bytes, *, killed: bool) -> tuple[int, str]:
        argv = [sys.executable, "-m", "unified_cli", *shlex.split(words)]
        pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(
            argv, cwd=self._folder, env=self._environ, stdout=subprocess.DEVNULL, **pipes
        ) as process:
            with suppress(subprocess.TimeoutExpired):
                _, stderr = process.communicate(
                    stdin, timeout=self._chosen.uniform(1.0, 4.0) if killed else 1200
                )
                return process.returncode, stderr.decode()
            process.kill()
            process.communicate()
        return process.returncode, ""


@pytest.mark.long(seconds=35)
def test_each_of_many_writes_is_done_once(
    unified: Unified, unified_sandbox: UnifiedSandbox, served: dict[str, str], tmp_path: Path
) -> None:
    number, kills = size(12_000, 300), size(6, 1)
    path = ":".join(entry for entry in (str(ROOT), *sys.path) if entry)
    environ = {**served, "HOME": str(tmp_path), "PYTHONPATH": path}
    lines = [{"id": f"t{at}", "name": f"n{at}"} for at in range(number)]
    changed = [{"id": f"t{at}", "color": f"c{at}"} for at in range(number)]
    inputs = {"import": lines, "fan-out by record": changed, "deletes": changed[::2]}
    (tmp_path / "in.ndjson").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    for kind, command in KINDS.items():
        unified_sandbox.faults(FAULTS)
        soak = Soak(environ, tmp_path, dice(kind))
        stdin = "".join(f"{json.dumps(line)}\n" for line in inputs[kind]).encode()
        soak.run(command, b"" if kind == "import" else stdin, kills)
        told = f"{kind}: {len(inputs[kind])} writes, {soak.killed} kills, {soak.commands} commands"
        sys.stdout.write(f"{told}\n")
    unified_sandbox.faults()
    shown = unified("ticketing tags list --all -o ndjson --quiet", environ=served).stdout
    found = [json.loads(line) for line in shown.splitlines()]
    assert {one["id"]: (one["name"], one["color"]) for one in found} == {
        f"t{at}": (f"n{at}", f"c{at}") for at in range(1, number, 2)
    }
    assert len(found) == number // 2
    times = Counter(count for *_, count in unified_sandbox._store.effects())
    sys.stdout.write(f"effects by how often: {dict(times)}\n")
    assert {*times} == {1}
