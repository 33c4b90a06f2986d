"""Read the records of the selected connections, and keep only their shapes."""

from collections import defaultdict
from collections.abc import Generator, Sequence
from contextlib import closing

import msgspec

from unified_cli.call import Mode, selected_reads
from unified_cli.call.selected_reads import ReadWork, SelectedReads
from unified_cli.catalogue import Operation
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.options import ReadOptions
from unified_cli.cli.shared_options import ConnectionOptions, MessageOptions, NetworkOptions
from unified_cli.commands.schema.observed_shape import ObservedShape
from unified_cli.commands.schema.options import SchemaOptions
from unified_cli.config.profiles import is_several
from unified_cli.errors import UnifiedError
from unified_cli.fleet.read import FairReaders
from unified_cli.http.pagination import Page
from unified_cli.json_text import json_codec
from unified_cli.json_text.members import Record
from unified_cli.json_text.values import Json
from unified_cli.output.progress import Work, progress

Observed = ObservedShape | UnifiedError
"""The shape of a connection's records, or why they could not be read."""


def select(
    context: CommandContext, operation: Operation, options: SchemaOptions, profiles: Sequence[str]
) -> SelectedReads:
    """The lists of these connections, as far as they are looked at."""
    # Nothing is printed in this format, which any list can have.
    read = ReadOptions(query=options.query, page_size=options.page_size, limit=options.records, output="table")
    read = read.with_parts(options, MessageOptions, NetworkOptions, ConnectionOptions).replaced(profile=tuple(profiles))
    mode = Mode(several=is_several(read.profile))
    return selected_reads.select(context.runtime, context.catalogue, operation, read, mode)


def empty_shape(operation: Operation) -> ObservedShape:
    """A shape that lists the values of the known enumerations."""
    return ObservedShape({field.name for field in operation.facts.fields if field.values})


def observe(selected: SelectedReads) -> Generator[tuple[str, Observed]]:
    """Read the lists at once and give the shape of each when it ends, so that not all are in memory.

    What broke off one of them is not raised but given instead.
    """
    runtime, catalogue, *_ = selected.common
    shapes: defaultdict[str, ObservedShape] = defaultdict(lambda: empty_shape(selected.operation))
    work = Work(part="connection", parts=len(selected.reads))
    with (
        progress(runtime, work) as shown,
        FairReaders(runtime, catalogue, selected.options.workers) as readers,
        closing(readers.read(selected.reads, ReadWork(selected, readers.clients).run)) as results,
    ):
        for read, answer in results:
            shape = shapes[read.name]
            if isinstance(answer, Page):
                for record in answer.records:
                    shape.add(_decoded(record))
                shown.add(len(answer.records), pages=1)
            else:
                shown.add(parts=1, failed=answer is not None)
                yield read.name, shapes.pop(read.name) if answer is None else answer


def _decoded(record: Record) -> Json:
    try:
        return msgspec.json.decode(record)
    except msgspec.DecodeError:
        # Halves of surrogate pairs, which msgspec refuses.
        return json_codec.read(bytes(record).decode("utf-8"))
