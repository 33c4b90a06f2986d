"""Suggest a value for an invalid choice of an option."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from unified_cli.hints import quoted
from unified_cli.output import formats

_PATH = re.compile(r"(\.\w+(\[\d*\])?)+", re.ASCII)
_FILE = re.compile(r".*\w\.\w{2,7}", re.ASCII)
_VALUES = {
    "pq": "parquet",
    **dict.fromkeys(("jsonl", "jsonlines", "json-lines", "jsonstream"), "ndjson"),
    **dict.fromkeys(("text", "wide", "human", "plain", "pretty"), "table"),
    **dict.fromkeys(("md", "gfm", "github"), "markdown"),
    **dict.fromkeys(("name", "id"), "ids"),
    "yml": "yaml",
    **dict.fromkeys(("excel", "xls", "xlsx", "spreadsheet"), "csv"),
    "xml": "json",
    "toml": "yaml",
    "html": "table",
    "none": "raw",
}


def meant_value(text: str, choices: Sequence[str]) -> str | None:
    """Return the choice for a misspelt value or another tool's word, or None."""
    lower = text.lower()
    found = {choice.lower(): choice for choice in choices}
    close = [_VALUES.get(lower, lower), *get_close_matches(lower, found, 1)]
    return next((found[choice] for choice in close if choice in found), None)


def not_one_of(text: str, choices: Sequence[str]) -> str:
    """Return the message for an invalid choice, with a suggestion."""
    wrong = f"{text!r} is not one of {', '.join(map(repr, choices))}"
    is_format = formats.NDJSON.name in choices
    if instead := _instead_of_format(text) if is_format else "":
        return f"{wrong}; did you mean {instead}?"
    if choices == formats.names(formats.REPORTS):
        file = quoted(text) if _FILE.fullmatch(text) else "FILE.html"
        return f"{wrong}; --to {file} writes the page"
    if choices == formats.names(formats.TABLES) and _FILE.fullmatch(text):
        return f"{wrong}; > {quoted(text)} writes it to a file"
    if formats.IDS.name in choices and text in formats.names(formats.EXPORTS):
        return f"{wrong}; unified export --format {text} writes it"
    if formats.PARQUET.name in choices and text in formats.names(formats.RESULTS):
        return f"{wrong}; unified API RESOURCE list -o {text} prints a list in this format"
    meant = meant_value(text, choices)
    if not meant and formats.PARQUET.name in choices:
        return f"{wrong}; did you mean --to {quoted(text)}?"
    return f'{wrong}; did you mean "{meant}"?' if meant else wrong


def _instead_of_format(text: str) -> str:
    """Return the option that was meant instead of a format, or "".

    The text may be the name of a file, or a path in the result.
    """
    kind, equals, path = text.partition("=")
    if equals and kind in {"jsonpath", "go-template", "custom-columns"}:
        return "--columns" if kind == "custom-columns" else f"--jq {_as_jq(path)}"
    return f"--out {quoted(text)}" if re.search(r"[./]", text) else ""


def _as_jq(path: str) -> str:
    """Return the jq program for a kubectl path.

    kubectl's lists are in `items`.
    """
    program = path.strip("{}").replace("[*]", "[]")
    if program.startswith(".items["):
        program = program.replace(".items[", ".result[", 1)
    return quoted(program) if _PATH.fullmatch(program) else "EXPR"
