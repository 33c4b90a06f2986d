"""Print the results of built-in commands: a table on a terminal, lines on a pipe, or
JSON.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, NamedTuple

from unified_cli.cli.shared_options import output_of
from unified_cli.masking import masked
from unified_cli.output import formats, markdown, screen, stdout, terminal
from unified_cli.output.terminal import TerminalText
from unified_cli.runtime import Runtime

TableOutput = Annotated[str | None, output_of(formats.TABLES)]
"""The option `-o` of commands that print tables."""


class TerminalTable(NamedTuple):
    """A table for a terminal. It differs from the rows for a pipe."""

    heads: Sequence[str | screen.Column]
    rows: Sequence[Sequence[screen.Cell]]


def show(
    runtime: Runtime,
    output: str | None,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    value: object,
    *,
    apart: int | None = None,
    on_terminal: TerminalTable | Callable[[], Iterable[TerminalText]] | None = None,
) -> None:
    """Print a table, lines or JSON, with secrets masked.

    It is a table on a terminal, tab-separated lines on a pipe, or `value` as JSON. On a
    narrow terminal, the column `apart` is on separate lines. `on_terminal` replaces the
    table on a terminal.
    """
    chosen = formats.of_command(output, formats.TABLES, terminal=runtime.stdout_is_terminal)
    if chosen is formats.JSON:
        stdout.write_value(runtime, _masked(value))
        return
    if chosen is formats.TABLE and on_terminal and runtime.stdout_is_terminal:
        made = (
            [screen.table(runtime, on_terminal.heads, on_terminal.rows, apart=apart)]
            if isinstance(on_terminal, TerminalTable)
            else on_terminal()
        )
        stdout.show(runtime, made)
        return
    shown = [[masked(cell) for cell in row] for row in rows]
    if chosen is formats.MARKDOWN:
        stdout.write(runtime, [markdown.document(heads, shown)])
        return
    if chosen is formats.TABLE:
        stdout.show(runtime, [screen.table(runtime, heads, shown, apart=apart)])
    else:
        stdout.write(runtime, [terminal.tabbed(shown)])


def _masked(value: object) -> object:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {name: _masked(member) for name, member in value.items()}
    return [_masked(item) for item in value] if isinstance(value, list) else value
