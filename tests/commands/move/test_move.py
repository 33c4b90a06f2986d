"""The worked example of `unified help move`: all of ticketing, from one connection to
an empty one, twice.
"""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified

RESOURCES = ("accounts", "contacts", "tags", "tickets", "comments")
SERVED = "created_at,updated_at,etag,remote_data"


def lines(unified: Unified) -> list[list[str]]:
    """The command lines of the example, put together as a shell does."""
    page = unified("help move").stdout.partition("\nExamples:\n")[2]
    return [shlex.split(line)[1:] for line in page.replace("\\\n", "").splitlines()]


class Example:
    """Runs the command lines; `plans` are those that make a plan for the first time, by
    their resources.
    """

    def __init__(self, unified: Unified) -> None:
        self.unified = unified
        self.plans: dict[str, list[str]] = {}

    def run(self, words: list[str]) -> None:
        if words[0] == "plan":
            self.plans.setdefault(words[1].removeprefix("ticketing/"), words)
        typed, target = (words[:-2], words[-1]) if ">" in words else (words, None)
        result = self.unified(typed)
        assert result.code == 0, (words, result.stderr)
        if target:
            Path(target).write_bytes(result.raw)

    def differences(self) -> set[int]:
        """The exit codes of a diff of each resource, with what its plan ignores and
        what the service fills in.
        """
        return {
            self.unified(["diff", *self._compared(words)]).code for words in self.plans.values()
        }

    def _compared(self, words: list[str]) -> list[str]:
        sides = words[1:-2]
        return (
            [*sides[:-1], f"{sides[-1]},{SERVED}"]
            if "--ignore" in sides
            else [*sides, "--ignore", SERVED]
        )

    def records(self, profile: str, resource: str) -> list[Any]:
        listed = self.unified(f"-p {profile} ticketing {resource} list --all -o ndjson").stdout
        return [json.loads(line) for line in listed.splitlines()]


def test_everything_is_moved_and_the_second_time_there_is_nothing_to_do(
    unified: Unified, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    example = Example(unified)
    for words in lines(unified):
        if words[0] == "apply" and words[-1] == "--dry-run":
            assert example.differences() == {14}
        example.run(words)
    assert (example.differences(), [*example.plans]) == ({0}, [*RESOURCES])
    for resource, words in example.plans.items():
        example.run(words)
        header, *calls = (tmp_path / f"{resource}.plan").read_text().splitlines()
        assert (json.loads(header)["calls"], calls) == (0, [])
    _check_references(example)


def _check_references(example: Example) -> None:
    """Every record exists, and so do those it refers to."""
    moved = {
        resource: {one["id"] for one in example.records("new", resource)} for resource in RESOURCES
    }
    there = {resource: len(example.records("old", resource)) for resource in RESOURCES}
    assert {resource: len(ids) for resource, ids in moved.items()} == there
    assert {contact["account_id"] for contact in example.records("new", "contacts")} <= moved[
        "accounts"
    ]
    assert {comment["ticket"]["id"] for comment in example.records("new", "comments")} <= moved[
        "tickets"
    ]
    for ticket in example.records("new", "tickets"):
        assert {
            ticket["contact"]["id"],
            *(one["id"] for one in ticket["additional_contacts"]),
        } <= moved["contacts"]
        assert {ticket["account"]["id"]} <= moved["accounts"]
        assert {one["id"] for one in ticket["tags"]} <= moved["tags"]
        assert {(ticket.get("parent_ticket") or {}).get("id")} <= {None, *moved["tickets"]}
