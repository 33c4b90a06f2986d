"""`unified mcp` on the command line: what it refuses to start with, and the
configuration it prints.
"""

import importlib.util
import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified

from unified_cli.installation import command_to_add

Config = Callable[[str], Path]


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (
            "mcp serve --allow-writes",
            2,
            "--allow-writes needs -p, which names the connections that may be changed (-p NAME)",
        ),
        ("mcp serve -p sandbox --allow-deletes", 2, "--allow-deletes needs --allow-writes"),
        (
            "mcp config --allow-writes",
            2,
            "--allow-writes needs -p, which names the connections that may be changed (-p NAME)",
        ),
        ("mcp serve --requests-per-minute=-1", 2, "must be a whole number, 0 or more, not '-1'"),
    ],
)
def test_commands_that_are_not_served(line: str, code: int, said: str, unified: Unified) -> None:
    found = unified(line)
    assert (found.stdout, found.code) == ("", code)
    assert said in found.stderr


def test_without_the_extra_it_says_how_to_install_it(
    unified: Unified, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        "unified_cli.commands.mcp.run.find_spec", lambda name: None if name == "mcp" else real(name)
    )
    found = unified("mcp serve -p sandbox")
    assert (found.stdout, found.code) == ("", 3)
    add = command_to_add("mcp>=2.3,<3")
    assert found.stderr == f"error: mcp serve needs the package mcp ({add})\n"
    client = unified("mcp config")
    assert (client.code, f"the server needs the package mcp ({add})\n" in client.stderr) == (
        0,
        True,
    )


@pytest.mark.extra
def test_without_a_profile_there_is_nothing_to_serve(unified: Unified, config: Config) -> None:
    # This folder is called mcp as well, and may be found instead of the library.
    pytest.importorskip("mcp.server", reason="needs the extra mcp")
    config('base_url = "https://api.example.com"\n')
    found = unified("mcp serve")
    assert (found.code, found.stderr) == (
        3,
        (
            "error: there is no profile to serve (unified profile add NAME; to try things out: -p"
            " sandbox)\n"
        ),
    )
    assert unified("mcp serve -p nobody").code == 3


@pytest.mark.parametrize(
    "client", ["claude-code", "claude-desktop", "cursor", "gemini-cli", "windsurf", "vscode", "zed"]
)
def test_the_configuration_of_a_client_is_json(
    client: str, unified: Unified, config: Callable[[str], Path]
) -> None:
    config("[profiles.prod-1]\naccount_id = '1'\n")
    found = unified(["mcp", "config", "--client", client, "-p", "prod-*", "--allow-writes"])
    (servers,) = found.json.values()
    arguments = servers["unified"]["args"]
    assert arguments[-5:] == ["mcp", "serve", "-p", "prod-*", "--allow-writes"]
    assert Path(servers["unified"]["command"]).is_absolute()
    assert found.stderr.startswith("for ")


@pytest.mark.parametrize(
    "options",
    ["--allow-writes", "--allow-writes --allow-deletes", "--requests-per-minute 50"],
)
def test_the_configuration_has_the_options_of_the_server(options: str, unified: Unified) -> None:
    found = unified(f"mcp config -p sandbox {options}").json["mcpServers"]["unified"]["args"]
    assert found[found.index("serve") :] == ["serve", "-p", "sandbox", *options.split()]


def test_the_program_is_the_one_of_the_users_search_path(unified: Unified, tmp_path: Path) -> None:
    program = tmp_path / "with blanks" / "unified"
    program.parent.mkdir()
    program.touch(mode=0o700)
    for path, command in [(program.parent, str(program)), (tmp_path, sys.executable)]:
        found = unified("mcp config -p sandbox", environ={"PATH": str(path)})
        assert found.json["mcpServers"]["unified"]["command"] == command


def test_the_configuration_of_codex_is_toml(unified: Unified) -> None:
    found = tomllib.loads(unified("mcp config --client codex -p sandbox").stdout)
    assert found["mcp_servers"]["unified"]["args"][-4:] == ["mcp", "serve", "-p", "sandbox"]


def test_without_a_client_it_is_the_block_that_most_take(unified: Unified) -> None:
    found = unified("-p sandbox mcp config")
    assert json.loads(found.stdout)["mcpServers"]["unified"]["args"][-2:] == ["-p", "sandbox"]
