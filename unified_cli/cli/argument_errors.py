"""Create errors for extra arguments, with suggestions."""

import os
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, pairwise, takewhile
from typing import Any

from unified_cli.cli import next_steps
from unified_cli.cli.known_fields import OPERATION_WORDS, facts, meant_field
from unified_cli.cli.operation_options import by_spelling
from unified_cli.cli.other_tools import own_option
from unified_cli.config import file
from unified_cli.errors import UnifiedError, UsageError
from unified_cli.hints import JSON_IN_QUOTES, meant_body, quoted, selects_person
from unified_cli.json_text import change_time
from unified_cli.masking import visible

HELP = "help"
OF_FIELDS = ("-f", "--raw-field", "-F", "--field")
"""The options for a field of a body."""
_ASSIGNS = (*OF_FIELDS, "-q", "--query")
_ASSIGNMENT = re.compile(r"(.+?)(:=|==|=)(.*)", re.DOTALL)
UNSET = "; is a shell variable unset?"
# Users of terraform type `plan apply FILE` and `plan show FILE`.
_OF_PLANS = {"apply": "", "show": " --dry-run"}
# The arguments whose commands report an empty value themselves, and the options that
# must not be empty.
_CHECKED = {"id", "statement", "topic", "assignments", "path"}
_NOT_EMPTY = {"token_file", "jq", "map", "where", "from_", "to", "keep", "against"}
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_CLOCK = re.compile(r"\d\d:\d\d(:\d\d)?", re.ASCII)
_DASHES = ("\N{EM DASH}", "\N{EN DASH}", "\N{MINUS SIGN}")
_ONE_WORD = "write it as one word: --since 30d, 12h or 2026-01-31"
# An assignment without an option. httpie uses == for a query parameter, and := for
# JSON.
_FIELDS = {
    "=": {"-f": "sets a field", "-q": "is a query parameter"},
    "==": {"-q": "is a query parameter"},
    ":=": {"-F": "sets a field", "-q": "is a query parameter"},
}


def one_too_many(context: Any, argument: str, typed: Sequence[str]) -> UsageError:
    """Return the error for an extra argument. `typed` has all words after the
    command.
    """
    hint = (
        _without_value(typed)
        or _extra_argument_advice(context, argument, typed)
        or ("leave it out" if _takes_none(context) else f"{context.command_path} --help")
    )
    return UsageError(
        f'{context.command_path}: unexpected argument "{visible(argument)}"', hint=hint
    )


def empty(context: Any) -> UsageError | None:
    """Return the error for an empty value that would be read as no value, or None.

    The usual reason is an unset shell variable.
    """
    for one in context.command.params:
        value = context.params.get(one.name)
        is_argument = one.param_type_name == "argument" and one.name not in _CHECKED
        if (value == "" and (is_argument or one.name in _NOT_EMPTY)) or (
            is_argument and isinstance(value, list | tuple) and "" in value
        ):
            name = "an argument" if is_argument else one.opts[0]
            return UsageError(
                f"{context.command_path}: {name} is empty", hint="is a shell variable unset?"
            )
    return None


def _without_value(typed: Sequence[str]) -> str | None:
    """Return the option that has another option where its value belongs, or None."""
    for before, word in pairwise(typed):
        flag = by_spelling().get(before)
        if flag and flag.takes_value and word in by_spelling():
            return f"{before} used {word} as its value: {before} {flag.metavar}{UNSET}"
    return None


def _extra_argument_advice(context: Any, argument: str, typed: Sequence[str]) -> str | None:
    path, spellings = context.command_path, spellings_of(context, "-")
    if _are_files(context, argument, typed):
        return "the shell expanded the * to file names; put it in quotes: -p '*'"
    if hint := _with_dashes(argument, typed) or _advice_of_command(context, argument, path):
        return hint
    if argument == "=" and "=" in (words := [*typed])[1:-1]:
        at = words.index("=", 1)
        return (
            f"write it without blanks: {'-f' if '-f' in spellings else '-q'}"
            f" {quoted(f'{words[at - 1]}={words[at + 1]}')}"
        )
    if assignment := _ASSIGNMENT.fullmatch(argument):
        name, sign, value = assignment.groups()
        if several := _assignments(context, spellings):
            return several
        name = meant_field(context, name) if "-f" in spellings else name
        return next(assigned(spellings, sign, f"{name}={value}"), None)
    if meant := _option_with(context, argument, spellings) or _beside(context, argument):
        return meant
    if value := _option_of_split_value(argument, typed):
        return value
    if "--from" in spellings and "--to" in spellings and "-p" not in spellings:
        return _comparison_advice(context, argument, path, typed)
    if "--profile" in spellings and argument in (known_profiles := profiles(context)):
        return " ".join(f"-p {quoted(one)}" for one in context.args if one in known_profiles)
    of_logs = "leave it out: -p NAME chooses the connection; --jq EXPR selects calls"
    return _of_operation(context, argument, typed, spellings) or (
        of_logs if path.endswith(" logs") else None
    )


def _assignments(context: Any, spellings: Sequence[str]) -> str | None:
    found = [_ASSIGNMENT.fullmatch(word) for word in context.args]
    signs = {match[2] for match in found if match}
    if not all(found) or not found[1:] or signs != {"="}:
        return None
    option = "-f" if "-f" in spellings else "-q"
    return " ".join(f"{option} {quoted(word)}" for word in context.args)


def _with_dashes(argument: str, typed: Sequence[str]) -> str | None:
    """Return the advice for an option with unusual dashes, or for one after `--`, or
    None.
    """
    if argument[:1] in _DASHES:
        name = argument.lstrip("".join(_DASHES) + "-")
        return f"with plain dashes: {'--' if name[1:] else '-'}{quoted(name)}"
    if argument.startswith("-") and "--" in typed:
        return "leave -- out: options after it are read as arguments"
    return None


def _advice_of_command(context: Any, argument: str, path: str) -> str | None:
    if argument == HELP:
        return f"{path} --help"
    if path.endswith(" sql"):
        return _one_statement(path, argument, (context.params["statement"] or "", *context.args))
    if path.endswith(" profile show"):
        return f"one at a time: {path} {quoted(argument)}; unified profile list shows several"
    if path.endswith((" profile use", " profile remove", " profile logout")):
        return f"one at a time: {path} {quoted(argument)}"
    if path.endswith(" profile rename") and context.params["new_name"] in {"to", "as"}:
        return f"{path} {quoted(context.params['name'])} {quoted(argument)}"
    if path.endswith(" report"):
        return f"--to {quoted(argument)}"
    if path.endswith(" sandbox reset"):
        return f"leave it out: {path} resets all records"
    if path.endswith(" sandbox serve") and argument.isdecimal():
        return f"--port {argument}"
    if path.endswith((" plan", " diff")) and context.params["resource"] in _OF_PLANS:
        return f"unified apply {quoted(argument)}{_OF_PLANS[context.params['resource']]}"
    return None


def _one_statement(path: str, argument: str, words: Sequence[str]) -> str:
    if " " in words[0]:
        return f"one statement at a time: {path} {quoted(argument)}"
    if os.path.lexists(words[0]):
        return f"{path} --from {quoted(words[0])} {quoted(argument)}"
    # The shell has expanded `*` to names of files.
    typed = [word for word, _ in groupby("*" if _exist(word) else word for word in words)]
    return f"a statement needs quotes in a shell: {path} {quoted(' '.join(typed))}"


def _beside(context: Any, argument: str) -> str | None:
    """Return the line with another command of the same group, or None."""
    group = context.parent
    is_command = group.parent and argument in group.command.entries
    return f"{group.command_path} {argument}" if is_command else None


def _option_with(context: Any, argument: str, spellings: Sequence[str]) -> str | None:
    """Return the option that the word was meant for, or None."""
    own = own_option(argument)
    if own and own.option in spellings:
        return own.text
    if argument == "all" and "--profile" in spellings:
        return "-p '*' selects every profile"
    flags = [flag for flag in context.command.page().flags if flag.choices]
    if found := next((flag for flag in flags if argument in flag.choices), None):
        return f"{found.spellings[0]} {argument}"
    own_flags = [one for one in flags if one.name not in {"output", "color"} and one.choices[1:]]
    if _takes_none(context) and len(own_flags) == 1:
        return f"{own_flags[0].spellings[0]} takes {', '.join(own_flags[0].choices)}"
    return None


def _takes_none(context: Any) -> bool:
    return all(one.param_type_name != "argument" for one in context.command.params)


def _are_files(context: Any, argument: str, typed: Sequence[str]) -> bool:
    """Return whether a shell has expanded the `*` of `-p *` to file names."""
    known = profiles(context)
    return any(
        option in {"-p", "--profile"} and value not in known and _exist(value, argument)
        for option, value in pairwise(typed)
    )


def _exist(*names: str) -> bool:
    return all(os.path.lexists(name) for name in names)


def _option_of_split_value(argument: str, typed: Sequence[str]) -> str | None:
    before = next((pair for pair in pairwise(reversed(typed)) if pair[0] == argument), ("", ""))[1]
    for option, value in pairwise(typed):
        if value == before and option == "--since":
            return _one_word_ago(value, argument)
        if value == before and option == "--columns":
            names = ",".join((before.removesuffix(","), argument))
            return f"--columns {quoted(names)}"
        if value == before and option in _ASSIGNS and _NAME.fullmatch(value):
            return f"{option} {quoted(f'{value}={argument}')}"
        if value == before and option in {"-d", "--data"} and value.startswith(("{", "[")):
            return JSON_IN_QUOTES
        if value == before and option in _ASSIGNS and "=" in value:
            after = takewhile(
                lambda word: not word.startswith("-"), typed[typed.index(value) + 1 :]
            )
            return f"a value with blanks needs quotes: {option} {quoted(' '.join((value, *after)))}"
    return None


def _one_word_ago(number: str, unit: str) -> str:
    """Return the option for an age typed as two words, such as `3 days`."""
    if _CLOCK.fullmatch(unit):
        return f"--since {quoted(f'{number}T{unit}Z')}"
    meant = change_time.meant(f"{'1' if number == 'last' else number} {unit}")
    return f"--since {meant}" if meant else _ONE_WORD


def _comparison_advice(context: Any, argument: str, path: str, typed: Sequence[str]) -> str:
    resource = context.params.get("resource") or ""
    if {"--from", "--to"} <= {*typed} and resource in context.find_root().command.entries:
        return f"{path} {resource}/{quoted(argument)}"
    if {"--from", "--to"} <= {*typed}:
        return f"one at a time: {path} {quoted(argument)} …"
    if _exist(resource, argument):
        return f"{path} API/RESOURCE --from {quoted(resource)} --to {quoted(argument)}"
    lists = [one for one in context.args if "/" in one and "." not in one]
    if len(lists) == 1 and "/" not in resource:
        sides = [word for word in (resource, *context.args, "PROFILE") if word not in lists]
        return f"{path} {quoted(lists[0])} --from {quoted(sides[0])} --to {quoted(sides[1])}"
    if "/" not in resource or resource.endswith((".ndjson", ".json")):
        return f"{path} API/RESOURCE --from {quoted(resource)} --to {quoted(argument)}"
    others = [word for word in typed[typed.index(argument) + 1 :] if not word.startswith("-")]
    other = quoted(others[0]) if others else "PROFILE"
    return f"--from {quoted(argument)} --to {other} names the two sides"


def _advice_of_request(context: Any, path: str, typed: Sequence[str]) -> str | None:
    method, words = (
        context.params.get("method"),
        [word for word in typed if not word.startswith("-")],
    )
    if not path.endswith(" request") or method in {"GET", "POST", "PATCH", "PUT", "DELETE"}:
        return None
    return f"{path} GET /PATH, or without request: unified {' '.join(map(quoted, words))}"


def _of_resource(context: Any, argument: str) -> str | None:
    path, given = context.command_path, context.params
    resource, file_ = given.get("resource"), given.get("file")
    if resource and "/" not in resource and "/" in argument:
        chosen = f" -p {quoted(resource)}" if resource in profiles(context) else ""
        return f"{path} {quoted(argument)}{chosen}"
    if path.endswith((" connections list", " connections add")):
        return "--where " + quoted(f'.id == "{argument}" or .product == "{argument}"')
    if path.endswith((" connections link", " connections refresh")):
        return "-p PROFILE; unified profile list shows the account of each"
    if resource and "/" not in resource:
        second = f" {quoted(argument)}" if file_ else ""
        return f"{path} {resource}/{quoted(file_ or argument)}{second}"
    words = " ".join(filter(None, (path, resource, quoted(argument))))
    return f"one file at a time: {words}" if file_ else None


def _of_operation(
    context: Any, argument: str, typed: Sequence[str], spellings: Sequence[str]
) -> str | None:
    path = context.command_path
    if of_resource := _of_resource(context, argument):
        return of_resource
    if "-d" in spellings and (body := meant_body(argument)):
        return body
    if request := _advice_of_request(context, path, typed):
        return request
    given = context.params.get("id") or ""
    if "=" in given and "-f" in spellings:
        return f"{path} {quoted(argument)} -f {quoted(given)}"
    if "id" in context.params:
        return _of_second_record(context, argument, path, spellings)
    if argument == "-" and "-d" in spellings and len(names := path.split()[1:]) == OPERATION_WORDS:
        return next_steps.for_records(*names)
    if field := next((fact for fact in facts(context, "body") if fact.name.endswith("id")), None):
        return _finds_person(context, argument) or f"-f {field.name}={quoted(argument)}"
    if "-f" in spellings:
        return f"fields or parameters select the record: {path} --help"
    above = context.parent.command
    if context.command.name == "list" and "get" in getattr(above, "entries", ()):
        return (
            f"one record: {context.parent.command_path} get {quoted(argument)}; a filter:"
            f" {_filter(context, argument)}"
        )
    return None


def _of_second_record(context: Any, argument: str, path: str, spellings: Sequence[str]) -> str:
    if any(fact.name == argument for fact in facts(context, "fields")):
        value = context.args[1] if len(context.args) > 1 else "VALUE"
        is_written = "-f" in spellings
        return f"-f {quoted(f'{argument}={value}')}" if is_written else f"--columns {argument}"
    ids = " ".join(map(quoted, (context.params["id"], *context.args)))
    given = [f"-f {quoted(text)}" for text in context.params.get("raw_field") or ()]
    given += [f"-F {quoted(text)}" for text in context.params.get("field") or ()]
    asks = context.command.name == "delete" or context.params.get("yes")
    given += ["--yes"] if asks else []
    return f"for several records: printf '%s\\n' {ids} | {' '.join([path, '-', *given])}"


def _finds_person(context: Any, address: str) -> str | None:
    """Return the command that finds a person's id by email address, or None."""
    if not (chosen := selects_person(facts(context, "fields"), address)):
        return None
    program = quoted(f"{chosen} | {{_profile, id}}")
    return f"its id: {context.parent.command_path} list --all -o ndjson --jq {program}"


def _filter(context: Any, argument: str) -> str:
    names = [fact.name for fact in facts(context, "query") if fact.references]
    names = names or [
        f"{fact.name}_id"
        for fact in facts(context, "fields")
        if fact.references and fact.type == "object"
    ]
    return f"-q {names[0]}={quoted(argument)}" if len(names) == 1 else "-q NAME=VALUE"


def assigned(spellings: Sequence[str], sign: str, assignment: str) -> Iterator[str]:
    """Yield the options that take an assignment, with their purpose."""
    for option, what in _FIELDS[sign].items():
        if option in spellings:
            yield f"{option} '{visible(assignment)}' {what}"


def profiles(context: Any) -> Collection[str]:
    """Return the names of the profiles, including the sandbox.

    Returns none of the file if the config file cannot be read.
    """
    try:
        return {*file.read(context.find_root().obj()).profiles, file.RESERVED}
    except UnifiedError:
        return {file.RESERVED}


def spellings_of(context: Any, begins: str = "--") -> list[str]:
    """Return the options of a command that begin with these characters."""
    parameters = context.command.get_params(context)
    return [
        spelling
        for parameter in parameters
        for spelling in parameter.opts
        if spelling.startswith(begins)
    ]
