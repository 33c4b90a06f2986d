"""Without a home, as a container has it for a user without an entry, work continues;
what cannot be resumed then says so.
"""

import errno
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from file_writers import PROFILES
from front_door import Result, Unified
from many_connections import failing, profiles
from pages import served
from record_files import ndjson
from server import Reply, Seen, Service

from unified_cli.storage import folders as folders_of_files

Run = Callable[..., Result]
NO_HOME = "cannot be resumed: there is no home directory\n"
RECORDS = b'{"name":"a"}\n{"name":"b"}\n'
NOWHERE = Path("/dev/null/x")
KEPT_ELSEWHERE = [
    "-p new import ticketing/tags in.ndjson",
    "-p old export ticketing/tags --to dump",
    "-p old ticketing tags list --all -o ndjson --out o.ndjson",
]


@pytest.fixture
def homeless(
    unified: Unified, config: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Run a command without a home, in a folder with records and a plan."""
    path = config(PROFILES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp").chmod(0o1777)
    side = ndjson(tmp_path / "in.ndjson", {"id": "1", "name": "a"}, {"id": "2", "name": "b"})
    plan = unified(f"plan ticketing/tags --from {side} --to new --same-ids")
    (tmp_path / "p.plan").write_bytes(plan.raw)

    def run(command: str, stdin: bytes = b"", **more: Any) -> Result:
        environ = {"UNIFIED_CONFIG": str(path)} | more.pop("environ", {})
        return unified(command, stdin=stdin, **{"environ": environ, "folders": {}, **more})

    return run


@pytest.mark.parametrize(
    ("command", "stdin"),
    [
        ("-p old -p new ticketing tags create -f name=x --yes", b""),
        ("-p old ticketing tags update - -f name=x", b"tags-1\ntags-2\n"),
        ("-p old ticketing tags delete - --yes", b"tags-1\ntags-2\n"),
        ("-p new apply p.plan --yes", b""),
        ("-p new import ticketing/tags -", RECORDS),
        ("-p new import ticketing/tags - --format csv", b"name\na\nb\n"),
        ("-p old -p new import ticketing/tags - --yes", b'{"_profile":"new","name":"a"}\n'),
        ("-p old import ticketing/tags - --operation delete --yes", b'{"id":"tags-1"}\n'),
    ],
)
@pytest.mark.parametrize("folders", [{}, {"data": NOWHERE}], ids=["no home", "not writable"])
def test_work_continues_and_says_that_it_cannot_be_resumed(
    folders: dict[str, Path], command: str, stdin: bytes, homeless: Run, tmp_path: Path
) -> None:
    result = homeless(command, stdin, folders=folders)
    assert result.code == 0, result.stderr
    why = "cannot write" if folders else "there is no home directory\n"
    assert f"cannot be resumed: {why}" in result.stderr
    assert "saved as" not in result.stderr
    assert [*(tmp_path / "tmp").iterdir()] == []


@pytest.mark.parametrize("command", KEPT_ELSEWHERE)
def test_a_run_kept_elsewhere_can_be_resumed(command: str, homeless: Run) -> None:
    result = homeless(command)
    assert result.code == 0, result.stderr
    assert "resumed" not in result.stderr
    again = homeless(command)
    assert again.code == (11 if "--out" in command else 0)


def test_files_of_piped_ids_are_downloaded(homeless: Run, tmp_path: Path) -> None:
    for saved in (1, 0):
        result = homeless(
            "-p old ticketing attachments download --from - --out d", b"attachments-1\n"
        )
        assert result.code == 0, result.stderr
        assert f"{saved} file" in result.stderr
        assert "resumed" not in result.stderr
    assert (tmp_path / "d" / "screenshot.png").is_file()


def test_a_piped_import_says_what_failed(
    homeless: Run, config: Callable[[str], Path], service: Service, tmp_path: Path
) -> None:
    profiles(config, service.url, 1)

    def reply(seen: Seen) -> Reply:
        if seen.json["name"] == "b":
            return served({"statusCode": 422, "error": "E", "message": "no"}, 422)
        return served({"id": "1"}, 201)

    service.reply = reply
    result = homeless("-p c00 import ticketing/tags - --report r.ndjson", RECORDS)
    assert result.code == 9
    assert result.stderr.splitlines()[0] == f"this import {NO_HOME.rstrip()}"
    assert "line 2 failed: the service answered 422" in result.stderr
    assert result.stderr.endswith("error: 1 of 2 records failed\n")
    report = [json.loads(line) for line in (tmp_path / "r.ndjson").read_text().splitlines()]
    assert [one["outcome"] for one in report] == ["done", "failed"]
    assert [line.split() for line in result.stdout.splitlines()][:2] == [
        ["done", "1"],
        ["failed", "1"],
    ]


def test_a_doubt_does_not_promise_a_safe_repetition(
    homeless: Run, config: Callable[[str], Path], service: Service
) -> None:
    profiles(config, service.url, 1)
    service.reply = failing({"a-c00": 500})
    result = homeless("-p c00 import ticketing/tags -", RECORDS)
    assert result.code == 10
    assert (
        "(check whether they were done: records that are piped in again are sent again)"
        in result.stderr
    )


def test_calls_in_the_journal_are_not_sent_again(
    homeless: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = {"data": tmp_path / "data"}
    assert homeless("-p new import ticketing/tags -", RECORDS, folders=folders).code == 0
    before = homeless("-p new ticketing tags list", folders=folders).json["result"]

    make = folders_of_files.make_private

    def refuse(path: Path) -> None:
        if path.is_relative_to(tmp_path / "data"):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        make(path)

    monkeypatch.setattr(folders_of_files, "make_private", refuse)
    result = homeless("-p new import ticketing/tags -", RECORDS, folders=folders)
    assert (result.code, result.stderr) == (
        11,
        (
            f"error: cannot write into {tmp_path / 'data' / 'imports'}: Read-only file system"
            " (nothing was sent)\n"
        ),
    )
    after = homeless("-p new ticketing tags list", folders=folders).json["result"]
    assert after == before
    other = homeless("-p new import ticketing/tags -", b'{"name":"c"}\n', folders=folders)
    assert (other.code, "cannot be resumed" in other.stderr) == (0, True)


def test_nothing_is_sent_if_the_journal_has_no_place(
    homeless: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    result = homeless("-p new import ticketing/tags -", RECORDS)
    assert (result.code, result.stderr) == (
        11,
        "error: there is no home directory (import from a file instead)\n",
    )


def test_an_interruption_says_how_much_is_done(
    homeless: Run, config: Callable[[str], Path], service: Service
) -> None:
    profiles(config, service.url, 1)
    service.reply = lambda _: served({"statusCode": 500, "error": "E", "message": "no"}, 500)

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    command = "-p c00 import ticketing/tags - --retries 1 --workers 1"
    result = homeless(command, RECORDS, sleep=interrupt)
    assert result.code == 130
    assert result.stderr.endswith(
        "stopped after 0 of 2 records, 1 more was sent; to continue: pipe in the records that"
        " are left\n"
    )
