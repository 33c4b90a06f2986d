"""Completion in real shells: every level and value, and nothing that it reads is ever
run.
"""

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pexpect
import pytest
from front_door import ROOT
from positions import CONFIG, PROFILES, positions
from terminals import QUOTED, SHELLS, Shell

from unified_cli import masking
from unified_cli.config.completion_words import CompletionWords
from unified_cli.config.file import Config

Start = Callable[..., Shell]

_ECHO = {
    "bash": 'unified() { echo ran: "$@"; }',
    "zsh": 'unified() { echo ran: "$@"; }',
    "fish": "function unified; echo ran: $argv; end",
}
"""How each shell prints the words that the program would get."""


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
def test_hostile_profile_names_are_neither_offered_nor_run(
    name: str, shell: Start, tmp_path: Path
) -> None:
    running = shell(name, HOSTILE)
    assert running.offered("unified -p ") == {"sandbox", "ok"}
    running.complete("unified -p ")
    running.complete("unified -p o")
    assert not list(tmp_path.glob("**/PWN*"))


@pytest.mark.parametrize("name", SHELLS)
def test_a_tab_does_not_run_the_words_before_it(name: str, shell: Start, tmp_path: Path) -> None:
    running = shell(name, CONFIG)
    for typed in (
        "'$(touch PWN)'",
        "`touch PWN`",
        r"\$\(touch PWN\)",
        "'x\\'",
        "'); touch PWN; ('",
    ):
        for line in (
            f"unified {typed} ",
            f"unified ticketing {typed} -",
            f"unified -p {typed} ",
            f"unified -o {typed}",
        ):
            running.offered(line)
            assert not list(tmp_path.glob("**/PWN*")), line


@pytest.mark.parametrize("name", SHELLS)
def test_a_hostile_file_name_is_completed_as_a_word(
    name: str, shell: Start, tmp_path: Path
) -> None:
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
    for line in (
        "ticketing tickets list --out o",
        "ticketing tickets list --out=o",
        "ticketing tickets create -d @o",
    ):
        [found] = running.offered(f"unified {line}")
        assert found.endswith("one.json"), line
    for line in ("ticketing tickets create -F a=@o", "ticketing tickets create -F 'a[b]=@base64:o"):
        [found] = running.offered(f"unified {line}")
        assert found.endswith("one.json"), line


@pytest.mark.parametrize("name", SHELLS)
def test_a_tab_keeps_the_text_before_a_file(name: str, shell: Start, tmp_path: Path) -> None:
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
def test_a_value_in_the_same_word_is_completed(name: str, shell: Start) -> None:
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
def test_nothing_is_offered_without_known_words(name: str, shell: Start) -> None:
    running = shell(name, CONFIG)
    assert {
        line: offered for line in UNKNOWN if (offered := running.offered(f"unified {line}"))
    } == {}


@pytest.mark.parametrize("name", SHELLS)
def test_a_broken_config_does_not_disturb_completion(
    name: str, shell: Start, tmp_path: Path
) -> None:
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
def test_the_config_file_is_found_where_the_environment_says(
    name: str, shell: Start, tmp_path: Path
) -> None:
    (tmp_path / "other.toml").write_text("[profiles.elsewhere]\n")
    assert shell(name, CONFIG, UNIFIED_CONFIG=f"{tmp_path}/other.toml").offered("unified -p e") == {
        "elsewhere"
    }
    folder = tmp_path / "xdg" / "unified"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("[profiles.third]\n")
    assert shell(name, CONFIG, XDG_CONFIG_HOME=f"{tmp_path}/xdg").offered("unified -p t") == {
        "third"
    }


ADDED = """
[api.falconry]
title = "Unified Falconry API"
[api.falconry.resources]
contacts = { operations = "crud merge search", about = "People" }
deals = "list get"
$(touch PWN) = "list"
evil = "$(touch PWN)"

[api.ticketing.resources]
macros = "list"
tickets = { operations = "close" }

[api.erp2.resources]
items_2 = "list"
"""


@pytest.mark.parametrize("name", SHELLS)
def test_a_users_own_catalogue_is_completed(name: str, shell: Start, tmp_path: Path) -> None:
    folder = tmp_path / ".config" / "unified" / "catalogue.d"
    folder.mkdir(parents=True)
    (folder / "falconry.toml").write_text(ADDED)
    running = shell(name)
    assert running.offered("unified falc") == {"falconry"}
    assert running.offered("unified falconry ") >= {"contacts", "deals"}
    assert running.offered("unified falconry c") == {"contacts"}
    assert running.offered("unified falconry contacts ") == {
        "list",
        "create",
        "get",
        "update",
        "delete",
        "merge",
        "search",
    }
    assert "--yes" in running.offered("unified falconry contacts delete -")
    assert "--data" not in running.offered("unified falconry contacts list -")
    assert running.offered("unified ticketing m") == {"macros"}
    assert running.offered("unified ticketing tickets c") == {"create", "close"}
    assert {one.strip("/ ") for one in running.offered("unified export fal")} == {"falconry"}
    assert {one.rpartition("/")[2] for one in running.offered("unified export falconry/d")} == {
        "deals"
    }
    assert "--all" in running.offered("unified falconry contacts search --")
    assert "--data" in running.offered("unified falconry contacts search --")
    assert running.offered("unified erp2 ") == {"items_2"}
    assert running.offered("unified falconry evil ") == set()
    assert not list(tmp_path.glob("**/PWN*"))


@pytest.mark.parametrize("name", SHELLS)
def test_an_api_of_the_user_with_the_name_of_a_command_is_not_offered(
    name: str, shell: Start, tmp_path: Path
) -> None:
    folder = tmp_path / ".config" / "unified" / "catalogue.d"
    folder.mkdir(parents=True)
    (folder / "own.toml").write_text(
        '[api.runs.resources]\nmarathons = "crud"\n[api.export.resources]\nsales = "list"\n'
    )
    running = shell(name)
    assert running.offered("unified runs ") == {"list", "show", "resume", "retry", "remove"}
    assert "marathons" not in running.offered("unified runs m")
    assert "sales" not in running.offered("unified export ")


@pytest.mark.parametrize("name", SHELLS)
def test_a_tab_completes_a_partial_word(name: str, shell: Start) -> None:
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
    running.run(f"unfunction -m '_unified*'; source {QUOTED}/_unified")
    assert running.offered("unified voice ") == {"calls", "recordings"}


def test_bash_completes_where_its_words_break_elsewhere(shell: Start) -> None:
    running = shell("bash", CONFIG)
    running.run(r"COMP_WORDBREAKS=$' \t\n'")
    assert running.offered("unified voice calls list --output=n") == {"--output=ndjson"}
    assert running.offered("unified -p acme voice calls list -q a=b:c -o ta") == {"table"}


TAGGED = """
profile = "acme"
[profiles.acme]
base_url = "sandbox:"
account_id = "full"
tags = ["prod", "eu"]
[profiles.globex]
  tags = [ "eu", "a b", "$(touch PWN)", "`touch PWN`" ]  # with a comment
"""


@pytest.mark.parametrize("name", SHELLS)
def test_tags_are_offered_where_a_connection_is_chosen(
    name: str, shell: Start, tmp_path: Path
) -> None:
    running = shell(name, TAGGED)
    assert running.offered("unified -p tag") == {"tag:eu", "tag:prod"}
    running.run(_ECHO[name])
    assert "ran: -p tag:prod\r" in running.complete("unified -p tag:p")
    assert running.offered("unified -p '!tag") == {"!tag:eu", "!tag:prod"}
    assert "ran: -p !acme\r" in running.complete("unified -p '!ac")
    assert running.offered("unified profile show ") == {"sandbox", "acme", "globex"}
    assert not list(tmp_path.glob("**/PWN*"))


@pytest.mark.parametrize("name", SHELLS)
def test_columns_and_parameters_are_those_that_are_known(
    name: str, shell: Start, tmp_path: Path
) -> None:
    (tmp_path / "created_atg=").touch()
    running = shell(name, TAGGED)
    calls = "unified voice calls list"
    assert running.offered(f"{calls} --columns di") == {"direction"}
    assert {one.rpartition(",")[2] for one in running.offered(f"{calls} --columns id,di")} == {
        "direction"
    }
    assert running.offered(f"{calls} -q cr") == {
        "created_at=",
        "created_at[gt]=",
        "created_at[lt]=",
    }
    assert running.offered("unified ticketing tickets update 7 -q cr") == set()
    running.run(_ECHO[name])
    assert "ran: voice calls list --columns id,direction\r" in running.complete(
        f"{calls} --columns id,dire"
    )


@pytest.mark.parametrize("name", SHELLS)
def test_the_known_fields_of_a_body_are_offered(name: str, shell: Start, tmp_path: Path) -> None:
    (tmp_path / "prioritized.json").touch()
    running = shell(name)
    for command in ("ticketing tickets create", "ticketing tickets update 7"):
        for option in ("-f", "-F", "--field"):
            assert running.offered(f"unified {command} {option} pri") == {"priority="}, command
    offered = running.offered("unified user-directory users suspend -f us")
    assert offered == {"user_id="}
    assert running.offered("unified ticketing tickets create -f id") == set()
    [file] = running.offered("unified ticketing tickets create -F priority=@pri")
    assert file.endswith("prioritized.json")
    assert running.offered("unified ticketing tickets list -f ") == set()


RUNS = ("20261121-7f3a", "20261122-00ab12cd")


@pytest.mark.parametrize("name", SHELLS)
def test_runs_are_offered_by_the_names_of_their_files(
    name: str, shell: Start, tmp_path: Path
) -> None:
    for folder in (tmp_path / ".local/share/unified/runs", tmp_path / "data/unified/runs"):
        folder.mkdir(parents=True)
    hostile = ("$(touch PWN)", "20261121-7f3a;touch PWN", "20261121-7f3A", "x")
    for run in (*RUNS, *hostile):
        (tmp_path / ".local/share/unified/runs" / f"{run}.ndjson").touch()
    (tmp_path / ".local/share/unified/runs/20261123-0000.lock").touch()
    (tmp_path / "data/unified/runs/20260101-0001.ndjson").touch()
    running = shell(name)
    for command in ("show", "resume", "retry"):
        assert running.offered(f"unified runs {command} ") == {"last", *RUNS}
    assert running.offered("unified runs remove 2026112") == {*RUNS}
    assert running.offered("unified runs show 20261122") == {RUNS[1]}
    elsewhere = shell(name, XDG_DATA_HOME=str(tmp_path / "data"))
    assert elsewhere.offered("unified runs retry ") == {"last", "20260101-0001"}
    running.complete("unified runs show ")
    assert not list(tmp_path.glob("**/PWN*"))
    assert running.offered("unified apply da") == {"data"} or name == "bash"


@pytest.mark.parametrize("name", SHELLS)
def test_plans_are_files(name: str, shell: Start, tmp_path: Path) -> None:
    (tmp_path / "monday.plan").touch()
    running = shell(name)
    running.run(_ECHO[name])
    assert "ran: apply monday.plan\r" in running.complete("unified apply mon")


ALIASES = r"""
profile = "acme"  # t = "voice calls"

[alias]
t = "ticketing tickets"  # comment
"open" = 'ticketing tickets list -q status=open -p globex'
mail = "emails"
r = "runs show"
export = "ticketing"
loop = "t list"
bad = "nothing here"
"x;touch PWN" = "ticketing"
y = "ticketing $(touch PWN)"
z = "ticketing `touch PWN`"
[profiles.acme]
u = "ticketing"
"""


@pytest.mark.parametrize("name", SHELLS)
def test_an_alias_is_completed_like_its_words(name: str, shell: Start, tmp_path: Path) -> None:
    (tmp_path / ".local/share/unified/runs").mkdir(parents=True)
    (tmp_path / ".local/share/unified/runs" / f"{RUNS[0]}.ndjson").touch()
    running = shell(name, ALIASES)
    assert running.offered("unified t") == {"t", "ticketing"}
    assert running.offered("unified ") >= {"t", "open", "mail", "r", "ticketing", "profile"}
    assert not running.offered("unified ") & {"bad", "loop", "u", "x;touch PWN", "acme"}
    assert running.offered("unified t ") == running.offered("unified ticketing tickets ")
    assert running.offered("unified -p acme -v t up") == {"update"}
    assert running.offered("unified mail m") == running.offered("unified emails m")
    assert running.offered("unified t create -f pri") == {"priority="}
    assert running.offered("unified open -o ta") == {"table"}
    assert running.offered("unified open --al") == {"--all", "--allow-partial"}
    assert running.offered("unified r ") == {"last", *RUNS[:1]}
    assert running.offered("unified help t li") == {"list"}
    assert running.offered("unified export tic") == {"ticketing"}
    for line in ("unified loop ", "unified bad ", "unified u ", "unified '*' ", "unified '[a' "):
        assert running.offered(line) == set(), line
    for line in ("unified y ", "unified z ", "unified "):
        running.complete(line)
    assert not list(tmp_path.glob("**/PWN*"))


@pytest.mark.parametrize("name", SHELLS)
def test_ids_and_columns_that_a_terminal_showed_are_offered(
    name: str, shell: Start, tmp_path: Path
) -> None:
    running = shell(name, TAGGED)
    settled(tmp_path)
    get = "unified -p acme ticketing tickets get tickets-1"
    assert running.offered(get) == set()
    for extra in ("-o table", ""):
        at_terminal(f"-p acme ticketing tickets list -q limit=12 {extra}", tmp_path)
        assert running.offered(get) == {"tickets-1", "tickets-10", "tickets-11", "tickets-12"}
        assert running.offered("unified ticketing tickets get tickets-12") == {"tickets-12"}
        assert running.offered("unified -a other ticketing tickets get tickets-12") == set()
        assert running.offered("unified -p globex ticketing tickets get tickets-12") == set()
        assert running.offered("unified -p acme ticketing contacts get tickets-12") == set()
        seen = tmp_path / ".cache" / "unified" / "completion" / "acme"
        assert {(path.name, path.stat().st_mode & 0o777) for path in seen.iterdir()} == {
            ("ticketing.tickets.ids", 0o600),
            ("ticketing.tickets.columns", 0o600),
        }
        for path in seen.iterdir():
            path.unlink()


CRM = {"crm", "crm/contacts", "crm/deals", "ticketing/tickets"}


@pytest.mark.parametrize("name", SHELLS)
def test_operations_that_a_connection_offers_are_completed_for_add(
    name: str, shell: Start, tmp_path: Path
) -> None:
    running = shell(name, TAGGED.replace("full", "sales"))
    settled(tmp_path)
    line = "unified operations add -p acme "
    assert running.offered(line) == set()
    at_terminal("capabilities -p acme", tmp_path)
    assert running.offered(line) == CRM
    assert running.offered("unified operations add crm -p acme crm/d") == {"crm/deals"}
    assert running.offered(f"{line}t") == {"ticketing/tickets"}
    assert running.offered("unified operations add -p acme -a other ") == set()
    seen = tmp_path / ".cache" / "unified" / "completion" / "acme"
    assert {(path.name, path.stat().st_mode & 0o777) for path in seen.iterdir()} == {
        ("operations.add.offers", 0o600)
    }


@pytest.mark.parametrize("name", SHELLS)
def test_added_operations_are_completed_for_remove(name: str, shell: Start, tmp_path: Path) -> None:
    running = shell(name)
    assert running.offered("unified operations remove ") == set()
    folder = tmp_path / ".config" / "unified" / "catalogue.d"
    folder.mkdir(parents=True)
    (folder / "falconry.toml").write_text(ADDED)
    offered = {one.strip("/ ") for one in running.offered("unified operations remove ")}
    assert (offered >= {"falconry", "ticketing"}, "calendar" in offered) == (True, False)
    assert {
        one.rpartition("/")[2] for one in running.offered("unified operations remove falconry/")
    } >= {"contacts", "deals"}
    assert {
        one.rpartition("/")[2] for one in running.offered("unified operations remove ticketing/")
    } == {"macros", "tickets"}
    assert not list(tmp_path.glob("**/PWN*"))


@pytest.mark.parametrize("name", SHELLS)
def test_a_hostile_list_of_words_is_neither_offered_nor_run(
    name: str, shell: Start, tmp_path: Path
) -> None:
    running = shell(name, TAGGED)
    file = tmp_path / ".cache" / "unified" / "completion" / "acme" / "ticketing.tickets.ids"
    file.parent.mkdir(parents=True)
    words = [
        "$(touch PWN)",
        "`touch PWN`",
        "x;touch PWN",
        "a b",
        "-x",
        "../x",
        "\x1b[31mred",
        "x" * 101,
        "fine-1",
    ]
    now = int(time.time())
    line = "unified -p acme ticketing tickets get "
    of = settled(tmp_path)
    for first, offered in (
        (f"{now} of {of}", {"fine-1"}),
        (f"{now - 90_000} of {of}", set()),
        (f"$(touch PWN) of {of}", set()),
        (f"{now} of {of}x", set()),
        (f"{now} of", set()),
    ):
        file.write_text("\n".join([first, *words, ""]))
        like(of, file)
        assert running.offered(line) == offered
        running.complete(line)
    for profile in ("../../x", "$(touch PWN)", "*"):
        assert running.offered(f"unified -p '{profile}' ticketing tickets get ") == set()
    assert not list(tmp_path.glob("**/PWN*"))


@pytest.mark.parametrize("name", SHELLS)
def test_described_names_are_offered_and_never_run(name: str, shell: Start, tmp_path: Path) -> None:
    running = shell(name, TAGGED)
    of = settled(tmp_path)
    folder = tmp_path / ".cache" / "unified" / "completion" / "acme"
    folder.mkdir(parents=True)
    hostile = [
        "$(touch PWN)",
        "`touch PWN`",
        "cr;touch PWN",
        "cr a",
        "-cr",
        "../cr",
        "\x1b[31mcr",
        "c" * 101,
    ]
    for kind in ("list.query", "create.body"):
        lines = [f"{int(time.time())} of {of}", *hostile, "cr-own_1", "created_at", ""]
        (folder / f"ticketing.tickets.{kind}").write_text("\n".join(lines))
        like(of, folder / f"ticketing.tickets.{kind}")
    known = {"created_at=", "created_at[gt]=", "created_at[lt]="}
    tickets = "ticketing tickets"
    assert running.offered(f"unified -p acme {tickets} list -q cr") == {*known, "cr-own_1="}
    whole = {
        one.removeprefix("--query=")
        for one in running.offered(f"unified {tickets} list --query=cr-")
    }
    assert whole == {"cr-own_1="}
    assert running.offered(f"unified {tickets} create -f cr") == {
        "cr-own_1=",
        "created_at=",
        "created_by=",
    }
    assert running.offered(f"unified {tickets} create -F cr") == {
        "cr-own_1=",
        "created_at=",
        "created_by=",
    }
    whole = {
        one.removeprefix("--field=")
        for one in running.offered(f"unified {tickets} create --field=cr-")
    }
    assert whole == {"cr-own_1="}
    (tmp_path / "crate.json").touch()
    for typed in ("cr-own_1=@cra", "cr-own_1=@base64:cra"):
        (offered,) = running.offered(f"unified {tickets} create -F {typed}")
        assert offered.endswith("crate.json")
    assert running.offered(f"unified {tickets} create -F cr-own_1=cr") == set()
    assert running.offered(f"unified {tickets} update 7 -f cr") == {"created_by="}
    assert running.offered(f"unified -a other {tickets} list -q cr-") == set()
    assert running.offered(f"unified -p globex {tickets} list -q cr-") == set()
    running.complete(f"unified {tickets} create -f ")
    assert not list(tmp_path.glob("**/PWN*"))


def test_only_harmless_names_of_a_description_are_kept_for_completion(tmp_path: Path) -> None:
    config = tmp_path / ".config" / "unified" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(TAGGED)
    settled(tmp_path)
    kept = tmp_path / ".cache" / "unified" / "completion" / "acme"
    at_terminal("-p acme -a empty ticketing tickets create --describe", tmp_path)
    assert not kept.exists()
    at_terminal("-p acme ticketing tickets create --describe", tmp_path)
    assert {path.name for path in kept.iterdir()} == {"ticketing.tickets.create.body"}
    (path,) = kept.iterdir()
    assert "priority" in path.read_text().splitlines()


def at_terminal(command: str, home: Path, then: str = "", before: str = "") -> None:
    """Run the program at a terminal of its own, in this home, where it ends with 0."""
    program = f"{before} {shlex.quote(sys.executable)} -m unified_cli {command} {then}"
    environ = {
        "HOME": str(home),
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "TERM": "dumb",
        "LC_ALL": "C.UTF-8",
    }
    printed, code = pexpect.run(
        shlex.join(["sh", "-c", program]),
        env=environ,
        cwd=str(home),
        withexitstatus=True,
        timeout=60,
    )
    assert code == 0, printed


def test_only_words_shown_to_a_person_are_kept_for_completion(tmp_path: Path) -> None:
    config = tmp_path / ".config" / "unified" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(TAGGED)
    config.chmod(0o600)
    at_terminal("-p acme ticketing tickets list", tmp_path, then=">/dev/null")
    at_terminal("-p acme -a empty ticketing tickets list", tmp_path)
    config.write_text(TAGGED.replace('account_id = "full"', ""))
    at_terminal(
        "-p acme ticketing tickets list -q limit=1", tmp_path, before="UNIFIED_ACCOUNT_ID=full"
    )
    config.write_text(TAGGED)
    cache = tmp_path / ".cache" / "unified"
    assert not (cache / "completion").exists()
    cache.mkdir(parents=True, exist_ok=True)
    (cache / "completion").write_text("something else has this name")
    at_terminal("-p acme ticketing tickets list -q limit=1", tmp_path)


def test_the_newest_words_come_first_and_a_connection_keeps_its_own(tmp_path: Path) -> None:
    now = [1_000_000.0]
    resource = ("voice", "calls", "ids")
    file = tmp_path / "completion" / "acme" / "voice.calls.ids"

    def add(
        connection: str,
        words: Iterable[str],
        profile: str = "acme",
        config: str = "/c d/config.toml",
    ) -> None:
        CompletionWords(
            tmp_path, lambda: now[0], profile, connection, Config(Path(config), changed=7 * 10**18)
        ).add(resource, words)

    add("one", ["a", "b", "odd one", "$x"])
    add("one", ["c", "b"])
    assert file.read_text() == "1000000 one /c d/config.toml\nc\nb\na\n"
    add("one", (f"id-{number}" for number in range(1000)))
    assert len(file.read_text().splitlines()) == 301
    add("another", ["d"])
    assert file.read_text() == "1000000 another /c d/config.toml\nd\n"
    now[0] += 90_000
    add("another", ["e"])
    assert file.read_text() == "1090000 another /c d/config.toml\ne\n"
    add("another", ["f"], config="/other.toml")
    assert file.read_text() == "1090000 another /other.toml\nf\n"
    # As an older version wrote it.
    file.write_text("1090000 another\ng\n")
    add("another", ["h"], config="/other.toml")
    assert file.read_text() == "1090000 another /other.toml\nh\n"
    add("one", ["a"], config="relative.toml")
    add("one", ["a"], config="/two\nlines")
    add("one", ["a"], profile="../acme")
    masking.hide("s3cret-token")
    add("another", ["s3cret-token", "i", "a-S3CRET-TOKEN-b"], config="/other.toml")
    assert file.read_text() == "1090000 another /other.toml\ni\nh\n"
    assert [path.name for path in tmp_path.iterdir()] == ["completion"]


BEFORE = int(time.time()) - 60


def settled(home: Path) -> Path:
    """The config file of this home, private, and last changed before a test began."""
    config = home / ".config" / "unified" / "config.toml"
    config.chmod(0o600)
    os.utime(config, (BEFORE, BEFORE))
    return config


@pytest.mark.parametrize("name", SHELLS)
def test_words_of_another_connection_are_not_offered(
    name: str, shell: Start, tmp_path: Path
) -> None:
    running = shell(name, TAGGED)
    config = settled(tmp_path)
    get = "unified -p acme ticketing tickets get tickets-1"
    at_terminal("-p acme ticketing tickets list -q limit=1", tmp_path)
    assert running.offered(get) == {"tickets-1"}
    other = tmp_path / "other.toml"
    other.write_text(TAGGED.replace("full", "empty"))
    os.utime(other, (0, 0))
    elsewhere = shell(name, TAGGED, UNIFIED_CONFIG=str(other))
    settled(tmp_path)
    assert elsewhere.offered(get) == set()
    assert running.offered(get) == {"tickets-1"}
    at_terminal("profile set acme account_id=empty", tmp_path)
    assert running.offered(get) == set()
    # An older version did not say of which config file a list of words is.
    config.write_text(TAGGED)
    settled(tmp_path)
    for path in (tmp_path / ".cache" / "unified" / "completion" / "acme").iterdir():
        first, _, rest = path.read_text().partition("\n")
        path.write_text(f"{first.rpartition(' ')[0]}\n{rest}")
        like(config, path)
    assert running.offered(get) == set()


def like(config: Path, file: Path) -> None:
    """Give a file the time of the config file, as the program does."""
    changed = config.stat().st_mtime_ns
    os.utime(file, ns=(changed, changed))


SECOND = 10**9
TURNS = {
    # How much later the other file was changed, and how it comes.
    "an older file is moved in": (-100 * SECOND, "mv {other} {config}"),
    "an older file is copied with its time": (-100 * SECOND, "cp -p {other} {config}"),
    "a link is turned to an older file": (-100 * SECOND, "ln -sf {other} {config}"),
    "an older file of the same second": (-1000, "mv {other} {config}"),
    "a newer file of the same second": (1000, "mv {other} {config}"),
    "a file that lies in the future": (10**7 * SECOND, "mv {other} {config}"),
    "a copy": (0, "cp {other} {config}"),
    "nothing": (0, "rm {config}"),
}


@pytest.mark.parametrize("name", SHELLS)
def test_the_words_of_one_config_file_are_not_offered_for_another(
    name: str, shell: Start, tmp_path: Path
) -> None:
    running = shell(name, TAGGED)
    config = settled(tmp_path)
    get = "unified -p acme ticketing tickets get tickets-1"
    at_terminal("-p acme ticketing tickets list -q limit=1", tmp_path)
    assert running.offered(get) == {"tickets-1"}
    for turn, (moved, how) in TURNS.items():
        other, kept = tmp_path / "other.toml", tmp_path / "kept.toml"
        other.write_text(TAGGED.replace("full", "empty"))
        other.chmod(0o600)
        changed = config.stat().st_mtime_ns + moved
        os.utime(other, ns=(changed, changed))
        shutil.copy2(config, kept)
        subprocess.run(how.format(other=other, config=config), shell=True, check=True)
        assert running.offered(get) == set(), turn
        # The file that they are of is back, with its time.
        config.unlink(missing_ok=True)
        kept.rename(config)
        assert running.offered(get) == {"tickets-1"}, turn


@pytest.mark.parametrize("call", ["ticketing tickets list", "profile test", "ticketing tags list"])
def test_a_call_that_sees_another_connection_drops_its_words(call: str, tmp_path: Path) -> None:
    config = tmp_path / ".config" / "unified" / "config.toml"
    config.parent.mkdir(parents=True)
    second = '[profiles.second]\nbase_url = "sandbox:"\naccount_id = "full"\n'
    config.write_text(TAGGED + second)
    settled(tmp_path)
    cache = tmp_path / ".cache" / "unified" / "completion"
    at_terminal("-p acme ticketing tickets list -q limit=1", tmp_path)
    at_terminal("-p second ticketing tickets list -q limit=1", tmp_path)
    before = {path.name for path in (cache / "acme").iterdir()}
    off = f"-p acme {call}" if call != "profile test" else "profile test acme"
    # Another account by a flag is not the one of the name.
    at_terminal("-p acme -a empty ticketing tickets list", tmp_path, ">/dev/null")
    at_terminal(off, tmp_path, then=">/dev/null")
    assert {path.name for path in (cache / "acme").iterdir()} == before
    # The very same time: only the call knows better.
    changed = config.stat().st_mtime_ns
    config.write_text(config.read_text().replace("full", "empty", 1))
    os.utime(config, ns=(changed, changed))
    at_terminal(off, tmp_path, then=">/dev/null")
    assert [*(cache / "acme").iterdir()] == []
    assert {path.name for path in (cache / "second").iterdir()} == before


def test_words_have_the_time_of_their_config_file(tmp_path: Path) -> None:
    config = tmp_path / ".config" / "unified" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(TAGGED)
    settled(tmp_path)
    at_terminal("-p acme ticketing tickets list -q limit=1", tmp_path)
    (file, *_) = sorted((tmp_path / ".cache/unified/completion/acme").iterdir())
    assert file.stat().st_mtime_ns == config.stat().st_mtime_ns
    assert file.read_text().splitlines()[0].split(" ")[2] == str(config)
