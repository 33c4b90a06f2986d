"""Read the records of the selected connections, and show or compare their shapes.

Only the shapes stay in memory.
"""

import json
import os
from collections import defaultdict
from collections.abc import Generator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

import msgspec

from unified_cli.call import selected_reads
from unified_cli.call.selected_reads import Found, ReadWork, SelectedRead, SelectedReads
from unified_cli.catalogue import Operation
from unified_cli.catalogue.known import KnownField
from unified_cli.cli import named_resource
from unified_cli.cli.command import CommandContext
from unified_cli.cli.options import ReadOptions
from unified_cli.commands.schema import document, report
from unified_cli.commands.schema.command import SchemaOptions
from unified_cli.commands.schema.report import Compared
from unified_cli.commands.schema.shape import ObservedShape, ShapeNode
from unified_cli.config import file, profiles
from unified_cli.errors import StorageError, UnifiedError, UsageError
from unified_cli.fleet.clients import Clients
from unified_cli.json_text import json_codec
from unified_cli.json_text.members import Record
from unified_cli.output import stdout
from unified_cli.output.progress import Work
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.storage import input_bounds, output_file, regular_file
from unified_cli.values import Json

Observed = ObservedShape | UnifiedError
"""The shape of a connection's records, or the error of reading them."""
_KNOWN = "known"
_PROFILE = "profile:"


def baseline(context: CommandContext, operation: Operation, options: SchemaOptions) -> ShapeNode:
    """Return the shape that `--against` names.

    Raises UsageError if the name is unknown or ambiguous, StorageError if a file cannot
    be read, and the errors of reading a connection.
    """
    text = options.against or ""
    if text == _KNOWN:
        if not operation.facts.fields:
            raise UsageError(f"no fields of {operation.api}/{operation.resource} are known")
        everywhere = [KnownField(name) for name in context.catalogue.service.times.split()]
        return document.known_shape([*operation.facts.fields, *everywhere])
    name, path = text.removeprefix(_PROFILE), Path(text)
    names = [_KNOWN, file.RESERVED, *file.read(context.runtime).profiles]
    is_profile = name in names
    if is_profile and path.exists() and not text.startswith(_PROFILE):
        raise UsageError(
            f"--against {text} is a profile and a file here",
            hint=f"write {_PROFILE}{text} for the profile, or ./{text} for the file",
        )
    if is_profile:
        return _of_connection(context, operation, options, name)
    if profiles.is_several([text]) and not path.exists():
        raise UsageError("--against takes one connection")
    return _of_file(path, names)


def _of_connection(
    context: CommandContext, operation: Operation, options: SchemaOptions, name: str
) -> ShapeNode:
    selected = select_lists(context, operation, replace(options, account_id=None), [name])
    ((_, found),) = observe(selected)
    if isinstance(found, UnifiedError):
        raise found
    if not found.root.seen:
        raise UsageError(
            f"--against {name}: the list is empty, so there is nothing to compare with"
        )
    return found.settled()


def _of_file(path: Path, names: Sequence[str]) -> ShapeNode:
    try:
        with os.fdopen(regular_file.descriptor(path, follow=True), "rb") as content:
            text = input_bounds.whole(content, str(path))
    except OSError as error:
        close = get_close_matches(str(path), names, 1)
        hint = (
            f"did you mean {close[0]}?" if close else "--against needs a FILE, a PROFILE, or known"
        )
        raise StorageError(f"cannot read {path}: {error.strerror}", hint=hint) from None
    try:
        result = document.shape_of(json.loads(text))
    except (ValueError, RecursionError):
        raise UsageError(
            f"{path} is not JSON", hint="unified schema API/RESOURCE -o json > FILE writes one"
        ) from None
    if not result.members:
        raise UsageError(
            f"{path} names no members of records, so there is nothing to compare with",
            hint="unified schema API/RESOURCE -o json > FILE writes one",
        )
    return result


def select_lists(
    context: CommandContext, operation: Operation, options: SchemaOptions, profiles: Sequence[str]
) -> SelectedReads:
    """Return the reads of these connections' lists."""
    read = ReadOptions(query=options.query, page_size=options.page_size, limit=options.records)
    chosen = replace(options, profile=tuple(profiles))
    return selected_reads.select_lists(context.runtime, context.catalogue, operation, read, chosen)


def empty_shape(operation: Operation) -> ObservedShape:
    """Return an empty shape, which will list the values of known enumerations."""
    facts = operation.facts
    return ObservedShape(
        {member.name for member in (*facts.fields, *facts.members) if member.values}
    )


def observe(
    selected: SelectedReads, seconds: dict[str, float] | None = None
) -> Generator[tuple[str, Observed]]:
    """Read the lists concurrently, and yield their shapes.

    Each shape is yielded when its list ends, so that not all are in memory. `seconds`
    receives the duration of each list. An error that ends a list is yielded, not
    raised.
    """
    shapes: defaultdict[str, ObservedShape] = defaultdict(lambda: empty_shape(selected.operation))
    work = Work(part="connection", parts=len(selected.reads))

    def pages(clients: Clients, read: SelectedRead) -> Generator[tuple[SelectedRead, Found]]:
        return ReadWork(selected, clients, seconds=seconds).run(read)

    with selected_reads.shown_reads(selected.common, selected.reads, pages, work) as found:
        for read, answer in found:
            shape = shapes[read.name]
            if answer is None or isinstance(answer, UnifiedError):
                yield read.name, shapes.pop(read.name) if answer is None else answer
            else:
                for record in answer.records:
                    shape.add(_decoded(record))


def _decoded(record: Record) -> Json:
    try:
        return msgspec.json.decode(record)
    except msgspec.DecodeError:
        # msgspec refuses lone surrogates.
        return json_codec.read(bytes(record).decode("utf-8"))


def run(context: CommandContext, options: SchemaOptions) -> None:
    """Show the shape of all records, or compare each connection's.

    Raises DifferentError if they differ, and the errors of the connections.
    """
    runtime = context.runtime
    known = file.read(context.runtime).profiles
    operation = named_resource.find(context.catalogue, options.resource, known).operations.get(
        "list"
    )
    if operation is None:
        raise UsageError(f"{options.resource} has no list")
    if options.against is None and (options.strict or options.junit is not None):
        raise UsageError("--strict and --junit need --against")
    if options.junit is not None:
        output_file.check(Path(options.junit), force=True)
        _check_other(Path(options.against or ""), Path(options.junit))
    stdout.check(runtime)
    selected = select_lists(context, operation, options, options.profile)
    before = baseline(context, operation, options) if options.against is not None else None
    if before is None:
        _print_shape(runtime, options, selected)
        return
    unordered: dict[str, Compared] = {}
    seconds: dict[str, float] = {}
    for name, shape in observe(selected, seconds):
        unordered[name] = (
            shape if isinstance(shape, UnifiedError) else report.differences(before, shape)
        )
        if not isinstance(shape, UnifiedError):
            report.note_cuts(runtime, shape, name)
    found = {read.name: unordered[read.name] for read in selected.reads}
    report.print_found(runtime, options, operation, found, seconds)
    report.finish(runtime, found, strict=options.strict)


def _check_other(against: Path, junit_file: Path) -> None:
    if against.exists() and junit_file.exists() and against.samefile(junit_file):
        raise UsageError(f"--junit {junit_file} would replace the schema of --against")


def _print_shape(runtime: Runtime, options: SchemaOptions, selected: SelectedReads) -> None:
    operation, total = selected.operation, len(selected.reads)
    whole, errors = empty_shape(operation), {}
    for name, shape in observe(selected):
        if isinstance(shape, UnifiedError):
            errors[name] = shape
        else:
            whole.merge(shape)
    if len(errors) < total:
        root = whole.settled()
        report.print_shape(runtime, options, operation, root)
        report.note_cuts(runtime, whole)
        runtime.stderr.note(
            f"{counted(root.seen, 'record')} of {counted(total - len(errors), 'connection')}"
        )
    # Report errors in the order of the selection, because the order in which they
    # occurred varies.
    failed = {read.name: errors[read.name] for read in selected.reads if read.name in errors}
    report.raise_errors(runtime, failed, total)
