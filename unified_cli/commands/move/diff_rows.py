"""The lines of a comparison's result: what differs, and in what."""

from collections.abc import Iterable, Iterator, Sequence

from unified_cli.commands.move.comparison import Comparison
from unified_cli.commands.move.difference import ValueDifference, differences
from unified_cli.commands.move.join import UNMATCHED, Change, Pairing
from unified_cli.commands.move.side import SpooledSide
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.members import Record, join, text

TABLE_COLUMNS = ("change", "key", "paths")


def record_row(found: Comparison, pairing: Pairing) -> Record:
    """A line for programs: the ids on both sides, and each path with both values, without one that is not there.

    Of records that could not be compared it also says which of those that were read they are, counted from 1.
    """
    sides = ((found.of_from, pairing.of_from), (found.of_to, pairing.of_to))
    from_ids, to_ids = (_array(side.identifier(number) for number in numbers) for side, numbers in sides)
    members = {
        "change": _text(pairing.change.value),
        "key": _array(_key(found, pairing)),
        "from_ids": from_ids,
        "to_ids": to_ids,
        **_positions(pairing, sides),
        "differences": _array(_difference(one) for one in _differences(found, pairing)),
    }
    return Record(join(members))


def table_row(found: Comparison, pairing: Pairing) -> Record:
    """A line for people: the key and the paths as text."""
    values = [text(value) for value in _key(found, pairing)]
    paths = [one.path or "(the whole record)" for one in _differences(found, pairing)] or _places(found, pairing)
    members = {"change": pairing.change.value, "key": ", ".join(values), "paths": ", ".join(paths)}
    return Record(join({name: _text(value) for name, value in members.items()}))


def _positions(pairing: Pairing, sides: Iterable[tuple[SpooledSide, Sequence[int]]]) -> dict[str, bytes]:
    if pairing.change not in UNMATCHED:
        return {}
    found = (_array(b"%d" % side.position(number) for number in numbers) for side, numbers in sides)
    return dict(zip(("from_records", "to_records"), found, strict=True))


def _places(found: Comparison, pairing: Pairing) -> list[str]:
    """Where the records stand that could not be compared."""
    if pairing.change not in UNMATCHED:
        return []
    sides = ((found.of_from, pairing.of_from), (found.of_to, pairing.of_to))
    return [f"record {side.position(number)} of {side.facts.name}" for side, numbers in sides for number in numbers]


def _key(found: Comparison, pairing: Pairing) -> list[bytes]:
    side, number = (found.of_from, pairing.of_from[0]) if pairing.of_from else (found.of_to, pairing.of_to[0])
    values = found.key.values(side.record(number))
    # What has no key is known by its id, if by anything.
    return [side.identifier(number)] if values is None and pairing.change is Change.NO_KEY else values or []


def _differences(found: Comparison, pairing: Pairing) -> Iterator[ValueDifference]:
    if pairing.change is Change.DIFFERENT:
        one, other = found.of_from.record(pairing.of_from[0]), found.of_to.record(pairing.of_to[0])
        yield from differences(one, other, found.rules)


def _difference(one: ValueDifference) -> bytes:
    values = {"from": one.one, "to": one.other}
    there = {name: value for name, value in values.items() if value is not None}
    return join({"path": _text(one.path), **there})


def _array(values: Iterable[bytes]) -> bytes:
    return b"[" + b",".join(values) + b"]"


def _text(value: str) -> bytes:
    return dump(value).encode()
