"""Turn what Typer cannot parse into a usage error that says what to type instead."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

from unified_cli.catalogue import STANDARD
from unified_cli.cli.command_stub import APIS, CommandStub
from unified_cli.cli.flags import BODY, LIST
from unified_cli.cli.options import operation_flags, writes
from unified_cli.cli.other_tools import own_commands, own_spelling
from unified_cli.errors import UsageError
from unified_cli.masking import visible

_MOST_NAMED = 3
_OWN = {spelling: flag for flag in operation_flags() for spelling in flag.spellings}
_TAKEN_BY = {LIST: "lists", BODY: "operations that send a body"}
_CLOSE = 0.75
# Not so low that "rename" is taken for "remove", or "export" for "import".
_CLOSE_NAME = 0.7
_ASSIGNMENT = re.compile(r"(.+?)(:=|==|=)(.*)", re.DOTALL)
# What an assignment without an option means: httpie's == is a query parameter, its := a field that is JSON.
_FIELDS = {
    "=": {"-f": "sets a field", "-q": "is a query parameter"},
    "==": {"-q": "is a query parameter"},
    ":=": {"-F": "sets a field", "-q": "is a query parameter"},
}


def from_typer(error: Any) -> UsageError:
    """The error that says what to type instead; those of Typer are known by their members."""
    option = getattr(error, "option_name", None)
    if option and not hasattr(error, "possibilities"):
        return _misused_option(option, error.format_message())
    found = _usage_error(error.ctx, option, error.format_message())
    # Only an error about an argument that is missing knows the kind of its parameter.
    return UsageError(found.reason, hint=_usage(error.ctx)) if hasattr(error, "param_type") else found


def with_one_dash(argv: Sequence[str]) -> UsageError | None:
    """The error for a long option with one dash, which would be read as short ones: -all as -a with the value ll."""
    takes_value = {spelling for flag in operation_flags() if flag.takes_value for spelling in flag.spellings}
    for before, word in pairwise(("", *argv)):
        if word == "--":
            return None
        meant = f"-{word.partition('=')[0]}"
        if meant.startswith("--") and meant in _OWN and before not in takes_value:
            return UsageError(f"{visible(word)}: a long option has two dashes", hint=f'did you mean "{meant}"?')
    return None


def _usage_error(context: Any, option: str | None, message: str) -> UsageError:
    """The error for an unknown `option`, else with Typer's message; `context` is Typer's, None before any command."""
    where = f"{context.command_path}: " if context else ""
    more = f"{context.command_path} --help" if context else "unified --help"
    if option:
        return UsageError(f"{where}no such option: {visible(option)}", hint=_instead(context, option) or more)
    message = message.strip().rstrip(".")
    return UsageError(f"{where}{message[0].lower()}{message[1:]}", hint=more)


def unknown_command(path: str, kind: str, entries: Mapping[str, CommandStub], name: str) -> UsageError:
    """The error for a name that is no entry of a group; `path` is how the group was called, `kind` what it holds."""
    close = [one for one in own_commands(name) if one in entries]
    close = close or _below(entries, name) or get_close_matches(name, entries, 1, _CLOSE_NAME)
    hint = _order(path, kind, entries, name)
    if not hint:
        named = " or ".join(f'"{one}"' for one in close[:_MOST_NAMED])
        hint = f"did you mean {named}?" if close else f"{path} --help lists them"
    return UsageError(f'{path}: no {kind} named "{visible(name)}"', hint=hint)


def _order(path: str, kind: str, entries: Mapping[str, CommandStub], name: str) -> str | None:
    """How a command line is written, where an operation stands too early or the words are not apart."""
    words = re.split(r"[./:]", name)
    if len(words) > 1 and words[0] in entries:
        return f"words are separated by blanks: {path} {visible(' '.join(words))}"
    verb = next((one for one in (name, *own_commands(name)) if one in STANDARD), None)
    if verb and kind == "API or command" and "profile" not in own_commands(name):
        return f"the operation comes last: {path} API RESOURCE {verb}"
    return f"the resource comes first: {path} RESOURCE {verb}" if verb and kind == "resource" else None


def _below(entries: Mapping[str, CommandStub], name: str) -> list[str]:
    """The resources of that name, each with its API."""
    apis = [(api, stub.build()) for api, stub in entries.items() if stub.section == APIS]
    found = [(api, one.get_command(None, name)) for api, one in apis]
    return [f"{api} {resource.name}" for api, resource in found if resource]


def _misused_option(option: str, message: str) -> UsageError:
    """The error for an option without the value that it takes, or with one that it does not take."""
    flag = next((flag for flag in operation_flags() if option in flag.spellings), None)
    if flag is None:
        return _usage_error(None, None, message)
    if flag.takes_value:
        return UsageError(f"{option} needs a value", hint=f"{option} {flag.metavar}: {flag.about}")
    return UsageError(f"{option} takes no value", hint=flag.about)


def one_too_many(context: Any, argument: str) -> UsageError:
    """The error for an argument that the command does not take."""
    path, spellings = context.command_path, _spellings(context, "-")
    hint = f"{path} --help"
    if assignment := _ASSIGNMENT.fullmatch(argument):
        name, sign, value = assignment.groups()
        meant = (
            f"{option} '{visible(f'{name}={value}')}' {what}"
            for option, what in _FIELDS[sign].items()
            if option in spellings
        )
        hint = next(meant, hint)
    elif "id" in context.params:
        hint = f"for several records pipe their ids into {path} -"
    elif "-f" in spellings:
        hint = f"fields and parameters name the record: {path} --help"
    return UsageError(f'{context.command_path}: no place for "{visible(argument)}"', hint=hint)


def _instead(context: Any, option: str) -> str | None:
    """What to type instead; None where nothing comes close."""
    own = own_spelling(option)
    spellings = _spellings(context) if context else []
    if own and (not own.option or own.option in spellings):
        return own.text
    if context and _is_group(context.command) and (own or option in _OWN):
        return f"{own.text}, after the operation" if own else "put it after the operation"
    # Typer's own suggestions are poor.
    longer = [one for one in spellings if one.startswith(f"{option}-")]
    close = longer or get_close_matches(option, spellings, 1, _CLOSE)
    if not close and (flag := _OWN.get(option)):
        taken_by = "create and update" if flag.when is writes else _TAKEN_BY.get(flag.group)
        return f"only {taken_by} take it" if taken_by else None
    return "did you mean " + " or ".join(f'"{one}"' for one in close) + "?" if close else None


def _usage(context: Any) -> str:
    """How a command with arguments is used."""
    words = [one.metavar for one in context.command.params if one.param_type_name == "argument"]
    return " ".join([context.command_path, *words])


def _is_group(command: Any) -> bool:
    return hasattr(command, "list_commands")


def _spellings(context: Any, begins: str = "--") -> list[str]:
    parameters = context.command.get_params(context)
    return [one for parameter in parameters for one in parameter.opts if one.startswith(begins)]
