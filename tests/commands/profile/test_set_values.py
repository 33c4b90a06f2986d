"""`unified profile set` for several profiles, and for the top of the file."""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified

Config = Callable[[str], Path]
TOP = 'base_url = "https://one.example"\n'
MANY = """\
[profiles.prod-a]
tags = ["eu"]

[profiles.prod-b]
read_only = true

[profiles.dev]
tags = ["eu"]
"""


def test_the_top_of_the_file_gets_a_base_url_that_login_needs(
    unified: Unified, config: Config
) -> None:
    path = config("")
    refused = unified("profile login --shared --store file --token-stdin", stdin=b"t-canary\n")
    assert (
        refused.stderr
        == "error: the shared token needs a base URL (unified profile set --default base_url=URL,"
        " such as https://api.truto.one)\n"
    )
    result = unified("profile set --default base_url=https://one.example timeout=30")
    assert (result.code, result.stderr) == (0, f"changed the top of {path}\n")
    assert path.read_text() == 'base_url = "https://one.example"\ntimeout = 30\n'
    assert (
        unified("profile login --shared --store file --token-stdin", stdin=b"t-canary\n").code == 0
    )
    assert unified("profile set --default timeout=").code == 0
    assert "timeout" not in path.read_text()


def test_the_top_of_a_file_with_profiles_is_changed_above_them(
    unified: Unified, config: Config
) -> None:
    path = config(MANY)
    assert unified("profile set --default base_url=https://one.example").code == 0
    assert path.read_text() == f"{TOP}\n{MANY}"


@pytest.mark.parametrize("line", ["set dev account_id='{}'", "add new -a '{}'"])
def test_blanks_around_a_pasted_id_are_left_out(
    line: str, unified: Unified, config: Config
) -> None:
    path = config(MANY)
    assert unified(f"profile {line.format(' 12-ab ')}").code == 0
    assert 'account_id = "12-ab"' in path.read_text()


@pytest.mark.parametrize(
    ("pattern", "changed"),
    [("prod-*", {"prod-a", "prod-b"}), ("tag:eu", {"prod-a", "dev"}), ("dev", {"dev"})],
)
def test_a_glob_or_tag_changes_all_it_matches(
    pattern: str, changed: set[str], unified: Unified, config: Config
) -> None:
    path = config(MANY)
    result = unified(f"profile set '{pattern}' retries=1")
    named = 'profile "dev"' if len(changed) == 1 else "2 profiles"
    assert (result.code, result.stderr) == (0, f"changed {named} in {path}\n")
    tables = path.read_text().split("[profiles.")[1:]
    assert {table.partition("]")[0] for table in tables if "retries = 1\n" in table} == changed


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("'x*' retries=1", 3, 'no profile matches "x*" (unified profile list shows 3)'),
        ("retries=1", 2, "no profile is given (name a profile, or use --default for all profiles)"),
        ("dev", 2, "nothing to set (give KEY=VALUE; unified profile set --help lists the keys)"),
        ("--default tags=eu", 2, "tags can be set for profiles only"),
        (
            "--default rate=fast",
            2,
            "rate must be a number of requests per 10 seconds, 0 for no limit",
        ),
        (
            "sandbox rate=1",
            2,
            (
                'the profile "sandbox" is built in and cannot be changed'
                " (unified profile add NAME --base-url sandbox: -a full adds one that can be"
                " changed)"
            ),
        ),
    ],
)
def test_a_pattern_without_a_match_changes_nothing(
    words: str, code: int, said: str, unified: Unified, config: Config
) -> None:
    path = config(MANY)
    result = unified(f"profile set {words}")
    assert (result.code, result.stderr) == (code, f"error: {said}\n")
    assert path.read_text() == MANY


@pytest.mark.parametrize(
    ("who", "whose", "command"),
    [
        ("--shared", "the shared token", "--shared"),
        ("prod-a", "the token of profile prod-a", "prod-a"),
    ],
)
def test_a_stored_token_goes_to_no_other_origin_by_the_top(
    who: str, whose: str, command: str, unified: Unified, config: Config
) -> None:
    path = config(TOP + MANY)
    assert (
        unified(f"profile login {who} --store config --token-stdin", stdin=b"t-canary\n").code == 0
    )
    before = path.read_text()
    result = unified("profile set --default base_url=https://two.example")
    assert (result.code, result.stderr) == (
        13,
        (
            f"error: {whose} was stored for https://one.example and would be sent elsewhere"
            f" (run unified profile logout {command}, then set the base URL, then run"
            f" unified profile login {command})\n"
        ),
    )
    assert path.read_text() == before


def test_profiles_are_imported_with_the_place_of_their_tokens(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    path = config("")
    text = f'name,token_file,token_command\na,{tmp_path}/a,\nb,,"[""pass"",""show"",""b""]"\n'
    assert unified("profile import -", stdin=text.encode()).code == 0
    assert (
        path.read_text()
        == f'[profiles.a]\ntoken_file = "{tmp_path}/a"\n\n[profiles.b]\ntoken_command = ["pass",'
        ' "show", "b"]\n'
    )
    refused = unified("profile import - --update", stdin=b"name,token_command\nb,pass show b\n")
    assert (refused.code, refused.stderr) == (
        2,
        (
            "error: line 2: token_command must be a list: the program, then its arguments, "
            'like ["pass", "show", "unified"]\n'
        ),
    )


def test_several_profiles_are_answered_with_a_line_for_each(
    unified: Unified, config: Callable[[str], Path]
) -> None:
    config('[profiles.acme]\naccount_id = "1"\n[profiles.globex]\naccount_id = "2"\n')
    told = unified("profile set acme globex tags=eu,us")
    assert (told.code, told.stderr.splitlines()) == (
        2,
        [
            (
                "error: profile set takes one profile, a glob or tag:NAME (or run the command for"
                " each profile)"
            ),
            "  unified profile set acme tags=eu,us",
            "  unified profile set globex tags=eu,us",
        ],
    )
