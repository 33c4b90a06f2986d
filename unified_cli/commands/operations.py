"""`unified operations [WORDS]`: the catalogue as a table that can be searched, or as JSON."""

from typing import Annotated, Any

import typer

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.commands import tree
from unified_cli.commands.built_in import Complete, show
from unified_cli.commands.options import FLAGS, function
from unified_cli.commands.page import EXAMPLE, Page
from unified_cli.runtime import Runtime

VERSION = 1
_FLAGS = [FLAGS["output"]]


def command(runtime: Runtime, catalogue: Catalogue, complete: Complete) -> Any:
    """The command."""
    import inspect  # noqa: PLC0415  Typer has imported it

    annotation: Any = Annotated[list[str] | None, typer.Argument(metavar="[WORDS]")]
    words = inspect.Parameter("words", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
    return tree.leaf(
        "operations",
        function(
            lambda given: _search(runtime, catalogue, complete(given)), [words, *(flag.parameter() for flag in _FLAGS)]
        ),
        lambda: Page(
            "[WORDS] [options]",
            ["Search what can be called: operations whose command, path or summary holds all the words."],
            [(EXAMPLE, "unified operations suspend user")],
            _FLAGS,
        ),
    )


def _search(runtime: Runtime, catalogue: Catalogue, given: dict[str, Any]) -> None:
    wanted = [word.lower() for word in given["words"] or ()]
    found = [operation for operation in catalogue if all(word in _text(operation) for word in wanted)]
    rows = [(one.command, one.method, one.path, one.summary) for one in found]
    value = {"version": VERSION, "operations": [describe(one) for one in found]}
    show(runtime, given.get("output"), ("command", "method", "path", "summary"), rows, value)


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
