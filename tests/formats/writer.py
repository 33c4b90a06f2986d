"""Run the program that is installed beside this interpreter, in folders of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

UNIFIED = str(Path(sys.executable).with_name("unified"))
# The program with a fault in its sandbox, given by a word and a value: kill N: killed
# when N requests were answered, and before it has read the last answer; lose TEXT: a
# write that contains TEXT is done, and its answer is lost; refuse TEXT: a write that
# contains TEXT is refused with 422, and nothing is done; commit NAME: killed when
# changes of NAME (api/resource) were committed to a Delta table.
FAULTY = """\
import os, signal, sys
import httpx
from unified_cli.sandbox.in_process import InProcess
from unified_cli.__main__ import run
fault, value = sys.argv.pop(1), sys.argv.pop(1)
answer, seen = InProcess.handle_request, []
def concerned(request):
    text = value.encode()
    return request.method != "GET" and (text in request.read() or text in request.url.raw_path)
def faulty(self, request):
    if fault == "refuse" and concerned(request):
        said = {"statusCode": 422, "error": "Unprocessable Entity", "message": "not today"}
        return httpx.Response(422, json=said, request=request)
    answered = answer(self, request)
    seen.append(request)
    if fault == "kill" and len(seen) == int(value):
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "lose" and concerned(request):
        raise httpx.ReadError("the connection was reset", request=request)
    return answered
InProcess.handle_request = faulty
if fault == "commit":
    from unified_cli.commands.export import delta_commits
    merged = delta_commits.merged
    def killed(table, part, *words):
        merged(table, part, *words)
        if f"{part.api}/{part.resource}" == value:
            os.kill(os.getpid(), signal.SIGKILL)
    delta_commits.merged = killed
run()
"""


def faulty(fault: str, value: object) -> list[str]:
    """Give the words that start the program with this fault."""
    return [sys.executable, "-c", FAULTY, fault, str(value)]


@dataclass
class Program:
    """The program with its folders below `target`; `source` is the tree of its
    commit.
    """

    target: Path
    source: Path
    runs: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Say where the program finds its folders."""
        self.work = self.target / "made"
        self.home = self.target / "home"
        self.config = self.home / "config" / "unified"
        kinds = ("CONFIG", "DATA", "CACHE")
        folders = {f"XDG_{kind}_HOME": str(self.home / kind.lower()) for kind in kinds}
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(self.home), **folders}

    def run(self, words: str, *more: str, stdin: str = "", codes: tuple[int, ...] = (0,)) -> str:
        """Run a command that ends with one of these codes, and return what it
        prints.
        """
        return self.started([UNIFIED, *words.split(), *more], stdin=stdin, codes=codes)

    def kill(self, requests: int, words: str, *, stdin: str = "") -> None:
        """Kill a command with the answer to this many requests on its way."""
        argv = [*faulty("kill", requests), *words.split()]
        self.started(argv, stdin=stdin, codes=(-signal.SIGKILL,))

    def lose(self, text: str, words: str, *, stdin: str = "") -> None:
        """Run a command that loses the answer to each write that contains the text."""
        argv = [*faulty("lose", text), *words.split(), "--retries", "0"]
        self.started(argv, stdin=stdin, codes=(10,))

    def refuse(self, text: str, words: str, *, stdin: str = "") -> None:
        """Run a command of which each write that contains the text is refused."""
        argv = [*faulty("refuse", text), *words.split(), "--retries", "0"]
        self.started(argv, stdin=stdin, codes=(9,))

    def started(self, argv: list[str], *, stdin: str = "", codes: tuple[int, ...]) -> str:
        """Start these words, and return what they print."""
        ended = subprocess.run(
            argv,
            check=False,
            cwd=self.work,
            env=self.environ,
            input=stdin,
            capture_output=True,
            text=True,
        )
        if ended.returncode not in codes:
            sys.exit(f"{argv[1:]}: {ended.returncode}\n{ended.stdout}{ended.stderr}")
        return ended.stdout

    @contextmanager
    def named(self, name: str) -> Iterator[None]:
        """Keep the id of the one run that is registered by then, under this name."""
        folder = self.home / "data" / "unified" / "runs"
        before = {path.stem for path in folder.glob("*.ndjson")}
        yield
        (self.runs[name],) = {path.stem for path in folder.glob("*.ndjson")} - before


def records(count: int, start: str = "tags", **more: str) -> str:
    """Give records to create or to update, the ids of which begin with `start`."""
    numbers = range(2, count + 2)
    found = ({**more, "id": f"{start}-{n}", "name": f"tag {n}"} for n in numbers)
    return "".join(json.dumps(one) + "\n" for one in found)
