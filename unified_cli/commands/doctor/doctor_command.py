"""`unified doctor`: what is wrong on this machine and, if asked, on the way to the service, each with its remedy."""

import inspect
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer

from unified_cli.catalogue import Catalogue
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.options import FLAGS, NETWORK, Flag
from unified_cli.cli.result_table import TABLE, show
from unified_cli.commands import connection_probe
from unified_cli.commands.doctor import local_checks
from unified_cli.commands.doctor.finding import Finding, worst
from unified_cli.commands.profile.check_profile import WITH
from unified_cli.commands.profile.profile_options import build
from unified_cli.config import file
from unified_cli.config.file import Config
from unified_cli.config.profiles import select
from unified_cli.errors import ConfigError
from unified_cli.runtime import Runtime

VERSION = 1
_NETWORK = Flag("network", ("--network",), bool, NETWORK, "ask the service too; without it nothing is sent")
_FLAGS = (FLAGS["profile"], _NETWORK, WITH, FLAGS["timeout"], FLAGS["ca_bundle"], TABLE)


def command(context: CommandContext) -> Any:
    """The command."""
    runtime, catalogue, complete = context.runtime, context.catalogue, context.complete
    annotation: Any = Annotated[list[str] | None, typer.Argument(metavar="[GLOB|tag:NAME]…")]
    return build(
        "doctor",
        "Find what is wrong with the configuration, the credentials and this machine",
        lambda given: _examine(runtime, catalogue, given),
        runtime=runtime,
        complete=complete,
        usage="[GLOB|tag:NAME]…",
        example="unified doctor",
        arguments=[inspect.Parameter("patterns", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)],
        flags=_FLAGS,
        more=[
            "Looks at all profiles, or at those that are named.",
            "With --network it also asks the service: for the named profiles, else for what a call would use here.",
        ],
    )


def _examine(runtime: Runtime, catalogue: Catalogue, given: dict[str, Any]) -> None:
    # Before anything is looked at: a word that names no resource is no finding.
    asked = connection_probe.operation(catalogue, given.get("with_") or connection_probe.DEFAULT)
    flags = {name: given[name] for name in ("timeout", "ca_bundle") if given.get(name)}
    patterns = given.get("patterns") or given.get("profile") or []
    findings = [*local_checks.machine(runtime, flags)]
    config = _config(runtime, findings)
    if config is not None:
        names = select(config, patterns) if patterns else [*config.profiles]
        tokens = connection_probe.TokenCache(runtime)
        findings += local_checks.profiles(runtime, config, names or [None], tokens)
        if given.get("network"):
            from unified_cli.commands.doctor import network_checks  # noqa: PLC0415  httpx is imported when something is sent

            told = {finding.subject for finding in findings if finding.error}
            reached = [name for name in (names if patterns else [None]) if (name or "") not in told]
            findings += network_checks.connections(runtime, catalogue, config, reached, flags, asked, tokens)
    _show(runtime, given.get("output"), findings)
    errors = [finding for finding in findings if finding.error]
    if errors:
        error = worst(errors)
        raise type(error)(f"the doctor found {len(errors)} error{'s' if len(errors) > 1 else ''}", origin=error.origin)


def _config(runtime: Runtime, findings: list[Finding]) -> Config | None:
    """The configuration if it can be used; what is wrong with it is added to the findings."""
    found = [*local_checks.configuration(runtime)]
    findings += found
    if any(finding.error for finding in found):
        return None
    try:
        return file.read(runtime)
    except ConfigError as error:
        findings.append(Finding.failed("config", "", error))
        return None


def _show(runtime: Runtime, output: str | None, findings: Sequence[Finding]) -> None:
    rows = [(one.level, one.check, one.subject, one.message, one.mend) for one in findings]
    value = {"version": VERSION, "findings": [*_described(findings)]}
    show(runtime, output, ("level", "check", "subject", "finding", "remedy"), rows, value)


def _described(findings: Iterable[Finding]) -> Iterable[dict[str, Any]]:
    """The findings as programs are told of them; the names are a contract."""
    for one in findings:
        yield {
            "level": one.level,
            "check": one.check,
            "subject": one.subject,
            "message": one.message,
            "remedy": one.mend,
            "exit": int(one.error.code) if one.error else 0,
        }
