"""`unified operations remove`: remove commands that were added."""

from unified_cli.cli import prompt
from unified_cli.cli.command import CommandContext
from unified_cli.commands.operations.command import RemoveOperationsOptions
from unified_cli.config import catalogue_edit
from unified_cli.errors import UsageError


def run(context: CommandContext, options: RemoveOperationsOptions) -> None:
    """Remove the resources from their files.

    Raises UsageError if a resource is in no file.
    """
    runtime = context.runtime
    by_api: dict[str, list[str]] = {}
    whole = {name for name in options.names if "/" not in name}
    for name in options.names:
        api, _, resource = name.partition("/")
        by_api.setdefault(api, []).extend([resource] if resource and api not in whole else [])
    asks = not options.yes and prompt.at_terminal(runtime, no_input=options.no_input)
    if asks and not prompt.ask(runtime, f"remove {', '.join(options.names)}?"):
        raise UsageError("not removed")
    for api, resources in by_api.items():
        path = catalogue_edit.remove(runtime, api, resources)
        names = ", ".join(f"{api}/{name}" for name in resources) or api
        runtime.stderr.note(f"removed {names} from {path}")
