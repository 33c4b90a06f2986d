"""Writes one file of every kind that the program leaves, with the version that is installed beside this interpreter.

`python tests/formats/write.py tests/formats/VERSION` makes `home` (config, data, cache) and `made` (what commands were
told to write) below that folder. Work that can be interrupted is killed with an answer on its way.
`test_older_versions.py` has every later version read a copy of it.
"""

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

UNIFIED = str(Path(sys.executable).with_name("unified"))
CONFIG = """\
output = "json"
rate = 0

[profiles.full]
base_url = "sandbox:"
account_id = "full"
tags = ["both"]

[profiles.empty]
base_url = "sandbox:"
account_id = "empty"
tags = ["both"]

[profiles.other]
base_url = "sandbox:"
account_id = "other"
read_only = true

[profiles.real]
base_url = "https://api.example.com"
account_id = "62f44730-dd91-461e-bd6a-aedd9e0ad79d"
token_command = ["printf", "a-token-of-nobody"]
"""
CATALOGUE = """\
[api.shop]
title = "Unified Shop API"
about = "Orders of a shop"

[api.shop.resources]
orders = { operations = "crud", one = "an order", about = "What was bought" }
"""
# What stands in the files for the folder that they were written to.
FOLDER = "/before"
# The program, killed when the sandbox has answered so many requests and before it has read the last answer.
KILLED = """\
import os, signal, sys
from unified_cli.sandbox.in_process import InProcess
from unified_cli.__main__ import run
left, answer = int(sys.argv.pop(1)), InProcess.handle_request
def counted(*words):
    global left
    answered, left = answer(*words), left - 1
    return answered if left else os.kill(os.getpid(), signal.SIGKILL)
InProcess.handle_request = counted
run()
"""


class Program:
    """The program with folders of its own."""

    def __init__(self, target: Path) -> None:
        self.work = target / "made"
        home = target / "home"
        self.config = home / "config" / "unified"
        folders = {"CONFIG": home / "config", "DATA": home / "data", "CACHE": home / "cache"}
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            **{f"XDG_{kind}_HOME": str(folder) for kind, folder in folders.items()},
        }

    def run(self, words: str, *more: str, stdin: str = "", codes: tuple[int, ...] = (0,)) -> str:
        """What a command prints that ends with one of these codes."""
        ended = subprocess.run(
            [UNIFIED, *words.split(), *more],
            check=False,
            cwd=self.work,
            env=self.environ,
            input=stdin,
            capture_output=True,
            text=True,
        )
        if ended.returncode not in codes:
            sys.exit(f"unified {words}: {ended.returncode}\n{ended.stderr}")
        return ended.stdout

    def kill(self, requests: int, words: str, *, stdin: str = "") -> None:
        """A command that is killed with the answer to so many requests on its way."""
        argv = [sys.executable, "-c", KILLED, str(requests), *words.split()]
        ended = subprocess.run(
            argv, check=False, cwd=self.work, env=self.environ, input=stdin, capture_output=True, text=True
        )
        if ended.returncode != -signal.SIGKILL:
            sys.exit(f"unified {words} ended before it was killed: {ended.returncode}\n{ended.stderr}")


def records(count: int, start: str = "tags", **more: str) -> str:
    """So many records to create or to update, the ids of which begin so."""
    return "".join(json.dumps({**more, "id": f"{start}-{n}", "name": f"tag {n}"}) + "\n" for n in range(2, count + 2))


def write_config(program: Program) -> None:
    program.config.mkdir(parents=True)
    for name, text in (("config.toml", CONFIG), ("catalogue.d/shop.toml", CATALOGUE)):
        path = program.config / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o600)
    program.run("profile add added base_url=sandbox: account_id=added tags=both")


def write_exports(program: Program) -> None:
    for form in ("ndjson", "csv", "json", "parquet"):
        program.run(f"-p full export ticketing/tags ticketing/tickets --to export-{form} --format {form}")
    program.run("-p full export ticketing/tickets --to increments")
    program.run("-p full ticketing tickets update tickets-1 -f name=changed")
    program.run("-p full export ticketing/tickets --to increments --incremental")
    program.run("-p full -p empty export ticketing/tags --to shards --shard 2/2")
    tasks = program.run("-p full export ticketing/tags --to tasks --tasks").splitlines()
    program.run("export --task", tasks[0])
    program.kill(5, "-p full export ticketing/tickets ticketing/tags --to export-killed --page-size 10")
    program.run("-p full export ticketing/tickets --to increments-killed")
    program.run("-p full ticketing tickets update tickets-3 -f name=changed")
    program.kill(1, "-p full export ticketing/tickets --to increments-killed --incremental")
    store = f"file://{program.work}"
    program.run(f"-p full export ticketing/tickets --to {store}/store")
    program.run("-p full ticketing tickets update tickets-2 -f name=changed")
    program.run(f"-p full export ticketing/tickets --to {store}/store --incremental")
    program.kill(5, f"-p full export ticketing/tickets ticketing/tags --to {store}/store-killed --page-size 10")


def write_moves(program: Program) -> None:
    plan = program.run("plan ticketing/tags --from full --to empty --ids ids.ndjson --ignore workspace")
    (program.work / "done.plan").write_text(plan)
    program.run("apply done.plan -p empty --ids ids.ndjson --yes")
    plan = program.run("plan ticketing/accounts --from full --to empty --ids ids.ndjson")
    (program.work / "killed.plan").write_text(plan)
    program.kill(3, "apply killed.plan -p empty --ids ids.ndjson --yes")


def write_runs(program: Program) -> None:
    program.run("-p tag:both ticketing tags create -f name=fan-out --yes", codes=(9,))
    program.run("-p full -p empty ticketing tags delete tags-1 --yes", codes=(0, 9))
    program.kill(5, "-p full ticketing tags update -", stdin=records(8))
    (program.work / "done.ndjson").write_text(records(3, "done"))
    program.run("-p full import ticketing/tags done.ndjson --report report.ndjson", codes=(0, 9))
    (program.work / "killed.ndjson").write_text(records(9, "killed"))
    program.kill(5, "-p full import ticketing/tags killed.ndjson --workers 2")
    program.kill(5, "-p full import ticketing/tags -", stdin=records(9, "piped"))
    program.kill(
        5, "-p full -p empty import ticketing/tags - --operation update --yes", stdin=records(9, _profile="full")
    )


def write_files(program: Program) -> None:
    program.run("-p full ticketing tags list --all -o ndjson --out list.ndjson")
    program.kill(5, "-p full ticketing tickets list --all -o ndjson --page-size 10 --out killed-list.ndjson")
    program.run("-p full ticketing tags list --record list.har")
    program.run("-p full ticketing tags list --expect", "length > 0", "--junit", "expect.xml")
    ids = program.run("-p full ticketing attachments list -o ids --limit 3")
    program.run("-p full ticketing attachments download --from - --out files/", stdin=ids, codes=(0, 4, 9))
    schema = program.run("schema ticketing/tags -p full -o json")
    (program.work / "schema.json").write_text(schema)
    program.run("capabilities ticketing -p full -p empty")
    program.run("connections list -p full")


def write_agent_run(program: Program) -> None:
    """The journal of a write that an agent asked for."""
    agent = Path(__file__).parents[1] / "commands" / "mcp" / "agent.py"
    serve = [UNIFIED, "mcp", "serve", "-p", "full", "--allow-writes"]
    call = ["write", {"profile": "full", "operation": "ticketing tags create", "body": {"name": "of an agent"}}]
    subprocess.run(
        [sys.executable, agent, *serve],
        cwd=program.work,
        env=program.environ,
        input=json.dumps(call) + "\n",
        text=True,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def write_caches(program: Program) -> None:
    """What TAB offers, which only a call at a terminal keeps, and the pace of a connection, which needs a network."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(program.work)
        os.execve(UNIFIED, [UNIFIED, "-p", "full", "ticketing", "tags", "list"], program.environ)
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        # So a terminal ends on Linux.
        os.waitpid(pid, 0)
    ready = program.work / "ready"
    serve = [UNIFIED, "sandbox", "serve", "--port", "0", "--state", ":memory:", "--ready-file", ready]
    with subprocess.Popen(serve, env=program.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        while not ready.exists():
            time.sleep(0.05)
        reached = dict(line.split("=", 1) for line in ready.read_text().splitlines())
        program.environ.update(reached)
        program.run("-a rate-limited ticketing tags list --all --page-size 2 -o ids")
        for name in reached:
            del program.environ[name]
        server.terminate()


def main() -> None:
    target = Path(sys.argv[1]).absolute()
    # A path of its own, so that the files hold no name of whoever wrote them.
    with TemporaryDirectory() as folder:
        program = Program(Path(folder))
        program.work.mkdir()
        for write in (write_config, write_exports, write_moves, write_runs, write_files, write_agent_run, write_caches):
            write(program)
        shutil.copytree(folder, target, dirs_exist_ok=True)
        for path in target.rglob("*"):
            if path.is_file() and folder.encode() in (content := path.read_bytes()):
                path.write_bytes(content.replace(folder.encode(), FOLDER.encode()))


if __name__ == "__main__":
    main()
