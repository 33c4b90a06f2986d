"""The cache: private, at most a day old, and never a reason to fail."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from owned import SPOILS

from unified_cli.storage.cache import Cache, Fact

NOW = 1_800_000_000.0
KEY = ("https://api.example.com", "acct-1")


def at(folder: Path | None, seconds: float = NOW) -> Cache:
    return Cache(folder, "kind", lambda: seconds)


def the_file(folder: Path) -> Path:
    [path] = (folder / "kind").iterdir()
    return path


def test_a_fact_is_read_with_its_age_until_it_is_a_day_old(tmp_path: Path) -> None:
    at(tmp_path).write([5, 1.5], *KEY)
    assert at(tmp_path, NOW + 60).read(*KEY) == Fact([5, 1.5], 60)
    assert at(tmp_path, NOW + 24 * 3600 - 1).read(*KEY)
    assert at(tmp_path, NOW + 24 * 3600).read(*KEY) is None
    assert at(tmp_path, NOW - 1).read(*KEY) is None
    assert at(tmp_path).read(KEY[0], "acct-2") is None


def test_files_and_folders_are_private_and_nothing_is_left_beside_them(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        at(tmp_path / "cache").write(1, *KEY)
    finally:
        os.umask(before)
    assert stat.S_IMODE(the_file(tmp_path / "cache").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 100,
        b"[]",
        b"{}",
        b'{"at":"x","key":[],"value":1}',
        b"[" * 100_000,
        b"9" * 100_000,
        b"\xff",
    ],
    ids=["empty", "NULs", "a list", "no members", "no time", "deep", "large", "no UTF-8"],
)
def test_a_damaged_file_is_ignored_and_replaced(tmp_path: Path, content: bytes) -> None:
    at(tmp_path).write(1, *KEY)
    the_file(tmp_path).write_bytes(content)
    assert at(tmp_path).read(*KEY) is None
    at(tmp_path).write(2, *KEY)
    assert at(tmp_path).read(*KEY) == Fact(2, 0)


def test_the_fact_of_another_key_in_its_file_does_not_count(tmp_path: Path) -> None:
    at(tmp_path).write(1, *KEY)
    the_file(tmp_path).write_text(json.dumps({"at": NOW, "key": ["other"], "value": 1}))
    assert at(tmp_path).read(*KEY) is None


@pytest.mark.parametrize(
    "place", [os.mkfifo, os.mkdir, lambda path: Path(path).symlink_to("/etc/hostname")]
)
def test_anything_but_a_regular_file_is_ignored(
    tmp_path: Path, place: Callable[[Path], None]
) -> None:
    at(tmp_path).write(1, *KEY)
    path = the_file(tmp_path)
    path.unlink()
    place(path)
    assert at(tmp_path).read(*KEY) is None


@pytest.mark.parametrize("spoil", SPOILS)
def test_a_file_that_others_can_write_is_ignored(
    tmp_path: Path, spoil: Callable[[Path], str]
) -> None:
    at(tmp_path).write(1, *KEY)
    spoil(the_file(tmp_path))
    assert at(tmp_path).read(*KEY) is None
    at(tmp_path).write(2, *KEY)
    assert at(tmp_path).read(*KEY) == Fact(2, 0)


def test_without_a_home_nothing_is_kept() -> None:
    at(None).write(1, *KEY)
    at(None).sweep()
    assert at(None).read(*KEY) is None


def test_old_facts_are_removed(tmp_path: Path) -> None:
    at(tmp_path).sweep()
    for name, age in (("old", 25), ("new", 23)):
        at(tmp_path).write(name, name)
        path = next(one for one in (tmp_path / "kind").iterdir() if f'"{name}"' in one.read_text())
        os.utime(path, (NOW - age * 3600, NOW - age * 3600))
    at(tmp_path).sweep()
    assert json.loads(the_file(tmp_path).read_text())["value"] == "new"
