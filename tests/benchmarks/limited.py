"""Time the work of many connections under the limits that the service publishes.

    python tests/benchmarks/limited.py [--busy] [--only list] [--connections N]

Each job runs once, with connections of its own: it takes two windows of 10.25 s in
which `unified` allows itself 45 sends for a connection and 450 for a token. A fan-out
makes one call for each connection and fits into a window, so it has no ratio. `--busy`
runs beside one busy loop for each processor. All jobs take about six minutes.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import jobs
import programs
from measure import Command, check
from run import serving

WINDOW, OF_A_CONNECTION, OF_A_TOKEN = 10.25, 45, 450
AT_MOST = 1.15
_WAIT = 50
"""Milliseconds after which the service answers."""


@dataclass(frozen=True)
class Limited:
    """A job: its command, how many calls it makes for each connection, and the least
    seconds that they take.
    """

    name: str
    connections: int
    command: Command
    calls: int

    @property
    def floor(self) -> float:
        """The seconds of the whole windows before the last call, and of that call."""
        windows = max(
            (self.calls - 1) // OF_A_CONNECTION,
            (self.calls * self.connections - 1) // OF_A_TOKEN,
        )
        return windows * WINDOW + _WAIT / 1000


def limited_jobs(place: jobs.Place, connections: int) -> Iterator[Limited]:
    """Yield the jobs for that many connections, each of which takes two windows."""
    calls = 1000 // connections if connections > 10 else 100
    for number, name in enumerate(("list", "export", "import", "update", "fan-out")):
        job = "abcdefghij"[number] * connections.bit_length()
        config = place.home / f"{name}-{connections}.toml"
        config.write_text(
            f'base_url = "{place.http}"\n'
            + "".join(
                f'[profiles.c-{one}]\naccount_id = "pages-{calls}-{_WAIT}-limited-{job}{one}"\n'
                for one in range(connections)
            )
        )
        config.chmod(0o600)
        records = place.home / f"{name}-{connections}.ndjson"
        records.write_text(
            "".join(
                json.dumps({"_profile": f"c-{one}", "id": f"{at}", "first_name": "Ada"}) + "\n"
                for at in range(calls)
                for one in range(connections)
            )
        )
        words = {
            "list": "-p c-* ticketing tickets list --all -o ndjson",
            "export": f"export ticketing/tickets -p c-* --to {place.home}/dump-{connections}",
            "import": f"import ticketing/contacts {records} -p c-* --yes",
            "update": "-p c-* ticketing contacts update - --yes",
            "fan-out": "-p c-* ticketing contacts update 1 -f first_name=Ada --yes",
        }[name]
        command = place.ours(name, words)
        unwanted = ("UNIFIED_RATE", "UNIFIED_ACCOUNT_ID", "UNIFIED_BASE_URL")
        environ = {key: one for key, one in command.environ.items() if key not in unwanted}
        shell = 'exec "$0" "$@"' + (f" < {records}" if name == "update" else "")
        yield Limited(
            name,
            connections,
            replace(
                command,
                argv=["/bin/sh", "-c", shell, *command.argv],
                environ={**environ, "UNIFIED_CONFIG": str(config)},
            ),
            1 if name == "fan-out" else calls,
        )


def refused(place: jobs.Place, one: Limited) -> int:
    """Return how many calls of the job the service refused."""
    job = one.command.environ["UNIFIED_CONFIG"]
    account = Path(job).read_text().partition("-limited-")[2].partition("0")[0]
    with urllib.request.urlopen(f"{place.http}/refused/{account}", timeout=10) as answer:
        return int(answer.read())


def main() -> int:
    """Print a line for each job; return 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--busy", action="store_true", help="run beside busy loops")
    parser.add_argument("--only", action="append", metavar="JOB", help="only these jobs")
    parser.add_argument("--connections", action="append", type=int, help="1, 10 and 100")
    parser.add_argument("--venv", type=Path, help="install the package in this environment")
    asked = parser.parse_args()
    missed = False
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        ports = stack.enter_context(serving())
        home = folder / "home"
        home.mkdir()
        address = f"http://127.0.0.1:{ports['http']}"
        place = jobs.Place(
            programs.install(asked.venv or folder / "venv"), {}, address, "", "", home
        )
        if asked.busy:
            for _ in range(os.cpu_count() or 1):
                loop = [sys.executable, "-c", "while True: pass"]
                stack.callback(subprocess.Popen(loop).kill)
        sys.stdout.write("| job | connections | calls | floor | seconds | ratio | 429s |\n")
        sys.stdout.write("| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
        for connections in asked.connections or (1, 10, 100):
            for one in limited_jobs(place, connections):
                if asked.only and one.name not in asked.only:
                    continue
                began = time.perf_counter()
                check(one.command)
                took = time.perf_counter() - began
                calls, often = one.calls * connections, refused(place, one)
                ratio = took / one.floor if one.floor > 1 else None
                missed |= (ratio or 0) > AT_MOST * (1.5 if asked.busy else 1) or often > 0
                sys.stdout.write(
                    f"| {one.name} | {connections} | {calls} | {one.floor:.2f} | {took:.2f} "
                    f"| {f'{ratio:.2f}' if ratio else '-'} | {often} |\n"
                )
                sys.stdout.flush()
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
