"""Leftovers of login, logout and remove: nothing of this program's, and files that stay
are named.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import keyring.backends.fail
import pytest
from front_door import Unified
from keyrings import InMemory, using

Config = Callable[[str], Path]
PROFILE = 'base_url = "https://api.example.com"\n[profiles.acme]\naccount_id = "1"\n'
OLD, NEW = b"t-canary-old\n", b"t-canary-new\n"
USER = "https://api.example.com|acme"


@pytest.fixture
def ring() -> Iterator[InMemory]:
    backend = InMemory()
    with using(backend):
        yield backend


def kept(path: Path) -> list[Path]:
    """The token files of our own."""
    return [
        entry
        for entry in path.with_name(f"{path.name}.tokens").iterdir()
        if entry.suffix != ".lock"
    ]


@pytest.mark.usefixtures("ring")
@pytest.mark.parametrize("store", ["config", "keyring"])
def test_a_token_that_moves_leaves_no_file(unified: Unified, config: Config, store: str) -> None:
    path = config(PROFILE)
    unified("profile login acme --token-stdin --store file", stdin=OLD)
    (token,) = kept(path)
    result = unified(f"profile login acme --token-stdin --store {store}", stdin=NEW)
    assert result.code == 0
    assert f"the previous token is removed together with its file {token}\n" in result.stderr
    assert kept(path) == []


@pytest.mark.parametrize("store", ["config", "file"])
def test_a_token_that_moves_leaves_no_keyring_entry(
    unified: Unified, config: Config, ring: InMemory, store: str
) -> None:
    config(PROFILE)
    unified("profile login acme --token-stdin --store keyring", stdin=OLD)
    result = unified(f"profile login acme --token-stdin --store {store}", stdin=NEW)
    assert result.code == 0
    assert f"the previous token is removed from the keyring ({USER})\n" in result.stderr
    assert ring.kept == {}


def test_moving_a_token_names_the_users_own_token_file(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    own = tmp_path / "mine"
    own.write_bytes(OLD)
    config(f'{PROFILE}token_file = "{own}"\n')
    result = unified("profile login acme --token-stdin --store config", stdin=NEW)
    assert f"the previous token is left in {own}, which is your own file\n" in result.stderr
    assert own.read_bytes() == OLD


def test_a_keyring_that_fails_is_named_and_the_new_token_kept(
    unified: Unified, config: Config
) -> None:
    path = config(PROFILE + "keyring = true\n")
    with using(keyring.backends.fail.Keyring()):
        result = unified("profile login acme --token-stdin --store config", stdin=NEW)
    assert result.code == 0
    assert (
        "warning: the previous token is still stored: this machine has no keyring that stores a"
        " token safely\n" in result.stderr
    )
    assert "t-canary-new" in path.read_text()


def test_the_same_place_is_written_over_and_stays(unified: Unified, config: Config) -> None:
    path = config(PROFILE)
    unified("profile login acme --token-stdin --store file", stdin=OLD)
    result = unified("profile login acme --token-stdin --store file", stdin=NEW)
    (token,) = kept(path)
    assert token.read_bytes() == NEW
    assert result.stderr == f'the token of profile "acme" is in {token}\n'


@pytest.mark.parametrize("command", ["profile logout acme", "profile remove acme --yes"])
@pytest.mark.parametrize("declared", ["", 'token = "t-other"\n', 'token_command = ["true"]\n'])
def test_an_unreferenced_file_is_removed_too(
    unified: Unified, config: Config, command: str, declared: str
) -> None:
    path = config(PROFILE)
    unified("profile login acme --token-stdin --store file", stdin=OLD)
    (token,) = kept(path)
    path.write_text(PROFILE + declared)
    result = unified(command)
    assert (result.code, kept(path)) == (0, [])
    assert f"removed together with its file {token}\n" in result.stderr


def test_remove_names_the_file_it_leaves(unified: Unified, config: Config, tmp_path: Path) -> None:
    own = tmp_path / "mine"
    own.write_bytes(OLD)
    config(f'{PROFILE}token_file = "{own}"\n')
    result = unified("profile remove acme --yes")
    assert result.stderr.endswith(f"its token is left in {own}, which is your own file\n")
    assert own.exists()
