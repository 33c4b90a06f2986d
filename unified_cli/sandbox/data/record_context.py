"""What a field's value may depend on: the record it stands in."""

from dataclasses import dataclass

from unified_cli.sandbox.data.people import Person
from unified_cli.sandbox.data.seeded_random import SeededRandom


@dataclass(frozen=True, slots=True)
class RecordContext:
    """One record in the making; `made` is its birth in seconds since 1970, `who` the person it describes."""

    seed: str
    api: str
    resource: str
    number: int
    dice: SeededRandom
    made: int
    who: Person | None
    title: str
