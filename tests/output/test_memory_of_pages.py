"""Peak memory of the program for a page of 57 MiB: printed in each format, exported,
and imported from a file.

`pytest -m long -n0` on this file prints the table.
"""

import gzip
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import peak_memory
import pytest
from campaigns import dice, size
from pages import JSON, envelope
from server import Reply, Service

LARGEST = 300
"""Megabytes that a run may take."""
MIB = 2**20
LIST = "ticketing tickets list"
FORMATS = [
    "json",
    "json --all",
    "ndjson",
    "csv",
    "tsv",
    "table",
    "markdown",
    "yaml",
    "yaml --all",
    "ids",
    "raw",
    "ndjson --jq .",
]
OUTPUTS = [
    *(f"{LIST} -o {output}" for output in FORMATS),
    f"{LIST} --all -o csv --out list.csv",
    "export ticketing/tickets --to folder",
    "import ticketing/tickets page.json --dry-run",
]


class Peak(NamedTuple):
    """The memory of a run, in megabytes, and how it ended."""

    megabytes: int
    code: int
    lines: int
    stderr: str


def ordinary(size: int) -> Iterator[bytes]:
    """300,000 of them are 57 MiB."""
    for number in range(300_000 * size // (57 * MIB)):
        yield (
            b'{"id":"%07d","name":"Ticket number %07d","status":"open","priority":"high",'
            b'"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z",'
            b'"tags":["a","b"],"remote":{"x":1},"text":"twenty bytes"}' % (number, number)
        )


def same(record: bytes) -> Callable[[int], list[bytes]]:
    """A record again and again, with commas between: to join thirty million takes
    longer than to read them.
    """
    return lambda size: [(record + b",") * (size // (len(record) + 1) - 1) + record]


PAGES: dict[str, Callable[[int], Iterator[bytes] | list[bytes]]] = {
    "ordinary records": ordinary,
    "1-byte records": same(b"1"),
    "small records": same(b'{"id":"1"}'),
    "half surrogates": same(b'{"id":"1","text":"' + rb"\ud83d" * 30 + b'"}'),
    "one record": lambda size: [b'{"id":"1","a":[' + b",".join(same(b"1")(size)) + b"]}"],
    "one text": lambda size: [b'{"id":"1","text":"' + rb"\ud83d" * (size // 6) + b'"}'],
}


class Runner:
    """Runs the program in a folder, with the page served and in a file."""

    def __init__(self, service: Service, folder: Path) -> None:
        self._service = service
        self._folder = folder

    def serve(self, what: str, mebibytes: int) -> int:
        """Serve a page; gives how many bytes it takes on the wire."""
        body = envelope(b"[" + b",".join(PAGES[what](mebibytes * MIB)) + b"]")
        (self._folder / "page.json").write_bytes(body)
        wire = gzip.compress(body)
        self._service.reply = lambda _: Reply(
            body=wire, headers={**JSON, "Content-Encoding": "gzip"}
        )
        return len(wire)

    def run(self, command: str) -> Peak:
        printed = self._folder / "printed"
        with printed.open("wb") as stdout:
            measured = peak_memory.of(
                shlex.split(command),
                stdout=stdout,
                cwd=self._folder,
                env={
                    "PATH": os.environ["PATH"],
                    "HOME": str(self._folder),
                    **self._service.environ,
                },
                timeout=600,
            )
        with printed.open("rb") as lines:
            count = sum(1 for _ in lines)
        return Peak(round(measured.mebibytes), measured.code, count, measured.stderr)


@pytest.fixture
def runner(service: Service, tmp_path: Path) -> Runner:
    return Runner(service, tmp_path)


SELDOM = pytest.mark.long(seconds=3)


@pytest.mark.parametrize(
    ("what", "mebibytes", "command", "most", "code"),
    [
        # Of all that is taken apart, this much was 20 MB more when a whole page was,
        # and 150 MB in YAML.
        ("ordinary records", 4, f"{LIST} -o csv", 56, 0),
        pytest.param("ordinary records", 4, f"{LIST} -o table", 56, 0, marks=SELDOM),
        ("ordinary records", 1, f"{LIST} -o yaml", 56, 0),
        pytest.param("ordinary records", 1, f"{LIST} -o yaml --all", 56, 0, marks=SELDOM),
        ("half surrogates", 4, f"{LIST} -o json", 80, 0),
        pytest.param("half surrogates", 4, f"{LIST} -o ndjson", 95, 0, marks=SELDOM),
        ("1-byte records", 57, "export ticketing/tickets --to folder", 150, 5),
    ],
)
def test_memory_does_not_grow_with_the_size_of_the_output(
    what: str, mebibytes: int, command: str, most: int, code: int, runner: Runner
) -> None:
    wire = runner.serve(what, mebibytes)
    peak = runner.run(command)
    assert peak.code == code, peak.stderr
    assert peak.megabytes < most
    if code:
        assert wire < 100_000
        assert "the page has more than 500000 records" in peak.stderr


@pytest.mark.long(seconds=25)
@pytest.mark.parametrize("what", PAGES)
def test_no_page_of_57_mebibytes_takes_300_megabytes(
    what: str, runner: Runner, capsys: pytest.CaptureFixture[str]
) -> None:
    runner.serve(what, 57)
    commands = dice(what).sample(OUTPUTS, size(len(OUTPUTS), 1))
    found = {command: runner.run(command) for command in commands}
    with capsys.disabled():
        for command, peak in found.items():
            sys.stdout.write(
                f"\n{what:17} {command:45} {peak.megabytes:4} MB  exit {peak.code}  {peak.lines}"
                " lines"
            )
    for command, peak in found.items():
        assert peak.megabytes < LARGEST, command
        assert peak.code in {0, 5, 2}, peak.stderr
    if what == "ordinary records":
        for command, peak in found.items():
            assert peak.code == 0, (command, peak.stderr)
        lines = {f"{LIST} -o {output}": 300_000 for output in ("ndjson", "ids", "ndjson --jq .")}
        lines |= {f"{LIST} -o {output}": 300_001 for output in ("csv", "tsv", "table")}
        lines |= {f"{LIST} -o markdown": 300_002}
        assert lines.keys() <= {*OUTPUTS}
        assert {
            command: peak.lines for command, peak in found.items() if command in lines
        }.items() <= lines.items()
