"""Completion in real shells: every level and value, and nothing that it reads is ever run."""

from collections.abc import Callable
from pathlib import Path

import pytest
from positions import CONFIG, PROFILES, positions
from terminals import COMPLETIONS, SHELLS, Shell

Start = Callable[..., Shell]

_ECHO = {
    "bash": 'unified() { echo ran: "$@"; }',
    "zsh": 'unified() { echo ran: "$@"; }',
    "fish": "function unified; echo ran: $argv; end",
}
"""How each shell is told to say what the program would get."""


@pytest.mark.parametrize("name", SHELLS)
def test_fifty_positions_offer_what_the_option_table_says(name: str, shell: Start) -> None:
    running = shell(name, CONFIG)
    asked = positions()
    assert len(asked) >= 50
    assert {line: running.offered(line) for line, _ in asked} == dict(asked)


HOSTILE = r"""
[profiles."\\$(touch PWN)"]
[profiles."`touch PWN`"]
[profiles."x\\"]
[profiles."); touch PWN; ("]
[profiles.$(touch PWN)]
[profiles."a b"]
[profiles.ok]
[profiles."escESCred"]
[profiles."-x"]
[profiles."../x"]
""".replace("ESC", "\x1b[31m")


@pytest.mark.parametrize("name", SHELLS)
def test_hostile_profile_names_are_neither_offered_nor_run(name: str, shell: Start, tmp_path: Path) -> None:
    running = shell(name, HOSTILE)
    assert running.offered("unified -p ") == {"sandbox", "ok"}
    running.complete("unified -p ")
    running.complete("unified -p o")
    assert not list(tmp_path.glob("**/PWN*"))


@pytest.mark.parametrize("name", SHELLS)
def test_what_is_typed_before_is_not_run_by_a_tab(name: str, shell: Start, tmp_path: Path) -> None:
    running = shell(name, CONFIG)
    for typed in ("'$(touch PWN)'", "`touch PWN`", r"\$\(touch PWN\)", "'x\\'", "'); touch PWN; ('"):
        for line in (
            f"unified {typed} ",
            f"unified ticketing {typed} -",
            f"unified -p {typed} ",
            f"unified -o {typed}",
        ):
            running.offered(line)
            assert not list(tmp_path.glob("**/PWN*")), line


@pytest.mark.parametrize("name", SHELLS)
def test_a_hostile_file_name_is_completed_as_a_word(name: str, shell: Start, tmp_path: Path) -> None:
    (tmp_path / "odd;touch PWN").touch()
    running = shell(name)
    running.run("unified() { :; }" if name != "fish" else "function unified; end")
    running.complete("unified ticketing tickets create -d @od")
    running.complete("unified ticketing tickets list --out od")
    assert not list(tmp_path.glob("**/PWN*"))


@pytest.mark.parametrize("name", SHELLS)
def test_files_follow_the_options_that_take_them(name: str, shell: Start, tmp_path: Path) -> None:
    for file in ("one.json", "two.json"):
        (tmp_path / file).touch()
    running = shell(name)
    (tmp_path / "onefolder").mkdir()
    [found] = running.offered("unified export --to o")
    assert found.rstrip("/").endswith("onefolder")
    (tmp_path / "onefolder").rmdir()
    for line in ("ticketing tickets list --out o", "ticketing tickets list --out=o", "ticketing tickets create -d @o"):
        [found] = running.offered(f"unified {line}")
        assert found.endswith("one.json"), line
    for line in ("ticketing tickets create -F a=@o", "ticketing tickets create -F 'a[b]=@base64:o"):
        [found] = running.offered(f"unified {line}")
        assert found.endswith("one.json"), line


@pytest.mark.parametrize("name", SHELLS)
def test_a_tab_keeps_what_is_typed_before_a_file(name: str, shell: Start, tmp_path: Path) -> None:
    (tmp_path / "deep.json").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside.json").touch()
    running = shell(name)
    running.run(_ECHO[name])
    for typed, completed in (
        ("-d @dee", "-d @deep.json"),
        ("-F body=@dee", "-F body=@deep.json"),
        ("-F body=@base64:dee", "-F body=@base64:deep.json"),
        ("--out=dee", "--out=deep.json"),
        ("-d @fol\tins", "-d @folder/inside.json"),
    ):
        printed = running.complete(f"unified ticketing tickets create {typed}")
        assert f"ran: ticketing tickets create {completed}\r" in printed


@pytest.mark.parametrize("name", SHELLS)
def test_a_value_may_stand_in_the_same_word(name: str, shell: Start) -> None:
    running = shell(name, CONFIG)
    before = "" if name == "bash" else "--profile="
    offered = running.offered("unified ticketing tickets list --profile=")
    assert offered == {f"{before}{one}" for one in ("sandbox", *PROFILES)}
    offered = running.offered("unified ticketing tickets list -q a=b:c --profile=n")
    assert offered == {f"{before}north.west"}


UNKNOWN = (
    "ticketing tikets ",
    "nothing ",
    "ticketing tickets get 7 ",
    "-q ",
    "-a ",
    "help voice calls list ",
    "help output ",
)


@pytest.mark.parametrize("name", SHELLS)
def test_nothing_is_offered_where_nothing_is_known(name: str, shell: Start) -> None:
    running = shell(name, CONFIG)
    assert {line: offered for line in UNKNOWN if (offered := running.offered(f"unified {line}"))} == {}


@pytest.mark.parametrize("name", SHELLS)
def test_a_broken_config_changes_nothing_and_says_nothing(name: str, shell: Start, tmp_path: Path) -> None:
    running = shell(name, CONFIG)
    for config in ("this is [no TOML", "\x00\xff", "[profiles.a", ""):
        (tmp_path / ".config" / "unified" / "config.toml").write_text(config)
        assert running.offered("unified -p ") == {"sandbox"}, config
        assert running.offered("unified vo") == {"voice"}, config


@pytest.mark.parametrize("name", SHELLS)
def test_without_a_home_commands_are_still_offered(name: str, shell: Start) -> None:
    running = shell(name, HOME="")
    assert running.offered("unified vo") == {"voice"}
    assert running.offered("unified -p ") == {"sandbox"}


@pytest.mark.parametrize("name", SHELLS)
def test_the_config_file_is_found_where_the_environment_says(name: str, shell: Start, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text("[profiles.elsewhere]\n")
    assert shell(name, CONFIG, UNIFIED_CONFIG=f"{tmp_path}/other.toml").offered("unified -p e") == {"elsewhere"}
    folder = tmp_path / "xdg" / "unified"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("[profiles.third]\n")
    assert shell(name, CONFIG, XDG_CONFIG_HOME=f"{tmp_path}/xdg").offered("unified -p t") == {"third"}


ADDED = """
[api.crm]
title = "Unified CRM API"
[api.crm.resources]
contacts = { operations = "crud merge", about = "People" }
deals = "list get"
$(touch PWN) = "list"
evil = "$(touch PWN)"

[api.ticketing.resources]
macros = "list"
tickets = { operations = "close" }
"""


@pytest.mark.parametrize("name", SHELLS)
def test_what_a_user_adds_to_the_catalogue_is_completed(name: str, shell: Start, tmp_path: Path) -> None:
    folder = tmp_path / ".config" / "unified" / "catalogue.d"
    folder.mkdir(parents=True)
    (folder / "crm.toml").write_text(ADDED)
    running = shell(name)
    assert running.offered("unified cr") == {"crm"}
    assert running.offered("unified crm ") >= {"contacts", "deals"}
    assert running.offered("unified crm c") == {"contacts"}
    assert running.offered("unified crm contacts ") == {"list", "create", "get", "update", "delete", "merge"}
    assert "--yes" in running.offered("unified crm contacts delete -")
    assert "--data" not in running.offered("unified crm contacts list -")
    assert running.offered("unified ticketing m") == {"macros"}
    assert running.offered("unified ticketing tickets c") == {"create", "close"}
    assert running.offered("unified crm evil ") == set()
    assert not list(tmp_path.glob("**/PWN*"))


@pytest.mark.parametrize("name", SHELLS)
def test_a_tab_completes_the_word_that_is_begun(name: str, shell: Start) -> None:
    running = shell(name, CONFIG)
    running.run(_ECHO[name])
    printed = running.complete("unified -p glo\tvoi\treco\tdownl\t--no-inp\t-o ndj")
    assert "ran: -p globex-2 voice recordings download --no-input -o ndjson\r" in printed


@pytest.mark.parametrize("name", SHELLS)
def test_a_value_may_be_typed_right_after_a_key(name: str, shell: Start) -> None:
    running = shell(name, CONFIG)
    running.run(_ECHO[name])
    printed = running.complete("unified profile set acme timeo\t30")
    assert "ran: profile set acme timeout=30\r" in printed


def test_the_script_for_zsh_may_also_be_sourced(shell: Start) -> None:
    running = shell("zsh", CONFIG)
    running.run(f"unfunction -m '_unified*'; source {COMPLETIONS}/_unified")
    assert running.offered("unified voice ") == {"calls", "recordings"}


def test_bash_completes_where_its_words_break_elsewhere(shell: Start) -> None:
    running = shell("bash", CONFIG)
    running.run(r"COMP_WORDBREAKS=$' \t\n'")
    assert running.offered("unified voice calls list --output=n") == {"--output=ndjson"}
    assert running.offered("unified -p acme voice calls list -q a=b:c -o ta") == {"table"}
