"""The spellings of other tools are refused with the spelling here."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from entries import ENTRIES
from front_door import Unified
from server import Reply, Service

from unified_cli.cli import advice_tables

LIST = "unified ticketing tickets list"
STORES = "unified profile login acme stores another,"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "ticketing tickets list --all-p",
            f'{LIST}: no such option: --all-p (did you mean "--all"?)',
        ),
        (
            "ticketing tickets list --page 2",
            f"{LIST}: no such option: --page (pages have no numbers: use --all, or --cursor C)",
        ),
        (
            "ticketing --json tickets list",
            (
                "unified ticketing: no such option: --json (-o json prints JSON; -d JSON is a body,"
                " after the operation)"
            ),
        ),
        (
            "ticketing tickets get 7 --paginate",
            (
                "unified ticketing tickets get: no such option: --paginate (unified ticketing"
                " tickets get --help)"
            ),
        ),
        (
            "-X GET",
            (
                "unified: no such option: -X (the operation is the method; unified request METHOD"
                " PATH calls any path)"
            ),
        ),
    ],
)
def test_another_tools_spelling_gets_ours_as_a_hint(
    command: str, said: str, unified: Unified, service: Service
) -> None:
    result = unified(command, environ=service.environ)
    assert (result.stdout, result.stderr, result.code) == ("", f"error: {said}\n", 2)
    assert service.seen == []


@pytest.mark.parametrize(
    ("command", "word", "meant"),
    [
        # Read as -a with the value "ll": the account of another connection.
        ("ticketing tickets list -all", "-all", "--all"),
        ("ticketing tickets list -limit 5", "-limit", "--limit"),
        ("ticketing tickets list -limit=5", "-limit=5", "--limit"),
        ("ticketing tickets list -output json", "-output", "--output"),
        ("-profile prod ticketing tickets list", "-profile", "--profile"),
        ("ticketing tickets delete 7 -yes", "-yes", "--yes"),
    ],
)
def test_a_long_option_with_one_dash_is_refused(
    command: str, word: str, meant: str, unified: Unified, service: Service
) -> None:
    result = unified(command, environ=service.environ)
    said = f'error: {word}: a long option has two dashes (did you mean "{meant}"?)\n'
    assert (result.stdout, result.stderr, result.code) == ("", said, 2)
    assert service.seen == []


def test_only_a_word_with_a_dash_counts_as_an_option(unified: Unified) -> None:
    result = unified("export ticketing -to d")
    assert result.stderr.startswith("error: unified export: no such option: -t ")


@pytest.mark.parametrize("words", ["-vv", "-ojson", "-q -limit=5", "--query -all=1", "-a -all"])
def test_other_words_with_one_dash_are_read_as_before(
    words: str, unified: Unified, service: Service
) -> None:
    service.reply = lambda _: Reply(200, b'{"result":[],"next_cursor":null}')
    assert unified(f"ticketing tickets list {words}", environ=service.environ).code == 0
    assert len(service.seen) == 1


def test_suggested_options_exist() -> None:
    ours = {one for entry in ENTRIES for flag in entry.flags for one in flag.spellings}
    table = advice_tables.read("other_tools")
    assert {f"--{option}" for option in table["with_option"]} <= ours
    assert {one["has"] for one in table["with_value"]} <= ours
    assert {one["has"] for one in table["argument"].values()} <= ours


@pytest.mark.parametrize(
    ("command", "status", "hint"),
    [
        ("ticketing tickets list", 405, "the connection may not offer this list"),
        ("ticketing tickets list --retries 0", 501, "the connection may not offer this list"),
        (
            "ticketing tickets create -f a=b",
            404,
            (
                "check the ids in the body and the account id; unified capabilities"
                " ticketing/tickets lists the operations"
            ),
        ),
        ("request GET /unified/x", 404, "check the path and the account id"),
    ],
)
def test_a_hint_fits_the_request(
    command: str, status: int, hint: str, unified: Unified, service: Service
) -> None:
    service.reply = lambda _: Reply(status, b'{"message":"no"}')
    result = unified(command, environ=service.environ)
    assert result.stderr.endswith(f": no ({hint})\n")


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ('token = "t-0123456789"', f"profile acme (plain text in the file); {STORES}"),
        ('token_command = ["echo", "t-0123456789"]', "profile acme (command echo);"),
        ('token_file = "{file}"', f"profile acme (file {{file}}); {STORES}"),
    ],
)
def test_a_refused_token_is_reported_with_its_source(
    key: str,
    words: str,
    unified: Unified,
    service: Service,
    config: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    file = tmp_path / "token"
    file.write_text("t-0123456789")
    file.chmod(0o600)
    config(
        f'[profiles.acme]\nbase_url = "{service.url}"\naccount_id = "a"\n{key.format(file=file)}\n'
    )
    service.reply = lambda _: Reply(401, b'{"message":"no"}')
    result = unified("-p acme voice calls list --quiet", environ={"PATH": os.environ["PATH"]})
    assert (
        f"(the token comes from {words.format(file=file)} unified doctor acme --network checks"
        " it)\n" in result.stderr
    )
