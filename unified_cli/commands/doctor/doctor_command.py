"""`unified doctor`: find problems on this machine and, with --network, with the service, each with a remedy."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.flags import EVIDENCE, NETWORK, Flag
from unified_cli.cli.result_table import TableFormat, TableOutput, show
from unified_cli.cli.shared_options import CaBundle, EvidenceOptions, MessageOptions, Profiles, Timeout
from unified_cli.commands import connection_probe
from unified_cli.commands.doctor import finding_blocks, local_checks, report_bundle
from unified_cli.commands.doctor.finding import Finding, worst
from unified_cli.commands.profile.check_profile import With
from unified_cli.commands.profile.profile_options import Patterns, build, page
from unified_cli.config import file
from unified_cli.config.file import Config
from unified_cli.config.overrides import Overrides
from unified_cli.config.profiles import select
from unified_cli.errors import ConfigError, UsageError
from unified_cli.json_text.values import JsonObject
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

VERSION = 1


class DoctorOptions(MessageOptions, EvidenceOptions):
    """Which profiles to check, whether to call the service, and how to print the findings."""

    patterns: Patterns = ()
    profile: Profiles = ()
    network: Annotated[bool, Flag(("--network",), NETWORK, "call the service too; without it nothing is sent")] = False
    with_: With = None
    timeout: Timeout = None
    ca_bundle: CaBundle = None
    output: TableOutput = None
    bundle: Annotated[
        str | None,
        Flag(("--bundle",), EVIDENCE, "also write a ZIP file for a report, without secrets", "FILE.zip", takes="file"),
    ] = None
    har: Annotated[
        str | None, Flag(("--har",), EVIDENCE, "with --bundle: add this recording", "FILE.har", takes="file")
    ] = None


def command(context: CommandContext) -> Any:
    """The command."""
    about = "Find problems with the configuration, the credentials and this machine"
    more = [
        "Checks all profiles, or the named ones.",
        "With --bundle it writes what it found into a ZIP file that can be sent with a report.",
        "With --network it also asks how each named connection is or, without one, that of a call.",
    ]
    return build(
        context,
        tree.CommandSpec(
            "doctor",
            DoctorOptions,
            lambda options: _examine(context, options),
            lambda: page(about, "[GLOB|tag:NAME]…", "unified doctor", more),
        ),
    )


def _examine(context: CommandContext, options: DoctorOptions) -> None:
    runtime = context.runtime
    # Before any check: an unknown resource is a usage error, not a finding.
    operation = connection_probe.operation(context.catalogue, options.with_)
    overrides = Overrides(timeout=options.timeout, ca_bundle=options.ca_bundle)
    recording = _check_bundle(options)
    patterns = options.patterns or options.profile
    findings = [*local_checks.machine(runtime, options.ca_bundle)]
    config = _config(runtime, findings)
    if config is not None:
        names = select(config, patterns) if patterns else [*config.profiles]
        tokens = connection_probe.TokenCache(runtime)
        findings += local_checks.profiles(runtime, config, names or [None], tokens, context.catalogue.service)
        if options.network:
            from unified_cli.commands.doctor import network_checks  # noqa: PLC0415  httpx is imported to send

            failed = {finding.subject for finding in findings if finding.error}
            usable = [name for name in (names if patterns else [None]) if (name or "") not in failed]
            probe = connection_probe.Probe(runtime, context.catalogue, config, operation, overrides, tokens)
            findings += network_checks.connections(probe, usable)
    _show(runtime, options.output, findings)
    if options.bundle:
        size = report_bundle.write(Path(options.bundle), runtime, [*_described(findings)], config, recording)
        runtime.stderr.note(f"wrote {counted(size, 'byte')} to {options.bundle}; look into it before you send it")
    errors = [finding for finding in findings if finding.error]
    if errors:
        raise worst(errors).retold(f"found {counted(len(errors), 'error')}")


def _check_bundle(options: DoctorOptions) -> bytes | None:
    """The recording to add to the bundle; raises, before anything is checked, what stands in the way of either."""
    if options.bundle is None and options.har is None:
        return None
    if not options.bundle:
        raise UsageError("--har adds a recording to a bundle (--bundle FILE.zip)")
    return report_bundle.check(Path(options.bundle), options.har)


def _config(runtime: Runtime, findings: list[Finding]) -> Config | None:
    """The configuration if it can be used; its problems are added to the findings."""
    found = [*local_checks.configuration(runtime)]
    findings += found
    if any(finding.error for finding in found):
        return None
    try:
        return file.read(runtime)
    except ConfigError as error:
        findings.append(Finding.failed("config", "", error))
        return None


def _show(runtime: Runtime, output: TableFormat | None, findings: Sequence[Finding]) -> None:
    rows = [(one.level, one.check, one.subject, one.message, one.remedy) for one in findings]
    if output in {None, "table"} and runtime.stdout_is_terminal and finding_blocks.is_wider(rows, runtime.width):
        finding_blocks.show(runtime, findings)
        return
    value = {"version": VERSION, "findings": [*_described(findings)]}
    show(runtime, output, ("level", "check", "subject", "finding", "remedy"), rows, value)


def _described(findings: Iterable[Finding]) -> Iterable[JsonObject]:
    """The findings as JSON; the names are a contract."""
    for one in findings:
        yield {
            "level": one.level,
            "check": one.check,
            "subject": one.subject,
            "message": one.message,
            "remedy": one.remedy,
            "exit": int(one.error.code) if one.error else 0,
        }
