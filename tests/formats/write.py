"""Write files of every kind that a commit of the program leaves, with that commit.

`python tests/formats/write.py COMMIT VERSION` installs the commit into a virtual
environment of its own. Below the folder VERSION it makes `home` (config, data, cache)
and `made` (what commands were asked to write), and `made/runs.json` with the ids of
runs by a name. Commands that can be interrupted are killed with an answer on its way.
The tests beside this file have every later version read a copy.
"""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from write_exports import (
    write_by_cluster,
    write_states,
    write_tasks,
    write_unfinished_tables,
)
from write_writes import (
    write_agent_runs,
    write_imports,
    write_lines,
    write_plans,
    write_runs,
)
from writer import UNIFIED, Program

HERE = Path(__file__).parent
CONFIG = """\
output = "json"
rate = 0

[alias]
mine = "ticketing tickets"
oldest = "ticketing tags list -q sort_by[created_at]=asc"

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
# The text in the files in place of the folder that they were written to, and of its
# machine.
FOLDER = "/before"
MACHINE = (re.compile(rb'"(host|machine)": "[^"]*"'), rb'"\1": "before"')


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
        both = "ticketing/tags ticketing/tickets"
        program.run(f"-p full export {both} --to export-{form} --format {form}")
    program.run("-p full export ticketing/tickets --to increments")
    program.run("-p full ticketing tickets update tickets-1 -f name=changed")
    program.run("-p full export ticketing/tickets --to increments --incremental")
    program.run("-p full -p empty export ticketing/tags --to shards --shard 2/2")
    tasks = program.run("-p full export ticketing/tags --to tasks --tasks").splitlines()
    program.run("export --task", tasks[0])
    both = "ticketing/tickets ticketing/tags"
    program.kill(5, f"-p full export {both} --to export-killed --page-size 10")
    program.run("-p full export ticketing/tickets --to increments-killed")
    program.run("-p full ticketing tickets update tickets-3 -f name=changed")
    program.kill(1, "-p full export ticketing/tickets --to increments-killed --incremental")
    store = f"file://{program.work}"
    program.run(f"-p full export ticketing/tickets --to {store}/store")
    program.run("-p full ticketing tickets update tickets-2 -f name=changed")
    program.run(f"-p full export ticketing/tickets --to {store}/store --incremental")
    program.kill(
        5,
        f"-p full export ticketing/tickets ticketing/tags --to {store}/store-killed --page-size 10",
    )


def write_moves(program: Program) -> None:
    compared = "--from full --to empty --ids ids.ndjson"
    plan = program.run(f"plan ticketing/tags {compared} --ignore workspace")
    (program.work / "done.plan").write_text(plan)
    program.run("apply done.plan -p empty --ids ids.ndjson --yes")
    plan = program.run(f"plan ticketing/accounts {compared}")
    (program.work / "killed.plan").write_text(plan)
    program.kill(3, "apply killed.plan -p empty --ids ids.ndjson --yes")


def write_files(program: Program) -> None:
    program.run("-p full ticketing tags list --all -o ndjson --out list.ndjson")
    tickets = "-p full ticketing tickets list --all -o ndjson"
    program.kill(5, f"{tickets} --page-size 10 --out killed-list.ndjson")
    program.run("-p full ticketing tags list --record list.har")
    program.run("-p full ticketing tags list --expect", "length > 0", "--junit", "expect.xml")
    ids = program.run("-p full ticketing attachments list -o ids --limit 3")
    download = "-p full ticketing attachments download --from - --out files/"
    program.run(download, stdin=ids, codes=(0, 4, 9))
    schema = program.run("schema ticketing/tags -p full -o json")
    (program.work / "schema.json").write_text(schema)
    program.run("capabilities ticketing -p full -p empty")
    program.run("connections list -p full")


def write_caches(program: Program) -> None:
    """Write what TAB offers, at a terminal, and the pace of a connection, over a
    network.
    """
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
    serve = [
        UNIFIED,
        "sandbox",
        "serve",
        "--port",
        "0",
        "--state",
        ":memory:",
        "--ready-file",
        ready,
    ]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(serve, env=program.environ, stdout=quiet, stderr=quiet) as server:
        while not ready.exists():
            time.sleep(0.05)
        reached = dict(line.split("=", 1) for line in ready.read_text().splitlines())
        program.environ.update(reached)
        program.run("-a rate-limited ticketing tags list --all --page-size 2 -o ids")
        for name in reached:
            del program.environ[name]
        server.terminate()


def write_completions(program: Program) -> None:
    """Install the completion of each shell."""
    for shell in ("bash", "zsh", "fish", "pwsh"):
        program.run(f"completion install --shell {shell}")


def write_all(source: Path, target: Path) -> None:
    """Write everything below the target, with the program beside this interpreter."""
    # In a folder of its own, so that the files have no name of a user or a checkout.
    with TemporaryDirectory() as folder:
        program = Program(Path(folder), source)
        program.work.mkdir()
        (program.work / "exports").mkdir()
        # The lists of the first ones are small as long as the others have not written
        # yet; of several runs of a command tests take the newest.
        for write in (
            write_config,
            write_exports,
            write_moves,
            write_files,
            write_states,
            write_tasks,
            write_unfinished_tables,
            write_by_cluster,
            write_imports,
            write_lines,
            write_plans,
            write_runs,
            write_agent_runs,
            write_caches,
            write_completions,
        ):
            write(program)
        (program.work / "runs.json").write_text(json.dumps(program.runs, indent=1))
        shutil.rmtree(program.target / "scratch", ignore_errors=True)
        for path in program.target.rglob("*"):
            if path.is_file():
                forget_machine(path, folder)
        for kept in ("home", "made"):
            shutil.copytree(program.target / kept, target / kept)


def forget_machine(path: Path, folder: str) -> None:
    """Replace in a file the names of this machine and of the folder."""
    content = path.read_bytes()
    changed = MACHINE[0].sub(MACHINE[1], content.replace(folder.encode(), FOLDER.encode()))
    if changed != content:
        # A file that is not text would be damaged by a path of another length.
        assert b"\0" not in content, path
        path.write_bytes(changed)


def install(commit: str, folder: Path) -> Path:
    """Install a commit with its extras, and return the interpreter beside the
    program.
    """
    (folder / "source").mkdir()
    root = HERE.parents[1]
    tree = subprocess.check_output(["git", "archive", "--format=tar", commit], cwd=root)
    subprocess.run(["tar", "-x", "-C", str(folder / "source")], input=tree, check=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    python = folder / "venv" / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, f"{folder / 'source'}[all]"], check=True)
    return python


def main() -> None:
    """Install the commit, and have its interpreter run this file again with --with."""
    first, second = sys.argv[1:3]
    if first == "--with":
        write_all(Path(second), Path(sys.argv[3]))
        return
    with TemporaryDirectory() as folder:
        python = install(first, Path(folder))
        source = str(Path(folder) / "source")
        words = [str(python), __file__, "--with", source, str(HERE / second)]
        subprocess.run(words, check=True)


if __name__ == "__main__":
    main()
