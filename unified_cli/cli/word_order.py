"""Suggest the right order of words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import pairwise, permutations
from typing import Any

from unified_cli.catalogue import STANDARD
from unified_cli.catalogue.known import known
from unified_cli.cli.command import APIS, CommandStub
from unified_cli.cli.operation_options import by_spelling
from unified_cli.cli.other_commands import own_commands
from unified_cli.hints import quoted
from unified_cli.masking import visible

_CLOSE = 0.75
TOP = "API or command"
"""The kind of the first word of a command line."""


def of_group(entries: Mapping[str, CommandStub], typed: Sequence[str]) -> str | None:
    """Return the line for a command before its group, as in `list profiles`.

    Returns None if the group has no such command.
    """
    verb, noun, *rest = (*typed, "")
    meant = (noun, f"{noun}s", noun.removesuffix("s"))
    group = next(
        (word for word in meant if word in entries and entries[word].section != APIS),
        None,
    )
    commands = getattr(entries[group].build(), "entries", {}) if group else {}
    command = next((word for word in (verb, *own_commands(verb)) if word in commands), None)
    words = ["unified", group, command, *rest[:-1]]
    return " ".join(map(quoted, filter(None, words))) if command else None


def in_order(
    path: str, kind: str, entries: Mapping[str, CommandStub], typed: Sequence[str]
) -> str | None:
    """Return a suggestion for words in the wrong order, or None.

    The operation may be before the resource, or words may be joined.
    """
    name, *rest = typed
    if name == path and rest:
        return f"once: {path} {' '.join(map(quoted, rest))}"
    lower = _in_lower_case(entries, typed)
    if len([pair for pair in zip(lower, typed, strict=True) if pair[0] != pair[1]]) > 1:
        return f"in lower case: {path} {' '.join(map(quoted, lower))}"
    words = re.split(r"[./:\s]", name)
    if len(words) > 1 and words[0] in entries:
        how = "without quotes" if " " in name else "words are separated by blanks"
        return f"{how}: {path} {visible(' '.join((*words, *map(quoted, rest))))}"
    before, dash, noun = name.partition("-")
    if dash and kind in {"resource", TOP} and (noun in entries or f"{noun}s" in entries):
        # aws and gcloud write list-tickets.
        return in_order(
            path, kind, entries, (before, noun if noun in entries else f"{noun}s", *rest)
        )
    if kind == TOP:
        return _of_top(path, entries, typed)
    verb = _standard(name)
    if not verb or kind != "resource":
        return None
    named = bool(rest) and rest[0] in entries
    after = rest[1:] if named else rest
    shown = "" if named else f"; {path.replace(' ', ' operations ', 1)} {verb} shows where it is"
    return (
        f"the resource comes first: {path} {rest[0] if named else 'RESOURCE'}"
        f" {_operation_words(verb, after)}{shown}"
    )


def _standard(name: str) -> str | None:
    return next((command for command in (name, *own_commands(name)) if command in STANDARD), None)


def _of_top(path: str, entries: Mapping[str, CommandStub], typed: Sequence[str]) -> str | None:
    name, *rest = typed = [*_without_namespaces(entries, typed)]
    line = _of_operation(path, entries, typed) or _with_operation(path, entries, name, rest)
    if line:
        return line
    verb = _standard(name)
    if verb and "profile" not in own_commands(name):
        where, after = _named(entries, rest) or _of_api(entries, rest)
        shown = "" if " RESOURCE" not in where else f"; unified operations {verb} shows where it is"
        return f"the operation comes last: {path} {where} {_operation_words(verb, after)}{shown}"
    resources = _resources_with(entries, name)
    if len(resources) == 1:
        return f"the operation comes last: {path} {resources[0]} {' '.join(map(quoted, typed))}"
    if resources:
        return f"the operation comes last: unified operations {name} shows where it is"
    return None


def _without_namespaces(entries: Mapping[str, CommandStub], words: Sequence[str]) -> Iterator[str]:
    """Yield the words without options that precede an API, as `-n` does in `list
    tickets -n ticketing`.
    """
    for word, after in pairwise((*words, "")):
        is_own = word in by_spelling() or not word.startswith("-")
        if is_own or after not in entries or entries[after].section != APIS:
            yield word


def _of_api(entries: Mapping[str, CommandStub], words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the line to complete if no resource is named, and the other words."""
    api = next((word for word in words if word in entries and entries[word].section == APIS), "")
    return f"{api or 'API'} RESOURCE", [word for word in words if word != api]


def _with_operation(
    path: str, entries: Mapping[str, CommandStub], name: str, rest: Sequence[str]
) -> str | None:
    """Return the line for a resource and its operation, such as `tickets ls`, or
    None.
    """
    if not rest:
        return None
    found = [
        f"{path} {api} {command}"
        for api in entries
        if entries[api].section == APIS
        for command in _commands(entries[api].build(), name, rest[0])
    ]
    return " ".join((*found, *map(quoted, rest[1:]))) if len(found) == 1 else None


def _of_operation(
    path: str, entries: Mapping[str, CommandStub], typed: Sequence[str]
) -> str | None:
    """Return the line for an API, a resource and an operation in any order.

    Returns None unless the words name exactly one operation.
    """
    words, others = _without_options(typed)
    # Without an id, read `get` as `list`.
    words = ["list" if one == "get" and not words[3:] else one for one in words]
    found = {
        f"{path} {api} {command}"
        for first, second, third in permutations(words[:3], 3)
        for api in entries
        if entries[api].section == APIS and first in (api, *api.split("-"))
        for command in _commands(entries[api].build(), second, third)
    }
    if len(found) != 1:
        return None
    line = " ".join((*found, *map(quoted, (*words[3:], *others))))
    is_first = found.pop().endswith(f" {words[0]}")
    return f"the operation comes last: {line}" if is_first else line


def _commands(api: Any, resource: str, operation: str) -> Iterator[str]:
    group = api.get_command(None, resource) or api.get_command(None, f"{resource}s")
    command = group and next(
        filter(
            None, (group.get_command(None, one) for one in (operation, *own_commands(operation)))
        ),
        None,
    )
    if command:
        yield f"{group.name} {command.name}"


def _without_options(typed: Sequence[str]) -> tuple[list[str], list[str]]:
    """Separate words from options.

    Returns the words, and then the options with their values.
    """
    words: list[str] = []
    others: list[str] = []
    for before, word in pairwise(("", *typed)):
        flag = by_spelling().get(before)
        is_value = flag is not None and flag.takes_value
        (others if is_value or word.startswith("-") else words).append(word)
    return words, others


def below_record(context: Any, name: str, rest: Sequence[str]) -> str | None:
    """Return the line for two resources in a row, such as `tickets comments list
    tickets-1`, or None.
    """
    resources = context.parent.command.entries
    if name not in resources:
        return None
    operations = resources[name].build().entries
    operation, *after = rest if rest and rest[0] in operations else ("list", *rest)
    line = f"{context.parent.command_path} {name} {operation}"
    api = context.parent.command.name
    parents = (
        f"{field.name}_id"
        for field in known(api, name).fields
        if field.references == context.command.name and field.type == "object"
    )
    parent = next(parents, None)
    ids = [word for word in after if not word.startswith("-")]
    return f"{line} -q {parent}={quoted(ids[0])}" if parent and ids else line


def elsewhere(context: Any, kind: str, words: Sequence[str]) -> str | None:
    """Return the command for an operation that another resource of the API has, or
    None.

    The words begin with the operation, or with a resource that the API does not have.
    """
    group = context if kind == "resource" else context.parent
    name, *rest = words[:1] if kind == "operation" else words[1:] or [""]
    found = [
        f"{group.command_path} {resource} {name}"
        for resource in group.command.entries
        if name in group.command.entries[resource].build().entries
    ]
    if kind == "operation" and f"{name}s" in group.command.entries:
        return f"{group.command_path} {name}s create --skeleton prints a body of a new one"
    if len(found) == 1:
        return " ".join((*found, *map(quoted, rest)))
    everywhere = _resources_with(context.find_root().command.entries, name)
    return f"unified operations {name} shows where it is" if everywhere and not found else None


def _in_lower_case(entries: Mapping[str, CommandStub], typed: Sequence[str]) -> list[str]:
    """Return the words with the names of commands in lower case."""
    if not typed or typed[0].lower() not in entries:
        return [*typed]
    name, *rest = typed
    below = getattr(entries[name.lower()].build(), "entries", {})
    return [name.lower(), *_in_lower_case(below, rest)]


def _operation_words(verb: str, after: Sequence[str]) -> str:
    meant = "list" if verb == "get" and (not after or after[0].startswith("-")) else verb
    return " ".join((meant, *map(quoted, after)))


def _named(
    entries: Mapping[str, CommandStub], words: Sequence[str]
) -> tuple[str, Sequence[str]] | None:
    words = [part for word in words for part in _parts(entries, word)]
    for at, (first, second) in enumerate(pairwise((*words, ""))):
        api = (
            entries[first].build() if first in entries and entries[first].section == APIS else None
        )
        if api and api.get_command(None, second):
            return f"{first} {second}", words[at + 2 :]
        if len(resources := find_resources(entries, first)) == 1:
            return resources[0], words[at + 1 :]
    return None


def _parts(entries: Mapping[str, CommandStub], word: str) -> Sequence[str]:
    """Return the words of API/RESOURCE, or a list with only the word."""
    api, slash, resource = word.partition("/")
    return (api, resource) if slash and api in entries else (word,)


def _resources_with(entries: Mapping[str, CommandStub], operation: str) -> list[str]:
    apis = [(api, stub.build()) for api, stub in entries.items() if stub.section == APIS]
    return [
        f"{api} {resource}"
        for api, group in apis
        for resource in group.entries
        if group.get_command(None, resource).get_command(None, operation)
    ]


def similar_resources(entries: Mapping[str, CommandStub], name: str) -> list[str]:
    """Return the resources of all APIs whose name is most similar to this name."""
    names = sorted({resource for _, group in _apis(entries) for resource in group.entries})
    close = get_close_matches(name, names, 1, _CLOSE)
    return find_resources(entries, close[0]) if close else []


def _apis(entries: Mapping[str, CommandStub]) -> list[tuple[str, Any]]:
    return [(api, stub.build()) for api, stub in entries.items() if stub.section == APIS]


def find_resources(entries: Mapping[str, CommandStub], name: str) -> list[str]:
    """Return the resources of that name in all APIs."""
    found = [(api, group.get_command(None, name)) for api, group in _apis(entries)]
    exact = [f"{api} {resource.name}" for api, resource in found if resource]
    plural = f"{name}s"
    return exact or (find_resources(entries, plural) if plural[-2:] != "ss" else [])
