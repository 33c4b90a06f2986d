"""Count the calls of a plan, the records without a call, and the references whose new
ids are unknown.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

from unified_cli.commands.move.plan_file import PlannedCall


@dataclass(slots=True)
class PlanTally:
    """Counts the calls of a plan, and the records and references without one.

    `left` is the number of records that only the target has, and `without` the number
    of records whose differences cannot be sent. `waiting` counts the references whose
    new id is unknown, by resource and field. A reference to the planned resource itself
    is counted in `own`, by old id and field, until a call creates the record that it
    refers to.
    """

    resource: str
    calls: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    waiting: Counter[tuple[str, str]] = field(default_factory=Counter)
    own: dict[str | int, Counter[str]] = field(default_factory=dict)
    unmatched: int = 0
    matched: int = 0
    left: int = 0
    without: int = 0

    def add(self, call: PlannedCall) -> None:
        """Count a call and its references."""
        self.calls[call.operation] += 1
        for reference in call.references:
            name = re.split(r"[.[]", reference.path)[0]
            if reference.resource == self.resource:
                self.own.setdefault(reference.id, Counter())[name] += 1
            else:
                self.waiting[reference.resource, name] += 1

    def planned(self, call: PlannedCall) -> PlannedCall:
        """Stop counting the references to the record that a call creates. Returns the
        call.
        """
        if call.operation == "create" and call.source is not None:
            self.own.pop(call.source, None)
        return call

    def missing(self) -> tuple[Counter[str], list[str]]:
        """Return the number of references without a new id by resource, and the names
        of the fields that have such references.
        """
        found: Counter[str] = Counter()
        for (resource, _), number in self.waiting.items():
            found[resource] += number
        own = [name for names in self.own.values() for name in names.elements()]
        if own:
            found[self.resource] += len(own)
        return found, sorted({name for _, name in self.waiting} | {*own})
