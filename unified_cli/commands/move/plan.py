"""Compare two sides, and print the calls that make the second like the first."""

import shlex
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain

import msgspec

from unified_cli import PRODUCT
from unified_cli.cli.command import CommandContext
from unified_cli.commands.move.command import PlanOptions
from unified_cli.commands.move.comparison import ComparedSides, Comparison, comparison, prepared
from unified_cli.commands.move.join import UNMATCHED, Change, Pairing
from unified_cli.commands.move.plan_file import (
    OPERATIONS,
    VERSION,
    PlanHeader,
    PlannedCall,
    PlannedReference,
)
from unified_cli.commands.move.plan_tally import PlanTally
from unified_cli.commands.move.references import IdReference, IdReferences
from unified_cli.errors import IncompleteError, UsageError
from unified_cli.exported.manifest import timestamp
from unified_cli.json_text.difference import member_differences, without_ignored
from unified_cli.json_text.members import join, parts
from unified_cli.json_text.record_label import LABEL
from unified_cli.masking import masked
from unified_cli.output import stdout
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.storage import state

_NONE = -1
_ID = "id"
_NULL = b"null"
_OPERATIONS = {Change.ONLY_FROM: "create", Change.DIFFERENT: "update", Change.ONLY_TO: "delete"}
_CHANGES = (*_OPERATIONS,)


def run(context: CommandContext, options: PlanOptions) -> None:
    """Print the plan. Raises IncompleteError if a difference could not be planned."""
    runtime = context.runtime
    sides = prepared(context, options, for_plan=True)
    accepted = _accepted(sides, options)
    if not options.same_ids:
        _check_ids(sides)
    stdout.check(runtime)
    with comparison(context, sides) as found:
        planner = CallPlanner(found, sides, accepted)
        pairings = _PlannedPairings()
        tally = PlanTally(f"{found.resource.api}/{found.resource.name}")
        for pairing in found.join.pairings(found.rules):
            tally.unmatched += pairing.change in UNMATCHED
            tally.matched += pairing.change is Change.DIFFERENT
            # If the source is incomplete, its record may just be missing, so do not
            # delete the target's.
            if pairing.change is Change.ONLY_TO and (not options.delete or found.missing):
                tally.left += 1
            elif call := planner.call(pairing):
                tally.add(call)
                pairings.add(pairing)
            else:
                tally.without += pairing.change is Change.DIFFERENT
        tally.skipped = planner.skipped
        calls = (call for pairing in pairings if (call := planner.call(pairing)))
        lines = chain([_header(runtime, found, options, len(pairings))], map(tally.planned, calls))
        stdout.write(runtime, state.chunks(map(msgspec.json.encode, lines)))
        _conclude(runtime, found, options, tally)
        _raise_for(found, tally)


class _PlannedPairings:
    """A compact list of the pairings with a call."""

    def __init__(self) -> None:
        self._numbers = array("q")

    def add(self, pairing: Pairing) -> None:
        source, target = (numbers[0] if numbers else _NONE for numbers in pairing[1:])
        self._numbers.extend((_CHANGES.index(pairing.change), source, target))

    def __len__(self) -> int:
        return len(self._numbers) // 3

    def __iter__(self) -> Iterator[Pairing]:
        for at in range(0, len(self._numbers), 3):
            change, source, target = self._numbers[at : at + 3]
            yield Pairing(
                _CHANGES[change],
                () if source == _NONE else (source,),
                () if target == _NONE else (target,),
            )


def _check_ids(sides: ComparedSides) -> None:
    """Raise UsageError if records are joined by the id alone.

    This is allowed with a file of ids, or if both sides are the same connection.
    """
    one, other = sides.source.facts, sides.target.facts
    if sides.joins_by_id_alone:
        raise UsageError(
            f"the same id in {one.name} and {other.name} may belong to different records",
            hint=(
                "--ids FILE joins by pairs of ids, --key NAME joins by another value, --same-ids"
                " joins by id anyway"
            ),
        )


def _accepted(sides: ComparedSides, options: PlanOptions) -> Mapping[str, frozenset[str] | None]:
    """Return the fields to send, for each operation that may be planned. If the fields
    are None, send all fields.

    Raises UsageError if the resource is read-only, or if its fields are unknown.
    """
    operations = sides.resource.operations
    wanted = [
        name for name in OPERATIONS if name in operations and (name != "delete" or options.delete)
    ]
    accepted = {
        name: (
            None
            if options.all_fields
            else frozenset(field.name for field in operations[name].accepted_fields)
        )
        for name in wanted
    }
    named = f"{sides.resource.api}/{sides.resource.name}"
    if not accepted:
        raise UsageError(f"{named} can only be read, so there is nothing to plan")
    if not options.all_fields and not any(accepted.values()):
        raise UsageError(
            f"no fields of {named} are known", hint="--all-fields sends every field of the records"
        )
    return accepted


def _header(runtime: Runtime, found: Comparison, options: PlanOptions, calls: int) -> PlanHeader:
    return PlanHeader(
        VERSION,
        timestamp(runtime.wall()),
        f"{found.resource.api}/{found.resource.name}",
        found.source.facts,
        found.target.facts,
        calls,
        tuple(found.key.names),
        options.map,
        tuple(sorted(found.rules.ignored)),
        tuple(sorted(found.rules.unordered)),
        options.delete,
        options.all_fields,
        options.ids is not None,
        PRODUCT,
    )


def _conclude(runtime: Runtime, found: Comparison, options: PlanOptions, tally: PlanTally) -> None:
    note, target = runtime.stderr.note, found.target.facts.name
    if tally.calls:
        counts = ", ".join(
            counted(tally.calls[name], name) for name in OPERATIONS if tally.calls[name]
        )
        with_ids = f" --ids {shlex.quote(options.ids)}" if options.ids else ""
        note(
            f"planned: {counts} (unified apply PLAN -p {target}{with_ids} does it, --dry-run"
            " shows it)"
        )
    elif not (tally.unmatched or tally.skipped or found.missing):
        alike = (
            [f"{counted(found.join.same, 'record')} the same on both sides"]
            if found.join.same
            else []
        )
        unsent = (
            [f"{counted(tally.without, 'record')} different in fields that are not sent"]
            if tally.without
            else []
        )
        note(f"nothing to do: {', '.join(alike + unsent) or 'no records'}")
    if options.ids is None and tally.calls["create"] and not (found.join.same + tally.matched):
        key = " and ".join(found.key.names)
        note(
            f"no record of {target} has the {key} of a record of {found.source.facts.name}, so all"
            " records are created"
        )
    if tally.left:
        note(
            f"only in {target}, and kept: {counted(tally.left, 'record')}"
            + ("" if found.missing else " (--delete plans to delete them)")
        )
    missing, fields = tally.missing()
    if missing:
        waiting = ", ".join(f"{number} to {name}" for name, number in sorted(missing.items()))
        remedy = (
            "apply the plans that create these records together, or use --ignore"
            f" {','.join(fields)}"
        )
        note(f"references without a new id in {options.ids}: {waiting} ({remedy})")


def _raise_for(found: Comparison, tally: PlanTally) -> None:
    named = f"{found.resource.api}/{found.resource.name}"
    words = {
        "no id": "without an id in the target",
        "nothing to send": "without a field that the target is known to accept",
        **{name: f"to {name}, which {named} does not offer" for name in OPERATIONS},
    }
    reasons = [f"{number} {words[reason]}" for reason, number in tally.skipped.items()]
    if tally.unmatched:
        reasons.insert(0, f"{tally.unmatched} that cannot be matched")
    if reasons:
        raise IncompleteError(
            "; ".join([f"records without a call: {', '.join(reasons)}", *found.missing]),
            hint=(None if any(tally.calls.values()) else found.other_key())
            or "unified diff shows them",
        )
    if found.missing:
        raise IncompleteError("; ".join(found.missing))


class CallPlanner:
    """Plans calls. `skipped` counts the differences that cannot be planned, by
    reason.
    """

    def __init__(
        self, found: Comparison, sides: ComparedSides, accepted: Mapping[str, frozenset[str] | None]
    ) -> None:
        """`accepted` has the fields to send for each operation. If the fields are None,
        all fields are sent.
        """
        self._from, self._to, self._rules = found.source, found.target, found.rules
        self._connection = found.target.facts.account
        self._accepted = accepted
        self._references = IdReferences(found.resource)
        self._ids = sides.ids
        self._keeps_ids = "id" in found.key.names and sides.ids is None
        self.skipped: Counter[str] = Counter()

    def call(self, pairing: Pairing) -> PlannedCall | None:
        """Return the call for a difference, or None.

        Returns None if no call is possible or needed.
        """
        operation = _OPERATIONS.get(pairing.change)
        if operation is None:
            return None
        if operation not in self._accepted:
            self.skipped[operation] += 1
            return None
        if operation == "create":
            return self._create(pairing.source[0])
        identifier = _decoded_id(self._to.identifier(pairing.target[0]))
        if identifier is None:
            self.skipped["no id"] += 1
            return None
        if operation == "delete":
            return self._delete(pairing.target[0], identifier)
        return self._update(pairing.source[0], pairing.target[0], identifier)

    def _create(self, number: int) -> PlannedCall | None:
        accepted, source = self._accepted["create"], self._from.identifier(number)
        members = parts(self._from.stored(number)) or {}
        wanted = {
            name: value
            for name, value in members.items()
            if self._is_sent(name, accepted) and value != _NULL
        }
        if not wanted:
            self.skipped["nothing to send"] += 1
            return None
        body, references = self._replace_ids(wanted)
        why = masked(f"only in {self._from.facts.name}")
        return PlannedCall(
            self._connection,
            "create",
            why,
            source=_decoded_id(source),
            body=body,
            references=references,
        )

    def _is_sent(self, name: str, accepted: frozenset[str] | None) -> bool:
        if name == _ID:
            return self._keeps_ids
        # Never send the label of the connection, because the service has no such field.
        return name != LABEL and (accepted is None or name in accepted)

    def _update(self, number: int, target: int, identifier: str | int) -> PlannedCall | None:
        accepted = self._accepted["update"]
        stored = parts(self._from.stored(number)) or {}
        compared = parts(self._from.record(number)) or {}
        current = parts(self._to.record(target)) or {}
        changed = [
            name
            for name, value in compared.items()
            if name not in (_ID, LABEL)
            and (accepted is None or name in accepted)
            and any(True for _ in member_differences(name, value, current.get(name), self._rules))
        ]
        if not changed:
            return None
        body, references = self._replace_ids({name: stored[name] for name in changed})
        return PlannedCall(
            self._connection,
            "update",
            masked(f"different: {', '.join(changed)}"),
            id=identifier,
            source=_decoded_id(self._from.identifier(number)),
            body=body,
            seen=msgspec.Raw(join({name: current.get(name, _NULL) for name in changed})),
            references=references,
        )

    def _delete(self, number: int, identifier: str | int) -> PlannedCall:
        accepted = self._accepted.get("update")
        record = parts(without_ignored(self._to.record(number), self._rules)) or {}
        seen = {
            name: value for name, value in record.items() if accepted is None or name in accepted
        }
        why = masked(f"only in {self._to.facts.name}")
        return PlannedCall(
            self._connection, "delete", why, id=identifier, seen=msgspec.Raw(join(seen))
        )

    def _replace_ids(
        self, members: Mapping[str, bytes]
    ) -> tuple[msgspec.Raw, tuple[PlannedReference, ...]]:
        """Return the body with new ids, and the references whose new id is unknown."""
        body = without_ignored(join(members), self._rules)
        ids = self._ids
        if ids is None:
            return msgspec.Raw(body), ()
        waiting: list[PlannedReference] = []

        def exchange(reference: IdReference) -> bytes | None:
            new = ids.new_id(reference.resource, reference.id)
            old = _decoded_id(reference.id)
            if new is None and old is not None:
                waiting.append(PlannedReference(reference.path, reference.resource, old))
            return new

        return msgspec.Raw(self._references.replace_ids(body, exchange)), tuple(waiting)


def _decoded_id(text: bytes) -> str | int | None:
    try:
        return msgspec.json.decode(text, type=str | int)
    except msgspec.MsgspecError:
        return None
