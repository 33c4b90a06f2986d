"""`unified profile login` before it asks: whether there is a place for the token, and what counts as one."""

import sys
from collections.abc import Callable
from pathlib import Path

import keyring.backends.fail
import pytest
from front_door import Unified
from keyrings import using

Config = Callable[[str], Path]
PROFILE = 'base_url = "https://api.example.com"\n[profiles.acme]\naccount_id = "1"\n'


def test_without_the_library_nobody_is_asked(unified: Unified, config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    path = config(PROFILE)
    monkeypatch.setitem(sys.modules, "keyring", None)
    result = unified("profile login acme", tty=True, stdin=b"t-canary\n")
    assert result.code == 3
    assert result.stderr == (
        "error: token storage in the keyring needs the package keyring (--store file stores it in a file only you can "
        "read; or pip install keyring)\n"
    )
    assert path.read_text() == PROFILE


def test_without_a_keyring_nobody_is_asked(unified: Unified, config: Config) -> None:
    config(PROFILE)
    with using(keyring.backends.fail.Keyring()):
        result = unified("profile login acme", tty=True, stdin=b"t-canary\n")
    assert result.code == 3
    assert result.stderr == (
        "error: this machine has no keyring that stores a token safely "
        "(--store file stores it in a file only you can read)\n"
    )


@pytest.mark.parametrize("typed", [b"line1\nline2\n", b"line1\n\n", b"line1\nline2"])
def test_more_than_a_line_is_no_token(unified: Unified, config: Config, typed: bytes) -> None:
    path = config(PROFILE)
    result = unified("profile login acme --token-stdin --store file", stdin=typed)
    said = (
        "has a line break at its end"
        if typed.endswith(b"\n\n")
        else ("contains a blank, a line break or another invalid character")
    )
    assert (result.code, result.stderr) == (3, f"error: the token {said}\n")
    assert path.read_text() == PROFILE
