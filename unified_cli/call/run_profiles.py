"""The profiles that `-p run:ID:failed` selects for a command."""

from unified_cli.cli.flags import Options
from unified_cli.cli.options import overrides
from unified_cli.config import file
from unified_cli.config.settings import Settings
from unified_cli.fleet import own_account
from unified_cli.runtime import Runtime
from unified_cli.writes.registry import RunRegistry
from unified_cli.writes.selection import RunSelection


def selected(runtime: Runtime, options: Options, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The values of `-p`, with names in place of what they say of runs. Raises as `RunSelection.expanded` does."""
    config = file.read(runtime)
    # The process's environment decodes a variable at each access.
    resolving = runtime._replace(environ={**runtime.environ})

    def settings(name: str) -> Settings:
        return own_account.resolved(overrides(options, name)._replace(output=None), resolving, config)

    registry = RunRegistry(runtime.folder("data"), runtime.wall)
    return RunSelection(registry, [*config.profiles], settings).expanded(patterns)
