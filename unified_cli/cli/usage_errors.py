"""Turn what Typer cannot parse into a usage error that says what to type instead."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

from unified_cli.catalogue import STANDARD
from unified_cli.catalogue.known import KnownField, known
from unified_cli.cli import next_steps, removed_options
from unified_cli.cli.command import APIS, CommandStub
from unified_cli.cli.flags import BODY, LIST
from unified_cli.cli.operation_options import by_spelling
from unified_cli.cli.other_tools import (
    ARGUMENTS,
    no_command,
    own_commands,
    own_line,
    own_spellings,
    quoted,
)
from unified_cli.cli.shared_options import writes
from unified_cli.config import file
from unified_cli.errors import UnifiedError, UsageError
from unified_cli.hints import meant_body
from unified_cli.masking import visible

_MOST_NAMED = 3
_TOP = "API or command"
_OPERATION_WORDS = 3
_READERS = dict.fromkeys(("--until", "--expect", "--fail-if", "--junit", "--every"), "list and get")
_TAKEN_BY = {
    LIST: "lists",
    BODY: "operations that send a body",
    "--edit": "updates",
    "--follow": "lists",
    **_READERS,
}
_OF_A_FILE = {"-f", "--file", "--filename"}
_PROFILE = {"-p", "--profile"}
# They may be tags of profiles, or labels of records.
_LABELS = {"--label", "--labels", "--tag", "--tags"}
_RUN = re.compile(r"last|\d{8}-\w+")
_CLOSE = 0.75
_CLOSER = 0.85  # "--state x" is nearer to a parameter than to "--rate"
_CLOSE_NAME = 0.7  # or "export" would be close to "import"
_ASSIGNMENT = re.compile(r"(.+?)(:=|==|=)(.*)", re.DOTALL)
# An assignment without an option: httpie's == is a query, its := a field that is JSON.
_FIELDS = {
    "=": {"-f": "sets a field", "-q": "is a query parameter"},
    "==": {"-q": "is a query parameter"},
    ":=": {"-F": "sets a field", "-q": "is a query parameter"},
}


def from_typer(error: Any, argv: Sequence[str]) -> UsageError:
    """Return the error that says what to type instead. Those of Typer are known by
    their members.
    """
    option, parameter = getattr(error, "option_name", None), getattr(error, "param", None)
    if option and not hasattr(error, "possibilities"):
        return _misused_option(option, error.format_message(), argv)
    if option:
        return _unknown_option(error.ctx, option, argv)
    found = _usage_error(error.ctx, error.format_message())
    # Only an error about an argument that is missing knows the kind of its parameter.
    if hasattr(error, "param_type"):
        return UsageError(found.reason, hint=_usage(error.ctx))
    if parameter is not None and parameter.name == "limit" and found.reason.endswith("not 'all'"):
        return UsageError(found.reason, hint="--all reads every page")
    return found


def with_one_dash(argv: Sequence[str]) -> UsageError | None:
    """Return the error for a long option with one dash.

    It would be read as short ones: -all as -a with the value ll.
    """
    for before, word in pairwise(("", *argv)):
        if word == "--":
            return None
        meant = f"-{word.partition('=')[0]}"
        is_value = before in by_spelling() and by_spelling()[before].takes_value
        if meant.startswith("--") and meant in by_spelling() and not is_value:
            return UsageError(
                f"{visible(word)}: a long option has two dashes", hint=f'did you mean "{meant}"?'
            )
    return None


def _usage_error(context: Any, message: str) -> UsageError:
    where = f"{context.command_path}: " if context else ""
    message = message.strip().rstrip(".")
    return UsageError(f"{where}{message[0].lower()}{message[1:]}", hint=_more(context))


def _more(context: Any) -> str:
    return f"{context.command_path if context else 'unified'} --help"


def _unknown_option(context: Any, option: str, argv: Sequence[str]) -> UsageError:
    where = f"{context.command_path}: " if context else ""
    if option == "--wait" and context and (old := removed_options.wait(where[:-2], argv)):
        return old
    hint = _instead(context, option, _value(option, argv), argv) or _more(context)
    return UsageError(f"{where}no such option: {visible(option)}", hint=hint)


def _value(option: str, argv: Sequence[str]) -> str:
    for word, following in pairwise((*argv, "")):
        if word == option:
            return "" if following.startswith("-") else following
        if word.startswith(f"{option}="):
            return word.removeprefix(f"{option}=")
        if not option.startswith("--") and word.startswith(option):
            return word.removeprefix(option)
    return ""


def unknown_command(
    context: Any, kind: str, entries: Mapping[str, CommandStub], words: Sequence[str]
) -> UsageError:
    """Return the error for a word that a group lacks.

    `kind` is what the group holds.
    """
    path, (name, *rest) = context.command_path, words
    close = [one for one in own_commands(name) if one in entries]
    close = (
        close or below(entries, name) or get_close_matches(name.lower(), entries, 1, _CLOSE_NAME)
    )
    hint = own_line(name, rest) if kind == _TOP and not below(entries, name) else None
    hint = hint or no_command(path, name) or _order(path, kind, entries, words)
    if path == "unified runs" and _RUN.fullmatch(name):
        hint = f"{path} show {name}"
    if (
        not hint
        and not close
        and kind == "operation"
        and "get" in entries
        and any(map(str.isdigit, name))
    ):
        hint = f"{path} get {quoted(name)}"
    if not hint and name in _profiles(context):
        hint = (
            f"unified profile show {name}"
            if path == "unified profile"
            else f"-p {name} selects this profile"
        )
    if not hint:
        named = " or ".join(f'"{one}"' for one in close[:_MOST_NAMED])
        hint = f"did you mean {named}?" if close else f"{path} --help lists them"
    return UsageError(f'{path}: no {kind} named "{visible(name)}"', hint=hint)


def _order(
    path: str, kind: str, entries: Mapping[str, CommandStub], typed: Sequence[str]
) -> str | None:
    """Return how to write a line in another order, or None.

    An operation is too early or the words are not apart.
    """
    name, *rest = typed
    words = re.split(r"[./:]", name)
    if len(words) > 1 and words[0] in entries:
        return f"words are separated by blanks: {path} {visible(' '.join(words))}"
    before, dash, noun = name.partition("-")
    if dash and kind in {"resource", _TOP} and (noun in entries or f"{noun}s" in entries):
        # aws and gcloud write list-tickets.
        return _order(path, kind, entries, (before, noun if noun in entries else f"{noun}s", *rest))
    verb = next((one for one in (name, *own_commands(name)) if one in STANDARD), None)
    if verb and kind == _TOP and "profile" not in own_commands(name):
        where, after = _named(entries, rest)
        return f"the operation comes last: {path} {where} {_with_words(verb, after)}"
    if not verb or kind != "resource":
        return None
    named = bool(rest) and rest[0] in entries
    after = rest[1:] if named else rest
    return (
        f"the resource comes first: {path} {rest[0] if named else 'RESOURCE'}"
        f" {_with_words(verb, after)}"
    )


def _with_words(verb: str, after: Sequence[str]) -> str:
    """Return the operation with typed words; without an id, the list."""
    meant = "list" if verb == "get" and (not after or after[0].startswith("-")) else verb
    return " ".join((meant, *map(quoted, after)))


def _named(entries: Mapping[str, CommandStub], words: Sequence[str]) -> tuple[str, Sequence[str]]:
    for at, (first, second) in enumerate(pairwise((*words, ""))):
        api = (
            entries[first].build() if first in entries and entries[first].section == APIS else None
        )
        if api and api.get_command(None, second):
            return f"{first} {second}", words[at + 2 :]
        if len(found := below(entries, first)) == 1:
            return found[0], words[at + 1 :]
    return "API RESOURCE", ()


def below(entries: Mapping[str, CommandStub], name: str) -> list[str]:
    """Return each API's resource of that name."""
    apis = [(api, stub.build()) for api, stub in entries.items() if stub.section == APIS]
    found = [(api, one.get_command(None, name)) for api, one in apis]
    return [f"{api} {resource.name}" for api, resource in found if resource]


def _misused_option(option: str, message: str, argv: Sequence[str]) -> UsageError:
    flag = by_spelling().get(option)
    if flag is None:
        return _usage_error(None, message)
    if option == "-f" and "delete" in argv:
        return UsageError(f"{option} needs a value", hint="--yes deletes without asking")
    if flag.takes_value:
        return UsageError(f"{option} needs a value", hint=f"{option} {flag.metavar}: {flag.about}")
    return UsageError(f"{option} takes no value", hint=flag.about)


def one_too_many(context: Any, argument: str, typed: Sequence[str]) -> UsageError:
    """Return the error for an argument too many.

    `typed` is all that followed the command.
    """
    hint = _without_value(typed) or _without_argument(context, argument, typed) or _more(context)
    return UsageError(
        f'{context.command_path}: unexpected argument "{visible(argument)}"', hint=hint
    )


def _without_value(typed: Sequence[str]) -> str | None:
    """Return the option that took the next option for its value.

    As in `--record -o ids`. None without one.
    """
    for before, word in pairwise(typed):
        flag = by_spelling().get(before)
        if flag and flag.takes_value and word in by_spelling():
            return f"{before} took {word} for its value: {before} {flag.metavar}"
    return None


def _without_argument(context: Any, argument: str, typed: Sequence[str]) -> str | None:
    path, spellings = context.command_path, _spellings(context, "-")
    if argument == "=" and "=" in (words := [*typed])[1:-1]:
        at = words.index("=", 1)
        return (
            f"without blanks: {'-f' if '-f' in spellings else '-q'}"
            f" {quoted(f'{words[at - 1]}={words[at + 1]}')}"
        )
    if assignment := _ASSIGNMENT.fullmatch(argument):
        name, sign, value = assignment.groups()
        return next(_assigned(spellings, sign, f"{name}={value}"), None)
    own = ARGUMENTS.get(argument)
    if own and own.option in spellings:
        return own.text
    before = next((one for one in pairwise(reversed(typed)) if one[0] == argument), ("", ""))[1]
    if ("--columns", before) in pairwise(typed):
        return f"--columns {quoted(f'{before},{argument}')}"
    if "--from" in spellings and "--to" in spellings and "-p" not in spellings:
        return f"--from {quoted(argument)} --to PROFILE names the two sides"
    if "--profile" in spellings and argument in _profiles(context):
        return f"-p {quoted(argument)}"
    return _of_operation(context, argument, path, spellings)


def _of_operation(context: Any, argument: str, path: str, spellings: Sequence[str]) -> str | None:
    resource, file_ = context.params.get("resource"), context.params.get("file")
    if resource and "/" not in resource:
        second = f" {quoted(argument)}" if file_ else ""
        return f"{path} {resource}/{quoted(file_ or argument)}{second}"
    if "-d" in spellings and (body := meant_body(argument)):
        return body
    if "id" in context.params:
        return f"for several records pipe their ids into {path} -"
    if argument == "-" and "-d" in spellings and len(names := path.split()[1:]) == _OPERATION_WORDS:
        return next_steps.for_records(*names)
    if field := next((one for one in _facts(context, "body") if one.name.endswith("id")), None):
        return f"-f {field.name}={quoted(argument)}"
    if "-f" in spellings:
        return f"fields and parameters name the record: {path} --help"
    above = context.parent.command
    if context.command.name == "list" and "get" in getattr(above, "entries", ()):
        return (
            f"one record: {context.parent.command_path} get {quoted(argument)}; a filter: -q"
            " NAME=VALUE"
        )
    return None


def _assigned(spellings: Sequence[str], sign: str, assignment: str) -> Iterator[str]:
    for option, what in _FIELDS[sign].items():
        if option in spellings:
            yield f"{option} '{visible(assignment)}' {what}"


def _profiles(context: Any) -> Collection[str]:
    """Return the profiles' names, the sandbox's included.

    The config file may be unreadable: that is not the problem here.
    """
    try:
        return {*file.read(context.find_root().obj()).profiles, file.RESERVED}
    except UnifiedError:
        return {file.RESERVED}


def _instead(context: Any, option: str, value: str, argv: Sequence[str]) -> str | None:
    own = own_spellings(option, value)
    spellings = _spellings(context) if context else []
    assigned = next(_assigned_to(context, option, value), None)
    if assigned and option in _LABELS and not _PROFILE.isdisjoint(argv):
        return assigned
    if found := next((one for one in own if not one.option or one.option in spellings), None):
        return found.in_words(value)
    if context and _is_group(context.command) and (own or option in by_spelling()):
        return _after_operation(
            context, option, value, own[-1].in_words(value) if option not in by_spelling() else ""
        )
    # Typer's own suggestions are poor.
    longer = [one for one in spellings if one.startswith(f"{option}-")]
    close = longer or get_close_matches(option, spellings, 1, _CLOSER if assigned else _CLOSE)
    name = option.removeprefix("--").replace("-", "_")
    if assigned and (not close or name in _fields(context)):
        return assigned
    if (
        value
        and option in _OF_A_FILE
        and any(one.name == "plans" for one in context.command.params)
    ):
        return f"{context.command_path} {quoted(value)}"
    if not close and (flag := by_spelling().get(option)):
        taken_by = _TAKEN_BY.get(option) or (
            "create and update" if flag.when is writes else _TAKEN_BY.get(flag.group)
        )
        return f"only {taken_by} take it" if taken_by else None
    return "did you mean " + " or ".join(f'"{one}"' for one in close) + "?" if close else None


def _after_operation(context: Any, option: str, value: str, instead: str) -> str:
    if instead:
        return f"{instead}, after the operation"
    if value and "list" in context.command.entries and context.command.kind == "operation":
        return f"{context.command_path} list {option} {quoted(value)}"
    return "put it after the operation"


def _assigned_to(context: Any, option: str, value: str) -> Iterator[str]:
    if (
        context
        and value
        and option.startswith("--")
        and option not in by_spelling()
        and not _is_group(context.command)
    ):
        name = option.removeprefix("--").partition("=")[0]
        yield from _assigned(_spellings(context, "-"), "=", f"{name.replace('-', '_')}={value}")


def _fields(context: Any) -> Collection[str]:
    return {one.name for part in ("query", "body", "fields") for one in _facts(context, part)}


def _facts(context: Any, part: str) -> Sequence[KnownField]:
    path = context.command_path.split()[1:]
    if len(path) != _OPERATION_WORDS:
        return ()
    facts = known(path[0], path[1])
    if part == "fields":
        return facts.fields
    return (facts.body if part == "body" else facts.query).get(path[2], ())


def _usage(context: Any) -> str:
    words = [one.metavar for one in context.command.params if one.param_type_name == "argument"]
    method = context.params.get("method") or ""
    if "/" in method:
        return f"{context.command_path} GET {quoted(method)}"
    return " ".join([context.command_path, *words])


def _is_group(command: Any) -> bool:
    return hasattr(command, "list_commands")


def _spellings(context: Any, begins: str = "--") -> list[str]:
    parameters = context.command.get_params(context)
    return [one for parameter in parameters for one in parameter.opts if one.startswith(begins)]
