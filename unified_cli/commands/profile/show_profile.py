"""`unified profile show`: print every setting of a call, its source, and what it overrode; never the token."""

from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.result_table import show
from unified_cli.commands.profile.options import ShowOptions
from unified_cli.config import file, resolution
from unified_cli.config.overrides import Overrides
from unified_cli.errors import UsageError

VERSION = 1


def run(context: CommandContext, options: ShowOptions) -> None:
    """Show a profile. Raises UsageError for several."""
    runtime = context.runtime
    names = (options.name,) if options.name else options.profile
    if len(names) > 1:
        raise UsageError("only one profile can be shown at a time (unified profile list shows several)")
    found = resolution.resolve(Overrides(names[0] if names else None), runtime, file.read(runtime))
    shown = [*found.explained()]
    heads = ["key", "value", "source"]
    rows = [[one["key"], _text(one["value"]), one["source"]] for one in shown]
    if options.explain:
        heads.append("instead of")
        for row, one in zip(rows, shown, strict=True):
            row.append("; ".join(f"{_text(lost['value'])} ({lost['source']})" for lost in one["overrode"]))
    else:
        shown = [{key: value for key, value in one.items() if key != "overrode"} for one in shown]
    show(runtime, options.output, heads, rows, {"version": VERSION, "profile": found.profile, "values": shown})


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
