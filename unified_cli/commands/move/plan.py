"""Compare two sides, and print the calls that make the one like the other."""

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from unified_cli.cli.command_context import CommandContext
from unified_cli.commands.move.call_planner import CallPlanner, PlanTerms
from unified_cli.commands.move.comparison import ComparedSides, Comparison, comparison, prepared
from unified_cli.commands.move.join import UNMATCHED, Change, Pairing
from unified_cli.commands.move.options import PlanOptions
from unified_cli.commands.move.plan_format import OPERATIONS, VERSION, PlanHeader, PlannedCall
from unified_cli.commands.move.references import IdReferences
from unified_cli.errors import IncompleteError, UsageError
from unified_cli.exported.manifest import timestamp
from unified_cli.output import stdout
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

_CHUNK = 64 * 1024
_CHANGES = (Change.ONLY_FROM, Change.DIFFERENT, Change.ONLY_TO)
_NONE = -1


def run(context: CommandContext, options: PlanOptions) -> None:
    """Print the plan. Raises IncompleteError where there are records without a call that should have one."""
    runtime = context.runtime
    sides = prepared(context, options)
    if sides.of_to.settings is None:
        raise UsageError("a plan is for a connection", hint="--to PROFILE")
    terms = _terms(sides, options)
    stdout.check(runtime)
    with comparison(context, sides) as found:
        planner = CallPlanner(found.of_from, found.of_to, terms)
        pairings = _PlannedPairings()
        tally = _Tally()
        for pairing in found.join.pairings(found.rules):
            tally.unmatched += pairing.change in UNMATCHED
            if pairing.change is Change.ONLY_TO and not options.delete:
                tally.left += 1
            elif call := planner.call(pairing):
                tally.calls[call.operation] += 1
                pairings.add(pairing)
            else:
                tally.without += pairing.change is Change.DIFFERENT
        tally.skipped, tally.waiting = planner.skipped.copy(), planner.waiting.copy()
        calls = (call for pairing in pairings if (call := planner.call(pairing)))
        stdout.write(runtime, _chunks(_header(runtime, found, options, len(pairings)), calls))
        _conclude(runtime, found, options, tally)
        _raise_for(found, tally)


@dataclass(slots=True)
class _Tally:
    """What came of records that are not the same.

    `left` counts those that are only in the target, `without` those that differ in nothing that can be sent.
    """

    calls: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    waiting: Counter[str] = field(default_factory=Counter)
    unmatched: int = 0
    left: int = 0
    without: int = 0


class _PlannedPairings:
    """Pairings with a call, in few bytes each."""

    def __init__(self) -> None:
        self._numbers = array("q")

    def add(self, pairing: Pairing) -> None:
        of_from, of_to = (numbers[0] if numbers else _NONE for numbers in pairing[1:])
        self._numbers.extend((_CHANGES.index(pairing.change), of_from, of_to))

    def __len__(self) -> int:
        return len(self._numbers) // 3

    def __iter__(self) -> Iterator[Pairing]:
        for at in range(0, len(self._numbers), 3):
            change, of_from, of_to = self._numbers[at : at + 3]
            yield Pairing(_CHANGES[change], () if of_from == _NONE else (of_from,), () if of_to == _NONE else (of_to,))


def _terms(sides: ComparedSides, options: PlanOptions) -> PlanTerms:
    """What the plan may do. Raises UsageError where no field is known that could be sent."""
    operations = sides.resource.operations
    wanted = [name for name in OPERATIONS if name in operations and (name != "delete" or options.delete)]
    accepted = {
        name: None if options.all_fields else frozenset(field.name for field in operations[name].accepted_fields)
        for name in wanted
    }
    named = f"{sides.resource.api}/{sides.resource.name}"
    if not accepted:
        raise UsageError(f"{named} can only be read, so there is nothing to plan")
    if not options.all_fields and not any(accepted.values()):
        raise UsageError(f"no fields of {named} are known", hint="--all-fields sends those that there are")
    assert sides.of_to.settings is not None  # noqa: S101  checked by `run`
    _, account = sides.of_to.settings.reachable()
    keeps_ids = "id" in sides.key.names and sides.ids is None
    return PlanTerms(account, accepted, sides.rules, IdReferences(sides.resource), keeps_ids, sides.ids)


def _header(runtime: Runtime, found: Comparison, options: PlanOptions, calls: int) -> PlanHeader:
    return PlanHeader(
        VERSION,
        timestamp(runtime.wall()),
        f"{found.resource.api}/{found.resource.name}",
        found.of_from.facts,
        found.of_to.facts,
        calls,
        tuple(found.key.names),
        options.map,
        tuple(sorted(found.rules.ignored)),
        tuple(sorted(found.rules.unordered)),
        options.delete,
        options.all_fields,
        options.ids is not None,
    )


def _chunks(header: PlanHeader, calls: Iterator[PlannedCall]) -> Iterator[bytes]:
    chunk = bytearray(msgspec.json.encode(header) + b"\n")
    for call in calls:
        # A line break within a body is white space: in a string it would be escaped.
        chunk += msgspec.json.encode(call).replace(b"\n", b" ").replace(b"\r", b" ") + b"\n"
        if len(chunk) > _CHUNK:
            yield bytes(chunk)
            chunk.clear()
    yield bytes(chunk)


def _conclude(runtime: Runtime, found: Comparison, options: PlanOptions, tally: _Tally) -> None:
    note, target = runtime.stderr.note, found.of_to.facts.name
    if tally.calls:
        said = ", ".join(counted(tally.calls[name], name) for name in OPERATIONS if tally.calls[name])
        note(f"planned: {said} (unified apply PLAN -p {target} does it, --dry-run shows it)")
    else:
        note(f"nothing to do: {counted(found.join.same + tally.without, 'record')} without a call")
    if tally.left:
        note(f"only in {target}, and left there: {counted(tally.left, 'record')} (--delete plans to delete them)")
    if tally.waiting:
        said = ", ".join(f"{number} to {resource}" for resource, number in tally.waiting.items())
        remedy = "apply the plans that create them together, or --ignore the fields"
        note(f"references without a new id in {options.ids}: {said} ({remedy})")


def _raise_for(found: Comparison, tally: _Tally) -> None:
    """Raise IncompleteError for records without a call."""
    named = f"{found.resource.api}/{found.resource.name}"
    words = {
        "no id": "without an id in the target",
        "nothing to send": "without a field that the target is known to take",
        **{name: f"to {name}, which {named} does not offer" for name in OPERATIONS},
    }
    said = [f"{number} {words[reason]}" for reason, number in tally.skipped.items()]
    if tally.unmatched:
        said.insert(0, f"{tally.unmatched} that cannot be matched")
    if said:
        raise IncompleteError(f"records without a call: {', '.join(said)}", hint="unified diff shows them")
