"""Each kind of export ends with the lists that are done of all, and with the command
that continues where some are not; that command does the rest.
"""

import errno
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Result, Unified
from pages import served, tickets
from server import Reply, Seen, Service

from unified_cli.exported import partial_file

LISTS = ["ticketing/tickets", "ticketing/users"]
Run = Callable[..., Result]


@pytest.fixture
def run(unified: Unified, service: Service, tmp_path: Path) -> Run:
    def run(*words: str) -> Result:
        return unified([*words], environ={**service.environ, "HOME": str(tmp_path)})

    return run


def command_of(result: Result) -> list[str]:
    """The command that an error prints below it."""
    line = result.stderr.splitlines()[-1]
    assert line.startswith("  unified "), result.stderr
    return shlex.split(line)[1:]


@pytest.fixture(params=["plain", "restart", "incremental", "task"])
def words(request: pytest.FixtureRequest, run: Run, service: Service, to: str) -> list[str]:
    """The words of an export of this kind, which was done before if it needs that."""
    service.reply = lambda _: served({"result": tickets(2), "next_cursor": None})
    what = ["export", *LISTS, "--to", to]
    if request.param in {"restart", "incremental"}:
        assert run(*what).code == 0
    if request.param == "task":
        return ["export", "--task", run(*what, "--tasks").stdout.strip()]
    return [*what, *([] if request.param == "plain" else [f"--{request.param}"])]


def users_refused(seen: Seen) -> Reply:
    if seen.segments[-1] == "users":
        return served({"statusCode": 400, "error": "Bad Request", "message": "no"}, 400)
    return served({"result": tickets(3), "next_cursor": None})


def test_an_export_of_which_a_list_failed(
    words: list[str], run: Run, service: Service, to: str
) -> None:
    service.reply = users_refused
    result = run(*words)
    assert (result.code, "; 1 of 2 lists done\n" in result.stderr) == (9, True), result.stderr
    again = command_of(result)
    assert "--restart" not in again
    service.reply = lambda _: served({"result": tickets(3), "next_cursor": None})
    asked = len(service.seen)
    result = run(*again)
    assert (result.code, "; 2 of 2 lists done" in result.stderr) == (0, True), result.stderr
    others = [seen for seen in service.seen[asked:] if seen.segments[-1] != "users"]
    assert not others or "--incremental" in words
    verified = run("export", "--verify", to)
    assert (verified.code, verified.stderr.endswith("; 2 of 2 lists done\n")) == (0, True)


def test_a_disk_that_is_full(
    run: Run, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partial_file, "_SECONDS", 0)
    real, full = os.fsync, []

    def fsync(descriptor: int) -> None:
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(descriptor)

    def reply(seen: Seen) -> Reply:
        full.extend([None] * (seen.segments[-1] == "users"))
        return served({"result": tickets(2), "next_cursor": None})

    monkeypatch.setattr(os, "fsync", fsync)
    service.reply = reply
    result = run("export", *LISTS, "--to", f"{tmp_path}/dump", "--workers", "1")
    assert (result.code, "(1 of 2 lists done)\n" in result.stderr) == (11, True), result.stderr
    assert command_of(result)[1:] == [*LISTS, "--to", f"{tmp_path}/dump", "--workers", "1"]


def test_an_export_that_is_verified_before_it_is_done(run: Run, service: Service, to: str) -> None:
    service.reply = users_refused
    assert run("export", *LISTS, "--to", to).code == 9
    result = run("export", "--verify", to)
    said = f"error: {to} is incomplete: 1 file missing; 1 of 2 lists done\n"
    assert (result.code, said in result.stderr) == (9, True), result.stderr
    service.reply = lambda _: served({"result": tickets(2), "next_cursor": None})
    assert run(*command_of(result)).code == 0
    assert run("export", "--verify", to).code == 0


@pytest.mark.parametrize("more", ["--since=1d", "-q status=open"])
def test_an_error_with_another_way_out_names_no_other(
    more: str, run: Run, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: served({"result": tickets(2), "next_cursor": None})
    what: list[Any] = ["export", *LISTS, "--to", f"{tmp_path}/dump"]
    assert run(*what).code == 0
    result = run(*what, *more.split())
    assert (result.code, "(choose another folder with --to, or replace" in result.stderr) == (
        12,
        True,
    )
    assert "unified export" not in result.stderr
