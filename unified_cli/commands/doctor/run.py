"""Check what may be wrong, print it, and end with the worst of it."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from unified_cli.call import connection_probe
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.result_table import TableFormat, show
from unified_cli.commands.doctor import bundle, local
from unified_cli.commands.doctor.command import DoctorOptions
from unified_cli.commands.doctor.finding import Finding, worst
from unified_cli.config import file
from unified_cli.config.file import Config
from unified_cli.config.keys import Overrides
from unified_cli.config.profiles import select
from unified_cli.errors import ConfigError, UsageError
from unified_cli.json_text.values import JsonObject
from unified_cli.masking import masked, visible
from unified_cli.output import stdout, terminal
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.text_width import width as width_of, wrapped

VERSION = 1
_TABLE_WIDTH = 100
_GAPS = 4 * len("  ")
_INDENT = "  "
_COLOURS = {"ok": "32", "warning": "33", "error": "31"}


def run(context: CommandContext, options: DoctorOptions) -> None:
    """Check, and print what was found. Raises the worst of the errors."""
    runtime = context.runtime
    # Before any check: an unknown resource is a usage error, not a finding.
    operation = connection_probe.operation(context.catalogue, options.with_)
    overrides = Overrides(timeout=options.timeout, ca_bundle=options.ca_bundle)
    recording = _check_bundle(options)
    patterns = options.patterns or options.profile
    findings = [*local.machine(runtime, options.ca_bundle)]
    config = _config(runtime, findings)
    if config is not None:
        names = select(config, patterns) if patterns else [*config.profiles]
        tokens = connection_probe.TokenCache(runtime)
        findings += local.profiles(runtime, config, names or [None], tokens, context.catalogue.service)
        if options.network:
            from unified_cli.commands.doctor import network  # noqa: PLC0415  httpx is imported to send

            failed = {finding.subject for finding in findings if finding.error}
            usable = [name for name in (names if patterns else [None]) if (name or "") not in failed]
            probe = connection_probe.Probe(runtime, context.catalogue, config, operation, overrides, tokens)
            findings += network.connections(probe, usable)
    _show(runtime, options.output, findings)
    if options.bundle:
        size = bundle.write(Path(options.bundle), runtime, [*_described(findings)], config, recording)
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
    return bundle.check(Path(options.bundle), options.har)


def _config(runtime: Runtime, findings: list[Finding]) -> Config | None:
    """The configuration if it can be used; its problems are added to the findings."""
    found = [*local.configuration(runtime)]
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
    if output in {None, "table"} and runtime.stdout_is_terminal and _is_wider(rows, runtime.width):
        _show_blocks(runtime, findings)
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


def _is_wider(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether a table of these rows, of five cells each, would break the lines of some, or the terminal is narrow."""
    natural = sum(max(map(width_of, column)) for column in zip(*rows, strict=True))
    return width < max(_TABLE_WIDTH, natural + _GAPS)


def _show_blocks(runtime: Runtime, findings: Sequence[Finding]) -> None:
    """Print the findings one below the other, each remedy on a line of its own that can be copied."""
    colour = terminal.has_colour(runtime)
    lines = [line for finding in findings for line in _block(finding, runtime.width, colour=colour)]
    stdout.show(runtime, [terminal.styled("".join(f"{line}\n" for line in lines))])


def _block(finding: Finding, width: int, *, colour: bool) -> Iterator[str]:
    level = f"\x1b[{_COLOURS[finding.level]}m{finding.level}\x1b[0m" if colour else finding.level
    yield " ".join(filter(None, (level, finding.check, _safe(finding.subject))))
    for line in wrapped(_safe(finding.message), width - len(_INDENT)):
        yield f"{_INDENT}{line}"
    if finding.remedy:
        yield f"{_INDENT}remedy: {_safe(finding.remedy)}"


def _safe(text: str) -> str:
    return visible(masked(text))
