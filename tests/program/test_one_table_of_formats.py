"""The names of formats are in one table: no other module decides by a name of its
own.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import unified_cli
from unified_cli.output import formats
from unified_cli.output.formats import Format

ROOT = Path(unified_cli.__file__).parent
FORMATS = [one for one in vars(formats).values() if isinstance(one, Format)]
NAMES = {*(one.name for one in FORMATS), formats.AUTO}

# Texts that are spelled like a format and mean something else: which, and what they
# mean.
OTHERWISE = {
    "call/__init__.py": "json: how a request is shown",
    "call/dry_run.py": "json: how a request is shown",
    "call/seen_words.py": "ids: words for completion",
    "cli/options.py": "json: how a request is shown",
    "cli/option_parts.py": "auto: when there are colours",
    "cli/shared_options.py": "csv ids json ndjson tsv: formats of input",
    "commands/import_/command.py": "json: how a request is shown",
    "commands/move/command.py": "ids: the name of an option",
    "commands/move/sources.py": "ndjson: a format of input",
    "exported/checkpoint.py": "table: a member of a state file",
    "exported/manifest.py": "parquet table: members of a state file",
    "http/har_entry.py": "json: a media type",
    "runtime.py": "auto: when there are colours",
    "sandbox/actions.py": "markdown: a member of a record",
    "sandbox/application.py": "raw: a parameter of the service",
    "sandbox/introspection.py": "json: a parameter of the service",
    "sandbox/list_page.py": "raw: a parameter of the service",
    "sandbox/request_content.py": "json: a media type",
    "sandbox/stored_records.py": "json: an attribute",
    "sandbox/wsgi_application.py": "json: a media type",
    "writes/input_file.py": "ndjson: a format of input",
    "writes/input_formats.py": "ids json ndjson: formats of input",
    "writes/input_reading.py": "csv ndjson tsv: formats of input",
}


def decided_by_name(tree: ast.AST) -> Iterator[str]:
    """The names of formats in collections, in keys, comparisons, patterns and
    Literals.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Set() | ast.Tuple() | ast.List():
                found = node.elts
            case ast.Dict():
                found = [key for key in node.keys if key]
            case ast.Compare():
                found = [node.left, *node.comparators]
            case ast.MatchValue():
                found = [node.value]
            case ast.Subscript():
                found = [node.slice]
            case _:
                continue
        for one in found:
            if isinstance(one, ast.Constant) and one.value in NAMES:
                yield str(one.value)


def test_no_other_module_decides_by_the_name_of_a_format() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): names
        for path in sorted(ROOT.rglob("*.py"))
        if (names := {*decided_by_name(ast.parse(path.read_text("utf-8")))})
    }
    allowed = {path: {*re.findall(r"\w+(?=[\w ]*:)", why)} for path, why in OTHERWISE.items()}
    assert found == allowed


@pytest.mark.parametrize(
    "text",
    [
        'output in {"csv", "tsv"}',
        'output == "raw"',
        'FORMATS = ("ndjson", "csv")',
        '{"table": 1}',
        'Literal["json"]',
        'match output:\n    case "ids" | "raw": pass',
    ],
)
def test_a_decision_by_name_is_found(text: str) -> None:
    assert [*decided_by_name(ast.parse(text))]


def test_every_format_has_a_name_of_its_own_and_a_use() -> None:
    assert len({one.name for one in FORMATS}) == len(FORMATS)
    used = {*formats.RESULTS, *formats.EXPORTS, *formats.MATRICES}
    assert {*FORMATS} == used
