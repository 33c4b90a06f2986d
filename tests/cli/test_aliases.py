"""The `[alias]` of the config file: a first word for several words, and what it may not
be.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from server import Reply, Service

Config = Callable[[str], Path]
ALIASES = """profile = "sandbox"

[alias]
t = "ticketing tickets"
two = "ticketing tickets list -q 'status=a b' --limit 2 -o ids"
who = "user_directory users"
"""


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("t get 7 --dry-run", "ticketing tickets get 7 --dry-run"),
        ("-p sandbox -a x t list --dry-run", "-p sandbox -a x ticketing tickets list --dry-run"),
        ("-vp sandbox t list --dry-run", "-vp sandbox ticketing tickets list --dry-run"),
        (
            "-psandbox --account-id=x t list --dry-run",
            "-psandbox -a x ticketing tickets list --dry-run",
        ),
        ("two --dry-run", "ticketing tickets list -q 'status=a b' --limit 2 -o ids --dry-run"),
        (
            "two --limit 5 --dry-run",
            "ticketing tickets list -q 'status=a b' --limit 5 -o ids --dry-run",
        ),
        ("who list --dry-run", "user-directory users list --dry-run"),
        ("t --help", "ticketing tickets --help"),
        ("help t list", "help ticketing tickets list"),
        ("t nothing", "ticketing tickets nothing"),
        ("t", "ticketing tickets"),
    ],
)
def test_an_alias_runs_its_words(typed: str, meant: str, unified: Unified, config: Config) -> None:
    config(ALIASES)
    one, other = unified(typed), unified(meant)
    assert (one.code, one.raw, one.stderr) == (other.code, other.raw, other.stderr)
    assert one.raw or "nothing" in typed


def test_help_of_an_alias_leaves_out_its_options(unified: Unified, config: Config) -> None:
    config(ALIASES)
    page = unified("help two")
    assert (page.code, page.stdout) == (0, unified("help ticketing tickets list").stdout)
    assert 'no page "get"' in unified("help two get").stderr


def test_an_alias_sends_the_same_request_as_its_words(
    unified: Unified, config: Config, service: Service
) -> None:
    config(ALIASES.replace('profile = "sandbox"', ""))
    service.reply = lambda _: Reply(body=b'{"result":[],"next_cursor":null}')
    assert unified("two", environ=service.environ).code == 0
    assert "status=a%20b" in service.seen[0].target


WRONG = {
    'x = "t list"': (
        'the alias "x" begins with "t", which is itself an alias (like t = "ticketing tickets")'
    ),
    'x = "x list"': (
        'the alias "x" begins with "x", which is itself an alias (like t = "ticketing tickets")'
    ),
    'x = "tickets list"': (
        'the alias "x" does not begin with an API or a command (like t = "ticketing tickets")'
    ),
    'x = ""': (
        'the alias "x" does not begin with an API or a command (like t = "ticketing tickets")'
    ),
    'x = "ticketing \'tickets"': 'the alias "x" cannot be split into words: no closing quotation',
    "x = 5": 'the alias "x" must be text (like t = "ticketing tickets")',
    '"x" = "ticketing tickets delete --yes"': (
        'the alias "x" holds --yes, which must be typed each time'
    ),
    "x = \"ticketing tickets delete '--yes'\"": (
        'the alias "x" holds --yes, which must be typed each time'
    ),
    'x = "ticketing tickets delete -y"': 'the alias "x" holds -y, which must be typed each time',
    'x = "ticketing tickets delete -vy"': 'the alias "x" holds -y, which must be typed each time',
    'x = "ticketing tickets list --out f --force"': (
        'the alias "x" holds --force, which must be typed each time'
    ),
    'x = "ticketing tickets list --allow-partial"': (
        'the alias "x" holds --allow-partial, which must be typed each time'
    ),
    'x = "mcp serve --allow-writes"': (
        'the alias "x" holds --allow-writes, which must be typed each time'
    ),
}


@pytest.mark.parametrize("written", WRONG)
def test_an_invalid_alias_is_reported_with_its_line(
    written: str, unified: Unified, config: Config
) -> None:
    path = config(
        f'{ALIASES}# not this: x = "y"\n{written}\n[profiles.acme]\nbase_url ='
        ' "https://x.example"\n'
    )
    name = written.split(maxsplit=1)[0].strip('"')
    result = unified(f"{name} 7", stdin=b"y\n")
    assert (result.code, result.stdout) == (3, "")
    assert result.stderr == f"error: {path}:8: {WRONG[written]}\n"
    assert unified("t list --limit 1").code == 0
    examined = unified("doctor -o json")
    assert examined.code == 3
    messages = [one["message"] for one in examined.json["findings"] if one["check"] == "config"]
    assert messages == [f"{path}:8: {WRONG[written]}".partition(" (like")[0]]


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("ats", "ats jobs list"),
        ("ci_cd", "ci-cd repos list"),
        ("operations", "operations suspend user"),
    ],
)
def test_an_alias_that_a_command_shadows_is_ignored_with_one_line(
    name: str, typed: str, unified: Unified, config: Config
) -> None:
    path = config(f'{ALIASES}{name} = "ticketing tickets"\n')
    result = unified(typed)
    assert (result.code, bool(result.stdout)) == (0, True)
    said = f'{path}:7: the alias "{name}" has the name of an API or a command'
    line = f"warning: {said}, so it is ignored (give it another name)"
    assert result.stderr.splitlines().count(line) == 1
    assert line not in unified("voice calls list").stderr
    examined = unified("doctor -o json")
    (found,) = (one for one in examined.json["findings"] if one["check"] == "config")
    assert (found["level"], found["message"]) == ("warning", said)
    assert examined.code == 0


def test_letters_after_an_option_with_a_value_are_that_value(
    unified: Unified, config: Config
) -> None:
    config(f'{ALIASES}x = "ticketing tickets create -fname=y --dry-run"\n')
    assert unified("x").json["body"] == {"name": "y"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('alias.x = "nothing"\n', 1),
        ('\nalias = { t = "ticketing", x = "nothing" }\n', 2),
        ('[alias]\nt = "ticketing"\n[alias.x]\n', 3),
        ('[profiles.x]\naccount_id = "x"\n[ "alias" ]\nx = """\nnothing"""\n', 4),
    ],
)
def test_the_line_is_found_however_an_alias_is_written(
    text: str, line: int, unified: Unified, config: Config
) -> None:
    path = config(text)
    assert unified("x").stderr.startswith(f'error: {path}:{line}: the alias "x" ')


def test_aliases_are_not_profiles_and_survive_changes_of_the_file(
    unified: Unified, config: Config
) -> None:
    path = config(ALIASES)
    assert unified("profile add acme --base-url https://x.example -a 1").code == 0
    assert unified("profile set --default output=table").code == 0
    assert 't = "ticketing tickets"\n' in path.read_text()
    assert unified("profile list").stdout.split("\t")[0] == "acme"
    config('alias = "ticketing"\n')
    result = unified("t list")
    assert result.code == 3
    assert (
        'alias must be a table (write [alias], and below it t = "ticketing tickets")'
        in result.stderr
    )


def test_help_lists_the_aliases_of_its_user(unified: Unified, config: Config) -> None:
    assert "Aliases" not in unified("--help").stdout
    config(f'{ALIASES}bad = "nothing"\n')
    page = unified("--help").stdout
    assert "\nAliases:\n  t    ticketing tickets\n  two  ticketing" in page
    assert "bad" not in page
    config("what is this")
    assert unified("--help").code == 0


def test_a_line_that_begins_with_a_command_reads_no_config_for_it(
    unified: Unified, config: Config
) -> None:
    path = config("what is this")
    assert unified("completion bash").code == 0
    assert unified("operations suspend").code == 0
    result = unified("t list")
    assert (result.code, str(path) in result.stderr) == (3, True)
    path.unlink()
    assert unified("t list").code == 2


def test_a_topic_of_help_tells_of_aliases(unified: Unified) -> None:
    assert "[alias]" in unified("help profiles").stdout
