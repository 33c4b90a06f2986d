"""`unified profile test`: one cheap request for each connection, side by side."""

import inspect
from typing import Annotated, Any

import typer

from unified_cli.catalogue import Catalogue
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.options import CONNECTION, FLAGS, Flag
from unified_cli.cli.result_table import TABLE, show
from unified_cli.commands import connection_probe
from unified_cli.commands.connection_probe import ProbeResult
from unified_cli.commands.profile.profile_options import build
from unified_cli.config import file
from unified_cli.config.profiles import select
from unified_cli.runtime import Runtime

VERSION = 1
WITH = Flag(
    "with_", ("--with",), str, CONNECTION, f'list this instead of "{connection_probe.DEFAULT}"', "'API RESOURCE'"
)
_FLAGS = (FLAGS["profile"], WITH, TABLE, FLAGS["timeout"], FLAGS["retries"], FLAGS["ca_bundle"])


def test_command(about: str, context: CommandContext) -> Any:
    """`profile test`."""
    runtime, catalogue, complete = context.runtime, context.catalogue, context.complete
    annotation: Any = Annotated[list[str] | None, typer.Argument(metavar="[GLOB|tag:NAME]…")]
    return build(
        "test",
        about,
        lambda given: _test(runtime, catalogue, given),
        runtime=runtime,
        complete=complete,
        usage="[GLOB|tag:NAME]…",
        example="unified profile test sandbox",
        takes=("profile",),
        arguments=[inspect.Parameter("patterns", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)],
        flags=_FLAGS,
        more=["Without a name: what a call would be made with, here and now."],
    )


def _test(runtime: Runtime, catalogue: Catalogue, given: dict[str, Any]) -> None:
    asked = connection_probe.operation(catalogue, given.get("with_") or connection_probe.DEFAULT)
    config = file.read(runtime)
    patterns = given.get("patterns") or given.get("profile") or []
    names = select(config, patterns) if patterns else [None]
    flags = {name: given[name] for name in ("timeout", "retries", "ca_bundle") if given.get(name)}
    verdicts = connection_probe.run(runtime, catalogue, config, names, flags=flags, asked=asked)
    rows = [(_name(one), one.word, f"{one.seconds * 1000:.0f} ms", _message(one)) for one in verdicts]
    value = {"version": VERSION, "profiles": [_described(one) for one in verdicts]}
    show(runtime, given.get("output"), ("profile", "verdict", "after", "message"), rows, value)
    errors = [one.error for one in verdicts if one.error]
    if errors:
        error = connection_probe.worst(errors)
        raise type(error)(f"{len(errors)} of {len(verdicts)} connections cannot be used", origin=error.origin)


def _described(one: ProbeResult) -> dict[str, Any]:
    """A verdict as programs are told of it; the names are a contract."""
    return {
        "profile": one.profile,
        "verdict": one.word,
        "milliseconds": round(one.seconds * 1000),
        "error": one.error.facts() if one.error else None,
    }


def _name(one: ProbeResult) -> str:
    return one.profile or "(no profile)"


def _message(one: ProbeResult) -> str:
    return one.error.message if one.error else ""
