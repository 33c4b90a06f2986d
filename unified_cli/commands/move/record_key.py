"""The key by which records of two sides are joined: the values at some paths, or what jq programs make of a record."""

from collections.abc import Callable, Sequence

from unified_cli.commands.move.difference import canonical
from unified_cli.input.record_map import RecordMap
from unified_cli.json_text.members import member, parts
from unified_cli.json_text.record_columns import pick

_PROGRAM = "."
# What names no record: all that have nothing in it would be one and the same.
_EMPTY = frozenset((b"null", b"{}", b"[]"))


class RecordKey:
    """Finds the key of a record. A name that begins with a dot is a jq program, any other the path of a value."""

    def __init__(self, names: Sequence[str]) -> None:
        """Raises UsageError for what is no jq program."""
        self.names = names
        self._readers = [_program(name) if name.startswith(_PROGRAM) else _path(name) for name in names]

    def values(self, record: bytes) -> list[bytes] | None:
        """The values that the key consists of, as JSON text; None where one of them is missing, null or empty."""
        found = [read(record) for read in self._readers]
        values = [value for value in found if value is not None and canonical(value) not in _EMPTY]
        return values if len(values) == len(found) else None


def text_of(values: Sequence[bytes]) -> bytes:
    """What tells a key from all others."""
    return b"\n".join(canonical(value) for value in values)


def _path(name: str) -> Callable[[bytes], bytes | None]:
    if "." in name or name.endswith("]"):
        return lambda record: pick(parts(record) or {}, name)
    return lambda record: member(record, name)


def _program(name: str) -> Callable[[bytes], bytes | None]:
    program = RecordMap(name, "--key")

    def read(record: bytes) -> bytes | None:
        try:
            found = program(record)
        except ValueError:
            # A program that fails on a record finds no key in it.
            return None
        return found[0] if len(found) == 1 else None

    return read
