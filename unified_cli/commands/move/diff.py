"""Compare two sides, and print what differs."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from unified_cli.cli.command import CommandContext
from unified_cli.commands.move.command import DiffOptions
from unified_cli.commands.move.comparison import Comparison, comparison, prepared
from unified_cli.commands.move.grouped import DifferenceGroups
from unified_cli.commands.move.join import UNMATCHED, Change, Pairing
from unified_cli.commands.move.side import SpooledSide
from unified_cli.errors import DifferentError, IncompleteError
from unified_cli.json_text.difference import ValueDifference, differences
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.members import Record, join, text
from unified_cli.output import formats, printer, stdout
from unified_cli.output.printer import Printer
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

_ROWS = 100
_TABLE_COLUMNS = ("change", "key", "paths")


def run(context: CommandContext, options: DiffOptions) -> None:
    """Print what differs.

    Raises DifferentError if anything differs, and IncompleteError if something cannot
    be compared.
    """
    runtime = context.runtime
    form = formats.of_command(
        options.output,
        formats.DIFFERENCES,
        terminal=runtime.stdout_is_terminal,
        otherwise=formats.NDJSON,
    )
    sides = prepared(context, options)
    if options.ids and not Path(options.ids).exists():
        runtime.stderr.note(
            f"{options.ids} does not exist, so the ids of the first side are not replaced"
        )
    one, other = sides.source.facts, sides.target.facts
    if sides.joins_by_id_alone and one.identity and other.identity:
        runtime.stderr.note(
            f"records are joined by id, but the same id in {one.name} and {other.name} may belong"
            " to different records (--key NAME joins by another value, --ids FILE by pairs of ids)"
        )
    stdout.check(runtime)
    with comparison(context, sides) as found:
        counts: Counter[Change] = Counter()
        pairings = _tallied(found.join.pairings(found.rules), counts)
        if form is formats.JSON:
            _print_document(runtime, found, pairings)
        elif form is formats.TABLE and runtime.stdout_is_terminal:
            _draw_groups(runtime, found, pairings)
        else:
            row, columns = (_table_row, _TABLE_COLUMNS) if form.columns else (_record_row, ())
            service = context.catalogue.service
            style = printer.style_for(runtime, form, service.items, service.cursor)
            _print_rows(Printer(runtime, style._replace(columns=columns)), found, pairings, row)
        _conclude(runtime, found, counts)


def _tallied(pairings: Iterator[Pairing], counts: Counter[Change]) -> Iterator[Pairing]:
    for pairing in pairings:
        counts[pairing.change] += 1
        yield pairing


def _print_rows(
    out: Printer,
    found: Comparison,
    pairings: Iterator[Pairing],
    row: Callable[[Comparison, Pairing], Record],
) -> None:
    printed = False
    while some := [row(found, pairing) for pairing in islice(pairings, _ROWS)]:
        out.page(some, one_line=True)
        printed = True
    if printed:
        out.end()


def _draw_groups(runtime: Runtime, found: Comparison, pairings: Iterator[Pairing]) -> None:
    groups = DifferenceGroups()
    for pairing in pairings:
        groups.add(pairing.change, _record_name(found, pairing), [*_differences(found, pairing)])
    stdout.show(runtime, groups.lines(runtime, (found.source.facts.name, found.target.facts.name)))
    if not groups.is_complete:
        runtime.stderr.note("-o ndjson shows all differences in full")


def _record_name(found: Comparison, pairing: Pairing) -> str:
    places = _uncompared_places(found, pairing) if pairing.change is Change.NO_KEY else []
    return ", ".join(places or [text(value) for value in _key(found, pairing)])


def _print_document(runtime: Runtime, found: Comparison, pairings: Iterator[Pairing]) -> None:
    rows = b"[" + b",".join(bytes(_record_row(found, pairing)) for pairing in pairings) + b"]"
    one, other = (msgspec.json.encode(side.facts) for side in (found.source, found.target))
    stdout.write_json(
        runtime,
        join({"from": one, "to": other, "same": b"%d" % found.join.same, "differences": rows}),
    )


def _conclude(runtime: Runtime, found: Comparison, counts: Counter[Change]) -> None:
    """Print a note if nothing differs, otherwise raise the error for the exit code."""
    one, other = found.source.facts.name, found.target.facts.name
    words = {
        Change.ONLY_FROM: f"only in {one}",
        Change.ONLY_TO: f"only in {other}",
        Change.DIFFERENT: "different",
        Change.NO_KEY: "without the key",
    }
    parts = [f"{counts[change]} {words[change]}" for change in words if counts[change]]
    if counts[Change.SAME_KEY]:
        parts.append(f"{counted(counts[Change.SAME_KEY], 'key')} shared by several records")
    if not parts and not found.missing:
        runtime.stderr.note(f"no difference: {counted(found.join.same, 'record')} on both sides")
        return
    summary = ", ".join([*parts, f"{found.join.same} the same"])
    unmatched = any(counts[change] for change in UNMATCHED)
    if unmatched or found.missing:
        hint = f"a --key other than {', '.join(found.key.names)} may tell these records apart"
        # If no record has the key, its name is probably misspelt.
        meant = found.other_key() if {*counts} == {Change.NO_KEY} else None
        raise IncompleteError(
            f"not everything could be compared: {'; '.join([summary, *found.missing])}",
            hint=(meant or hint) if unmatched else None,
        )
    raise DifferentError(f"{one} and {other} differ: {summary}")


def _record_row(found: Comparison, pairing: Pairing) -> Record:
    """Return a row for JSON: the ids on both sides, and each path with both values.

    For records that could not be compared, the row has their positions in the input,
    counted from 1.
    """
    sides = ((found.source, pairing.source), (found.target, pairing.target))
    from_ids, to_ids = (
        _array(side.identifier(number) for number in numbers) for side, numbers in sides
    )
    members = {
        "change": _text(pairing.change.value),
        "key": _array(_key(found, pairing)),
        "from_ids": from_ids,
        "to_ids": to_ids,
        **_positions(pairing, sides),
        "differences": _array(
            _difference(difference) for difference in _differences(found, pairing)
        ),
    }
    return Record(join(members))


def _table_row(found: Comparison, pairing: Pairing) -> Record:
    values = [text(value) for value in _key(found, pairing)]
    paths = [
        difference.path or "(the whole record)" for difference in _differences(found, pairing)
    ] or _uncompared_places(found, pairing)
    members = {"change": pairing.change.value, "key": ", ".join(values), "paths": ", ".join(paths)}
    return Record(join({name: _text(value) for name, value in members.items()}))


def _positions(
    pairing: Pairing, sides: Iterable[tuple[SpooledSide, Sequence[int]]]
) -> dict[str, bytes]:
    if pairing.change not in UNMATCHED:
        return {}
    found = (_array(b"%d" % side.position(number) for number in numbers) for side, numbers in sides)
    return dict(zip(("from_records", "to_records"), found, strict=True))


def _uncompared_places(found: Comparison, pairing: Pairing) -> list[str]:
    if pairing.change not in UNMATCHED:
        return []
    sides = ((found.source, pairing.source), (found.target, pairing.target))
    return [
        f"record {side.position(number)} of {side.facts.name}"
        for side, numbers in sides
        for number in numbers
    ]


def _key(found: Comparison, pairing: Pairing) -> list[bytes]:
    side, number = (
        (found.source, pairing.source[0]) if pairing.source else (found.target, pairing.target[0])
    )
    values = found.key.values(side.record(number))
    # Identify a record without a key by its id, if any.
    return (
        [side.identifier(number)]
        if values is None and pairing.change is Change.NO_KEY
        else values or []
    )


def _differences(found: Comparison, pairing: Pairing) -> Iterator[ValueDifference]:
    if pairing.change is Change.DIFFERENT:
        one, other = found.source.record(pairing.source[0]), found.target.record(pairing.target[0])
        yield from differences(one, other, found.rules)


def _difference(difference: ValueDifference) -> bytes:
    values = {"from": difference.before, "to": difference.after}
    present = {name: value for name, value in values.items() if value is not None}
    return join({"path": _text(difference.path), **present})


def _array(values: Iterable[bytes]) -> bytes:
    return b"[" + b",".join(values) + b"]"


def _text(value: str) -> bytes:
    return dump(value).encode()
