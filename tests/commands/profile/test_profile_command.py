"""`unified profile`: the edits of the list of connections, and the file afterwards."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from pages import served
from server import Service

from unified_cli.config.keys import KEYS, TOKEN_SOURCES

Config = Callable[[str], Path]

TEAM = """\
# The team's connections.
base_url = "https://api.example.com"   # production
token_command = ["op", "read", "op://dev/unified/token"]

# Acme first.
[profiles.acme]
account_id = "acct-acme"  # sales
tags = ["prod", "eu"]

[profiles.globex]
account_id = "acct-globex"
read_only = true
"""


def test_the_first_profile_makes_a_private_file_in_a_private_folder(
    unified: Unified, tmp_path: Path
) -> None:
    result = unified("profile add acme --account-id 42 --tag prod --tag eu")
    path = tmp_path / "config" / "config.toml"
    assert (result.code, result.stdout, result.stderr) == (
        0,
        "",
        f'added profile "acme" to {path}\n',
    )
    assert path.read_text() == '[profiles.acme]\naccount_id = "42"\ntags = ["prod", "eu"]\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "config.toml",
        "config.toml.lock",
    ]


def test_modes_hold_whatever_the_umask(unified: Unified, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        unified("profile add acme", folders={"config": tmp_path / "a" / "b" / "unified"})
    finally:
        os.umask(before)
    made = [tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "unified"]
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in made] == [0o700] * 3
    assert {stat.S_IMODE(file.stat().st_mode) for file in made[-1].iterdir()} == {0o600}


EXISTS = 'a profile named "acme" already exists'


@pytest.mark.parametrize(
    ("command", "before", "after"),
    [
        (
            "profile set acme retries=2",
            'tags = ["prod", "eu"]\n',
            'tags = ["prod", "eu"]\nretries = 2\n',
        ),
        ("profile set acme account_id=other", '"acct-acme"  # sales', '"other"  # sales'),
        ("profile set acme tags=", 'tags = ["prod", "eu"]\n', ""),
        ("profile set globex read_only=no", "read_only = true", "read_only = false"),
        ("profile set acme timeout=1.5 rate=0", '"eu"]\n', '"eu"]\ntimeout = 1.5\nrate = 0\n'),
        ("profile use globex", '/token"]\n', '/token"]\nprofile = "globex"\n'),
        ("profile use sandbox", '/token"]\n', '/token"]\nprofile = "sandbox"\n'),
        (
            "profile remove globex",
            '\n[profiles.globex]\naccount_id = "acct-globex"\nread_only = true\n',
            "",
        ),
        (
            "profile add third base_url=https://eu.example.com/v1 --read-only",
            "only = true\n",
            (
                "only = true\n\n[profiles.third]\nread_only = true\nbase_url ="
                ' "https://eu.example.com/v1"\n'
            ),
        ),
    ],
)
def test_a_change_leaves_every_other_letter_alone(
    unified: Unified, config: Config, command: str, before: str, after: str
) -> None:
    path = config(TEAM)
    result = unified(command)
    assert (result.code, result.stdout) == (0, ""), result.stderr
    assert TEAM.count(before) == 1
    assert path.read_text() == TEAM.replace(before, after)


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("profile add acme", 2, f"{EXISTS} (unified profile set acme KEY=VALUE changes it)"),
        (
            "profile add acme -a 7 --base-url https://a.example --tag a --tag b",
            2,
            (
                f"{EXISTS} (unified profile set acme base_url=https://a.example account_id=7"
                " tags=a,b changes it)"
            ),
        ),
        ("profile add sandbox", 2, 'the profile "sandbox" is built in; choose another name'),
        (
            "profile remove sandbox",
            2,
            (
                'the profile "sandbox" is built in and cannot be changed'
                " (unified profile add NAME --base-url sandbox: -a full adds one that can be"
                " changed)"
            ),
        ),
        (
            "profile set nobody retries=1",
            3,
            'no profile named "nobody" (unified profile list shows 2)',
        ),
        ("profile use nobody", 3, 'no profile named "nobody" (unified profile list shows 2)'),
        ("profile remove nobody", 3, 'no profile named "nobody" (unified profile list shows 2)'),
        ("profile show nobody", 3, 'no profile named "nobody" (unified profile list shows 2)'),
        ("profile set acme tmeout=3", 2, 'no key "tmeout" (did you mean "timeout"?)'),
        ("profile set acme timeout", 2, '"timeout" must look like KEY=VALUE (timeout=VALUE)'),
        ("profile set acme timeout=0", 2, "timeout must be a number of seconds above 0"),
        ("profile set acme retries=1 retries=2", 2, "retries is given twice"),
        ("profile set acme output=tabel", 2, None),
        (
            "profile set acme token=abc",
            2,
            "a token on a command line can be seen by others (unified profile login asks for it)",
        ),
        (
            "profile set acme token_command=op",
            2,
            (
                'token_command must be a list: the program, then its arguments, like ["pass",'
                ' "show", "unified"]'
            ),
        ),
        (
            "profile set acme base_url=http://api.example.com",
            13,
            "base URL in base_url would send the token in clear text (use https://api.example.com)",
        ),
        ("profile set acme keyring=true token_file=x", 3, None),
        (
            "profile add new -a 1 account_id=2",
            2,
            "account_id is given twice, as an option and as account_id=…",
        ),
        (
            "profile use",
            2,
            "profile use needs either the NAME of the default profile, or --none for no default",
        ),
    ],
)
def test_invalid_commands_are_refused_and_change_nothing(
    unified: Unified, config: Config, command: str, code: int, message: str | None
) -> None:
    path = config(TEAM)
    result = unified(command)
    assert (result.code, result.stdout) == (code, "")
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    if message is not None:
        assert result.stderr == f"error: {message}\n"
    assert path.read_text() == TEAM


@pytest.mark.parametrize(
    "name",
    [
        "../x",
        "-x",
        "a b",
        "a" * 65,
        "a" * 300,
        ".hidden",
        "a/b",
        "ä",
        "a\n",
        "$(touch PWN)",
        "tag:x",
        "*",
    ],
)
def test_no_name_that_a_shell_a_path_or_a_pattern_could_misread(
    unified: Unified, tmp_path: Path, name: str
) -> None:
    result = unified(["profile", "add", "--", name])
    assert (result.code, result.stdout) == (2, "")
    assert "is not a profile name" in result.stderr
    assert not (tmp_path / "config").exists()


def test_the_default_is_removed_only_after_another_choice(unified: Unified, config: Config) -> None:
    path = config('profile = "acme"\n\n[profiles.acme]\n')
    refused = unified("profile remove acme")
    assert (refused.code, refused.stderr) == (
        2,
        'error: "acme" is the default profile (run unified profile use OTHER first, or --none)\n',
    )
    assert unified("profile use --none").code == 0
    assert unified("profile remove acme").code == 0
    assert path.read_text() == "\n"


@pytest.mark.parametrize(
    "command", ["add new", "set acme retries=1", "remove globex", "list", "show globex", "path"]
)
def test_only_use_changes_the_default(unified: Unified, config: Config, command: str) -> None:
    path = config('profile = "acme"\n' + TEAM)
    assert unified(f"profile {command}").code == 0
    assert path.read_text().startswith('profile = "acme"\n')


def test_removing_asks_on_a_terminal_and_no_is_the_answer_of_silence(
    unified: Unified, config: Config
) -> None:
    path = config(TEAM)
    asked = unified("profile remove acme", tty=True)
    assert (asked.code, asked.stderr) == (2, 'remove profile "acme"? [y/N] error: not removed\n')
    assert path.read_text() == TEAM
    assert unified("profile remove acme", tty=True, stdin=b"y\n").code == 0
    assert unified("profile remove globex --yes", tty=True).code == 0
    assert "profiles" not in path.read_text()


def test_list_shows_tags_and_state(unified: Unified, config: Config) -> None:
    config(TEAM + '\n[profiles.broken]\ntimeout = "soon"\n\n[profiles.bare]\n')
    result = unified("profile list", tty=True, columns=200)
    assert (result.code, result.stderr) == (0, "")
    lines = result.stdout.replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines()
    assert [line.split() for line in lines[:4]] == [
        ["NAME", "ACCOUNT", "ID", "TAGS", "TOKEN", "STATE"],
        ["acme", "acct-acme", "prod,eu", "token_command", "has", "a", "token"],
        ["globex", "acct-globex", "token_command", "read-only"],
        [
            "broken",
            "broken:",
            "profile",
            "broken:",
            "timeout",
            "must",
            "be",
            "a",
            "number",
            "of",
            "seconds",
            "above",
            "0,",
            "not",
            "'soon'",
        ],
    ]
    assert lines[4].split() == ["bare", "token_command", "lists", "connections"]


@pytest.mark.parametrize(
    ("columns", "heads", "left_out"),
    [
        (80, "NAME TAGS STATE CONNECTION", "account id, token, seen"),
        (120, "NAME ACCOUNT ID TAGS STATE CONNECTION", "token, seen"),
        (150, "NAME ACCOUNT ID TAGS TOKEN STATE CONNECTION SEEN", ""),
    ],
)
def test_a_fleet_is_a_table_at_every_width(
    columns: int,
    heads: str,
    left_out: str,
    unified: Unified,
    config: Config,
    service: Service,
    tmp_path: Path,
) -> None:
    accounts = [f"62f44730-dd91-461e-bd6a-aedd9e0ad7{at}" for at in range(10, 53)]
    names = [f"waynelogistics-hiretrack-{at}" for at in range(43)]
    rows = "".join(
        f'[profiles.{name}]\naccount_id = "{account}"\ntags = ["all"]\n'
        for name, account in zip(names, accounts, strict=True)
    )
    config(f'base_url = "{service.url}"\ntoken_command = ["echo", "t"]\n{rows}')
    product = {"status": "validation_error", "integration": {"name": "hiretrack"}}
    service.reply = lambda _: served({"result": [{"id": one, **product} for one in accounts]})
    folders = {"config": tmp_path / "config", "cache": tmp_path / "cache"}
    assert unified(f"connections list -p {names[0]}", folders=folders).code == 0
    own = {"NO_COLOR": "1"}
    shown = unified("profile list", tty=True, columns=columns, environ=own, folders=folders)
    lines = shown.stdout.splitlines()
    assert " ".join(lines[0].split()) == heads
    assert [line.split()[0] for line in lines[1:] if not line.startswith(" ")] == names
    told = f"not shown: {left_out} (-o json has all columns)\n" if left_out else ""
    assert shown.stderr == told


def test_a_list_without_profiles_is_no_error_at_a_terminal(unified: Unified) -> None:
    shown = unified("profile list", tty=True)
    assert (shown.code, shown.stderr.partition(" (")[0]) == (0, "no profiles yet")


def test_list_finds_by_glob_and_tag(unified: Unified, config: Config) -> None:
    config(TEAM)
    assert [
        line.split("\t")[0] for line in unified("profile list 'g*' tag:eu").stdout.splitlines()
    ] == [
        "globex",
        "acme",
    ]
    assert (
        unified("profile list 'x*'").stderr
        == 'error: no profile matches "x*" (unified profile list shows 2)\n'
    )


def test_list_as_json_is_a_contract(unified: Unified, config: Config) -> None:
    config('profile = "acme"\n' + TEAM)
    assert unified("profile list 'acme' -o json").json == {
        "version": 1,
        "default": "acme",
        "profiles": [
            {
                "name": "acme",
                "account_id": "acct-acme",
                "tags": ["prod", "eu"],
                "base_url": "https://api.example.com",
                "token": "token_command",
                "read_only": False,
                "state": "ready",
                "connection": None,
            }
        ],
    }


def test_show_tells_each_source_and_what_it_won_over(unified: Unified, config: Config) -> None:
    path = config(TEAM)
    environ = {"UNIFIED_ACCOUNT_ID": "acct-ci", "UNIFIED_TIMEOUT": "9", "UNIFIED_TOKEN": "t-canary"}
    found = unified("profile show acme --explain -o json", environ=environ).json
    assert (found["version"], found["profile"]) == (1, "acme")
    values = {one.pop("key"): one for one in found["values"]}
    assert values["profile"] == {"value": "acme", "source": "-p", "overrode": []}
    assert values["account_id"] == {
        "value": "acct-acme",
        "source": "profile acme",
        "overrode": [{"source": "UNIFIED_ACCOUNT_ID", "value": "acct-ci"}],
    }
    assert values["timeout"] == {"value": 9.0, "source": "UNIFIED_TIMEOUT", "overrode": []}
    assert values["token"] == {
        "value": "set",
        "source": f"{path} (command op)",
        "overrode": [{"source": "UNIFIED_TOKEN", "value": "set"}],
    }
    elsewhere = {*TOKEN_SOURCES, "config", "profile"}
    assert list(values) == ["profile", *(key for key in KEYS if key not in elsewhere), "token"]


def test_path_needs_nothing_and_reads_nothing(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    path = config("= broken [")
    assert unified("profile path").stdout == f"{path}\n"
    assert (
        unified("profile path", environ={"UNIFIED_CONFIG": "/no  where/x.toml"}).stdout
        == "/no  where/x.toml\n"
    )
    nowhere = unified("profile path", folders={})
    assert (nowhere.code, nowhere.stderr) == (
        3,
        (
            "error: no home directory for the config file (set HOME, or name a file with"
            " UNIFIED_CONFIG)\n"
        ),
    )
    assert not (tmp_path / "home").exists()


def test_options_before_the_command_never_land_in_a_profile(
    unified: Unified, config: Config
) -> None:
    path = config("")
    assert unified("-o json -p acme profile add acme").code == 0
    assert path.read_text() == "[profiles.acme]\n"
