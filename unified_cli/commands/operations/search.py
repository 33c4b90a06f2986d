"""`unified operations [WORDS]`: search the catalogue, and print it as a table or as
JSON.
"""

import re
from collections.abc import Sequence
from difflib import get_close_matches

import msgspec

from unified_cli.catalogue import Catalogue, Operation, relevance
from unified_cli.cli.command import CommandContext
from unified_cli.cli.result_table import show
from unified_cli.commands.operations.command import OperationsOptions
from unified_cli.docs.openapi import document as made
from unified_cli.errors import UsageError
from unified_cli.hints import quoted
from unified_cli.output import formats, stdout
from unified_cli.values import JsonObject

VERSION = 1
"""The version of the `-o json` output; `operations.schema.json` is its JSON Schema."""
BUILT_IN = "built in"
_WIDE = 120
_WORD = re.compile(r"[a-z]{3,}")


def run(context: CommandContext, options: OperationsOptions) -> None:
    """Print the operations that have all the words."""
    if options.openapi:
        _openapi(context, options)
        return
    wanted = [word.lower() for word in options.words]
    found = _having(context.catalogue, wanted)
    whole = relevance.words_of(" ".join(wanted))
    found.sort(key=lambda operation: relevance.rank(operation, whole), reverse=True)
    runtime = context.runtime
    if not found:
        runtime.stderr.note(
            f"no operation has these words: {' '.join(options.words)}"
            f"{_other_words(context.catalogue, wanted)}"
        )
    # Leave out the path, because rows would be wider than most terminals.
    form = formats.of_command(options.output, formats.TABLES, terminal=runtime.stdout_is_terminal)
    short = form is formats.TABLE and runtime.stdout_is_terminal and runtime.width < _WIDE
    heads = ["command", "summary"] if short else ["command", "method", "path", "summary"]
    rows = [
        [
            operation.command,
            *(() if short else (operation.method, operation.path)),
            operation.summary,
        ]
        for operation in found
    ]
    described = [describe(operation) for operation in found]
    if options.source:
        heads.append("source")
        for one, row, facts in zip(found, rows, described, strict=True):
            row.append(one.source or BUILT_IN)
            facts["source"] = one.source or BUILT_IN
    show(runtime, options.output, heads, rows, {"version": VERSION, "operations": described})


def _having(catalogue: Catalogue, words: Sequence[str]) -> list[Operation]:
    return [operation for operation in catalogue if all(word in _text(operation) for word in words)]


def _other_words(catalogue: Catalogue, words: Sequence[str]) -> str:
    """Return a search that finds something, if any.

    Corrects a misspelt word, or leaves out words that no operation has.
    """
    known = {word for operation in catalogue for word in _WORD.findall(_text(operation))}
    near = [
        word if word in known else next(iter(get_close_matches(word, known, 1)), word)
        for word in words
    ]
    fewer = [word for word in words if _having(catalogue, [word])]
    for meant in (near, fewer):
        if meant and meant != [*words] and _having(catalogue, meant):
            return f" (unified operations {' '.join(map(quoted, meant))})"
    return ""


def _openapi(context: CommandContext, options: OperationsOptions) -> None:
    if options.words or options.source:
        raise UsageError("--openapi prints the whole catalogue (leave out the words and --source)")

    stdout.write_json(context.runtime, msgspec.json.encode(made(context.catalogue)))


def _text(operation: Operation) -> str:
    return f"{operation.command} {operation.method} {operation.path} {operation.summary}".lower()


def describe(operation: Operation) -> JsonObject:
    """Return an operation as JSON. Scripts depend on the names."""
    return {
        "api": operation.api,
        "resource": operation.resource,
        "operation": operation.name,
        "method": operation.method,
        "path": operation.path,
        "command": f"unified {operation.command}",
        "kind": operation.kind,
        "outward": operation.outward,
    }
