"""`unified runs remove`: remove the journals of runs; nothing else ever does."""

from unified_cli.cli import prompt
from unified_cli.cli.command_context import CommandContext
from unified_cli.commands.runs.options import RemoveRunsOptions
from unified_cli.errors import ConfigError, StateError, StorageError
from unified_cli.plural import counted
from unified_cli.writes.registry import RunRegistry
from unified_cli.writes.run import StoredRun


def run(context: CommandContext, options: RemoveRunsOptions) -> None:
    """Remove the journals of runs. Raises UsageError where that is declined."""
    runtime = context.runtime
    registry = RunRegistry(runtime.folder("data"), runtime.wall)
    unfinished = [run for run in options.runs if _is_open(registry, run)]
    if unfinished:
        what = f"{counted(len(unfinished), 'run')} with calls that are not done ({', '.join(unfinished)})"
        prompt.confirm(runtime, f"remove {what}", "nothing removed", yes=options.yes, no_input=options.no_input)
    for run in dict.fromkeys(options.runs):
        lock = registry.lock(run)
        try:
            registry.remove(run)
        finally:
            lock.release()
    runtime.stderr.note(f"removed {counted(len({*options.runs}), 'run')}")


def _is_open(registry: RunRegistry, run: str) -> bool:
    try:
        with StoredRun.look(registry, run) as stored:
            outcomes = stored.journal.outcomes()
            return not stored.header.path and outcomes["done"] < outcomes.total()
    except StateError:
        # A damaged journal can continue nothing.
        return False
    except (ConfigError, StorageError):
        # It may hold work that goes on once its owner, its mode or its disk is mended.
        return True
