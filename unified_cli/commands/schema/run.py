"""Read the records of every selected connection, and show or compare their shapes."""

from pathlib import Path

from unified_cli.call.selected_reads import SelectedReads
from unified_cli.cli import named_resource
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.result_table import show
from unified_cli.commands.schema import observed, report, schema_document
from unified_cli.commands.schema.baseline import baseline
from unified_cli.commands.schema.observed_shape import paths
from unified_cli.commands.schema.options import SchemaOptions
from unified_cli.commands.schema.report import Compared
from unified_cli.errors import UnifiedError, UsageError
from unified_cli.output import junit, stdout
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

_HEADS = ("path", "types", "present", "null", "values")


def run(context: CommandContext, options: SchemaOptions) -> None:
    """Show the shape of all records, or compare that of each connection with another.

    Raises DifferentError where they differ, and the errors of the connections.
    """
    runtime = context.runtime
    operation = named_resource.find(context.catalogue, options.resource).operations.get("list")
    if operation is None:
        raise UsageError(f"{options.resource} has no list")
    if options.against is None and (options.strict or options.junit is not None):
        raise UsageError("--strict and --junit need --against")
    if options.junit is not None:
        junit.check(Path(options.junit))
        _check_other(Path(options.against or ""), Path(options.junit))
    stdout.check(runtime)
    selected = observed.select(context, operation, options, options.profile)
    selected.note_same()
    before = baseline(context, operation, options) if options.against is not None else None
    if before is None:
        _show(runtime, options, selected)
        return
    unordered: dict[str, Compared] = {}
    for name, one in observed.observe(selected):
        unordered[name] = one if isinstance(one, UnifiedError) else report.differences(before, one)
        if not isinstance(one, UnifiedError):
            report.note_cuts(runtime, one, name)
    found = {read.name: unordered[read.name] for read in selected.reads}
    report.print_found(runtime, options, operation, found)
    report.finish(runtime, found, strict=options.strict)


def _check_other(against: Path, junit_file: Path) -> None:
    if against.exists() and junit_file.exists() and against.samefile(junit_file):
        raise UsageError(f"--junit {junit_file} would replace the schema of --against")


def _show(runtime: Runtime, options: SchemaOptions, selected: SelectedReads) -> None:
    """Print the shape of the records of all connections together. Raises the errors of the connections."""
    operation, total = selected.operation, len(selected.reads)
    whole, errors = observed.empty_shape(operation), {}
    for name, one in observed.observe(selected):
        if isinstance(one, UnifiedError):
            errors[name] = one
        else:
            whole.merge(one)
    if len(errors) < total:
        root = whole.settled()
        rows = [
            (
                path,
                ", ".join(sorted(node.kinds)) or "null",
                _percent(node.present or 0, of) if of else "",
                _percent(node.counts["null"], node.seen) if node.counts["null"] else "",
                ", ".join(sorted(node.values or ())),
            )
            for path, node, of in paths(root)
        ]
        title = f"{operation.api}/{operation.resource}"
        show(runtime, options.output, _HEADS, rows, schema_document.document(root, title))
        report.note_cuts(runtime, whole)
        runtime.stderr.note(f"{counted(root.seen, 'record')} of {counted(total - len(errors), 'connection')}")
    # In the order of the selection: that in which they failed differs from run to run.
    failed = {read.name: errors[read.name] for read in selected.reads if read.name in errors}
    report.raise_errors(runtime, failed, total)


def _percent(number: int, of: int) -> str:
    return f"{100 * number / of:.3g} %"
