"""The call that makes a record of one connection like its counterpart on the other side."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from unified_cli.commands.move.difference import PathRules, member_differences, without_ignored
from unified_cli.commands.move.id_map import IdMap
from unified_cli.commands.move.join import Change, Pairing
from unified_cli.commands.move.plan_format import PlannedCall, PlannedReference
from unified_cli.commands.move.references import IdReference, IdReferences
from unified_cli.commands.move.side import SpooledSide
from unified_cli.json_text.members import join, parts
from unified_cli.masking import masked

_ID = "id"
_NULL = b"null"
_OPERATIONS = {Change.ONLY_FROM: "create", Change.DIFFERENT: "update", Change.ONLY_TO: "delete"}


@dataclass(frozen=True, slots=True)
class PlanTerms:
    """What a plan may do: to which `connection`, by which operations, with which fields of a record.

    `accepted` has the names of the fields for each operation that may be planned, None for all. `keeps_ids` sends the
    id of a record that is created. `ids` are those that are known to be different there.
    """

    connection: str
    accepted: Mapping[str, frozenset[str] | None]
    rules: PathRules
    references: IdReferences
    keeps_ids: bool
    ids: IdMap | None


class CallPlanner:
    """Makes calls; `skipped` counts what there is no call for, by the reason."""

    def __init__(self, of_from: SpooledSide, of_to: SpooledSide, terms: PlanTerms) -> None:
        self._from = of_from
        self._to = of_to
        self._terms = terms
        self.skipped: Counter[str] = Counter()
        self.waiting: Counter[str] = Counter()
        """The references whose new ids are not known, by their resources."""

    def call(self, pairing: Pairing) -> PlannedCall | None:
        """The call for records that are not the same; None where there is nothing to do, or nothing can be done."""
        operation = _OPERATIONS.get(pairing.change)
        if operation is None:
            return None
        if operation not in self._terms.accepted:
            self.skipped[operation] += 1
            return None
        if operation == "create":
            return self._create(pairing.of_from[0])
        identifier = _id(self._to.identifier(pairing.of_to[0]))
        if identifier is None:
            self.skipped["no id"] += 1
            return None
        if operation == "delete":
            return self._delete(pairing.of_to[0], identifier)
        return self._update(pairing.of_from[0], pairing.of_to[0], identifier)

    def _create(self, number: int) -> PlannedCall | None:
        accepted, source = self._terms.accepted["create"], self._from.identifier(number)
        members = parts(self._from.stored(number)) or {}
        wanted = {name: value for name, value in members.items() if self._goes(name, accepted) and value != _NULL}
        if not wanted:
            self.skipped["nothing to send"] += 1
            return None
        body, references = self._exchanged(wanted)
        why = masked(f"only in {self._from.facts.name}")
        return PlannedCall(self._terms.connection, "create", why, source=_id(source), body=body, references=references)

    def _goes(self, name: str, accepted: frozenset[str] | None) -> bool:
        if name == _ID:
            return self._terms.keeps_ids
        return accepted is None or name in accepted

    def _update(self, number: int, of_to: int, identifier: str | int) -> PlannedCall | None:
        accepted = self._terms.accepted["update"]
        stored = parts(self._from.stored(number)) or {}
        compared = parts(self._from.record(number)) or {}
        there = parts(self._to.record(of_to)) or {}
        changed = [
            name
            for name, value in compared.items()
            if name != _ID
            and (accepted is None or name in accepted)
            and any(True for _ in member_differences(name, value, there.get(name), self._terms.rules))
        ]
        if not changed:
            return None
        body, references = self._exchanged({name: stored[name] for name in changed})
        return PlannedCall(
            self._terms.connection,
            "update",
            masked(f"different: {', '.join(changed)}"),
            id=identifier,
            source=_id(self._from.identifier(number)),
            body=body,
            seen=msgspec.Raw(join({name: there.get(name, _NULL) for name in changed})),
            references=references,
        )

    def _delete(self, number: int, identifier: str | int) -> PlannedCall:
        accepted = self._terms.accepted.get("update")
        record = parts(without_ignored(self._to.record(number), self._terms.rules)) or {}
        seen = {name: value for name, value in record.items() if accepted is None or name in accepted}
        why = masked(f"only in {self._to.facts.name}")
        return PlannedCall(self._terms.connection, "delete", why, id=identifier, seen=msgspec.Raw(join(seen)))

    def _exchanged(self, members: Mapping[str, bytes]) -> tuple[msgspec.Raw, tuple[PlannedReference, ...]]:
        """The body with new ids where they are known, and the references whose ids are not."""
        body = without_ignored(join(members), self._terms.rules)
        ids = self._terms.ids
        if ids is None:
            return msgspec.Raw(body), ()
        waiting: list[PlannedReference] = []

        def exchange(reference: IdReference) -> bytes | None:
            new = ids.new_id(reference.resource, reference.id)
            old = _id(reference.id)
            if new is None and old is not None:
                waiting.append(PlannedReference(reference.path, reference.resource, old))
                self.waiting[reference.resource] += 1
            return new

        return msgspec.Raw(self._terms.references.exchanged(body, exchange)), tuple(waiting)


def _id(text: bytes) -> str | int | None:
    """An id as JSON text, decoded; None for what is none."""
    try:
        return msgspec.json.decode(text, type=str | int)
    except msgspec.MsgspecError:
        return None
