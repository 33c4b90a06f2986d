"""Help as people and programs meet it: topics, suggestions, widths."""

import re
from pathlib import Path

import pytest
from front_door import ROOT, Unified

from unified_cli.commands.help import topics
from unified_cli.config.keys import KEYS
from unified_cli.docs.completion import FILES
from unified_cli.errors import ExitCode
from unified_cli.output import formats


def test_the_topics_are_these() -> None:
    assert [*topics()] == [
        "exit-codes",
        "output",
        "query",
        "filters",
        "config",
        "environment",
        "options",
        "operations",
        "profiles",
        "runs",
        "move",
        "agents",
        "evidence",
        "checks",
        "sql",
        "sandbox",
        "engines",
    ]


def test_help_alone_lists_the_topics(unified: Unified) -> None:
    result = unified("help")
    assert (result.code, result.stderr) == (0, "")
    for name, topic in topics().items():
        assert re.search(rf"^  {name} +{re.escape(topic.about)}$", result.stdout, re.MULTILINE)


def test_topics_hold_what_the_code_knows(unified: Unified) -> None:
    codes = unified("help exit-codes").stdout
    assert all(
        re.search(rf"^  {int(code)} +{re.escape(code.meaning)}$", codes, re.MULTILINE)
        for code in ExitCode
    )
    variables = unified("help environment").stdout
    assert all(key.variable in variables for key in KEYS.values() if key.env)
    keys = unified("help config").stdout
    assert all(re.search(rf"^  {key.name} ", keys, re.MULTILINE) for key in KEYS.values() if key.at)
    assert ", ".join(formats.SETTINGS) in " ".join(unified("help output").stdout.split())


def test_config_says_what_goes_before_the_environment(unified: Unified) -> None:
    said = (
        "But the address, account and token of a named profile take precedence over the environment"
    )
    assert said in " ".join(unified("help config").stdout.split())


def test_environment_says_nothing_of_the_file_where_a_token_may_be(unified: Unified) -> None:
    assert "  UNIFIED_TOKEN       the bearer token itself\n" in unified("help environment").stdout


@pytest.mark.parametrize(
    "command", ["ticketing", "ticketing tickets", "voice recordings download", "profile"]
)
def test_help_of_a_command_is_its_page(command: str, unified: Unified) -> None:
    assert unified(f"help {command}").stdout == unified(f"{command} --help").stdout != ""


INSTALL = "unified completion install"
SHELLS = "'tcsh' is not one of 'bash', 'zsh', 'fish'"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (
            "help columns",
            'unified help: no topic, API or command named "columns" (did you mean "output"?)',
        ),
        (
            "help exit-code",
            'unified help: no topic, API or command named "exit-code" (did you mean "exit-codes"?)',
        ),
        (
            "help zzz",
            'unified help: no topic, API or command named "zzz" (unified help lists the topics)',
        ),
        (
            "help voice calls list extra",
            'unified help voice calls list: no page "extra" (unified help voice calls list)',
        ),
        ("help exit-codes 9", 'unified help exit-codes: no page "9" (unified help exit-codes)'),
        ("help voice call", 'unified voice: no resource named "call" (did you mean "calls"?)'),
        ("profle", 'unified: no API or command named "profle" (did you mean "profile"?)'),
        (
            "voice calls list --outpt x",
            'unified voice calls list: no such option: --outpt (did you mean "--output"?)',
        ),
        (
            "voice calls list --zzz",
            "unified voice calls list: no such option: --zzz (unified voice calls list --help)",
        ),
        ("--profil x", 'unified: no such option: --profil (did you mean "--profile"?)'),
        ("completion bsh", 'unified completion: no shell named "bsh" (did you mean "bash"?)'),
        (
            "completion install --shell tcsh",
            f"{INSTALL}: invalid value for '--shell': {SHELLS} ({INSTALL} --help)",
        ),
    ],
)
def test_a_slip_is_answered_with_what_was_meant(typed: str, said: str, unified: Unified) -> None:
    result = unified(typed)
    assert (result.stdout, result.stderr, result.code) == ("", f"error: {said}\n", 2)


@pytest.mark.parametrize(
    ("shell", "place", "said"),
    [
        ("bash", ".local/share/bash-completion/completions/unified", "source '"),
        ("zsh", ".local/share/zsh/site-functions/_unified", "fpath=("),
        ("fish", ".config/fish/completions/unified.fish", "ready in new shells"),
    ],
)
def test_install_puts_the_script_where_the_shell_looks(
    shell: str, place: str, said: str, unified: Unified, tmp_path: Path
) -> None:
    target = tmp_path / place
    target.parent.mkdir(parents=True)
    target.write_text("of an older version")
    result = unified(
        "completion install", environ={"HOME": str(tmp_path), "SHELL": f"/usr/bin/{shell}"}
    )
    assert (result.stdout, result.code) == ("", 0)
    assert said in result.stderr
    assert target.read_bytes() == (ROOT / "completions" / FILES[shell]).read_bytes()
    assert [path.name for path in target.parent.iterdir()] == [target.name]


def test_install_makes_the_folder_that_is_not_there(unified: Unified, tmp_path: Path) -> None:
    result = unified("completion install --shell fish", environ={"HOME": str(tmp_path / "new")})
    assert (result.code, (tmp_path / "new/.config/fish/completions/unified.fish").is_file()) == (
        0,
        True,
    )


def test_what_a_powershell_profile_still_runs_is_a_comment(unified: Unified) -> None:
    result = unified("completion pwsh")
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout.startswith("# ")
    assert result.stdout.count("\n") == 1
    assert "pwsh" not in unified("completion --help").stdout


@pytest.mark.parametrize("variable", ["HOME", "XDG_CONFIG_HOME"])
@pytest.mark.parametrize("is_ours", [True, False])
def test_the_script_for_powershell_of_an_older_version_may_be_removed(
    variable: str, *, is_ours: bool, unified: Unified, tmp_path: Path
) -> None:
    folder = tmp_path / (".config" if variable == "HOME" else "settings")
    script = folder / "powershell" / "unified.ps1"
    script.parent.mkdir(parents=True)
    script.write_text(f"# PowerShell completion for {'unified. Static: a' if is_ours else 'me'}\n")
    environ = {"HOME": str(tmp_path), "SHELL": "/bin/bash"}
    if variable != "HOME":
        environ[variable] = str(folder)
    installed = unified("completion install", environ=environ)
    assert installed.code == 0
    assert (f"{script} is no longer used" in installed.stderr) == is_ours
    findings = unified("doctor -o json", environ=environ).json["findings"]
    found = [(one["level"], one["remedy"]) for one in findings if one["check"] == "completion"]
    remedy = f"rm {script}, and remove its line from your $PROFILE"
    assert found == ([("warning", remedy)] if is_ours else [])


def test_install_needs_a_home(unified: Unified) -> None:
    result = unified("completion install --shell fish")
    said = (
        "no home directory to install the completion script in (unified completion SHELL prints it)"
    )
    assert (result.stderr, result.code) == (f"error: {said}\n", 3)
