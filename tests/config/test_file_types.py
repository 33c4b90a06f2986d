"""A value of the wrong type in the config file: reported by its reader, while the other
profiles stay visible.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from campaigns import dice, size
from front_door import Unified

from unified_cli.config.keys import KEYS

Config = Callable[[str], Path]
HUGE = f"0x{'f' * 5_000}"
VALUES = ("5", f"[{HUGE}]", f"{{ a = {HUGE} }}")
COMMANDS = (
    "profile list",
    "profile list -o json",
    "profile show acme --explain -o json",
    "-p acme ticketing tickets list --dry-run",
    "doctor acme",
    "profile login acme --token-stdin --store file",
    "profile logout acme",
    "profile set acme base_url=https://new.example",
    "profile remove acme --yes",
)
GOOD = '[profiles.good]\nbase_url = "https://api.example.com"\naccount_id = "1"\n'


PLACES = [
    (key, place)
    for key in KEYS
    for place, at in (("[profiles.acme]\n", "p"), ("", "t"))
    if at in KEYS[key].at
]
CASES = [(*place, value, command) for place in PLACES for value in VALUES for command in COMMANDS]


def _ends_in_words(
    unified: Unified, config: Config, cases: Iterable[tuple[str, str, str, str]]
) -> None:
    for key, place, value, command in cases:
        path = config(f"{place}{key} = {value}\n" + ("" if place else "[profiles.acme]\n") + GOOD)
        result = unified(command, stdin=b"t-canary\n")
        assert result.code != 1, (key, value, command, result.stderr)
        path.unlink()


def test_no_value_of_any_key_is_a_bug(unified: Unified, config: Config) -> None:
    # Each key at each place with each value; every command is run with many of them.
    some = [
        case
        for number, case in enumerate(CASES)
        if number % len(COMMANDS) == number // len(COMMANDS) % len(COMMANDS)
    ]
    assert len(some) == len(PLACES) * len(VALUES)
    _ends_in_words(unified, config, some)


@pytest.mark.long(seconds=4)
def test_no_value_of_any_key_is_a_bug_for_any_command(unified: Unified, config: Config) -> None:
    step = size(1, 2)
    _ends_in_words(unified, config, CASES[dice("cases").randrange(step) :: step])


@pytest.mark.parametrize("value", ["5", "inf", "[1]", "{ a = 1 }"])
def test_a_wrong_profile_is_listed_as_broken_beside_the_others(
    unified: Unified, config: Config, value: str
) -> None:
    config(f"[profiles.acme]\naccount_id = {value}\n{GOOD}")
    result = unified("profile list -o json")
    assert (result.code, result.stderr) == (0, "")
    acme, good = result.json["profiles"]
    assert (acme["account_id"], good["account_id"]) == (None, "1")
    assert acme["state"].startswith("broken: profile acme: account_id must be non-empty text, not ")
    assert good["state"] == "no token"
    plain = unified("profile list")
    assert (plain.code, plain.stdout.count("\n")) == (0, 2)


def test_a_wrong_type_is_named_in_words_of_the_file(unified: Unified, config: Config) -> None:
    for value, shown in [
        ("true", "true"),
        ("[1]", "a list"),
        ("{ a = 1 }", "a table"),
        ("2026-01-01", "2026-01-01"),
    ]:
        path = config(f"[profiles.acme]\naccount_id = {value}\n")
        result = unified("profile show acme")
        assert (result.code, result.stderr) == (
            3,
            f"error: profile acme: account_id must be non-empty text, not {shown}\n",
        )
        path.unlink()


def test_profiles_that_are_not_tables_are_reported(unified: Unified, config: Config) -> None:
    path = config("profiles = 5\n")
    path.chmod(0o644)
    for command in ("profile list", "profile add acme", "doctor", "-p acme ticketing tickets list"):
        result = unified(command)
        assert result.code == 3
        assert "profiles must be tables, like [profiles.acme]" in result.stdout + result.stderr
