"""Run the checks, print the findings, and raise the worst error."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from unified_cli.call import connection_probe
from unified_cli.catalogue import Service
from unified_cli.cli.command import CommandContext
from unified_cli.cli.result_table import show
from unified_cli.commands.doctor import bundle, local, network
from unified_cli.commands.doctor.command import DoctorOptions
from unified_cli.commands.doctor.local import Finding
from unified_cli.config import file
from unified_cli.config.file import Config
from unified_cli.config.keys import Overrides
from unified_cli.config.profiles import names_no_connection, select
from unified_cli.errors import ConfigError, UsageError
from unified_cli.fleet import conclude
from unified_cli.fleet.tokens import Tokens
from unified_cli.masking import NO_TEXT, masked
from unified_cli.output import formats, layout, stdout
from unified_cli.output.screen import Cell, Look, Word
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.values import JsonObject

VERSION = 1
_OK = "ok"
_MARKS = {
    "error": ("✗", "x", Look.BAD),
    "warning": ("!", "!", Look.DOUBT),
    _OK: ("✓", "+", Look.GOOD),
}
"""The mark, its ASCII replacement and its style for each level, the worst first."""


def run(context: CommandContext, options: DoctorOptions) -> None:
    """Run the checks, print the findings, and raise the worst error."""
    runtime = context.runtime
    # An unknown resource is a usage error, so find it before any check.
    operation = connection_probe.operation(context.catalogue, options.with_)
    overrides = Overrides(timeout=options.timeout, ca_bundle=options.ca_bundle)
    recording = _check_bundle(options, context.catalogue.service)
    patterns = (*options.profile, *options.patterns)
    findings = [*local.machine(runtime, options.ca_bundle)]
    probe = None
    config = _usable_config(context, findings)
    if config is not None:
        names = select(config, patterns, for_calls=False) if patterns else [*config.profiles]
        tokens = Tokens(runtime)
        findings += local.profiles(context, config, names or [None], tokens)
        if options.network:
            failed = {finding.subject for finding in findings if finding.error}
            usable = [
                name
                for name in (names if patterns else [None])
                if (name or "") not in failed and not (name and names_no_connection(config, name))
            ]
            probe = connection_probe.Probe(
                runtime, context.catalogue, config, operation, overrides, tokens
            )
            findings += network.connections(probe, usable)
    _show(runtime, options.output, findings)
    if probe is not None:
        probe.note_states()
    if options.bundle:
        size = bundle.write(
            Path(options.bundle),
            runtime,
            [*_findings_as_json(findings)],
            config,
            recording,
            context.catalogue.service,
        )
        runtime.stderr.note(
            f"wrote {counted(size, 'byte')} to {options.bundle}; look into it before you send it"
        )
    errors = [finding.error for finding in findings if finding.error]
    if errors:
        raise conclude.worst(errors).reworded(f"found {counted(len(errors), 'error')}")


def _check_bundle(options: DoctorOptions, service: Service) -> bytes | None:
    """Return the recording to add to the bundle.

    Raises the errors of `bundle.check`, before any other check.
    """
    if options.bundle is None and options.har is None:
        return None
    if not options.bundle:
        raise UsageError("--har adds a recording to a bundle (--bundle FILE.zip)")
    return bundle.check(Path(options.bundle), options.har, service)


def _usable_config(context: CommandContext, findings: list[Finding]) -> Config | None:
    found = [*local.configuration(context.runtime, context.first_words)]
    findings += found
    if any(finding.error for finding in found):
        return None
    try:
        return file.read(context.runtime)
    except ConfigError as error:
        findings.append(Finding.failed("config", "", error))
        return None


def _show(runtime: Runtime, output: str | None, findings: Sequence[Finding]) -> None:
    form = formats.of_command(output, formats.TABLES, terminal=runtime.stdout_is_terminal)
    if form is formats.TABLE and runtime.stdout_is_terminal:
        _show_screen(runtime, findings)
        return
    rows = [
        (finding.level, finding.check, finding.subject, finding.message, finding.remedy)
        for finding in findings
    ]
    value = {"version": VERSION, "findings": [*_findings_as_json(findings)]}
    show(runtime, output, ("level", "check", "subject", "finding", "remedy"), rows, value)


def _findings_as_json(findings: Iterable[Finding]) -> Iterable[JsonObject]:
    # Scripts depend on these member names: do not change them.
    for finding in findings:
        yield {
            "level": finding.level,
            "check": finding.check,
            "subject": finding.subject,
            "message": finding.message,
            "remedy": finding.remedy,
            "exit": int(finding.error.code) if finding.error else 0,
        }


def _show_screen(runtime: Runtime, findings: Sequence[Finding]) -> None:
    rows = list[tuple[Cell, Cell]]()
    shown = sorted(findings, key=lambda finding: [*_MARKS].index(finding.level))
    if not runtime.stderr.verbosity:
        shown = [finding for finding in shown if finding.always or finding.level != _OK]
    fine = len(findings) - len(shown)
    for finding in shown:
        where = " ".join(filter(None, (finding.check, finding.subject)))
        rows.append((_mark(runtime, finding.level), masked(f"{where}: {finding.message}")))
        if finding.remedy:
            rows.append((NO_TEXT, masked(f"remedy: {finding.remedy}")))
    if fine:
        more = f"{counted(fine, 'check')} (-v shows {'it' if fine == 1 else 'them'})"
        rows.append((_mark(runtime, _OK), masked(more)))
    stdout.show(
        runtime, [layout.rows(runtime, [1, runtime.width - len("x ")], rows, gap=1, hanging="  ")]
    )


def _mark(runtime: Runtime, level: str) -> Word:
    mark, plain, look = _MARKS[level]
    try:
        mark.encode(runtime.encoding)
    except UnicodeEncodeError:
        mark = plain
    return Word(masked(mark), look)
