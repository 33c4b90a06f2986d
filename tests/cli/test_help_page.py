"""Help: every level, in 80 columns, without anything of this machine but the program
itself.
"""

import re
import subprocess
from pathlib import Path

import pytest
from entries import ENTRIES
from front_door import Process, Result, Unified

from unified_cli.catalogue import Operation, load
from unified_cli.cli.command_index import CommandEntry
from unified_cli.cli.flags import flags_of
from unified_cli.cli.operation_options import class_for
from unified_cli.commands import COMMANDS
from unified_cli.commands.help import topics

CATALOGUE = load()
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


VERBS = """
Add Ask Assign Call Change Choose Compare Complete Continue Create Deactivate Delete Do
Downgrade Download Export Find Forward Get Import Install List Make Manage Move Offer
Print Reject Remove Repeat Reply Reset Search Send Serve Show Start Store Suspend Test
Update Write
"""


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda one: " ".join(one.path) or "unified")
def test_the_pages_of_a_command(entry: CommandEntry, unified: Unified) -> None:
    page = unified([*entry.path, "--help"])
    says_the_same_at_any_width_and_is_plain_off_a_terminal([*entry.path, "--help"], page, unified)
    begins_with_what_the_command_does(entry, page.stdout)
    has_a_short_form_of_one_screen(entry, unified([*entry.path, "-h"]), page.stdout)


@pytest.mark.parametrize("topic", topics())
def test_the_page_of_a_topic(topic: str, unified: Unified) -> None:
    says_the_same_at_any_width_and_is_plain_off_a_terminal(
        ["help", topic], unified(["help", topic]), unified
    )


def says_the_same_at_any_width_and_is_plain_off_a_terminal(
    argv: list[str], page: Result, unified: Unified
) -> None:
    assert (page.code, page.stderr) == (0, "")
    assert "\x1b" not in page.stdout
    assert max(map(len, page.stdout.splitlines())) <= 80
    assert words(unified(argv, columns=100).stdout) == words(page.stdout)
    for columns in (80, 200):
        shown = unified(argv, tty=True, columns=columns, environ={"TERM": "xterm"}).stdout
        assert "\x1b[" in shown
        assert words(COLOUR.sub("", shown)) == words(page.stdout)


def words(text: str) -> list[str]:
    """The words of a page, whatever its lines: without the marks that continue a
    command line.
    """
    return text.replace("\\\n", " ").split()


def begins_with_what_the_command_does(entry: CommandEntry, text: str) -> None:
    assert text.startswith(f"Usage: {' '.join(('unified', *entry.path))}")
    lines = text.split("\n\n")[1].split("\n")
    assert re.search(rf"\b{lines[0].split()[0]}\b", VERBS)
    assert lines[-1].endswith(".") or lines[-1].split()[0] in {"GET", "POST", "PATCH", "DELETE"}
    if len(entry.path) == 3 and entry.path[0] in CATALOGUE.apis:
        _names_its_request_and_each_option_once(CATALOGUE.operation(*entry.path), text)


def _names_its_request_and_each_option_once(operation: Operation, text: str) -> None:
    assert f"{operation.method} {operation.path}\n" in text
    listed = text[text.index("Connection options:") :]
    options = re.findall(r"^  (?:(-\w)|  )[, ] (--[\w-]+)", listed, re.MULTILINE)
    shown = [spelling for pair in options for spelling in pair if spelling]
    expected = [
        spelling
        for flag in flags_of(class_for(operation), operation=operation)
        for spelling in flag.spellings
    ]
    assert shown == [*expected, "-h", "--help"]


ROOT_OPTIONS = "Options: -p NAME, -o FORMAT, -v, --version, -h (this page), --help (everything)"
SHORT = "show this page; --help shows everything"


def has_a_short_form_of_one_screen(entry: CommandEntry, page: Result, whole: str) -> None:
    lines = page.stdout.splitlines()
    assert (page.code, page.stderr) == (0, "")
    assert len(lines) <= (40 if entry.path else 24)
    assert max(map(len, lines)) <= 80
    assert lines[:3] == whole.splitlines()[:3]
    assert re.search(r"^Examples?:\n  unified ", page.stdout, re.MULTILINE)
    if not entry.path:
        assert lines[-1] == ROOT_OPTIONS
    elif page.stdout != whole:
        assert re.fullmatch(rf"  -h, --help +{SHORT}", lines[-1])
        shown = listed_options(page.stdout)
        common = [flag.spellings[-1] for flag in entry.flags if flag.common]
        assert [name for name in shown if name not in {"--help", "--version"}] == common
        assert common
    assert {flag.spellings[-1] for flag in entry.flags} | {"--help"} <= {*listed_options(whole)}


def listed_options(page: str) -> list[str]:
    """The options that are explained; examples come before them."""
    return re.findall(r"^  (?:-\w,|   ) (--[\w-]+)", page[page.index("ptions:\n") :], re.MULTILINE)


def test_the_page_of_the_program_has_every_name_and_the_version(unified: Unified) -> None:
    short = unified("-h").stdout
    assert [
        name for name, _ in ENTRIES[0].words if not re.search(rf"[ \n]{name}[,\n ]", short)
    ] == []
    whole = unified("--help").stdout
    assert re.search(r"^      --version +show the version$", whole, re.MULTILINE)


def test_the_first_page_says_what_each_command_does(unified: Unified) -> None:
    short = unified("-h").stdout
    for name, entry in COMMANDS.items():
        assert re.search(rf"  {name} +{re.escape(entry.brief)}(  |\n)", short)
        assert len(entry.brief.split()) > 1


@pytest.mark.parametrize("words", ["-h -v", "-v -h", "-vh"])
def test_short_and_long_help_together_show_the_whole_page(words: str, unified: Unified) -> None:
    short, whole = (unified(f"ticketing tickets list {word}").stdout for word in ("-h", "--help"))
    assert short != whole
    assert unified(f"ticketing tickets list {words}").stdout == short
    assert unified(f"ticketing tickets list {words} --help").stdout == whole
    assert unified("help ticketing tickets list").stdout == whole


def test_every_operation_has_a_page() -> None:
    assert {operation.command for operation in CATALOGUE} <= {
        " ".join(entry.path) for entry in ENTRIES
    }


def test_each_paragraph_is_whole_sentences() -> None:
    whole = re.compile(r"([A-Z]|--?\w).*[.:}]|(GET|POST|PATCH|DELETE) \S+", re.DOTALL)
    broken = [
        (entry.path, text)
        for entry in ENTRIES
        for text in entry.page.paragraphs
        if not whole.fullmatch(text)
    ]
    assert broken == []


def test_the_page_of_list_is_exactly_this(unified: Unified) -> None:
    golden = Path(__file__).with_name("help-voice-calls-list.txt").read_text("utf-8")
    assert unified("voice calls list --help").stdout == golden


@pytest.mark.parametrize(
    "command", ["--help", "--version", "ticketing --help", "operations reply-all"]
)
def test_help_needs_no_home_no_terminal_and_no_sound_config(
    command: str, tmp_path: Path, process: Process
) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("this is no TOML")
    result = process(
        command, environ={"HOME": "", "UNIFIED_CONFIG": str(broken)}, stdin=subprocess.DEVNULL
    )
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (
            "tiketing",
            'error: unified: no API or command named "tiketing" (did you mean "ticketing"?)',
        ),
        (
            "ticketing tickts",
            'error: unified ticketing: no resource named "tickts" (did you mean "tickets"?)',
        ),
        (
            "voice calls lst",
            'error: unified voice calls: no operation named "lst" (did you mean "list"?)',
        ),
        (
            "voice calls zzz",
            (
                'error: unified voice calls: no operation named "zzz" (unified voice calls --help'
                " lists them)"
            ),
        ),
        ("-v", "error: unified: missing command (unified --help)"),
    ],
)
def test_a_mistake_gets_one_line_that_helps(typed: str, said: str, unified: Unified) -> None:
    result = unified(typed)
    assert (result.stdout, result.stderr, result.code) == ("", said + "\n", 2)


@pytest.mark.parametrize("level", ["", "voice", "voice calls", "profile", "completion", "sandbox"])
def test_a_group_without_a_command_shows_its_help(level: str, unified: Unified) -> None:
    result = unified(level)
    assert (result.stdout, result.stderr, result.code) == (unified(f"{level} -h").stdout, "", 0)
    assert result.stdout.startswith(f"Usage: unified {level}".rstrip())


@pytest.mark.parametrize("typed", ["ticketing ticket-types list", "ticketing ticket_types list"])
def test_the_other_dash_finds_the_command(typed: str, unified: Unified) -> None:
    assert (
        unified(f"{typed} --dry-run -p sandbox")
        .json["url"]
        .startswith("http://sandbox/unified/ticketing/ticket_types?")
    )


@pytest.mark.parametrize("name", ["assign-role", "assign_role"])
def test_both_spellings_of_a_role_action_stay_apart(name: str, unified: Unified) -> None:
    shown = unified(f"user-directory users {name} --dry-run -p sandbox").json
    assert (
        shown["url"]
        == f"http://sandbox/unified/user-directory/users/{name}?integrated_account_id=full"
    )


@pytest.mark.parametrize("command", ["", "ticketing", "ticketing tickets list", "export"])
def test_a_page_in_colour_is_the_same_text(command: str, unified: Unified) -> None:
    shown, plain = (
        unified(f"{command} --help", tty=True, environ={name: "1"}).stdout
        for name in ("FORCE_COLOR", "NO_COLOR")
    )
    assert shown != plain
    assert COLOUR.sub("", shown) == plain


def test_options_are_coloured_with_and_without_a_letter(unified: Unified) -> None:
    shown = unified("ticketing tickets list --help", tty=True, environ={"FORCE_COLOR": "1"}).stdout
    assert "\x1b[1mList options:\x1b[0m\n\x1b[36m      --all\x1b[0m  " in shown
    assert "\x1b[36m  -q, --query\x1b[0m NAME=VALUE" in shown


def test_each_command_of_the_first_page_is_coloured(unified: Unified) -> None:
    shown = unified("-h", tty=True, environ={"FORCE_COLOR": "1"}).stdout
    listed = unified("--help", tty=True, environ={"NO_COLOR": "1"}).stdout
    commands = re.findall(r"^  ([a-z]+)  ", listed.partition("\nCommands:\n")[2], re.MULTILINE)
    assert len(commands) > 15
    for command in commands:
        assert f"\x1b[36m{command}\x1b[0m" in shown.replace("\x1b[36m  ", "\x1b[36m"), command
