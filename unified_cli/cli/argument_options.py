"""Suggest the line in which an argument replaces an option, for lines such as `profile
set -p acme`.

Used only if a command line could not be parsed.
"""

from collections.abc import Sequence
from typing import Any

from unified_cli.hints import quoted

_WORDS = 3
_OF_PROFILE = ("-p", "-n", "--name", "--profile", "--profile-name")
# Options that other commands and tools have instead of an argument.
_MEANT = {
    "name": (*_OF_PROFILE, "--from", "--old"),
    "words": _OF_PROFILE,
    "new_name": ("--to", "--new", "--new-name", "--rename-to"),
    "run": ("--id", "--run", "--run-id", "--name"),
    "runs": ("--id", "--run", "--run-id", "--name"),
}


def as_argument(context: Any, option: str, argv: Sequence[str]) -> str | None:
    """Return the line with an argument in place of the option.

    Returns None for other options, and for operations of the catalogue.
    """
    words = context.command_path.split() if context else ()
    if words[1:] == ["plan"] and "apply" in argv:
        target = ["TARGET"] if argv[-1] == option else []
        line = [word for word in argv if word != "plan"] + target
        return " ".join(("unified", *map(quoted, line)))
    if len(words) != _WORDS or hasattr(context.command, "list_commands"):
        return None
    arguments = [
        parameter.name
        for parameter in context.command.params
        if parameter.param_type_name == "argument"
    ]
    own = {option: name for name in reversed(arguments) for option in _MEANT.get(name, ())}
    if option not in own:
        return None
    values, rest = {}, []
    after = iter(argv)
    for word in after:
        spelled, equals, value = word.partition("=")
        if spelled in own:
            values[own[spelled]] = value if equals else next(after, "")
        else:
            rest.append(word)
    at = _end_of_path(rest, words[1:])
    for place, name in enumerate(arguments):
        if name in values:
            rest.insert(at + place, values[name] or name.upper())
    return " ".join(("unified", *map(quoted, rest)))


def _end_of_path(words: Sequence[str], path: Sequence[str]) -> int:
    at = 0
    for name in path:
        at = words.index(name, at) + 1 if name in words[at:] else at
    return at
