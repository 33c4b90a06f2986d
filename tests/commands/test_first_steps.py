"""`unified` alone: where to begin, or the help of the program."""

from pathlib import Path

import pytest
from front_door import Unified

STEPS = """\
Try it, without an account:  unified -p sandbox ticketing tickets list -o table
Add your first connection:   unified profile add NAME
See all commands:            unified --help
"""


def test_a_newcomer_at_a_terminal_gets_three_lines(unified: Unified, tmp_path: Path) -> None:
    result = unified("", tty=True, environ={"HOME": str(tmp_path), "UNIFIED_CONFIG": ""})
    assert (result.stdout, result.stderr, result.code) == (STEPS, "", 0)
    assert max(map(len, STEPS.splitlines())) <= 80


def test_the_first_of_them_runs(unified: Unified) -> None:
    command = STEPS.splitlines()[0].partition("  unified ")[2]
    result = unified(command)
    assert (result.code, len(result.stdout.splitlines())) == (0, 51)


@pytest.mark.parametrize(
    "environ", [{"UNIFIED_BASE_URL": "https://api.example.com"}, {"UNIFIED_PROFILE": "acme"}]
)
def test_a_user_with_a_variable_set_gets_the_help(
    unified: Unified, environ: dict[str, str], tmp_path: Path
) -> None:
    result = unified("", tty=True, environ={"HOME": str(tmp_path), "UNIFIED_CONFIG": "", **environ})
    assert "Usage:" in result.stdout


def test_a_user_with_a_config_file_or_no_terminal_gets_the_help(
    unified: Unified, tmp_path: Path
) -> None:
    file = tmp_path / "config.toml"
    file.write_text('base_url = "https://api.example.com"\n')
    file.chmod(0o600)
    assert "Usage:" in unified("", tty=True, environ={"UNIFIED_CONFIG": str(file)}).stdout
    assert (
        unified("", environ={"HOME": str(tmp_path), "UNIFIED_CONFIG": ""}).stdout
        == unified("-h").stdout
    )
