"""Create the help pages of APIs, resources and operations, with examples for a new
sandbox.
"""

from collections.abc import Sequence

from unified_cli.catalogue import Api, Operation, Resource, Service
from unified_cli.catalogue.known import KnownField
from unified_cli.catalogue.known_filters import DIRECTIONS, known_filters
from unified_cli.cli import next_steps
from unified_cli.cli.command import EXAMPLE, EXAMPLES
from unified_cli.cli.help_page import HelpPage, Rows

_KNOWN_FIELDS = "Known fields (a connection may have others)"
_PIPED = "With - as the ID, it runs for each id, record or CSV row on standard input."
_FILE = (
    "With an ID, it saves the file of that record. With -, it saves the file of each record on"
    " standard input, in the folder that --out names."
)
_OUTWARD = (
    "It affects people, so it is not repeated if its outcome is in doubt. The last message then"
    " says how to check whether it was done."
)
_OF_ANY_EFFECT = (
    "Its effects are not known, so it is not repeated if its outcome is in doubt. In {file}, safe ="
    ' "{name}" allows to repeat it, and read = "{name}" says that it changes nothing.'
)
_NAMING = ("name", "title", "subject", "summary", "body", "file_name", "first_name", "description")


def for_api(api: Api) -> HelpPage:
    """Return the page of an API."""
    rows = [(resource.name, resource.about) for resource in api.resources.values()]
    first = next(iter(api.resources.values()))
    return HelpPage(
        "RESOURCE OPERATION [options]",
        [f"Call an operation of the {api.title}.", *([f"{api.about}."] if api.about else [])],
        [(EXAMPLE, example(next(iter(first.operations.values())))), ("Resources", rows)],
    )


def for_resource(resource: Resource) -> HelpPage:
    """Return the page of a resource."""
    rows = [(operation.name, operation.summary) for operation in resource.operations.values()]
    sections: list[tuple[str, Rows | str]] = [
        (EXAMPLE, example(next(iter(resource.operations.values())))),
        ("Operations", rows),
    ]
    fields = resource.facts.fields
    if fields:
        sections.append((_KNOWN_FIELDS, ", ".join(field.name for field in fields)))
    words = ", ".join(resource.operations)
    about = [f"{resource.about}."] if resource.about else []
    return HelpPage(
        "OPERATION [options]", [f"Call an operation on {resource.name}: {words}.", *about], sections
    )


def for_operation(operation: Operation, service: Service) -> HelpPage:
    """Return the page of an operation."""
    facts = operation.facts
    sections: list[tuple[str, Rows | str]] = [
        (EXAMPLES, f"{example(operation)}\n{second_example(operation, service)}")
    ]
    query = () if operation.lists else facts.query.get(operation.name, ())
    for heading, fields in (
        ("Known query parameters (others may work)", query),
        (
            "Known body fields (others may work)",
            facts.body.get(operation.name, ()) if operation.takes_body else (),
        ),
        (_KNOWN_FIELDS, (*facts.fields, *facts.members)),
    ):
        if fields:
            sections.append((heading, ", ".join(map(_described, fields))))
    usage, more = ("ID ", [_PIPED]) if operation.takes_id else ("", [])
    if operation.name == "download":
        usage, more = "[ID|-] ", [_FILE]
    elif operation.takes_body and not operation.takes_id:
        names = operation.api, operation.resource, operation.name
        more = [f"For each record of a file: {next_steps.for_records(*names, 'FILE')} sends it."]
    if operation.outward:
        note = _OF_ANY_EFFECT.format(file=operation.source, name=operation.name)
        more = [*more, note if operation.source else _OUTWARD]
    return HelpPage(
        f"{usage}[options]",
        [f"{operation.summary}.", f"{operation.method} {operation.path}", *more],
        [*sections[:1], *_filters(operation, service), *sections[1:]],
        operation=operation,
    )


def _filters(operation: Operation, service: Service) -> Sequence[tuple[str, Rows]]:
    known = known_filters(operation, service)
    if not known.filters:
        return []
    names = ", ".join(map(_described, known.filters))
    fields = "; some providers also filter by other fields"
    rows = [
        ("-q NAME=VALUE", f"{names}{fields if operation.facts.fields else ''}"),
        ("-q 'NAME[OP]=VALUE'", f"OP: {', '.join(known.operators)}"),
        (f"-q '{service.sort}[NAME]={'|'.join(DIRECTIONS)}'", ", ".join(known.sort_keys)),
    ]
    return [("Known filters and sort keys (unified help filters)", rows)]


def _described(field: KnownField) -> str:
    if field.values:
        about = " | ".join(field.values)
    elif field.references:
        about = f"of {field.references}"
    else:
        about = "" if field.type == "string" else field.type
    marks = ("required" if field.required else "", "an assumed name" if field.assumed else "")
    notes = ", ".join(note for note in (about, *marks) if note)
    return f"{field.name} ({notes})" if notes else field.name


def example(operation: Operation) -> str:
    """Return an example command for an operation, on one line."""
    words = ["unified -p sandbox", operation.command]
    if operation.takes_id:
        words.append(operation.example_id)
    facts = operation.facts
    if operation.name in facts.example:
        words.append(facts.example[operation.name])
    elif operation.searches:
        words += [f"-f {name}=Example" for name in operation.required_fields[:1]]
    elif operation.name in {"create", "update"}:
        names = {field.name for field in facts.fields}
        words.append(f"-f {next((name for name in _NAMING if name in names), 'name')}=Example")
    elif operation.kind == "action":
        words.append(f"-f id={operation.example_id}")
    elif operation.kind == "delete":
        words.append("--yes")
    return " ".join(words)


def second_example(operation: Operation, service: Service) -> str:
    """Return a second example of an operation.

    It shows a filtered list, another format, or a dry run.
    """
    if operation.lists:
        return filter_example(operation, service)
    return f"{example(operation)} {'-o yaml' if operation.name == 'get' else '--dry-run'}"


def filter_example(operation: Operation, service: Service) -> str:
    """Return a command that filters and sorts a list, on one line."""
    known = known_filters(operation, service)
    with_values = next(
        (known_filter for known_filter in known.filters if known_filter.values), None
    )
    chosen = (
        f"{with_values.name}={with_values.values[-1]}"
        if with_values
        else f"'{known.sort_keys[0]}[gt]=2025-01-01'"
    )
    sort = f"'{service.sort}[{known.sort_keys[0]}]=desc'"
    return f"unified -p sandbox {operation.command} -q {chosen} -q {sort}"
