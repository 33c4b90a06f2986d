"""`[profile.acme]`, the likeliest slip in the config file: reported with its correction
by every reader.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified

Config = Callable[[str], Path]
TEXT = '[profile.acme]\naccount_id = "1"\n'
SAID = "[profile.acme] is not a table of this file"


@pytest.mark.parametrize(
    "command",
    [
        "profile list",
        "profile show acme",
        "-p acme ticketing tickets list",
        "profile set acme retries=1",
        "profile login acme --token-stdin --store file",
    ],
)
def test_a_singular_table_name_is_reported(unified: Unified, config: Config, command: str) -> None:
    path = config(TEXT)
    result = unified(command, stdin=b"t-canary\n")
    assert (result.code, result.stderr) == (3, f"error: {path}: {SAID} (write [profiles.acme])\n")
    assert path.read_text() == TEXT


def test_the_list_still_shows_its_name(unified: Unified, config: Config) -> None:
    config(TEXT)
    assert unified("profile list").stdout == "acme\t\t\t\t\tunknown\n"


def test_the_doctor_names_the_fix(unified: Unified, config: Config) -> None:
    path = config(TEXT)
    result = unified("doctor -o json")
    (one,) = [one for one in result.json["findings"] if one["level"] == "error"]
    assert (result.code, one["check"], one["subject"]) == (3, "config", str(path))
    assert (one["message"], one["remedy"]) == (SAID, "write [profiles.acme]")


@pytest.mark.parametrize(
    "text",
    ["[profile]\n", "[[profile]]\n", "profile = []\n", "[profile]\naccount_id = 1\n"],
)
def test_a_table_without_a_name_is_reported_too(
    unified: Unified, config: Config, text: str
) -> None:
    path = config(text)
    result = unified("profile list")
    assert (result.code, result.stdout) == (3, "")
    assert (
        result.stderr
        == f"error: {path}: [profile] is not a table of this file (write [profiles.NAME])\n"
    )
