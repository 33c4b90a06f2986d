"""Files of version 0.1 are read by this one: config, journal, export folder, half a
list, the sandbox's state.

The files in `version_0_1` were written by that version: two profiles added, `tickets-2`
updated and a tag created in the sandbox, `export voice emails/folders --to dump`, an
import that was killed before its third record, a list with `--out` that broke off after
five pages. From the dump one file was taken away.
"""

import os
import shutil
from pathlib import Path

import pytest
from front_door import Unified

WRITTEN = Path(__file__).with_name("version_0_1")
WRITTEN_AT = 1795298317.0


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files where that version had them, as private as it made them; the working
    directory is where its commands were run.
    """
    here = tmp_path / "here"
    shutil.copytree(WRITTEN, here)
    for path in [here, *here.rglob("*")]:
        path.chmod(0o700 if path.is_dir() else 0o600)
    for name, folder in (("config.toml", "config"), ("sandbox.db", "data")):
        (tmp_path / folder).mkdir(mode=0o700)
        shutil.move(here / name, tmp_path / folder / name)
    monkeypatch.chdir(here)
    return here


@pytest.mark.usefixtures("home")
def test_the_config_file_is_read(unified: Unified) -> None:
    listed = unified("profile list -o json").json["profiles"]
    assert [(one["name"], one["account_id"], one["tags"], one["read_only"]) for one in listed] == [
        ("acme", "62f44730", ["prod"], True),
        ("box", "full", [], False),
    ]
    assert unified("-p box ticketing tickets list -q limit=1").code == 0


@pytest.mark.usefixtures("home")
def test_the_sandbox_keeps_its_changes(unified: Unified) -> None:
    assert (
        unified("-p sandbox ticketing tickets get tickets-2 --jq .name").stdout
        == "Written by 0.1\n"
    )
    assert unified("-p sandbox ticketing tags get tags-new-1 --jq .name").stdout == "kept\n"


@pytest.mark.usefixtures("home")
def test_an_import_continues_from_its_journal(unified: Unified) -> None:
    result = unified("import ticketing/tags tags.ndjson -p sandbox -a empty -o json")
    assert (result.code, result.json[0]["records"]) == (0, 3)
    tags = unified("-p sandbox ticketing tags list --all -o ids -a empty").stdout.split()
    assert sorted(tags) == ["tags-new-1", "tags-new-2", "tags-new-3"]


def test_an_import_from_a_pipe_that_was_not_finished_is_listed(
    home: Path, unified: Unified, tmp_path: Path
) -> None:
    folder = tmp_path / "data" / "imports"
    folder.mkdir(mode=0o700)
    copy = folder / "0123456789abcdef01234567.ndjson"
    journal = copy.with_name(f"{copy.name}.unified-journal")
    (home / "tags.ndjson").rename(copy)
    (home / "tags.ndjson.unified-journal").rename(journal)
    os.utime(journal, (1e9, 1e9))
    for _ in range(2):
        listed = unified("runs list -o json")
        (run,) = listed.json["runs"]
        assert (run["command"], run["started"], run["path"]) == (
            "import … -",
            "2001-09-09T01:46:40+00:00",
            str(journal),
        )
        assert (run["state"], listed.stderr) == ("interrupted", "")
    assert unified(f"runs remove {run['id']}").code == 2
    assert unified(f"runs remove {run['id']} --yes").code == 0
    assert unified("runs list -o json").json["runs"] == []


def test_an_export_folder_is_verified_and_completed(home: Path, unified: Unified) -> None:
    kept = (home / "dump/sandbox/voice/calls.ndjson").stat().st_mtime_ns
    assert unified("export --verify dump").code != 0
    result = unified("export voice emails/folders -p sandbox --to dump")
    told, old = result.stderr.splitlines()
    assert (result.code, told) == (
        0,
        "wrote 1 file with 60 records to dump, 2 already complete; 3 of 3 lists done",
    )
    assert old.startswith("not read again: sandbox/emails/folders (read 20")
    assert (
        unified("export --verify dump").stderr
        == "dump: the manifest matches 3 files; 3 of 3 lists done\n"
    )
    assert (home / "dump/sandbox/voice/calls.ndjson").stat().st_mtime_ns == kept


def test_half_a_list_is_completed(home: Path, unified: Unified) -> None:
    part = (home / "partial.ndjson.part").read_bytes()
    command = (
        "-p sandbox ticketing tickets list --all --page-size 10 --out partial.ndjson -o ndjson"
    )
    # The sandbox accepts a cursor for a limited time.
    result = unified(command, wall=lambda: WRITTEN_AT + 60)
    assert "120 records of 12 pages" in result.stderr
    assert (result.code, len((home / "partial.ndjson").read_bytes().splitlines())) == (0, 120)
    assert (home / "partial.ndjson").read_bytes().startswith(part)
    assert [path.name for path in home.glob("partial*")] == ["partial.ndjson"]
