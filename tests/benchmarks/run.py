"""Measure `unified` beside its peers: `python tests/benchmarks/run.py --help`."""

import argparse
import datetime as dt
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import growth
import jobs
import measure
import programs
import report

_SERVER = Path(__file__).with_name("page_server.py")
_AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")


def main() -> int:
    """0 where every goal that could be looked at is met, else 1."""
    asked = _arguments().parse_args()
    if asked.install_peers:
        programs.install_peers(asked.peers)
    with tempfile.TemporaryDirectory() as folder, serving() as ports:
        place = jobs.Place(
            programs.install(asked.venv or Path(folder) / "venv"),
            programs.find(asked.peers),
            f"http://127.0.0.1:{ports['http']}",
            f"https://127.0.0.1:{ports['https']}",
            ports["authority"],
            _home(Path(folder), Path(ports["authority"])),
        )
        results = [
            report.Result.of(job, measure.interleaved(job.commands, asked.rounds))
            for job in jobs.all_jobs(place)
            if not asked.only or any(word in job.name for word in asked.only)
        ]
        slopes = [growth.measured(one, 5) for one in growth.all_growths(place) if asked.growth]
        facts = _facts(asked.rounds, programs.versions(place.programs, dict(place.peers)))
    everything = {
        **facts,
        "jobs": [one.facts() for one in results],
        "growth": [one.facts() for one in slopes],
    }
    text = json.dumps(_rounded(everything), indent=1, ensure_ascii=False) + "\n"
    tables = [report.table(facts, results), *([growth.table(slopes)] if slopes else [])]
    sys.stdout.write(text if asked.json else "\n\n".join(tables) + "\n")
    return 0 if all(one.met for one in (*results, *slopes)) else 1


def _rounded(value: object) -> object:
    """The facts with three digits of each figure, which is more than a repetition
    confirms.
    """
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return float(f"{value:.3g}") if isinstance(value, float) else value


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=(
            "Measure unified beside its peers. Each peer that is found takes part: apt install curl"
            " jq gh, and --peers FOLDER --install-peers for the Python ones."
        )
    )
    parser.add_argument("--rounds", type=int, default=15, help="how often each command runs (15)")
    parser.add_argument(
        "--only",
        action="append",
        metavar="WORDS",
        help="only the jobs whose name holds these words",
    )
    parser.add_argument(
        "--growth", action="store_true", help="also measure how time grows with the work, 5 rounds"
    )
    parser.add_argument(
        "--venv",
        type=Path,
        help="install the package in this environment (one that is thrown away)",
    )
    parser.add_argument(
        "--peers", type=Path, metavar="FOLDER", help="look for peers below this folder too"
    )
    parser.add_argument(
        "--install-peers", action="store_true", help="install httpie, linode-cli and awscli there"
    )
    parser.add_argument(
        "--json", action="store_true", help="print everything measured as JSON, not a table"
    )
    return parser


@contextmanager
def serving() -> Iterator[dict[str, str]]:
    """The service in a process of its own; gives its ports and the file of its
    authority.
    """
    with subprocess.Popen(
        [sys.executable, str(_SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        yield json.loads(server.stdout.readline())
        server.stdin.close()


def _home(folder: Path, authority: Path) -> Path:
    """An empty home, with the authorities of the system and the service's in one file,
    as the peers want them.
    """
    home = folder / "home"
    home.mkdir()
    system = _AUTHORITIES.read_text() if _AUTHORITIES.exists() else ""
    (home / "authorities.pem").write_text(system + authority.read_text())
    return home


def _facts(rounds: int, versions: Sequence[str]) -> dict[str, object]:
    machine = f"{os.cpu_count()} cores, {_processor()}, {platform.system()}"
    when = f"{dt.datetime.now(dt.UTC).date()}: {machine}. {', '.join(versions)}"
    return {
        "measured": f"Medians of {rounds} interleaved runs, {when}",
        "load": [round(one, 2) for one in os.getloadavg()],
    }


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


if __name__ == "__main__":
    sys.exit(main())
