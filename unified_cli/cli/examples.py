"""An example for every operation; it runs on a fresh sandbox as printed."""

from unified_cli.catalogue import Operation, Service
from unified_cli.catalogue.known_filters import known_filters
from unified_cli.sandbox.seeded.vocabulary import first_id

_NAMING = ("name", "title", "subject", "summary", "body", "file_name", "first_name", "description")


def example(operation: Operation) -> str:
    """The command line, on one line."""
    words = ["unified -p sandbox", operation.command]
    if operation.takes_id:
        words.append(first_id(operation.api, operation.resource))
    facts = operation.facts
    if operation.name in facts.example:
        words.append(facts.example[operation.name])
    elif operation.name in {"create", "update"}:
        names = {field.name for field in facts.fields}
        words.append(f"-f {next((name for name in _NAMING if name in names), 'name')}=Example")
    elif operation.kind == "action":
        words.append(f"-f id={first_id(operation.api, operation.resource)}")
    elif operation.kind == "delete":
        words.append("--yes")
    return " ".join(words)


def second_example(operation: Operation, service: Service) -> str:
    """Another command line: a list that is filtered, a record in another format, a request that is only shown."""
    if operation.lists:
        return filter_example(operation, service)
    return f"{example(operation)} {'-o yaml' if operation.name == 'get' else '--dry-run'}"


def filter_example(operation: Operation, service: Service) -> str:
    """A list that is filtered and sorted, on one line."""
    known = known_filters(operation, service)
    with_values = next((one for one in known.filters if one.values), None)
    chosen = f"{with_values.name}={with_values.values[-1]}" if with_values else f"'{known.sort_keys[0]}[gt]=2025-01-01'"
    sort = f"'{service.sort}[{known.sort_keys[0]}]=desc'"
    return f"unified -p sandbox {operation.command} -q {chosen} -q {sort}"
