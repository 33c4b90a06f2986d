"""Read both sides of a comparison once, and join their records."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from unified_cli import signals
from unified_cli.catalogue import Resource
from unified_cli.catalogue.known import known
from unified_cli.catalogue.known_filters import synonyms
from unified_cli.cli import named_resource
from unified_cli.cli.command import CommandContext
from unified_cli.cli.options import overrides
from unified_cli.cli.prompt import asking
from unified_cli.commands.move import id_file
from unified_cli.commands.move.command import NOT_COMPARED, CompareOptions
from unified_cli.commands.move.id_file import IdHeader, IdMap
from unified_cli.commands.move.join import RecordJoin, RecordKey
from unified_cli.commands.move.references import IdReferences
from unified_cli.commands.move.side import SpooledSide
from unified_cli.commands.move.sources import RecordSource, SourceFinder
from unified_cli.config import file as config_file
from unified_cli.config.settings import Settings
from unified_cli.errors import UsageError
from unified_cli.exported.exported_lists import identifier_in
from unified_cli.fleet import own_account
from unified_cli.fleet.read import FairReaders
from unified_cli.json_text import json_check
from unified_cli.json_text.difference import PathRules
from unified_cli.output.jq_program import NotHeldError
from unified_cli.output.progress import Progress, Work, progress
from unified_cli.plural import counted, named
from unified_cli.storage.spool_file import SpoolFile
from unified_cli.writes.input_records import RecordMap

_CLOSE = 0.6
_MOST_NAMED = 5
# How much of the second side to hold in memory while the first is read, in bytes.
_MOST_AHEAD = 8 * 1024 * 1024


class SideMap:
    """A jq program for the records of one side.

    `left_out` counts the records for which the program returned nothing.
    """

    def __init__(self, program: str, note: Callable[[str], None]) -> None:
        """Raises UsageError if the program is not valid jq.

        `note` prints warnings about the program's results.
        """
        self._map = RecordMap(program, note=note)
        self.left_out = 0

    def __call__(self, record: bytes, number: int) -> bytes | None:
        """Return the program's result for a record.

        Returns None if there is no result or jq cannot represent the record. Raises
        UsageError if the program fails or returns several records.
        """
        try:
            found = self._map(record)
        except NotHeldError as error:
            self._map.leave_out(record, error)
            return None
        except ValueError as error:
            raise UsageError(f"--map fails on record {number}: {error}") from None
        if len(found) > 1:
            raise UsageError(
                f"--map returns {len(found)} records for record {number}, but must return one or"
                " none"
            )
        self.left_out += not found
        return found[0] if found else None

    def missing_parts(self) -> Sequence[str]:
        """Return a sentence about records that jq cannot represent, if any."""
        return self._map.missing_parts()


_Side = tuple[RecordSource, SpooledSide, SideMap | None]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides with joined records. `rules` says which fields to compare."""

    resource: Resource
    source: SpooledSide
    target: SpooledSide
    key: RecordKey
    rules: PathRules
    join: RecordJoin
    missing: Sequence[str] = ()
    """Sentences about the records that were not compared."""

    def other_key(self) -> str | None:
        """Return a hint if no records were joined and `key` has an unknown field."""
        if self.join.same:
            return None
        fields = [field.name for field in known(self.resource.api, self.resource.name).fields]
        names = (name for name in self.key.names if not name.startswith("."))
        wrong = next((name for name in names if name.partition(".")[0] not in fields), None)
        if wrong is None or not fields:
            return None
        near = get_close_matches(wrong, fields, 1, _CLOSE) or synonyms(wrong, fields)[:1]
        if near:
            return f'"{wrong}" is not a known field: did you mean --key {near[0]}?'
        return f'"{wrong}" is not a known field; known fields are {named(fields, _MOST_NAMED)}'


@dataclass(frozen=True, slots=True)
class ComparedSides:
    """A checked comparison, ready to run."""

    resource: Resource
    source: RecordSource
    target: RecordSource
    key: RecordKey
    rules: PathRules
    map: SideMap | None
    ids: IdMap | None

    @property
    def joins_by_id_alone(self) -> bool:
        """Whether records are joined by the id alone, although the same id may belong
        to different records on the two sides.
        """
        one, other = self.source.facts.identity, self.target.facts.identity
        same = one is not None and one == other
        return self.ids is None and not same and {*self.key.names} <= {"id", ".id"}


def prepared(
    context: CommandContext, options: CompareOptions, *, for_plan: bool = False
) -> ComparedSides:
    """Check the options and return the comparison to run, without reading any records.

    With `for_plan`, the option `--to` must name a profile, because a plan changes a
    connection. Raises UsageError, ConfigError and StorageError.
    """
    runtime, catalogue = context.runtime, context.catalogue
    config = config_file.read(runtime)
    common = own_account.common_settings(runtime, config, overrides(options)._replace(output=None))
    resource = named_resource.find(catalogue, options.resource)

    def settings(name: str) -> Settings:
        return own_account.resolved(overrides(options, name)._replace(output=None), runtime, config)

    finder = SourceFinder(runtime, catalogue, resource, settings)
    source = finder.find("--from", options.from_)
    target = (finder.find_profile if for_plan else finder.find)("--to", options.to)
    return ComparedSides(
        resource,
        source,
        target,
        RecordKey(options.key or ("id",)),
        PathRules(_ignored(options), _paths(options.set)),
        SideMap(options.map, runtime.stderr.note) if options.map else None,
        id_file.read(
            Path(options.ids),
            IdHeader.from_sides(source.facts, target.facts),
            asking(runtime, common),
        )
        if options.ids
        else None,
    )


@contextmanager
def comparison(context: CommandContext, sides: ComparedSides) -> Iterator[Comparison]:
    """Read each record of both sides once, and join them.

    Raises StorageError and the errors of reading.
    """
    runtime = context.runtime
    cache = runtime.folder("cache")
    folder = cache / "compare" if cache else None
    with SpoolFile(folder, runtime.wall()) as one, SpoolFile(folder, runtime.wall()) as other:
        source = SpooledSide(sides.source.facts, one, *_view(sides))
        target = SpooledSide(sides.target.facts, other)
        join = RecordJoin(source, target, sides.key)
        both = ((sides.source, source, sides.map), (sides.target, target, None))
        with (
            FairReaders(runtime, context.catalogue, len(both)) as readers,
            progress(runtime, Work()) as shown,
        ):
            readers.check_tokens(source.settings for source, _, _ in both if source.settings)
            try:
                _read(join, both, readers, shown)
            except KeyboardInterrupt as stop:
                signals.say_how_to_continue(stop, shown.so_far(), signals.RUN_AGAIN)
                raise
        if sides.map and sides.map.left_out:
            runtime.stderr.note(
                f"--map left out {counted(sides.map.left_out, 'record')} of {source.facts.name}"
            )
        missing = sides.map.missing_parts() if sides.map else ()
        yield Comparison(sides.resource, source, target, sides.key, sides.rules, join, missing)


def _view(sides: ComparedSides) -> Iterator[Callable[[bytes], bytes]]:
    """Yield a function that replaces the ids in a record of the first side.

    The file of ids lists the new id of a record on the second side for each old id on
    the first side. Yields nothing if there is no such file.
    """
    ids = sides.ids
    if ids is not None:
        references = IdReferences(sides.resource)
        yield lambda record: references.with_own_id(
            record, lambda reference: ids.new_id(reference.resource, reference.id)
        )


def _read(join: RecordJoin, both: Sequence[_Side], readers: FairReaders, shown: Progress) -> None:
    """Read both sides at the same time.

    All records of the first side are joined before any record of the second side.
    """

    def pages(side: _Side) -> Generator[tuple[_Side, Sequence[bytes]]]:
        for records in side[0].records(readers.clients, shown):
            yield side, records

    with closing(
        readers.in_order(both, pages, lambda found: sum(map(len, found[1])), _MOST_AHEAD)
    ) as found:
        for (_, side, mapped), records in found:
            for record in records:
                side.count(record)
                if flaw := json_check.depth_flaw(record):
                    # Only files of older versions may have such records.
                    message = f"record {side.facts.records} of {side.facts.name} {flaw}"
                    raise UsageError(message)
                shaped = mapped(record, side.facts.records) if mapped else record
                if shaped is not None:
                    join.add(side, identifier_in(record), shaped)
    for _, side, _ in both:
        side.complete()


def _ignored(options: CompareOptions) -> frozenset[str]:
    return _paths(options.ignore) | (frozenset() if options.all_fields else frozenset(NOT_COMPARED))


def _paths(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(path.strip() for text in texts for path in text.split(",") if path.strip())
