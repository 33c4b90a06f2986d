"""What a field's value may depend on: the record that it belongs to."""

from typing import NamedTuple

from unified_cli.sandbox.data.people import Person
from unified_cli.sandbox.data.seeded_random import SeededRandom


class RecordContext(NamedTuple):
    """A record that is being generated; `created` is in seconds since 1970, `person` whom it describes, if anybody."""

    seed: str
    api: str
    resource: str
    number: int
    random: SeededRandom
    created: int
    person: Person | None
    title: str
