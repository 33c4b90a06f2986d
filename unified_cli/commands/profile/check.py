"""`unified profile test`: ask the service how each connection is, side by side."""

from unified_cli.call import connection_probe
from unified_cli.call.connection_probe import Probe, ProbeResult, TokenCache
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.result_table import show
from unified_cli.commands.profile.options import CheckOptions
from unified_cli.config import file
from unified_cli.config.keys import KEYS, Overrides
from unified_cli.config.profiles import select
from unified_cli.errors import ConfigError
from unified_cli.fleet.conclude import Ending, conclude
from unified_cli.json_text.values import JsonObject
from unified_cli.plural import counted

VERSION = 1


def run(context: CommandContext, options: CheckOptions) -> None:
    """Test connections. Raises the worst of their errors."""
    operation = connection_probe.operation(context.catalogue, options.with_)
    config = file.read(context.runtime)
    patterns = options.patterns or options.profile
    names = select(config, patterns) if patterns else [None]
    overrides = Overrides(timeout=options.timeout, retries=options.retries, ca_bundle=options.ca_bundle)
    tokens = TokenCache(context.runtime)
    verdicts = Probe(context.runtime, context.catalogue, config, operation, overrides, tokens).run(names)
    rows = [(_name(one), one.word, f"{one.seconds * 1000:.0f} ms", _message(one)) for one in verdicts]
    value = {"version": VERSION, "profiles": [_described(one) for one in verdicts]}
    show(context.runtime, options.output, ("profile", "verdict", "after", "message"), rows, value)
    first, default = verdicts[0], config.top.get("profile") or context.runtime.environ.get(KEYS["profile"].variable)
    if not (patterns or default) and config.profiles and isinstance(first.error, ConfigError):
        first.error.add_hint(f"-p '*' tests all {counted(len(config.profiles), 'profile')}")
    conclude(Ending("connection", len(verdicts), {_name(one): one.error for one in verdicts if one.error}))


def _described(one: ProbeResult) -> JsonObject:
    """A verdict as JSON; the names are a contract."""
    return {
        "profile": one.profile,
        "verdict": one.word,
        "message": one.said or None,
        "milliseconds": round(one.seconds * 1000),
        "error": one.error.facts() if one.error else None,
    }


def _name(one: ProbeResult) -> str:
    return one.profile or "(no profile)"


def _message(one: ProbeResult) -> str:
    return one.error.message if one.error else one.said
