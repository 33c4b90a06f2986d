"""Tens of thousands of writes to a service that fails in every way, by processes that
are killed: each is done once, and the printed commands come to an end.
"""

import json
import re
import shlex
import subprocess
import sys
import time
from collections import Counter
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
    "updates": "ticketing tags update - --yes --workers 32",
    "deletes": "ticketing tags delete - --yes --workers 32",
}
MOST_COMMANDS = 60


class Soak:
    """Writes to a sandbox, and the commands that do them."""

    def __init__(
        self, sandbox: UnifiedSandbox, environ: dict[str, str], folder: Path, chosen: Random
    ) -> None:
        self._sandbox, self._environ = sandbox, environ
        self._folder, self._chosen = folder, chosen
        self.killed, self.commands = 0, 0

    def run(self, command: str, stdin: bytes, kills: int) -> None:
        """Do the command, and those that are printed, to the end; the first ones are
        killed.
        """
        run, onward, most = "", command, stdin.count(b"\n") // (kills + 1)
        for _ in range(MOST_COMMANDS):
            self.commands += 1
            requests = self._chosen.randint(1, most) if self.killed < kills else None
            code, stderr = self._once(onward, stdin, requests)
            if begun := re.search(r"^run (\S+)$", stderr, re.MULTILINE):
                run = begun[1]
            if " get " in onward:
                # It shows whether a write in doubt was done, unless it fails itself.
                onward = f"runs resume {run}"
                continue
            if code == 0:
                return
            if code < 0:
                self.killed += 1
                # Without a run nothing was sent.
                onward = f"runs resume {run}" if run else onward
                continue
            assert code in {9, 10}, stderr
            last = stderr.splitlines()[-1]
            assert last.startswith("  unified "), stderr
            onward = last.removeprefix("  unified ")
        raise AssertionError(f"no end after {MOST_COMMANDS} commands: {onward}")

    def _once(self, words: str, stdin: bytes, requests: int | None) -> tuple[int, str]:
        """Run it, and kill it after so many requests; the exit code and stderr."""
        argv = [sys.executable, "-m", "unified_cli", *shlex.split(words)]
        before = self._requests()
        with (
            (self._folder / "stdin").open("w+b") as given,
            (self._folder / "stderr").open("w+b") as said,
        ):
            given.write(stdin)
            given.seek(0)
            with subprocess.Popen(
                argv,
                cwd=self._folder,
                env=self._environ,
                stdin=given,
                stdout=subprocess.DEVNULL,
                stderr=said,
            ) as process:
                while process.poll() is None:
                    if requests is not None and self._requests() - before >= requests:
                        process.kill()
                    time.sleep(0.02)
            said.seek(0)
            return process.returncode, said.read().decode()

    def _requests(self) -> int:
        return sum(int(str(one["count"])) for one in self._sandbox.requests())


@pytest.mark.long(seconds=35)
def test_each_of_many_writes_is_done_once(
    unified: Unified, unified_sandbox: UnifiedSandbox, served: dict[str, str], tmp_path: Path
) -> None:
    number, kills = size(12_000, 300), size(6, 1)
    path = ":".join(entry for entry in (str(ROOT), *sys.path) if entry)
    environ = {**served, "HOME": str(tmp_path), "PYTHONPATH": path}
    lines = [{"id": f"t{at}", "name": f"n{at}"} for at in range(number)]
    changed = [{"id": f"t{at}", "color": f"c{at}"} for at in range(number)]
    inputs = {"import": lines, "updates": changed, "deletes": changed[::2]}
    (tmp_path / "in.ndjson").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    for kind, command in KINDS.items():
        unified_sandbox.faults(FAULTS)
        soak = Soak(unified_sandbox, environ, tmp_path, dice(kind))
        stdin = "".join(f"{json.dumps(line)}\n" for line in inputs[kind]).encode()
        soak.run(command, stdin, kills)
        told = f"{kind}: {len(inputs[kind])} writes, {soak.killed} kills, {soak.commands} commands"
        sys.stdout.write(f"{told}\n")
    unified_sandbox.faults()
    shown = unified("ticketing tags list --all -o ndjson --quiet", environ=served).stdout
    found = [json.loads(line) for line in shown.splitlines()]
    assert {one["id"]: (one["name"], one.get("color")) for one in found} == {
        f"t{at}": (f"n{at}", f"c{at}") for at in range(1, number, 2)
    }
    assert len(found) == number // 2
    times = Counter(count for *_, count in unified_sandbox._store.effects())
    sys.stdout.write(f"effects by how often: {dict(times)}\n")
    assert {*times} == {1}
