"""What all commands beside the APIs share: how they are completed, and tables of what they know."""

from collections.abc import Callable, Sequence
from typing import Any

from unified_cli.commands.options import FLAGS
from unified_cli.errors import UsageError
from unified_cli.output import columns, document, stream
from unified_cli.runtime import Runtime

Complete = Callable[[dict[str, Any]], dict[str, Any]]
"""Gives the options of a command together with those that stood right after the program's name."""

FORMATS = ("table", "json", "tsv")

TABLE = FLAGS["output"]._replace(choices=FORMATS)
"""The option `-o` of commands that print tables."""


def show(
    runtime: Runtime, output: str | None, heads: Sequence[str], rows: Sequence[Sequence[str]], value: object
) -> None:
    """Print rows as a table on a terminal and as tab-separated lines on a pipe, or `value` as JSON, as asked for."""
    chosen = output or ("table" if runtime.stdout_is_terminal else "tsv")
    if chosen not in FORMATS:
        raise UsageError(f"-o {chosen} is not for this command (there are {', '.join(FORMATS)})")
    if chosen == "json":
        import msgspec  # noqa: PLC0415  only here

        document.write(runtime, msgspec.json.encode(value))
    elif chosen == "table":
        stream.write(runtime, [columns.table(runtime, heads, rows)])
    else:
        stream.write(runtime, [columns.lines(rows)])
