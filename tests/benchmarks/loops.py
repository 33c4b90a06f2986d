"""Three jobs as a loop of curl and jq and as one command: `python
tests/benchmarks/loops.py` measures them.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

_LOOPS = Path(__file__).with_name("loops")
_TOKEN = "loops-token-of-the-sandbox"
_NAMES = [f"c{number}" for number in range(20)]
_RECORDS = 1_000


class LoopedJob(NamedTuple):
    """A job: its loop in a file of that name, the argument of it, and the same as a
    command, as it is typed.
    """

    name: str
    about: str
    argument: str
    command: str


JOBS = (
    LoopedJob(
        "list",
        "all tickets of 20 connections",
        "connections",
        "unified -p 'c*' ticketing tickets list --all -o ndjson",
    ),
    LoopedJob(
        "suspend",
        "suspend a user in 20 connections",
        "connections",
        "unified -p 'c*' user-directory users suspend -f user_id=users-1 --yes",
    ),
    LoopedJob(
        "create",
        "create 1,000 contacts",
        "contacts.ndjson",
        "unified import ticketing/contacts contacts.ndjson -p empty --rate 0",
    ),
)


def main() -> int:
    """Print a table: lines of the loop that do something, its seconds, and those of the
    command.
    """
    unified = shutil.which(
        "unified", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    assert unified, "install the package first"
    with tempfile.TemporaryDirectory() as folder, _served(unified, Path(folder)) as environ:
        sys.stdout.write(
            "| job | lines of shell | seconds | unified | seconds |\n| --- | ---: | ---: | --- |"
            " ---: |\n"
        )
        for job in JOBS:
            script = _LOOPS / f"{job.name}.sh"
            loop = _seconds(["/bin/bash", str(script), job.argument], environ, Path(folder))
            _reset(unified, environ, Path(folder))
            ours = _seconds([unified, *shlex.split(job.command)[1:]], environ, Path(folder))
            sys.stdout.write(
                f"| {job.about} | {lines_of(job)} | {loop:.1f} | `{job.command}` | {ours:.1f} |\n"
            )
    return 0


def lines_of(job: LoopedJob) -> int:
    """How many lines of its loop do something."""
    lines = (_LOOPS / f"{job.name}.sh").read_text().splitlines()
    return sum(bool(one.strip()) and not one.startswith("#") for one in lines)


@contextmanager
def _served(unified: str, folder: Path) -> Iterator[dict[str, str]]:
    """A sandbox on a port, a profile for each connection, and the files of the loops;
    gives the environment.
    """
    (folder / "connections").write_text("".join(f"{name} full:{name}\n" for name in _NAMES))
    (folder / "contacts.ndjson").write_text(
        "".join(f'{{"name":"Contact {n}"}}\n' for n in range(_RECORDS))
    )
    config = [f'token_file = "{folder / "token"}"']
    (folder / "token").write_text(_TOKEN)
    (folder / "token").chmod(0o600)
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TOKEN": _TOKEN,
        "UNIFIED_CONFIG": f"{folder}/config",
    }
    ready = folder / "ready"
    argv = [unified, "sandbox", "serve", "--state", ":memory:", "--ready-file", str(ready)]
    with subprocess.Popen(
        [*argv, "--token-file", str(folder / "token")],
        env=environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        while not ready.exists():
            time.sleep(0.05)
        found = re.search(r"http://[\w.:]+", ready.read_text())
        assert found, "the sandbox does not say where it is"
        config += [f'base_url = "{found[0]}"', "[profiles.empty]", 'account_id = "empty:import"']
        config += [
            line
            for name in _NAMES
            for line in (f"[profiles.{name}]", f'account_id = "full:{name}"')
        ]
        (folder / "config").write_text("\n".join(config) + "\n")
        (folder / "config").chmod(0o600)
        yield {**environ, "BASE": found[0]}
        server.terminate()


def _reset(unified: str, environ: dict[str, str], folder: Path) -> None:
    """Warm our own start-up, as the loop's was by its first rounds."""
    subprocess.run(
        [unified, "--version"], env=environ, cwd=folder, check=True, stdout=subprocess.DEVNULL
    )


def _seconds(argv: list[str], environ: dict[str, str], folder: Path) -> float:
    before = time.monotonic()
    with (folder / "printed").open("wb") as printed:
        subprocess.run(argv, env=environ, cwd=folder, check=True, stdout=printed, stderr=printed)
    return time.monotonic() - before


if __name__ == "__main__":
    sys.exit(main())
