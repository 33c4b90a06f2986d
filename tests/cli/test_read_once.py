"""The command line is read once; a word is an option only where that reading says
so.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from server import Service

from unified_cli.cli import tree

LIST = "ticketing tickets list"


@pytest.mark.parametrize("more", ["", "--record {}/session.har"])
def test_the_command_line_is_read_once(
    more: str, unified: Unified, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, lines = tree.read, []

    def counted(command: Any, argv: list[str], runtime: Any) -> Any:
        lines.append(argv)
        return read(command, argv, runtime)

    monkeypatch.setattr(tree, "read", counted)
    assert unified(f"{LIST} {more.format(tmp_path)}", environ=service.environ).code == 0
    assert len(lines) == 1


@pytest.mark.parametrize(
    "command", [f"{LIST} --jq --json-errors", f"{LIST} --jq -ojson", f"{LIST} --jq --output=json"]
)
def test_a_value_like_an_option_is_read_as_a_value(
    command: str, unified: Unified, service: Service
) -> None:
    result = unified(command, environ=service.environ)
    assert (result.code, service.seen) == (2, [])
    assert result.stderr.startswith("error: ")


@pytest.mark.parametrize(
    "command",
    [
        f"{LIST} --limit many --json-errors",
        f"-o json {LIST} --limit many",
        f"{LIST} -ondjson --limit many",
        f"{LIST} --output=json --no-such",
        "ticketing no-such --json-errors",
    ],
)
def test_where_it_cannot_be_read_its_words_say_how_the_error_is_printed(
    command: str, unified: Unified
) -> None:
    result = unified(command)
    assert result.code == 2
    assert json.loads(result.stderr)["error"]["code"] == "usage"


@pytest.mark.parametrize(
    "command", [f"{LIST} --color always --help", f"{LIST} --help --color=always"]
)
def test_help_has_the_colour_that_is_asked_for_on_either_side_of_it(
    command: str, unified: Unified, capsys: Any
) -> None:
    unified(command)
    assert "\x1b[" in capsys.readouterr().out or "\x1b[" in unified(command).stdout
    assert "\x1b[" not in unified(command.replace("always", "never"), tty=True).stdout


@pytest.mark.parametrize("spelling", ["-o", "--output", "--format"])
def test_every_spelling_of_an_output_asks_for_errors_as_json(
    spelling: str, unified: Unified
) -> None:
    result = unified(f"export ticketing --to dump {spelling} ndjson")
    assert (result.code, json.loads(result.stderr)["error"]["code"]) == (3, "config")
