"""Recognise the commands of other tools (gh, aws, gcloud, kubectl and httpie), and
suggest what to type instead.

Used only if a command line could not be parsed.
"""

import re
from collections.abc import Sequence
from itertools import takewhile

from unified_cli import hints
from unified_cli.cli import advice_tables
from unified_cli.hints import quoted
from unified_cli.values import JsonObject

_DOTS = re.compile(r" …([A-Z=]*)")
_NAMING = ("-p", "--profile", "--name")
# The first words of SQL statements, and programs that run them.
_SQL = {"select": ("select",), **dict.fromkeys(("query", "psql", "duckdb"), ())}


def _table() -> JsonObject:
    return advice_tables.read("other_commands")


def own_commands(name: str) -> Sequence[str]:
    """Return the names of our commands for `name`, a command of another tool."""
    commands = _table()["commands"].items()
    return next((own.split() for names, own in commands if name in names.split()), ())


def no_command(path: str, name: str) -> str | None:
    """Return the replacement for a command that the group `path` does not have, or
    None.
    """
    missing = _table()["none"].get(path, {}).items()
    return next((own for names, own in missing if name in names.split()), None)


def _is_no_option(word: str) -> bool:
    return not word.startswith("-")


def own_line(word: str, rest: Sequence[str]) -> str | None:
    """Return our command line that replaces a command line of another tool.

    `word` is the first word of the typed line, and `rest` has its other words. Returns
    None if no known command of another tool begins with `word`.
    """
    if word.lower() in _SQL and " " in (text := " ".join((*_SQL[word.lower()], *rest))):
        return f"unified sql {quoted(text)}"
    both = f"{word}/{rest[0]}" if rest else word
    found, line = next(
        (
            (text, line)
            for text in (both, word)
            for words, line in _table()["lines"].items()
            if text in words.split()
        ),
        (word, None),
    )
    if line is None:
        return None
    left = (
        [text for text in rest if text not in _NAMING]
        if line.startswith("unified profile")
        else rest
    )
    left = left[1:] if found != word else left
    if found == "config/set" and len(left) == 2 and "=" not in left[0]:
        # Join two words, because gh and aws separate the key and its value.
        left = ["=".join(left)]
    if found == "config/set" and left and left[0].startswith(("profile=", "default=")):
        return f"unified profile use {quoted(left[0].partition('=')[2])}"
    if found == "login" and left and "://" in left[0]:
        return hints.add_profile(left[0])
    if found in {"login", "auth/login"} and line.endswith("NAME"):
        left = [*takewhile(_is_no_option, left)] or ["NAME"]
        left += ["--token-stdin"] if "--with-token" in rest else []
    elif left and not _is_no_option(left[0]) and line.endswith("…NAME"):
        left = ["NAME", *left]
    named = "".join(f" {quoted(one)}" for one in left)
    return _DOTS.sub(lambda place: named or (place[1] and f" {place[1]}"), line.replace("{}", word))
