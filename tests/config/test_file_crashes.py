"""The config file survives: processes that are killed, disks that fail, and many that
write at once.
"""

import os
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from campaigns import size
from filelock import FileLock
from front_door import ROOT, Unified

Config = Callable[[str], Path]
CRASH = Path(__file__).with_name("file_crashes.py")
OLD = '# ours\n[profiles.acme]\naccount_id = "1"\n'


def crash(path: Path, *arguments: str) -> list[list[str]]:
    result = subprocess.run(
        [sys.executable, str(CRASH), str(path), *arguments],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return [line.split() for line in result.stdout.splitlines()]


def write(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text)
    path.chmod(0o600)
    return path


@pytest.mark.parametrize(
    "profiles", [12, pytest.param(size(40, 20), id="many", marks=pytest.mark.long(seconds=5))]
)
def test_changes_of_many_processes_at_once_are_all_kept(profiles: int, tmp_path: Path) -> None:
    path = write(
        tmp_path, "".join(f"[profiles.p{number}]  # {number}\n" for number in range(profiles))
    )
    assert crash(path, "race", str(5 * profiles)) == [["0"] * 5 * profiles]
    assert tomllib.loads(path.read_text())["profiles"] == {
        f"p{number}": {
            "account_id": f"changed-{5 * number}",
            "base_url": f"https://{5 * number + 1}.example",
            "ca_bundle": f"/changed-{5 * number + 2}",
            "token_file": f"/changed-{5 * number + 3}",
            "timeout": 5 * number + 5,
        }
        for number in range(profiles)
    }
    assert [f"# {number}\n" in path.read_text() for number in range(profiles)] == [True] * profiles
    assert sorted(entry.name for entry in path.parent.iterdir()) == [
        "config.toml",
        "config.toml.lock",
    ]


@pytest.mark.parametrize("how", ["die_before", "die_after"])
def test_killed_at_any_system_call_it_is_the_old_file_or_the_new_one(
    tmp_path: Path, how: str
) -> None:
    path = write(tmp_path, OLD)
    outcomes = crash(path, how, "set", "acme", "account_id=2")
    assert len(outcomes) >= 9, (
        "lock, folder, temporary file, write, sync, close, rename, folder sync"
    )
    for code, left, mode, again, finally_, *files in outcomes:
        assert (code, mode, again, finally_) == ("-9", "0o600", "0", "new")
        assert left in ("old", "new")
        assert files == ["config.toml", "config.toml.lock"], (
            "nothing is left behind after the next change"
        )
    assert {left for _, left, *_ in outcomes} == {"old", "new"}


@pytest.mark.parametrize("how", ["no_space", "broken_disk"])
def test_a_disk_that_fails_at_any_system_call_costs_nothing(tmp_path: Path, how: str) -> None:
    path = write(tmp_path, OLD)
    outcomes = crash(path, how, "set", "acme", "account_id=2")
    codes = [code for code, *_ in outcomes]
    assert set(codes) <= {"3", "0"}, codes
    assert codes.count("3") >= 5
    for code, left, mode, again, finally_, *files in outcomes:
        assert (mode, again, finally_) == ("0o600", "0", "new")
        assert left == ("new" if code == "0" else "old"), "the end says which of them it is"
        assert files == ["config.toml", "config.toml.lock"]


def test_a_link_stays_a_link_and_its_target_is_replaced(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    link = config("")
    real = tmp_path / "dotfiles" / "unified.toml"
    real.parent.mkdir(mode=0o700)
    real.write_text(OLD)
    real.chmod(0o600)
    link.unlink()
    link.symlink_to(real)
    before = real.stat().st_ino
    assert unified("profile set acme account_id=2").code == 0
    assert link.is_symlink()
    assert real.read_text() == OLD.replace('"1"', '"2"')
    assert real.stat().st_ino != before
    assert sorted(entry.name for entry in real.parent.iterdir()) == [
        "unified.toml",
        "unified.toml.lock",
    ]
    assert [entry.name for entry in link.parent.iterdir()] == ["config.toml"]


def test_a_link_to_nothing_is_given_its_target(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    link = config("")
    link.unlink()
    link.symlink_to(tmp_path / "later" / "unified.toml")
    assert unified("profile add acme").code == 0
    assert (tmp_path / "later" / "unified.toml").read_text() == "[profiles.acme]\n"
    assert stat.S_IMODE((tmp_path / "later").stat().st_mode) == 0o700


@pytest.mark.parametrize("what", ["a link", "a named pipe"])
def test_a_foreign_file_in_place_of_the_lock_is_left_alone(
    unified: Unified, config: Config, what: str
) -> None:
    path = config(OLD)
    victim, lock = path.parent / "victim", path.parent / "config.toml.lock"
    victim.write_text("mine")
    if what == "a link":
        lock.symlink_to(victim)
    else:
        os.mkfifo(lock)
    result = unified("profile set acme account_id=2")
    assert result.code == 3
    assert (
        result.stderr == f"error: cannot write {path}: {lock} is not a regular file (remove it)\n"
    )
    assert (path.read_text(), victim.read_text()) == (OLD, "mine")


@pytest.mark.parametrize("what", ["/dev/null", "a folder", "a named pipe"])
def test_anything_but_a_regular_file_is_never_replaced(
    unified: Unified, tmp_path: Path, what: str
) -> None:
    path = tmp_path / "odd"
    if what == "/dev/null":
        path = Path(what)
    elif what == "a folder":
        path.mkdir()
    else:
        os.mkfifo(path, 0o600)
    before = path.stat()
    environ = {"UNIFIED_CONFIG": str(path)}
    assert unified("profile add acme", environ=environ).code == 3
    assert path.stat().st_mode == before.st_mode
    listed = unified("profile list", environ=environ)
    assert (listed.code, listed.stdout) == (0 if what == "/dev/null" else 3, "")
    assert not Path(f"{path}.lock").exists()


def test_a_held_lock_is_waited_for_until_the_time_limit(
    unified: Unified, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unified_cli.storage.private_file._LOCK_SECONDS", 0.2)
    path = config(OLD)
    with FileLock(path.with_name("config.toml.lock")):
        result = unified("profile set acme account_id=2")
    assert (result.code, result.stderr) == (
        3,
        f"error: another process has held the lock of {path} for 0.2 seconds\n",
    )
    assert path.read_text() == OLD


def test_a_file_with_a_secret_is_private_from_its_first_byte(
    unified: Unified, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = config("base_url = 'https://api.example.com'\n[profiles.acme]\n")
    made: list[tuple[str, int, int]] = []
    real = os.open

    def watched(name: str, flags: int, mode: int = 0o777, **more: int) -> int:
        if flags & os.O_CREAT:
            made.append((Path(name).name, flags & (os.O_EXCL | os.O_NOFOLLOW | os.O_TRUNC), mode))
        return real(name, flags, mode, **more)

    monkeypatch.setattr(os, "open", watched)
    monkeypatch.setattr(os, "chmod", None)
    for store in ("config", "file"):
        assert (
            unified(f"profile login acme --token-stdin --store {store}", stdin=b"t-canary\n").code
            == 0
        )
    secret = [one for one in made if one[0].endswith(".part")]
    assert len(secret) == 3
    assert {one[1:] for one in secret} == {(os.O_EXCL | os.O_NOFOLLOW, 0o600)}
    assert {one[0] for one in made} - {one[0] for one in secret} == {
        "config.toml.lock", *(entry.name for entry in path.parent.glob("*.tokens/*.lock")),
    }  # fmt: skip
