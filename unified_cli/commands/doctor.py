"""`unified doctor`: what is wrong on this machine and, if asked, on the way to the service, each with its remedy."""

import inspect
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer

from unified_cli.catalogue import Catalogue
from unified_cli.commands import doctor_local, probe
from unified_cli.commands.built_in import TABLE, Complete, show
from unified_cli.commands.doctor_finding import Finding, worst
from unified_cli.commands.options import FLAGS, NETWORK, Flag
from unified_cli.commands.profile_leaf import build
from unified_cli.commands.profile_test import WITH
from unified_cli.config import file
from unified_cli.config.file import Config
from unified_cli.config.select import select
from unified_cli.errors import ConfigError
from unified_cli.runtime import Runtime

VERSION = 1
_NETWORK = Flag("network", ("--network",), bool, NETWORK, "ask the service too; without it nothing is sent")
_FLAGS = (FLAGS["profile"], _NETWORK, WITH, FLAGS["timeout"], FLAGS["ca_bundle"], TABLE)


def command(runtime: Runtime, catalogue: Catalogue, complete: Complete) -> Any:
    """The command."""
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
    asked = probe.operation(catalogue, given.get("with_") or probe.DEFAULT)
    flags = {name: given[name] for name in ("timeout", "ca_bundle") if given.get(name)}
    patterns = given.get("patterns") or given.get("profile") or []
    findings = [*doctor_local.machine(runtime, flags)]
    config = _config(runtime, findings)
    if config is not None:
        names = select(config, patterns) if patterns else [*config.profiles]
        tokens = probe.Tokens(runtime)
        findings += doctor_local.profiles(runtime, config, names or [None], tokens)
        if given.get("network"):
            from unified_cli.commands import doctor_network  # noqa: PLC0415  httpx is imported when something is sent

            told = {finding.subject for finding in findings if finding.error}
            reached = [name for name in (names if patterns else [None]) if (name or "") not in told]
            findings += doctor_network.connections(runtime, catalogue, config, reached, flags, asked, tokens)
    _show(runtime, given.get("output"), findings)
    errors = [finding for finding in findings if finding.error]
    if errors:
        error = worst(errors)
        raise type(error)(f"the doctor found {len(errors)} error{'s' if len(errors) > 1 else ''}", origin=error.origin)


def _config(runtime: Runtime, findings: list[Finding]) -> Config | None:
    """The configuration if it can be used; what is wrong with it is added to the findings."""
    found = [*doctor_local.configuration(runtime)]
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
