"""Create errors for unknown commands, with suggestions."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from unified_cli.cli import argument_errors
from unified_cli.cli.command import CommandStub
from unified_cli.cli.operation_options import by_spelling
from unified_cli.cli.other_commands import no_command, own_commands, own_line
from unified_cli.cli.other_tools import own_spellings
from unified_cli.cli.word_order import (
    TOP,
    below_record,
    elsewhere,
    find_resources,
    in_order,
    of_group,
    similar_resources,
)
from unified_cli.errors import UsageError
from unified_cli.hints import quoted
from unified_cli.masking import visible

_MOST_NAMED = 3
_MOST_LISTED = 5
_SHORT_KINDS = {"command", "shell"}
_SEARCHES = {"search", "find", "grep", "query"}
_UPLOADS = {"upload", "attach"}
_RUN = re.compile(r"last|\d{8}-\w+")
_CLOSE = 0.7  # or "export" would be close to "import"


def unknown_command(
    context: Any, kind: str, entries: Mapping[str, CommandStub], words: Sequence[str]
) -> UsageError:
    """Return the error for an unknown command of a group. `kind` is the kind of its
    commands.
    """
    path, (name, *rest) = context.command_path, words
    close = [command for command in own_commands(name) if command in entries]
    near = get_close_matches(name.lower(), entries, 1, _CLOSE)
    near = [one for one in near if not _are_opposite(name.lower(), one)]
    near = near or [one for one in entries if "-" in name and _verb(one) == _verb(name)]
    close = close or find_resources(entries, name) or near
    close = close or (similar_resources(entries, name) if kind == TOP else [])
    if name == argument_errors.HELP:
        close = []
    hint = _taken_for_value(context, entries) if kind == TOP else None
    if not hint and kind == TOP and not find_resources(entries, name):
        hint = of_group(entries, words) or own_line(name, rest)
    hint = hint or no_command(path, name) or in_order(path, kind, entries, words)
    hint = hint or _of_operation(context, kind, words, close)
    if name == argument_errors.HELP:
        hint = f"{path} --help"
    if path == "unified runs" and _RUN.fullmatch(name):
        hint = f"{path} show {name}"
    if not hint and name in argument_errors.profiles(context):
        hint = (
            f"unified profile show {name}"
            if path == "unified profile"
            else f"-p {name} selects this profile"
        )
    if not hint:
        named = " or ".join(f'"{one}"' for one in close[:_MOST_NAMED])
        is_short = kind in _SHORT_KINDS and len(listed := _listed(entries)) <= _MOST_LISTED
        usual = f"choose from {', '.join(listed)}" if is_short else f"{path} --help lists them"
        hint = f"did you mean {named}?" if close else usual
    return UsageError(f'{path}: no {kind} named "{visible(name)}"', hint=hint)


def _of_operation(
    context: Any, kind: str, words: Sequence[str], close: Sequence[str]
) -> str | None:
    """Return the line for an operation whose name or resource is unknown, or None."""
    path, entries, (name, *rest) = context.command_path, context.command.entries, words
    if kind == "operation" and (line := below_record(context, name, rest)):
        return line
    given = quoted(rest[0]) if rest and not rest[0].startswith("-") else ""
    if kind == "operation" and given and name in _UPLOADS and "create" in close:
        return f"{path} create --upload {given}"
    if kind == "operation" and given and name in _SEARCHES and "list" in entries:
        return f"{path} list {own_spellings('--search', rest[0])[0].text}"
    if kind == "operation" and given and [*close] == ["update"]:
        return f"{path} update {given} -f NAME=VALUE; {path} get {given} shows it"
    if close or kind not in {"resource", "operation"}:
        return None
    if kind == "operation" and "get" in entries and any(map(str.isdigit, name)):
        return f"{path} get {quoted(name)}"
    return elsewhere(context, kind, words)


def _are_opposite(name: str, other: str) -> bool:
    """Return whether the names are opposites, such as X and unX, or reX and deX."""
    stem = name.removeprefix("re")
    return name == f"un{other}" or other in {f"{prefix}{stem}" for prefix in ("un", "de", "dis")}


def _verb(name: str) -> str:
    return name.partition("-")[0]


def _listed(entries: Mapping[str, CommandStub]) -> list[str]:
    return [name for name, stub in entries.items() if stub.about]


def _taken_for_value(context: Any, entries: Mapping[str, CommandStub]) -> str | None:
    """Return the option before the API that took the API as its value, or None."""
    # A profile may have the name of a command, like the sandbox.
    commands = entries.keys() - argument_errors.profiles(context)
    for option, value in context.params.items():
        taken = value[-1:] if isinstance(value, tuple | list) else [value]
        if name := next((word for word in taken if word in commands), None):
            spelled = f"--{option.replace('_', '-')}"
            right = f"{spelled} {by_spelling()[spelled].metavar}"
            return f"{spelled} used {name} as its value: {right}{argument_errors.UNSET}"
    return None
