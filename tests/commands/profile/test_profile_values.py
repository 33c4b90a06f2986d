"""How `profile` reads addresses, file names and the words of its help."""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified

Config = Callable[[str], Path]
PROFILE = '[profiles.acme]\nbase_url = "https://one.example"\naccount_id = "1"\n'


@pytest.mark.parametrize("value", ["ftp://x", "nonsense", "https://u:p@x", "https://x?y"])
@pytest.mark.parametrize("command", ["profile set acme", "profile add new"])
def test_an_invalid_address_is_a_usage_error(
    unified: Unified, config: Config, command: str, value: str
) -> None:
    path = config(PROFILE)
    result = unified([*command.split(), f"base_url={value}"])
    assert result.code == 2
    assert result.stderr.startswith("error: base URL in base_url ")
    assert path.read_text() == PROFILE


@pytest.mark.parametrize(
    "command", ["profile add new --token-file mine", "profile add new token_file=mine",
                "profile set acme token_file=mine"]
)  # fmt: skip
@pytest.mark.parametrize("there", [True, False])
def test_a_token_file_is_kept_with_its_folder(
    unified: Unified,
    config: Config,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    there: bool,
) -> None:
    path = config(PROFILE)
    monkeypatch.chdir(tmp_path)
    if there:
        (tmp_path / "mine").write_text("t-canary\n")
    result = unified(command)
    assert result.code == 0
    assert f'token_file = "{tmp_path / "mine"}"\n' in path.read_text()
    file = tmp_path / "mine"
    said = f"warning: the file {file} does not exist yet; its only line will be the token\n"
    assert result.stderr.endswith(said) is not there


@pytest.mark.parametrize(
    "command", ["profile add new --ca-bundle x.pem", "profile set acme ca_bundle=x.pem"]
)
def test_a_bundle_of_authorities_is_kept_with_its_folder(
    command: str, unified: Unified, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = config(PROFILE)
    monkeypatch.chdir(tmp_path)
    assert unified(command).code == 0
    assert f'ca_bundle = "{tmp_path / "x.pem"}"\n' in path.read_text()


def test_a_token_file_at_home_stays_as_written(unified: Unified, config: Config) -> None:
    path = config(PROFILE)
    assert unified(["profile", "set", "acme", "token_file=~/mine"]).code == 0
    assert 'token_file = "~/mine"\n' in path.read_text()


def test_the_help_of_import_promises_no_key_that_is_refused(unified: Unified) -> None:
    said = " ".join(unified("profile import --help").stdout.split())
    assert "name, account_id, tags, and any other key of a profile except token." in said


def test_options_of_the_command_do_not_become_profile_keys(
    unified: Unified, config: Callable[[str], Path]
) -> None:
    file = config("")
    result = unified("profile add acme -a acct-1 --quiet --no-input")
    assert (result.code, result.stderr) == (0, "")
    assert file.read_text() == '[profiles.acme]\naccount_id = "acct-1"\n'
