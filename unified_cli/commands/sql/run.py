"""`unified sql`, where its package is installed."""

from importlib.util import find_spec

from unified_cli.cli.command import CommandContext
from unified_cli.commands.sql.command import SqlOptions
from unified_cli.errors import ConfigError
from unified_cli.installation import command_to_add


def run(context: CommandContext, options: SqlOptions) -> None:
    """Run the statement. Raises ConfigError without the package."""
    if find_spec("duckdb") is None:
        raise ConfigError("sql needs the package duckdb", hint=command_to_add("duckdb>=2.0"))
    from unified_cli.commands.sql.answer import answer  # noqa: PLC0415  it imports the package

    answer(context, options)
