"""`unified operations [WORDS]`: the catalogue as a table that can be searched, or as JSON."""

from typing import Annotated, Any

import typer

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.help_page import EXAMPLE, HelpPage
from unified_cli.cli.options import OUTPUT, Flag
from unified_cli.cli.result_table import TABLE, show
from unified_cli.errors import UsageError
from unified_cli.output import pretty_json
from unified_cli.runtime import Runtime

VERSION = 1
"""Of what `-o json` prints; `operations.schema.json` is its JSON Schema."""
_FLAGS = [
    TABLE,
    Flag("source", ("--source",), bool, OUTPUT, "say which file each operation is from"),
    Flag("openapi", ("--openapi",), bool, OUTPUT, "write them as an OpenAPI 3.1 document"),
]
BUILT_IN = "built in"


def command(context: CommandContext) -> Any:
    """The command."""
    runtime, catalogue, complete = context.runtime, context.catalogue, context.complete
    import inspect  # noqa: PLC0415  Typer has imported it

    annotation: Any = Annotated[list[str] | None, typer.Argument(metavar="[WORDS]")]
    words = inspect.Parameter("words", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
    return tree.leaf(
        "operations",
        lambda given: _search(runtime, catalogue, complete(given)),
        [words, *(flag.parameter() for flag in _FLAGS)],
        lambda: HelpPage(
            "[WORDS] [options]",
            ["Search what can be called: operations whose command, path or summary holds all the words."],
            [(EXAMPLE, "unified operations suspend user")],
            _FLAGS,
        ),
    )


def _search(runtime: Runtime, catalogue: Catalogue, given: dict[str, Any]) -> None:
    if given["openapi"]:
        _openapi(runtime, catalogue, given)
        return
    wanted = [word.lower() for word in given["words"] or ()]
    found = [operation for operation in catalogue if all(word in _text(operation) for word in wanted)]
    heads = ["command", "method", "path", "summary"]
    rows = [[one.command, one.method, one.path, one.summary] for one in found]
    described = [describe(one) for one in found]
    if given["source"]:
        heads.append("source")
        for one, row, facts in zip(found, rows, described, strict=True):
            row.append(one.source or BUILT_IN)
            facts["source"] = one.source or BUILT_IN
    show(runtime, given.get("output"), heads, rows, {"version": VERSION, "operations": described})


def _openapi(runtime: Runtime, catalogue: Catalogue, given: dict[str, Any]) -> None:
    if given["words"] or given["source"]:
        raise UsageError("--openapi writes the whole catalogue, so it goes with no words and not with --source")
    import msgspec  # noqa: PLC0415  only here

    from unified_cli.docs.openapi import document as made  # noqa: PLC0415  as above

    pretty_json.write(runtime, msgspec.json.encode(made(catalogue)))


def _text(operation: Operation) -> str:
    return f"{operation.command} {operation.method} {operation.path} {operation.summary}".lower()


def describe(operation: Operation) -> dict[str, str]:
    """An operation as programs are told of it; the names are a contract."""
    return {
        "api": operation.api,
        "resource": operation.resource,
        "operation": operation.name,
        "method": operation.method,
        "path": operation.path,
        "command": f"unified {operation.command}",
        "kind": operation.kind,
    }
