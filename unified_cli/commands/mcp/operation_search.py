"""Search operations by keyword, and describe an operation."""

import difflib
import re
from collections.abc import Iterable

from unified_cli.catalogue import Catalogue, Operation, relevance
from unified_cli.catalogue.known import KnownField
from unified_cli.catalogue.known_filters import known_filters
from unified_cli.errors import UsageError
from unified_cli.values import JsonObject

_NEAR = 3
_ONLY_READS = "not offered: this server only reads"
_WORD = re.compile(r"[a-z0-9]+")
_SMALL = frozenset(
    {"a", "an", "all", "and", "by", "for", "from", "in", "of", "on", "one", "the", "to", "with"}
)


def search(catalogue: Catalogue, query: str, limit: int, *, writes: bool) -> JsonObject:
    """Return the operations that match the most words, the best match first.

    `found` in the result counts all matches, including those beyond `limit`. `writes`
    says whether this server has the write tool.
    """
    words = [relevance.stem(word) for word in _WORD.findall(query.lower()) if word not in _SMALL]
    found = [
        (score, operation)
        for operation in catalogue
        if (score := _score(operation, words)) or not words
    ]
    best = max((score for score, _ in found), default=0)
    chosen = [operation for score, operation in found if int(score) == int(best)]
    chosen.sort(
        key=lambda operation: (*relevance.rank(operation, words), _score(operation, words)),
        reverse=True,
    )
    return {
        "operations": [
            {**_brief(operation, writes=writes), "summary": operation.summary}
            for operation in chosen[:limit]
        ],
        "found": len(chosen),
    }


def find(catalogue: Catalogue, text: str) -> Operation:
    """Return the operation that `text` names as `API RESOURCE OPERATION`.

    Raises UsageError, with similar commands as a hint, if there is no such operation.
    """
    words = text.replace("/", " ").split()
    words = words[1:] if words[:1] == ["unified"] else words
    name = " ".join(words)
    commands = {operation.command: operation for operation in catalogue}
    if name in commands:
        return commands[name]
    # Prefer commands that contain every word: the API may be missing, or the order may
    # be different.
    near = [command for command in commands if words and {*words} <= {*command.split()}][:_NEAR]
    near = near or difflib.get_close_matches(name, commands, _NEAR, 0.6)
    hint = f"did you mean {', '.join(near)}?" if near else "find operations with the search tool"
    raise UsageError(f"no operation {name[:100]!r}", hint=hint)


def describe(operation: Operation, catalogue: Catalogue, *, writes: bool) -> JsonObject:
    """Return the known facts about an operation. `writes` is as in `search`.

    A connection may also accept and return fields that are not listed.
    """
    facts, service = operation.facts, catalogue.service
    known: JsonObject = {
        **_brief(operation, writes=writes),
        "summary": operation.summary,
        "method": operation.method,
        "path": operation.path,
        "id": "required" if operation.takes_id else "none",
    }
    if operation.lists:
        filters = known_filters(operation, service)
        known["filters"] = [*map(_described, filters.filters)]
        known["operators"] = [f"NAME[{operator}]" for operator in filters.operators]
        known["sort"] = [f"{service.sort}[{key}]=asc|desc" for key in filters.sort_keys]
    elif facts.query.get(operation.name):
        known["query"] = [*map(_described, facts.query[operation.name])]
    if operation.takes_body:
        body = facts.body.get(operation.name) or (facts.fields if operation.kind == "write" else ())
        known["body"] = [*map(_described, body)]
    if facts.fields:
        known["fields"] = [field.name for field in facts.fields]
    if facts.members:
        known["members"] = [*map(_described, facts.members)]
    known["note"] = (
        "a connection may accept fields and parameters that are not listed here; they are sent"
        " unchanged"
    )
    return known


def _brief(operation: Operation, *, writes: bool) -> JsonObject:
    tool = "read" if not operation.changes else "write" if writes else _ONLY_READS
    return {"operation": operation.command, "kind": operation.kind, "tool": tool}


def _described(field: KnownField) -> str:
    values = f" ({'|'.join(field.values)})" if field.values else ""
    references = f" (an id of {field.references})" if field.references else ""
    return f"{field.name}: {field.type}{values}{references}"


def _score(operation: Operation, words: Iterable[str]) -> float:
    command, summary = operation.command.lower(), operation.summary.lower()
    return sum(
        1.01 if word in command else 1.0 for word in words if word in command or word in summary
    )
