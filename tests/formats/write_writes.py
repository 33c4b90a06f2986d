"""Write the journals of writes: finished, refused in part, in doubt and killed."""

import csv
import io
import json
import sys
from collections.abc import Callable
from typing import Any

from writer import UNIFIED, Program, faulty, records

STATES = ("done", "failed", "doubt", "killed")
COUNT = 6


def run_as(program: Program, state: str, words: str, *, text: str, stdin: str = "") -> None:
    """Bring a command into this state; the text marks the write that is lost or
    refused.
    """
    with program.named(text):
        if state == "done":
            program.run(words, stdin=stdin)
        elif state == "failed":
            program.refuse(f"{text}-2", words, stdin=stdin)
        elif state == "doubt":
            program.lose(f"{text}-2", words, stdin=stdin)
        else:
            program.kill(3, words, stdin=stdin)


def rows(start: str, *, routed: bool = False) -> list[dict[str, str]]:
    """Give records to create with names that occur nowhere else."""
    found = [{"name": f"{start}-{n}", "color": "#5319e7"} for n in range(1, COUNT + 1)]
    if not routed:
        return found
    return [{"_profile": ("full", "empty")[n % 2], **one} for n, one in enumerate(found)]


def as_ndjson(found: list[dict[str, str]]) -> str:
    """Write records as NDJSON."""
    return "".join(json.dumps(one) + "\n" for one in found)


def as_csv(found: list[dict[str, str]]) -> str:
    """Write records as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(found[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return text.getvalue()


FORMATS: dict[str, Callable[[list[dict[str, str]]], str]] = {
    "ndjson": as_ndjson,
    "json": lambda found: json.dumps(found, indent=1),
    "csv": as_csv,
    "piped": as_ndjson,
}


def write_imports(program: Program) -> None:
    """Write journals of imports; `piped` is the input of one from standard input."""
    (program.work / "imports").mkdir()
    for form, written in FORMATS.items():
        for routed in (False, True):
            profiles = "-p full -p empty" if routed else "-p full"
            for state in STATES:
                name = f"{'routed-' if routed else ''}{state}-{form}"
                path = program.work / "imports" / f"{name}.{form}"
                text = written(rows(name, routed=routed))
                path.write_text(text)
                source, stdin = f"imports/{path.name}", ""
                if form == "piped":
                    source, stdin = "-", text
                words = f"{profiles} import ticketing/tags {source} --workers 1 --yes"
                run_as(program, state, words, text=name, stdin=stdin)


def write_lines(program: Program) -> None:
    """Write journals of piped updates and deletes, and of writes to two connections."""
    for operation in ("update", "delete"):
        for state in STATES:
            name = f"{operation}-{state}"
            for number in range(1, COUNT + 1):
                made = f'{{"name":"{name}-{number}"}}'
                program.run("-p full ticketing tags create -d", made)
            served = program.run("-p full ticketing tags list --all -o ndjson")
            tags = [json.loads(line) for line in served.splitlines()]
            ids = {one["name"]: one["id"] for one in tags if one["name"].startswith(name)}
            (program.work / f"{name}.json").write_text(json.dumps(ids, indent=1))
            _run_lines(program, operation, state, ids)
    for state in STATES:
        # The record of each connection has the name of its state, and only one of two
        # is marked.
        name = f"fan-out-{state}"
        words = f"-p full -p empty ticketing tags create -f name={name} --workers 1 --yes"
        with program.named(name):
            _run_fan_out(program, state, words)


def _run_lines(program: Program, operation: str, state: str, ids: dict[str, str]) -> None:
    name = f"{operation}-{state}"
    if operation == "update":
        changed = ({"id": one, "color": f"#{n:06}"} for n, one in enumerate(ids.values()))
        stdin = "".join(json.dumps(one) + "\n" for one in changed)
        marked = "#000001"
    else:
        stdin = "".join(f"{one}\n" for one in ids.values())
        marked = f"tags/{ids[f'{name}-2']}"
    words = f"-p full ticketing tags {operation} - --workers 1 --yes"
    with program.named(name):
        if state == "done":
            program.run(words, stdin=stdin)
        elif state == "failed":
            program.refuse(marked, words, stdin=stdin)
        elif state == "doubt":
            program.lose(marked, words, stdin=stdin)
        else:
            program.kill(3, words, stdin=stdin)


def _run_fan_out(program: Program, state: str, words: str) -> None:
    marked = "integrated_account_id=empty"
    if state == "done":
        program.run(words)
    elif state == "failed":
        program.refuse(marked, words)
    elif state == "doubt":
        program.lose(marked, words)
    else:
        program.kill(1, words)


def write_plans(program: Program) -> None:
    """Write plans, fresh and applied, each with its own file of ids."""
    (program.work / "plans").mkdir()
    for state in ("fresh", *STATES):
        name = f"plan-{state}"
        (program.work / f"plans/{name}.ndjson").write_text(as_ndjson(_with_ids(name)))
        compared = f"--from plans/{name}.ndjson --to empty --ids plans/{name}.ids"
        plan = program.run(f"plan ticketing/tags {compared}")
        (program.work / f"plans/{name}.plan").write_text(plan)
        if state != "fresh":
            words = f"apply plans/{name}.plan -p empty --ids plans/{name}.ids --workers 1 --yes"
            run_as(program, state, words, text=name)


def _with_ids(name: str) -> list[dict[str, str]]:
    return [{"id": f"old-{n}", **one} for n, one in enumerate(rows(name))]


def write_agent_runs(program: Program) -> None:
    """Write journals of writes that an agent asked for."""
    serve = ["mcp", "serve", "-p", "full", "--allow-writes", "--retries", "0"]
    # The one that is done is the last: tests take the newest.
    starts = {
        "failed": faulty("refuse", "agent-failed"),
        "doubt": faulty("lose", "agent-doubt"),
        "killed": faulty("kill", 1),
        "done": [UNIFIED],
    }
    agent = program.source / "tests" / "commands" / "mcp" / "agent.py"
    for state, start in starts.items():
        body = {"name": f"agent-{state}"}
        call: dict[str, Any] = {"profile": "full", "operation": "ticketing tags create"}
        stdin = json.dumps(["write", {**call, "body": body}]) + "\n"
        argv = [sys.executable, str(agent), *start, *serve]
        with program.named(f"agent-{state}"):
            program.started(argv, stdin=stdin, codes=(1,) if state == "killed" else (0,))


def write_runs(program: Program) -> None:
    """Write runs that the tests of b4bec49 read, too."""
    program.run("-p tag:both ticketing tags create -f name=fan-out --yes", codes=(9,))
    program.run("-p full -p empty ticketing tags delete tags-1 --yes", codes=(0, 9))
    program.kill(5, "-p full ticketing tags update -", stdin=records(8))
    (program.work / "done.ndjson").write_text(records(3, "done"))
    program.run("-p full import ticketing/tags done.ndjson --report report.ndjson", codes=(0, 9))
    (program.work / "killed.ndjson").write_text(records(9, "killed"))
    program.kill(5, "-p full import ticketing/tags killed.ndjson --workers 2")
    program.kill(5, "-p full import ticketing/tags -", stdin=records(9, "piped"))
    program.kill(
        5,
        "-p full -p empty import ticketing/tags - --operation update --yes",
        stdin=records(9, _profile="full"),
    )
