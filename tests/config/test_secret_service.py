"""The keyring of a real desktop: the Secret Service of gnome-keyring, on a bus and in a
home of its own.
"""

import os
import pwd
import subprocess
import sys
from pathlib import Path

import pytest
from front_door import ROOT

TOKEN = "t-canary-0123456789"
pytestmark = pytest.mark.needs("dbus-run-session", "gnome-keyring-daemon")
# On a busy machine the daemon takes longer than the program waits.
PROGRAM = """
from unified_cli.config import keyring
keyring.SECONDS = 50
from unified_cli.__main__ import run
run()
"""
UNIFIED = 'unified() { "$PYTHON" -c "$PROGRAM" "$@"; }; '
UNLOCK = "printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null; "


@pytest.fixture(autouse=True)
def has_an_entry() -> None:
    """Skip for a user whom dbus does not start for."""
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        pytest.skip("needs a user with an entry in the list of users")


def on_a_bus(home: Path, script: str, *, unlock: bool = True) -> subprocess.CompletedProcess[str]:
    # The daemon removes its sockets after the command has ended, while the test looks
    # through the home.
    sockets = home.with_name("run")
    for folder in (home, sockets):
        folder.mkdir(mode=0o700, exist_ok=True)
    environ = {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(sockets),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "PYTHON": sys.executable,
        "PROGRAM": PROGRAM,
    }
    return subprocess.run(
        ["dbus-run-session", "--", "sh", "-c", UNIFIED + (UNLOCK if unlock else "") + script],
        check=False,
        capture_output=True,
        text=True,
        timeout=170,
        env=environ,
    )


def test_a_token_is_kept_found_and_removed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    result = on_a_bus(
        home,
        "unified profile add acme -a 1 --base-url https://api.example.com && "
        f"echo {TOKEN} | unified profile login acme --token-stdin && "
        "unified doctor acme && "
        "unified profile list && "
        "unified profile logout acme && "
        "unified doctor acme",
    )
    config = home / ".config/unified/config.toml"
    assert config.read_text().endswith('account_id = "1"\n'), result.stderr
    assert "(SecretService: service unified, user https://api.example.com|acme)" in result.stderr
    assert "ok\tprofiles\tkeyring\t1 ready, token in the keyring\t\n" in result.stdout
    assert "acme\t\t1\t\tkeyring\tready\n" in result.stdout
    assert "removed from the keyring (https://api.example.com|acme)" in result.stderr
    assert result.returncode == 3
    assert 'error\tprofile\tacme\tprofile "acme" has no token for this address' in result.stdout
    everything = result.stdout + result.stderr
    assert TOKEN not in everything
    assert not any(
        TOKEN.encode() in file.read_bytes() for file in home.rglob("*") if file.is_file()
    )


def test_without_a_secret_service_the_token_is_put_into_a_private_file(tmp_path: Path) -> None:
    home = tmp_path / "home"
    result = on_a_bus(
        home,
        f"unified profile add acme -a 1 --base-url https://api.example.com && echo {TOKEN} |"
        " (export DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent;"
        " unified profile login acme --token-stdin)",
        unlock=False,
    )
    assert result.returncode == 0
    said = (
        "this machine has no keyring that stores a token safely, so the token is stored in a file"
        " only you can read\n"
    )
    assert said in result.stderr
    holders = [
        file for file in home.rglob("*") if file.is_file() and TOKEN.encode() in file.read_bytes()
    ]
    assert [(file.parent.name, oct(file.stat().st_mode)) for file in holders] == [
        ("config.toml.tokens", "0o100600")
    ]
