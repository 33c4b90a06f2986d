"""Measure the cost of nightly exports: `python tests/benchmarks/night_costs.py
million`, or `… dlt --python VENV/bin/python`.

`million` exports 1,000,000 records of 350 bytes, and then a night in which 1 % changed,
as NDJSON and as a Delta table; `--bytes 1000` makes them longer, and `--to
s3://bucket/dir` exports to a store, which AWS_ variables name. `dlt` sets ten nights of
50 connections beside dlt with its destination of file systems, which is to be installed
in an environment of its own: `pip install 'dlt[filesystem,deltalake]'`. Both write a
Delta table to a folder.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from measure import Command, Sample, once
from night_service import BYTES, digest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NIGHTS = 10


class Service:
    """The process that serves the lists."""

    def __init__(self, url: str) -> None:
        self.url = url

    def pass_a_night(self) -> None:
        self._get("night")

    def state(self) -> dict[str, Any]:
        return self._get("state")

    def _get(self, what: str) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.url}/{what}", timeout=600) as answer:
            found: dict[str, Any] = json.load(answer)
            return found


@contextmanager
def serving(connections: int, records: int, size: int = BYTES) -> Iterator[Service]:
    """Serve lists of these connections and records, each of this many bytes."""
    words = [sys.executable, str(HERE / "night_service.py")]
    words += [str(one) for one in (connections, records, size)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield Service(f"http://127.0.0.1:{process.stdout.readline().strip()}")
        process.kill()


def store_settings() -> dict[str, str]:
    """The variables that name a store and how to get there."""
    return {name: value for name, value in os.environ.items() if name.startswith("AWS_")}


def unified(
    service: Service, home: Path, connections: int, form: str, to: str | None = None
) -> Command:
    """The nightly export."""
    config = home / "config.toml"
    config.write_text(
        "".join(f'[profiles.c{one}]\naccount_id = "of-c{one}"\n' for one in range(connections))
    )
    config.chmod(0o600)
    environ = {
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "UNIFIED_CONFIG": str(config),
        "UNIFIED_BASE_URL": service.url,
        "UNIFIED_TOKEN": "t-0123456789",
        "UNIFIED_RATE": "0",
        **(store_settings() if to else {}),
    }
    words = [
        "export",
        "ticketing/tickets",
        "-p",
        "*",
        "--incremental",
        "--format",
        form,
        "--to",
        f"{to or home}/{form}",
    ]
    return Command(f"unified, {form}", [sys.executable, "-m", "unified_cli", *words], environ)


def dlt(python: str, service: Service, home: Path, connections: int) -> Command:
    """The same with dlt."""
    words = [
        python,
        str(HERE / "nights_with_dlt.py"),
        service.url,
        str(connections),
        str(home / "dlt"),
    ]
    return Command("dlt", words, {"HOME": str(home), "RUNTIME__DLTHUB_TELEMETRY": "false"})


def rows(folder: str, profile: str) -> dict[str, str]:
    """The digest of the records of each connection in a Delta table, whose records are
    the text of a column.
    """
    from deltalake import DeltaTable  # noqa: PLC0415  an extra

    found: dict[str, list[str]] = {}
    for batch in (
        DeltaTable(folder, storage_options=store_settings() if "://" in folder else None)
        .to_pyarrow_dataset()
        .scanner(columns=[profile, "record"])
        .to_batches()
    ):
        for name, record in zip(*batch.to_pydict().values(), strict=True):
            found.setdefault(name, []).append(record)
    return {name: digest(records) for name, records in found.items()}


def judged(found: dict[str, str], expected: Sequence[str]) -> str:
    """Whether the rows of all connections are right, in words."""
    right = sum(found.get(f"c{number}") == one for number, one in enumerate(expected))
    return f"{right} of {len(expected)} connections right"


def told(name: str, sample: Sample, records: int) -> None:
    each = f", {sample.cpu / records * 1e6:.1f} µs a record" if records else ""
    say(
        f"{name:40} {sample.seconds:8.2f} s {sample.cpu:8.2f} s of processor {sample.mib:7.0f}"
        f" MiB{each}"
    )


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def million(records: int, size: int, to: str | None) -> None:
    """One list, as it is and after a night, in both formats."""
    with serving(1, records, size) as service, tempfile.TemporaryDirectory() as folder:
        commands = [unified(service, Path(folder), 1, form, to) for form in ("ndjson", "delta")]
        first = [once(one) for one in commands]
        service.pass_a_night()
        night = [once(one) for one in commands]
        for command, whole, changed in zip(commands, first, night, strict=True):
            told(f"{command.name}, {records} records", whole, records)
            told(f"{command.name}, a night of 1 %", changed, records // 100)
        say(
            f"delta / ndjson, of the processor: {first[1].cpu / first[0].cpu:.2f},"
            f" {night[1].cpu / night[0].cpu:.2f}"
        )
        say(
            judged(
                rows(f"{to or folder}/delta/ticketing/tickets", "_profile"),
                service.state()["digests"],
            )
        )


def beside_dlt(python: str, connections: int, records: int) -> None:
    """Ten nights, in turn."""
    with serving(connections, records) as service, tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        commands = [
            unified(service, home, connections, "delta"),
            dlt(python, service, home, connections),
        ]
        totals = {one.name: [once(one)] for one in commands}
        for command in commands:
            told(f"{command.name}, first", totals[command.name][0], connections * records)
        for night in range(NIGHTS):
            service.pass_a_night()
            for command in commands:
                totals[command.name].append(once(command))
                told(f"{command.name}, night {night + 1}", totals[command.name][-1], 0)
        expected = service.state()["digests"]
        tables = {
            commands[0].name: ("delta/ticketing/tickets", "_profile"),
            "dlt": ("dlt/nightly/tickets", "profile"),
        }
        for name, samples in totals.items():
            nights = samples[1:]
            total = Sample(
                sum(x.seconds for x in nights),
                sum(x.cpu for x in nights),
                max(x.mib for x in nights),
            )
            told(f"{name}, {NIGHTS} nights", total, 0)
            where, profile = tables[name]
            say(f"{name}: {judged(rows(str(home / where), profile), expected)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["million", "dlt"])
    parser.add_argument("--python", help="of the environment with dlt")
    parser.add_argument("--connections", type=int, default=50)
    parser.add_argument("--records", type=int, help="of a list")
    parser.add_argument("--bytes", type=int, default=BYTES, help="of a record")
    parser.add_argument("--to", metavar="URL", help="export there, not to a folder")
    options = parser.parse_args()
    say(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    if options.what == "million":
        million(options.records or 1_000_000, options.bytes, options.to)
    elif options.python:
        beside_dlt(options.python, options.connections, options.records or 2_000)
    else:
        parser.error("dlt needs --python")


if __name__ == "__main__":
    main()
