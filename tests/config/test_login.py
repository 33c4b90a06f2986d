"""A new base URL for a profile whose token is for a different URL: never quietly."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from front_door import Unified
from keyrings import InMemory, using

Config = Callable[[str], Path]
PROFILE = '[profiles.acme]\nbase_url = "https://one.example"\naccount_id = "1"\n'
REFUSED = (
    "error: the token of profile acme was stored for https://one.example and would be sent"
    " elsewhere (run unified profile logout acme, then set the base URL, then run unified profile"
    " login acme)\n"
)


@pytest.fixture
def ring() -> Iterator[InMemory]:
    backend = InMemory()
    with using(backend):
        yield backend


@pytest.mark.parametrize("store", ["file", "config"])
@pytest.mark.parametrize("url", ["https://two.example", "https://one.example:8443", ""])
def test_a_token_that_login_stored_goes_to_no_other_origin(
    unified: Unified, config: Config, store: str, url: str
) -> None:
    path = config(PROFILE)
    unified(f"profile login acme --token-stdin --store {store}", stdin=b"t-canary\n")
    before = path.read_text()
    for command in (
        ["profile", "set", "acme", f"base_url={url}"],
        ["profile", "import", "-", "--update"],
    ):
        result = unified(command, stdin=f"name,base_url\nacme,{url}\n".encode())
        assert (result.code, result.stderr) == (13, REFUSED)
        assert path.read_text() == before
    assert unified("profile logout acme").code == 0
    assert unified(["profile", "set", "acme", f"base_url={url}"]).code == 0


def test_another_path_of_the_same_origin_keeps_the_token(unified: Unified, config: Config) -> None:
    config(PROFILE)
    unified("profile login acme --token-stdin --store config", stdin=b"t-canary\n")
    assert unified("profile set acme base_url=https://one.example/v2").code == 0


def test_a_token_in_a_users_own_file_is_warned_about(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    own = tmp_path / "mine"
    own.write_text("t-canary\n")
    path = config(f'{PROFILE}token_file = "{own}"\n')
    result = unified("profile set acme base_url=https://two.example")
    assert result.code == 0
    assert (
        result.stderr == f'changed profile "acme" in {path}\nwarning: the token in {own} was for'
        " https://one.example and will be sent to https://two.example from now on"
        " (unified profile login acme replaces it)\n"
    )


def test_the_keyring_keeps_the_token_for_the_old_origin(
    unified: Unified, config: Config, ring: InMemory
) -> None:
    path = config(PROFILE)
    unified("profile login acme --token-stdin", stdin=b"t-canary\n")
    result = unified("profile set acme base_url=https://two.example")
    assert result.code == 0
    assert (
        result.stderr == f'changed profile "acme" in {path}\nwarning: the keyring has the token for'
        " https://one.example only (entry https://one.example|acme; unified profile login acme"
        " stores another)\n"
    )
    assert ring.kept == {("unified", "https://one.example|acme"): "t-canary"}


def test_a_new_source_of_the_token_comes_with_the_new_address(
    unified: Unified, config: Config
) -> None:
    config(PROFILE)
    unified("profile login acme --token-stdin --store config", stdin=b"t-canary\n")
    path = config(PROFILE + 'token = "t-canary"\n')
    result = unified("profile set acme base_url=https://two.example token= token_file=/dev/null")
    assert (result.code, result.stderr) == (0, f'changed profile "acme" in {path}\n')
