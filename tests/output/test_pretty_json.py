"""JSON that is indented and coloured: on a terminal, with --pretty and --color, and
what a jq program gives.
"""

import json
import re

import pytest
from front_door import Unified
from pages import serve
from server import Service

RECORD = {"id": "1", "name": "Ann \u202e", "n": 1.10, "ok": True}
GET = "ticketing tickets list"
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(autouse=True)
def record(service: Service) -> None:
    serve(service, [[RECORD]])


@pytest.mark.parametrize("how", ["", "--all"])
def test_results_of_jq_look_like_any_json_on_a_terminal(
    how: str, unified: Unified, service: Service
) -> None:
    program = ["--jq", ".result[0] | {id, ok}, .name, .n, []"]
    shown = unified([*GET.split(), *how.split(), *program], environ=service.environ, tty=True)
    plain = '{\n  "id": "1",\n  "ok": true\n}\nAnn \\u202e\n1.1\n[]\n'
    assert COLOURS.sub("", shown.stdout) == plain
    coloured = [line for line in shown.stdout.splitlines() if "\x1b[" in line]
    assert len(coloured) == plain.count("\n") - 1
    piped = unified([*GET.split(), *how.split(), *program], environ=service.environ)
    assert piped.stdout == '{"id":"1","ok":true}\nAnn \u202e\n1.1\n[]\n'


@pytest.mark.parametrize("how", ["", "--all", "--jq .", "--columns id,name"])
def test_pretty_indents_on_a_pipe_and_changes_nothing(
    how: str, unified: Unified, service: Service
) -> None:
    plain = unified(f"{GET} {how}", environ=service.environ)
    pretty = unified(f"{GET} {how} --pretty", environ=service.environ)
    assert pretty.json == plain.json
    assert pretty.stdout.startswith("{\n  ")
    assert pretty.stdout.endswith("\n}\n")
    assert "\u202e" in pretty.stdout or "\\u202e" in pretty.stdout


def test_pretty_leaves_line_formats_alone(unified: Unified, service: Service) -> None:
    assert (
        unified(f"{GET} -o ndjson --pretty", environ=service.environ).stdout
        == json.dumps(RECORD) + "\n"
    )


@pytest.mark.parametrize("how", ["", "--all", "--jq .", "-o ndjson", "--pretty", "--jq . --pretty"])
def test_colour_always_colours_piped_json(how: str, unified: Unified, service: Service) -> None:
    plain = unified(f"{GET} {how}", environ=service.environ)
    coloured = unified(f"{GET} {how} --color always", environ=service.environ)
    assert COLOURS.search(coloured.stdout)
    assert json.loads(COLOURS.sub("", coloured.stdout)) == plain.json
