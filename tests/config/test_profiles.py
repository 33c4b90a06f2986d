"""Which profiles a name, a glob or a tag means."""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified

from unified_cli.config.file import Config
from unified_cli.config.profiles import select
from unified_cli.errors import ConfigError

CONFIG = Config(
    None,
    {},
    {
        "prod-acme": {"account_id": "1", "tags": ["prod", "eu"]},
        "prod-globex": {"account_id": "2", "tags": "prod,us"},
        "staging": {"account_id": "3", "tags": [1, "eu"]},
        "Prod-upper": {"account_id": "4"},
    },
)
LISTS = Config(None, {}, {"hooli": {"tags": ["eu"]}, **CONFIG.profiles})


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (["staging"], ["staging"]),
        (["prod-*"], ["prod-acme", "prod-globex"]),
        (["*"], ["prod-acme", "prod-globex", "staging", "Prod-upper"]),
        (["?rod-*"], ["prod-acme", "prod-globex", "Prod-upper"]),
        (["tag:eu"], ["prod-acme", "staging"]),
        (["tag:[eu]*"], ["prod-acme", "prod-globex", "staging"]),
        (["staging", "tag:eu", "*-acme"], ["staging", "prod-acme"]),
        (["sandbox"], ["sandbox"]),
        (["sandbox", "staging"], ["sandbox", "staging"]),
        (["*", "!staging"], ["prod-acme", "prod-globex", "Prod-upper"]),
        (["!tag:eu", "*"], ["prod-globex", "Prod-upper"]),
        (["*", "!prod-*", "!Prod-upper"], ["staging"]),
        (["sandbox", "staging", "!sandbox"], ["staging"]),
        (["tag:us", "!staging"], ["prod-globex"]),
    ],
)
def test_patterns_select_these_profiles(patterns: list[str], found: list[str]) -> None:
    assert select(CONFIG, patterns) == found


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (["*"], [*CONFIG.profiles]),
        (["tag:eu"], ["prod-acme", "staging"]),
        (["hooli"], ["hooli"]),
        (["hooli", "staging"], ["hooli", "staging"]),
        (["*", "!hooli", "!prod-*"], ["staging", "Prod-upper"]),
    ],
)
def test_a_profile_without_an_account_is_selected_by_its_name_only(
    patterns: list[str], found: list[str]
) -> None:
    assert select(LISTS, patterns) == found
    assert "hooli" in select(LISTS, [*patterns, "*"], for_calls=False) or "!hooli" in patterns
    with pytest.raises(ConfigError) as caught:
        select(LISTS, ["hoo*"])
    assert caught.value.message == (
        'no profile that "hoo*" matches has an account id: hooli (unified -p hooli connections'
        " add makes a profile for each connection)"
    )
    assert select(LISTS._replace(top={"account_id": "5"}), ["hoo*"]) == ["hooli"]


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("sand*", 'no profile matches "sand*"'),
        ("[s]*box", 'no profile matches "[s]*box"'),
        ("PROD-ACNE", 'no profile named "PROD-ACNE"'),
        ("tag:nope", 'no profile matches "tag:nope"'),
        ("tag:", 'no profile matches "tag:"'),
        ("", 'no profile named ""'),
        ("!acme-prod", 'no profile named "acme-prod"'),
        ("!tag:ue", 'no profile matches "tag:ue"'),
        ("!", 'no profile named ""'),
        ("!!x", 'no profile matches "!x"'),
    ],
)
def test_a_pattern_without_a_match_is_refused(pattern: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        select(CONFIG, ["staging", pattern])
    assert caught.value.message == f"{said} (unified profile list shows 4)"


@pytest.mark.parametrize("name", ["sandbx", "Sandbox", "sand-box", "s[a]ndbox"])
@pytest.mark.parametrize("config", [CONFIG, CONFIG._replace(profiles={})])
def test_the_sandbox_is_suggested_for_a_name_that_is_close(name: str, config: Config) -> None:
    with pytest.raises(ConfigError, match=r'\(did you mean "sandbox"\?\)'):
        select(config, [name])


def test_leaving_out_needs_something_to_leave_it_out_of(
    unified: Unified, config: Callable[[str], Path]
) -> None:
    config('[profiles.acme]\naccount_id = "1"\n')
    result = unified("-p '!acme' ticketing tickets list")
    assert (result.code, result.stderr) == (
        2,
        "error: -p '!acme' excludes profiles, but no -p selects any (-p '*' -p '!acme')\n",
    )
    result = unified("-p acme -p '!ac*' ticketing tickets list")
    assert (result.code, result.stderr) == (
        3,
        "error: another -p excludes every profile that -p selects\n",
    )


@pytest.mark.parametrize(
    "command", ["-p amce voice calls list", "profile show amce", "profile login amce"]
)
def test_a_misspelt_profile_is_named(
    command: str, unified: Unified, config: Callable[[str], Path]
) -> None:
    config('[profiles.acme]\naccount_id = "1"\n[profiles.globex]\n')
    result = unified(command)
    assert (result.code, result.stderr) == (
        3,
        'error: no profile named "amce" (did you mean "acme"?)\n',
    )


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("eu", "-p tag:eu selects the profiles with this tag"),
        ("ACME", 'did you mean "acme"?'),
        ("acme,globex", "use one -p for each: -p acme -p globex"),
        ("globx", 'did you mean "globex"?'),
        ("zz", "unified profile list shows 2"),
    ],
)
def test_an_unknown_name_gets_a_suggestion(
    word: str, hint: str, unified: Unified, config: Callable[[str], Path]
) -> None:
    config('[profiles.acme]\naccount_id = "1"\ntags = ["eu"]\n[profiles.globex]\n')
    for command in (f"-p {word} voice calls list", f"profile show {word}"):
        result = unified(command)
        assert (result.code, result.stderr) == (3, f'error: no profile named "{word}" ({hint})\n')
