"""`unified profile show`: print every setting of a call, its source, and what it overrode; never the token."""

from collections.abc import Iterator
from typing import Annotated, Any

from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.flags import OUTPUT, Flag
from unified_cli.cli.result_table import TableOutput, show
from unified_cli.cli.shared_options import MessageOptions, Profiles
from unified_cli.commands.profile.profile_options import OptionalName, build, page
from unified_cli.config import address, file, resolution
from unified_cli.config.overrides import Overrides
from unified_cli.config.settings import Settings
from unified_cli.errors import UsageError
from unified_cli.json_text.values import JsonObject
from unified_cli.runtime import Runtime

VERSION = 1


class ShowOptions(MessageOptions):
    """Which profile to show, and how."""

    name: OptionalName = None
    profile: Profiles = ()
    explain: Annotated[bool, Flag(("--explain",), OUTPUT, "also show the values that were overridden")] = False
    output: TableOutput = None


def show_command(about: str, context: CommandContext) -> Any:
    """`profile show`."""
    more = ["Without a name: the settings that a call from here would use. The token itself is never shown."]
    return build(
        context,
        tree.CommandSpec(
            "show",
            ShowOptions,
            lambda options: _show(context.runtime, options),
            lambda: page(about, "[NAME]", "unified profile show sandbox --explain", more),
        ),
    )


def _show(runtime: Runtime, options: ShowOptions) -> None:
    names = (options.name,) if options.name else options.profile
    if len(names) > 1:
        raise UsageError("only one profile can be shown at a time (unified profile list shows several)")
    found = resolution.resolve(Overrides(names[0] if names else None), runtime, file.read(runtime))
    shown = [*described(found)]
    heads = ["key", "value", "source"]
    rows = [[one["key"], _text(one["value"]), one["source"]] for one in shown]
    if options.explain:
        heads.append("instead of")
        for row, one in zip(rows, shown, strict=True):
            row.append("; ".join(f"{_text(lost['value'])} ({lost['source']})" for lost in one["overrode"]))
    else:
        shown = [{key: value for key, value in one.items() if key != "overrode"} for one in shown]
    show(runtime, options.output, heads, rows, {"version": VERSION, "profile": found.profile, "values": shown})


def described(found: Settings) -> Iterator[JsonObject]:
    """The settings as JSON; the names are a contract."""
    yield {"key": "profile", "value": found.profile, "source": found.named_by, "overrode": []}
    for key, value in found.values.items():
        lost = [{"source": source, "value": _shown(key, other)} for source, other in value.overrode]
        yield {"key": key, "value": _shown(key, value.value), "source": value.source, "overrode": lost}
    token = found.token
    yield {
        "key": "token",
        "value": "set" if token else None,
        "source": token.words if token else "nowhere",
        "overrode": [{"source": source, "value": "set"} for source in found.tokens_left],
    }


def _shown(key: str, value: object) -> object:
    return address.masked(value) if key == "base_url" and isinstance(value, str) else value


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
