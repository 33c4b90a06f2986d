"""Write export folders in each format, to a folder and to a store, in each state."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from writer import Program, faulty

# A store takes no CSV.
PLACES = {
    "ndjson": ("folder", "file"),
    "csv": ("folder",),
    "parquet": ("folder", "file"),
    "delta": ("folder", "file"),
}
# Few records, of which other writers change nothing.
LISTS = "ticketing/teams ticketing/ticket_types"
BOTH = "-p full -p empty"


def place(program: Program, name: str) -> str:
    """Give where an export goes; names that end with `file` are those of stores."""
    to = f"exports/{name}"
    return f"file://{program.work}/{to}" if name.endswith("file") else to


def change(program: Program, number: int) -> None:
    """Change a record, as it happens between two nights."""
    stamp = str(time.time_ns())
    program.run(f"-p full ticketing teams update teams-{number} -f name=changed-{stamp}")


def write_states(program: Program) -> None:
    """Write complete exports, those of two nights, and those that were killed."""
    program.run("-p empty ticketing teams create -f name=only")
    for form, places in PLACES.items():
        for where in places:
            export = f"{BOTH} export {LISTS} --format {form} --to"
            program.run(f"{export} {place(program, f'plain-{form}-{where}')}")
            to = place(program, f"killed-{form}-{where}")
            # With one list complete, and an answer of the next on its way.
            program.kill(8, f"{export} {to} --page-size 2 --workers 1")
            if form != "csv":
                to = place(program, f"nights-{form}-{where}")
                program.run(f"{export} {to} --incremental")
                change(program, 1)
                program.run(f"{export} {to} --incremental")


def write_tasks(program: Program) -> None:
    """Write exports by tasks: all of them done, or only the first, or for two
    nights.
    """
    for form, places in PLACES.items():
        for where in places:
            for state in ("tasks", "half", "tasknights"):
                if (state, form) == ("tasknights", "csv"):
                    continue
                to = place(program, f"{state}-{form}-{where}")
                nights = 2 if state == "tasknights" else 1
                more = " --incremental" if nights == 2 else ""
                words = f"{BOTH} export {LISTS} --format {form} --to {to} --tasks{more}"
                text = program.run(words)
                (program.work / f"exports/{state}-{form}-{where}.tasks").write_text(text)
                tasks = text.splitlines()
                for _ in range(nights):
                    for task in tasks[: 1 if state == "half" else None]:
                        program.run("export --task", task)
                    change(program, 2)


def write_unfinished_tables(program: Program) -> None:
    """Write tables whose run was killed between their commit and the manifest."""
    for where in PLACES["delta"]:
        name = f"committed-delta-{where}"
        to = place(program, name)
        export = f"-p full export {LISTS} --format delta --to {to}"
        # The record that was the newest in the first run is changed again. That it is
        # not newer than the run takes a second.
        change(program, 3)
        time.sleep(2)
        program.run(export)
        change(program, 3)
        argv = [*faulty("commit", "ticketing/teams"), *f"{export} --incremental".split()]
        program.started([*argv, "--workers", "1"], codes=(-signal.SIGKILL,))


def write_by_cluster(program: Program) -> None:
    """Write exports by a Dask cluster: complete, of two nights, and killed."""
    with _cluster(program) as engine:
        for form in ("ndjson", "parquet", "delta"):
            export = f"{BOTH} export {LISTS} --format {form} --engine {engine} --to"
            program.run(f"{export} {place(program, f'dask-{form}-file')}")
            to = place(program, f"dasknights-{form}-file")
            program.run(f"{export} {to} --incremental")
            change(program, 4)
            program.run(f"{export} {to} --incremental")
    # A worker that is killed, and no other one to take its place.
    with _cluster(program, *_faulty_worker("kill", 6)) as engine:
        to = place(program, "daskkilled-ndjson-file")
        more = "--page-size 2 --workers 1 --wait-timeout 1"
        export = f"{BOTH} export {LISTS} --format ndjson --engine {engine} --to {to} {more}"
        program.run(export, codes=(6,))


def _faulty_worker(fault: str, value: object) -> list[str]:
    python, option, code, *fault_and_value = faulty(fault, value)
    program, worker = "from unified_cli.__main__ import run", "distributed.cli.dask_worker"
    return [
        python,
        option,
        code.replace(program, f"from {worker} import main as run"),
        *fault_and_value,
    ]


@contextmanager
def _cluster(program: Program, *worker: str) -> Iterator[str]:
    """Start a scheduler and a worker, which have the folders of the program."""
    known = program.target / "scheduler.json"
    python = [sys.executable, "-m"]
    scheduler = [*python, "distributed.cli.dask_scheduler", "--host", "tcp://127.0.0.1"]
    scheduler += ["--port", "0", "--no-dashboard", "--no-show", "--scheduler-file", str(known)]
    with _process(program, scheduler):
        while not known.exists():
            time.sleep(0.05)
        address = json.loads(known.read_text())["address"]
        words = [*(worker or (*python, "distributed.cli.dask_worker")), address, "--no-nanny"]
        scratch = ["--local-directory", str(program.target / "scratch")]
        with _process(program, [*words, "--no-dashboard", "--nthreads", "1", *scratch]):
            yield address.replace("tcp://", "dask://")
    known.unlink()


@contextmanager
def _process(program: Program, argv: list[str]) -> Iterator[None]:
    quiet, environ = subprocess.DEVNULL, program.environ
    with subprocess.Popen(
        argv,
        cwd=program.target,
        env=environ,
        stdout=quiet,
        stderr=quiet,
    ) as started:
        yield
        started.kill()
