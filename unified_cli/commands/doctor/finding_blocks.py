"""Findings on a narrow terminal: one below the other, each remedy on a line of its own that can be copied."""

from collections.abc import Iterator, Sequence

from unified_cli.commands.doctor.finding import Finding
from unified_cli.masking import masked, visible
from unified_cli.output import stdout, terminal, text_columns
from unified_cli.runtime import Runtime

_TABLE_WIDTH = 100
_GAPS = 4 * len("  ")
_INDENT = "  "
_COLOURS = {"ok": "32", "warning": "33", "error": "31"}


def is_wider(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether a table of these rows, of five cells each, would break the lines of some, or the terminal is narrow."""
    natural = sum(max(map(text_columns.width, column)) for column in zip(*rows, strict=True))
    return width < max(_TABLE_WIDTH, natural + _GAPS)


def show(runtime: Runtime, findings: Sequence[Finding]) -> None:
    """Print the findings."""
    colour = terminal.has_colour(runtime)
    lines = [line for finding in findings for line in _block(finding, runtime.width, colour=colour)]
    stdout.show(runtime, [terminal.styled("".join(f"{line}\n" for line in lines))])


def _block(finding: Finding, width: int, *, colour: bool) -> Iterator[str]:
    level = f"\x1b[{_COLOURS[finding.level]}m{finding.level}\x1b[0m" if colour else finding.level
    yield " ".join(filter(None, (level, finding.check, _safe(finding.subject))))
    for line in text_columns.wrapped(_safe(finding.message), width - len(_INDENT)):
        yield f"{_INDENT}{line}"
    if finding.remedy:
        yield f"{_INDENT}remedy: {_safe(finding.remedy)}"


def _safe(text: str) -> str:
    return visible(masked(text))
