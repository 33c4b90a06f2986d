"""`unified profile login` before it asks: whether there is a place for the token, and
what counts as one.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import ROOT, Unified
from pages import served
from server import Reply, Seen, Service

Config = Callable[[str], Path]
PROFILE = 'base_url = "https://api.example.com"\n[profiles.acme]\naccount_id = "1"\n'

ASKED = 'token of profile "acme" (not shown): '
QUESTION = (
    "the Python package keyring is not installed; store the token in a file only you can read?"
    " [Y/n] "
)


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library keyring is not installed."""
    monkeypatch.setitem(sys.modules, "keyring", None)


@pytest.mark.usefixtures("no_library")
@pytest.mark.parametrize("answer", [b"\n", b"y\n"])
def test_without_the_library_a_terminal_is_asked_for_a_place(
    answer: bytes, unified: Unified, config: Config
) -> None:
    path = config(PROFILE)
    result = unified("profile login acme", tty=True, stdin=b"t-canary\n" + answer)
    file = next(path.with_name("config.toml.tokens").glob("acme-*[0-9a-f]"))
    said = f'{ASKED}{QUESTION}the token of profile "acme" is in {file}\n'
    assert (result.code, result.stderr, file.read_text()) == (0, said, "t-canary\n")


@pytest.mark.usefixtures("no_library")
@pytest.mark.parametrize("answer", [b"n\n", b""])
def test_declining_the_place_is_an_error_and_stores_no_token(
    answer: bytes, unified: Unified, config: Config
) -> None:
    path = config(PROFILE)
    result = unified("profile login acme", tty=True, stdin=b"t-canary\n" + answer)
    assert (result.code, result.stderr) == (
        3,
        f"{ASKED}{QUESTION}error: no token stored (choose a place with --store)\n",
    )
    assert path.read_text() == PROFILE


@pytest.mark.usefixtures("no_library")
def test_declining_to_store_a_new_profiles_token_is_not_an_error(
    unified: Unified, config: Config
) -> None:
    path = config('base_url = "https://api.example.com"\n')
    result = unified("profile add acme", tty=True, stdin=b"1\n\nt-canary\nn\n")
    assert result.code == 0
    assert result.stderr.endswith(f"{QUESTION}no token stored (unified profile login acme)\n")
    assert (
        path.read_text()
        == 'base_url = "https://api.example.com"\n\n[profiles.acme]\naccount_id = "1"\n'
    )


@pytest.mark.usefixtures("no_library")
def test_the_lines_of_the_readme_lead_to_many_connections(
    unified: Unified, service: Service
) -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    lines = re.findall(
        r"^unified ((?:profile|-p hooli) .*)$", text[: text.index("## Six jobs")], re.MULTILINE
    )
    assert [line.split()[1] for line in lines] == ["add", "login", "hooli", "test"]
    listed = [
        {
            "id": f"c-{at}",
            "tenant_id": f"t{at}",
            "integration": {"name": "desk"},
            "status": "active",
        }
        for at in range(42)
    ]

    def reply(seen: Seen) -> Reply:
        if seen.path == "/integrated-account":
            return served({"result": listed, "next_cursor": None})
        return Reply(200, b'{"id": "c", "status": "active", "unified": [], "result": []}')

    service.reply = reply
    for line in lines:
        words = line.replace("https://api.truto.one", service.url)
        result = unified(words, tty=True, stdin=b"t-canary\n\n")
        assert result.code == 0, (line, result.stderr)
    assert result.stdout.count(" ready") == 42
    assert {seen.headers["authorization"] for seen in service.seen} == {"Bearer t-canary"}


def test_one_token_for_the_profiles_of_a_glob(unified: Unified, config: Config) -> None:
    path = config(f"{PROFILE}[profiles.prod-a]\n[profiles.prod-b]\n")
    result = unified("profile login 'prod-*' --store file", tty=True, stdin=b"t-canary\n")
    assert (result.code, result.stderr.partition(": the")[0]) == (
        0,
        "token of 2 profiles, prod-a, prod-b (not shown)",
    )
    files = sorted(path.with_name("config.toml.tokens").glob("*-*[0-9a-f]"))
    assert [file.read_text() for file in files] == ["t-canary\n", "t-canary\n"]
    assert [line.partition(" is in ")[0] for line in result.stderr.splitlines()] == [
        'token of 2 profiles, prod-a, prod-b (not shown): the token of profile "prod-a"',
        'the token of profile "prod-b"',
    ]
    nobody = unified("profile login tag:prod", tty=True)
    assert (nobody.code, nobody.stderr) == (
        3,
        'error: no profile matches "tag:prod" (unified profile list shows 3)\n',
    )


HOW = "(a token is one line: --token-stdin < FILE)"


@pytest.mark.parametrize("typed", [b"line1\nline2\n", b"line1\n \nline2", b"t-\xa0\n", b"t 1\n"])
def test_a_token_of_several_lines_is_refused(
    unified: Unified, config: Config, typed: bytes
) -> None:
    path = config(PROFILE)
    result = unified("profile login acme --token-stdin --store file", stdin=typed)
    said = "contains a blank, a line break or another invalid character"
    assert (result.code, result.stderr) == (3, f"error: the token {said} {HOW}\n")
    assert path.read_text() == PROFILE


@pytest.mark.parametrize("typed", [b" t-canary \n", b"\n\tt-canary\r\n\r\n", b"t-canary"])
@pytest.mark.parametrize(
    "line", ["profile login acme --store file --token-stdin", "profile login acme --store file"]
)
def test_blanks_and_line_ends_around_a_token_are_left_out(
    unified: Unified, config: Config, typed: bytes, line: str
) -> None:
    path = config(PROFILE)
    piped = line.endswith("stdin")
    result = unified(line, tty=not piped, stdin=typed if piped else typed.lstrip(b"\n"))
    assert result.code == 0, result.stderr
    assert (
        next(path.with_name("config.toml.tokens").glob("acme-*[0-9a-f]")).read_text()
        == "t-canary\n"
    )


BEARER = 'the token begins with "Bearer " (leave the word out: each request adds it)'
WRONG = {
    b"Bearer t-canary": BEARER,
    b"bearer  t-canary": BEARER,
    b'"t-canary"': ("the token is in quotes (leave the quotes out)"),
    b"'t-canary'": ("the token is in quotes (leave the quotes out)"),
}


@pytest.mark.parametrize("typed", WRONG)
def test_a_malformed_copied_token_is_refused(
    unified: Unified, config: Config, typed: bytes
) -> None:
    path = config(PROFILE)
    result = unified("profile login acme --store file --token-stdin", stdin=typed)
    assert (result.code, result.stderr) == (3, f"error: {WRONG[typed]}\n")
    assert path.read_text() == PROFILE
    in_environment = {"UNIFIED_TOKEN": typed.decode()}
    called = unified("-p acme voice calls list", environ=in_environment)
    assert (called.code, "t-canary" in called.stderr) == (3, False)
    assert called.stderr.startswith("error: the token from UNIFIED_TOKEN ")


def test_a_wrong_token_is_asked_for_again_and_the_third_ends_it(
    unified: Unified, config: Config
) -> None:
    path = config(PROFILE)
    again = b"".join(one + b"\n" for one in (*[*WRONG][:2], b"t-canary"))
    result = unified("profile login acme --store file", tty=True, stdin=again)
    file = next(path.with_name("config.toml.tokens").glob("acme-*[0-9a-f]"))
    assert (result.code, result.stderr.count(ASKED), file.read_text()) == (0, 3, "t-canary\n")
    config(PROFILE)
    result = unified("profile login acme", tty=True, stdin=b'a b\n\n"x"\nt-canary\n')
    said = (
        f"{ASKED}the token contains a blank, a line break or another invalid character\n{ASKED}the"
        f" token is empty\n{ASKED}error: the token is in quotes"
        " (leave the quotes out)\n"
    )
    assert (result.code, result.stderr) == (3, said)
    assert path.read_text() == PROFILE


def test_help_says_what_reads_standard_input(unified: Unified) -> None:
    said = " ".join(unified("profile login --help").stdout.split())
    assert "--token-stdin reads it from standard input instead" in said
