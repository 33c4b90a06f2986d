"""`unified operations add`: add commands for operations that a connection offers but
the catalogue lacks.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from unified_cli.call import introspection, method_description, seen_words
from unified_cli.call.introspection import Offer
from unified_cli.catalogue import STANDARD, Catalogue, Operation, either_dash, plain
from unified_cli.catalogue.described import DescribedField, MethodDescription
from unified_cli.catalogue.known import written
from unified_cli.catalogue.load import is_name, operation_of
from unified_cli.cli import prompt
from unified_cli.cli.command import CommandContext
from unified_cli.cli.options import overrides
from unified_cli.cli.result_table import show
from unified_cli.commands.operations.command import AddOperationsOptions
from unified_cli.config import catalogue_edit, file, known_capabilities, profiles, user_catalogue
from unified_cli.config.catalogue_edit import AddedResource
from unified_cli.config.known_capabilities import Offered
from unified_cli.config.known_methods import known_fields
from unified_cli.config.settings import Settings
from unified_cli.errors import RefusedError, ServiceError, UsageError
from unified_cli.fleet import own_account
from unified_cli.fleet.read import FairReaders
from unified_cli.http import request as requests
from unified_cli.http.client import Client
from unified_cli.http.request import Scope
from unified_cli.masking import masked, unsafe, visible
from unified_cli.output import screen, stdout
from unified_cli.output.terminal import TerminalText
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime

_LONGEST_TEXT = 200
_MOST_FIELDS = 200
_HEADS = ("command", "method", "path", "effect")
_KNOWN = ("parameters", "fields")


class _Chosen(NamedTuple):
    """The operations to add, by API and resource, and the `refused` operations: no
    command can have their names.
    """

    operations: Mapping[str, Mapping[str, Sequence[Operation]]]
    refused: Sequence[str]


class _Asked(NamedTuple):
    """The connection that describes the operations: its client, its scope and its
    offer. `origin` is its name and the time.
    """

    client: Client
    scope: Scope
    offer: Offer
    origin: str


def run(context: CommandContext, options: AddOperationsOptions) -> None:
    """Show the operations, ask for confirmation, and add them.

    Raises UsageError for names that are not offered or cannot be commands, and if the
    user declines.
    """
    runtime, catalogue = context.runtime, context.catalogue
    settings = _settings(runtime, options)
    with (
        FairReaders(runtime, catalogue, None) as readers,
        readers.client(settings) as client,
    ):
        offer = introspection.ask_offer(client, settings, catalogue)
        seen_words.save_offer(runtime, settings, catalogue, offer.offered)
        chosen = _named_operations(context, settings, offer, options.names)
        if chosen.refused:
            runtime.stderr.note(
                f"not added, because no command can have the name: {_first_names(chosen.refused)}"
            )
        if not chosen.operations:
            runtime.stderr.note("nothing to add: the catalogue already has all of these operations")
            return
        at = datetime.fromtimestamp(runtime.wall(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        origin = ", ".join(filter(None, (settings.profile, settings.reachable()[1], at)))
        asked = _Asked(client, requests.scope_of(settings, catalogue.service), offer, origin)
        added = {
            api: [_resource_entry(asked, operations) for operations in of_api.values()]
            for api, of_api in chosen.operations.items()
        }
    # Do not use a pager, because it could hide the question after the table.
    stdout.bypass_pager(runtime)
    _show(runtime, chosen, added)
    files = ", ".join(str(user_catalogue.path_of(runtime, api)) for api in added)
    number = sum(len(resource.operations) for of_api in added.values() for resource in of_api)
    what = f"add {counted(number, 'operation')} to {files}"
    prompt.confirm(runtime, what, "nothing added", yes=options.yes, no_input=settings.no_input)
    for api, resources in added.items():
        title = None if api in _built_in_apis(catalogue) else _title(offer, api)
        path = catalogue_edit.add(runtime, api, title, resources)
        words = counted(sum(len(resource.operations) for resource in resources), "operation")
        runtime.stderr.note(f"added {words} of {api} to {path} (unified {api} --help)")


def _settings(runtime: Runtime, options: AddOperationsOptions) -> Settings:
    if profiles.is_several(options.profile):
        raise UsageError("operations are added from one connection", hint="give one name to -p")
    flags = overrides(options, profiles.single_name(options.profile))
    settings = own_account.resolved(flags, runtime, file.read(runtime))
    own_account.apply_to_messages(runtime, settings)
    settings.reachable()
    return settings


def _built_in_apis(catalogue: Catalogue) -> Collection[str]:
    return {operation.api for operation in catalogue if not operation.source}


def _named_operations(
    context: CommandContext, settings: Settings, offer: Offer, names: Sequence[str]
) -> _Chosen:
    catalogue = context.catalogue
    lacking = known_capabilities.outside_catalogue(offer.offered, catalogue)
    found: dict[str, dict[str, list[Operation]]] = {}
    refused: list[str] = []
    for name in dict.fromkeys(names):
        api, resources = _offered(name, offer.offered, settings)
        _check_free(context, api)
        for resource in resources:
            for word in _standard_first(lacking.get(api, {}).get(resource, ())):
                if not all(map(is_name, (resource, word))):
                    refused.append(f"{api}/{resource} {word}")
                    continue
                operations = found.setdefault(api, {}).setdefault(resource, [])
                summary = f"{api} {resource} {word}"
                made = operation_of(catalogue.service, api, resource, word, summary)
                if made not in operations:
                    operations.append(made)
    if refused and not found:
        raise UsageError(
            f"not added, because no command can have the name: {_first_names(refused)}"
        )
    return _Chosen(found, [*dict.fromkeys(refused)])


def _offered(name: str, offered: Offered, settings: Settings) -> tuple[str, Sequence[str]]:
    """Return the API and the resources that a typed name means.

    Raises UsageError if the connection offers nothing of this name.
    """
    typed, slash, rest = name.partition("/")
    api = either_dash(typed, offered)
    if api is not None and not slash:
        return api, [*offered[api]]
    resource = either_dash(rest, offered[api]) if api is not None else None
    if api is None or resource is None:
        selected = f" -p {settings.profile}" if settings.profile else ""
        raise UsageError(
            f"the connection does not offer {visible(name)}",
            hint=f"unified capabilities{selected} shows what it offers",
        )
    return api, [resource]


def _check_free(context: CommandContext, api: str) -> None:
    """Raise UsageError if the name of the API is in use or not allowed."""
    if api in context.catalogue.apis:
        return
    if not is_name(api):
        raise UsageError(f"no command can have the name {visible(api)!r}")
    others = {plain(word): word for word in context.first_words}
    if taken := others.get(plain(api)):
        raise UsageError(f"{api} was not added: the program has a command named {taken}")
    config = file.read(context.runtime)
    if api in map(plain, config.aliases) or api in config.aliases:
        raise UsageError(
            f"{api} was not added: an alias has this name",
            hint=f"rename the alias in {config.path}",
        )


def _standard_first(words: Sequence[str]) -> list[str]:
    return [
        *(name for name in STANDARD if name in words),
        *(word for word in words if word not in STANDARD),
    ]


def _show(runtime: Runtime, chosen: _Chosen, added: Mapping[str, Sequence[AddedResource]]) -> None:
    """Print the operations to add, with the parameters and fields that the connection
    describes.

    On a terminal, these are in a second table.
    """
    found = [
        (operation, resource)
        for api, of_api in added.items()
        for resource in of_api
        for operation in chosen.operations[api][resource.name]
    ]
    rows = [
        (operation.command, operation.method, operation.path, _effect(operation))
        for operation, _ in found
    ]
    known = [
        (resource.query.get(operation.name, ""), _fields(operation, resource))
        for operation, resource in found
    ]

    def tables() -> Iterator[TerminalText]:
        yield screen.table(runtime, _HEADS, [list(map(masked, row)) for row in rows])
        described = [
            [masked(text) for text in (row[0], *more)]
            for row, more in zip(rows, known, strict=True)
            if any(more)
        ]
        if described:
            yield screen.table(runtime, (_HEADS[0], *_KNOWN), described)

    lines = [(*row, *more) for row, more in zip(rows, known, strict=True)]
    show(runtime, None, (*_HEADS, *_KNOWN), lines, None, on_terminal=tables)


def _fields(operation: Operation, resource: AddedResource) -> str:
    """Return the known fields of an operation's body, or of its records."""
    return resource.body.get(operation.name, "") if operation.takes_body else resource.fields


def _effect(operation: Operation) -> str:
    if operation.lists:
        return "reads a list"
    if not operation.changes:
        return "reads"
    return "unknown, not repeated" if operation.kind == "action" else "writes"


def _resource_entry(asked: _Asked, operations: Sequence[Operation]) -> AddedResource:
    first = operations[0]
    descriptions = {
        operation.name: found for operation in operations if (found := _described(asked, operation))
    }
    by_name = [descriptions[name] for name in ("get", "list") if name in descriptions]
    record = next(
        (
            description.record
            for description in (*by_name, *descriptions.values())
            if description.record
        ),
        (),
    )
    place = f"{first.api}/{first.resource}"
    return AddedResource(
        first.resource,
        [operation.name for operation in operations],
        _one_line(asked.offer.texts.get(place, "")) or f"Records of {first.resource}",
        asked.origin,
        _in_catalogue_words(record),
        {
            name: words
            for name, description in descriptions.items()
            if (words := _in_catalogue_words(description.query))
        },
        {
            name: words
            for name, description in descriptions.items()
            if (words := _in_catalogue_words(description.body))
        },
    )


def _described(asked: _Asked, operation: Operation) -> MethodDescription | None:
    try:
        return method_description.fetch(asked.client, asked.scope, operation)
    except RefusedError:
        return None
    except ServiceError as error:
        if error.status is not None:
            raise
        # The response cannot be read, so treat the operation as not described.
        return None


def _title(offer: Offer, api: str) -> str:
    return _one_line(offer.texts.get(api, "")) or f"{api.title()} API"


def _one_line(text: str) -> str:
    plain_text = unsafe().sub(" ", masked(text[: 10 * _LONGEST_TEXT]))
    line = "".join(character if character.isprintable() else " " for character in plain_text)
    return " ".join(line.split())[:_LONGEST_TEXT].rstrip()


def _in_catalogue_words(described: Sequence[DescribedField]) -> str:
    return " ".join(map(written, known_fields(described)[:_MOST_FIELDS]))


def _first_names(names: Sequence[str]) -> str:
    return named([visible(name) for name in names], 10)
