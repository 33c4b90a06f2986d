"""What a field's value may depend on: the record it stands in."""

from dataclasses import dataclass

from unified_cli.sandbox.cast import Person
from unified_cli.sandbox.dice import Dice


@dataclass(frozen=True, slots=True)
class Spot:
    """One record in the making; `made` is its birth in seconds since 1970, `who` the person it describes."""

    seed: str
    api: str
    resource: str
    number: int
    dice: Dice
    made: int
    who: Person | None
    title: str
