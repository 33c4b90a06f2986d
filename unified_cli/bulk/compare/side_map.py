"""What is done to each record before it is compared: a jq program reshapes it."""

from collections.abc import Callable

from unified_cli.bulk.import_.record_map import RecordMap
from unified_cli.errors import UsageError
from unified_cli.json_text.numbers import changed_by_jq


class SideMap:
    """A jq program for the records of one side; `left_out` counts those of which it made nothing."""

    def __init__(self, program: str, note: Callable[[str], None]) -> None:
        """Raises UsageError for what is no jq program; `note` tells the user what it may have changed."""
        self._map = RecordMap(program)
        self._note = note
        self._warned = False
        self.left_out = 0

    def __call__(self, record: bytes, number: int) -> bytes | None:
        """What the program makes of a record; None for nothing. Raises UsageError where it fails, or makes several."""
        if not self._warned and (digits := changed_by_jq(record)):
            self._warned = True
            self._note(f"--map computes in doubles, which cannot represent {digits}; other numbers may change too")
        try:
            found = self._map(record)
        except ValueError as error:
            raise UsageError(f"--map fails on record {number}: {error}") from None
        if len(found) > 1:
            raise UsageError(f"--map makes {len(found)} records of record {number}, and must make one or none")
        self.left_out += not found
        return found[0] if found else None
