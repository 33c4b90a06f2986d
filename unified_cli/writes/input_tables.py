r"""Read rows of CSV and TSV as records: the header names the members, and a cell is
text or JSON.
"""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

from unified_cli.errors import UsageError
from unified_cli.json_text import json_check
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.members import join
from unified_cli.output.delimited import untyped_name, without_escapes
from unified_cli.plural import counted, named
from unified_cli.storage import input_bounds
from unified_cli.writes.input_formats import InputLine

_OTHERS = (";", "\t", "|")
_MOST_NAMED = 5
_DEEPEST = 100
TAB = "\t"


class TableRules(NamedTuple):
    """How rows become records.

    `types` are the JSON types of the known fields. With `plain`, cells are text and
    names are not paths, as in 0.2.0.
    """

    delimiter: str = ","
    trimmed: bool = False
    plain: bool = False
    types: Mapping[str, str] = {}


def read_csv(file: BinaryIO, name: str, rules: TableRules) -> Iterator[InputLine]:
    """Return the rows of a table that is written as RFC 4180 defines.

    Cells may be quoted.
    """
    csv.field_size_limit(input_bounds.LONGEST_LINE)
    text = io.TextIOWrapper(file, "utf-8-sig", newline="")
    lines = _RowLines(input_bounds.text_lines(text, name), name)
    rows = csv.reader(lines, strict=True, delimiter=rules.delimiter)
    try:
        yield from _records(_with_line_numbers(rows, lines), name, rules)
        text.detach()
    except UnicodeDecodeError:
        raise UsageError(f"{name} is not UTF-8 after line {rows.line_num}") from None
    except csv.Error as error:
        raise UsageError(f"{name}, line {rows.line_num}: {error}") from None


def read_tsv(file: BinaryIO, name: str, rules: TableRules) -> Iterator[InputLine]:
    r"""Return the rows of a table whose cells are not quoted.

    In a cell, `\t`, `\n`, `\r` and `\\` are escapes.
    """
    yield from _records(_tab_rows(file, name), name, rules)


def header(file: BinaryIO, name: str, rules: TableRules, *, quoted: bool) -> list[str]:
    """Return the column names as written."""
    try:
        if not quoted:
            return next(_tab_rows(file, name), (0, []))[1]
        text = io.TextIOWrapper(file, "utf-8-sig", newline="")
        rows = csv.reader(input_bounds.text_lines(text, name), delimiter=rules.delimiter)
        result = next((row for row in rows if row), [])
        text.detach()
    except (UnicodeDecodeError, csv.Error):
        return []
    return result


def space_warning(heads: Sequence[str], *, trimmed: bool) -> str:
    """Return a warning about spaces around column names, or ""."""
    odd = [repr(head) for head in heads if head != head.strip()]
    if not odd:
        return ""
    if trimmed:
        return f"spaces around the names of columns are removed: {named(odd, _MOST_NAMED)}"
    return (
        f"names of columns have spaces around them: {named(odd, _MOST_NAMED)}"
        " (--trim-header removes them)"
    )


class _RowLines:
    """The lines of a table. `size` counts their characters, and can be reset to 0."""

    def __init__(self, lines: Iterator[str], name: str) -> None:
        self._lines = lines
        self._name = name
        self._begun = False
        self.size = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        if not self._begun:
            _check_not_json(line, self._name)
        self._begun = True
        self.size += len(line)
        if self.size > input_bounds.LONGEST_LINE:
            raise input_bounds.too_long(f"a row of {self._name}")
        return line


def _with_line_numbers(rows: Any, lines: _RowLines) -> Iterator[tuple[int, list[str]]]:
    at = 1
    for row in rows:
        if row:
            yield at, row
        at, lines.size = rows.line_num + 1, 0


def _tab_rows(file: BinaryIO, name: str) -> Iterator[tuple[int, list[str]]]:
    for number, raw in enumerate(input_bounds.lines(file, name), 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise UsageError(f"{name} is not UTF-8 in line {number}") from None
        if line:
            yield number, [without_escapes(cell) for cell in line.split("\t")]


def _records(
    rows: Iterator[tuple[int, list[str]]], name: str, rules: TableRules
) -> Iterator[InputLine]:
    _, heads = next(rows, (0, []))
    if rules.trimmed:
        heads = [head.strip() for head in heads]
    _check_heads(heads, name, rules)
    columns = _columns(heads, rules)
    for number, row in rows:
        if len(row) != len(heads):
            raise UsageError(
                f"{name}, line {number}: {counted(len(row), 'cell')} under"
                f" {counted(len(heads), 'column')}"
            )
        try:
            yield InputLine(number, _record(columns, row))
        except _CellError as error:
            yield InputLine(number, b"{}", str(error))


def _check_not_json(begins: str, name: str) -> None:
    if begins.lstrip("\ufeff [").startswith('{"'):
        raise UsageError(
            f"{name}, line 1: this is JSON, not the names of columns",
            hint="leave out --format, or use --format ndjson",
        )


def _check_heads(heads: list[str], name: str, rules: TableRules) -> None:
    if heads:
        _check_not_json(heads[0], name)
    others = [one for one in _OTHERS if one != rules.delimiter]
    if rules.delimiter not in {",", TAB}:
        others.append(",")
    if len(heads) == 1 and (other := next((one for one in others if one in heads[0]), None)):
        # Spreadsheets often use these delimiters. With a comma as the delimiter, each
        # row would become one field.
        raise UsageError(
            f"{name}, line 1: there is only one column, and its name contains {other!r}",
            hint="leave out --delimiter"
            if other == ","
            else f"import takes --delimiter {'tab' if other == TAB else repr(other)}",
        )
    names = heads if rules.plain else [untyped_name(head)[0] for head in heads]
    for head, count in Counter(names).items():
        if not head.strip() and head in heads:
            raise UsageError(f"{name}, line 1: a column has no name")
        if count > 1:
            raise UsageError(f"{name}, line 1: {count} columns have the name {head!r}")


class _CellError(ValueError):
    """A cell does not have the type that the header gives to its column."""


_Members = dict[str, "bytes | _Members"]


class _Column(NamedTuple):
    """The path of a column's cells in a record, and the function that converts a cell
    to JSON.
    """

    path: tuple[str, ...]
    value: Callable[[str], bytes]


def member(head: str) -> str:
    """Return the top-level member of a record that a column belongs to."""
    name, _ = untyped_name(head)
    return name.partition(".")[0] if name and not head.startswith('"') else name or head


def _columns(heads: Sequence[str], rules: TableRules) -> list[_Column]:
    if rules.plain:
        return [_Column((head,), _text) for head in heads]
    result = []
    names = {untyped_name(head)[0] for head in heads}
    for head in heads:
        name, typed = untyped_name(head)
        path: tuple[str, ...] = (name,)
        if not (typed and head.startswith('"')):
            path = _path(name, names, typed=typed)
        result.append(
            _Column(path, _as_json(head) if typed else _cell_type(rules.types.get(name, "")))
        )
    return result


def _path(name: str, names: set[str], *, typed: bool) -> tuple[str, ...]:
    """Return the path of a column's cells.

    A name such as `a.b` is a path, unless a column `a` has the complete value of `a`.
    In that case, a typed column `a.b` is ignored, and an untyped column sets a member
    with the name `a.b`.
    """
    steps = tuple(name.split("."))
    if any(".".join(steps[:n]) in names for n in range(1, len(steps))):
        return () if typed else (name,)
    return steps if all(steps) and len(steps) <= _DEEPEST else (name,)


def _text(cell: str) -> bytes:
    return dump(cell).encode("utf-8")


def _as_json(head: str) -> Callable[[str], bytes]:
    def value(cell: str) -> bytes:
        text = cell.encode("utf-8")
        if flaw := json_check.flaw(text):
            raise _CellError(f"{flaw} in the column {head!r}")
        return text

    return value


def _cell_type(known: str) -> Callable[[str], bytes]:
    if known == "string":
        return _text
    scalars = {"number": "-0123456789", "integer": "-0123456789", "boolean": "tf"}.get(known, "")

    def value(cell: str) -> bytes:
        if cell[0] in "[{" + scalars and not json_check.flaw(text := cell.encode("utf-8")):
            return text
        return _text(cell)

    return value


def _record(columns: Sequence[_Column], row: Sequence[str]) -> bytes:
    found: _Members = {}
    for column, cell in zip(columns, row, strict=True):
        if not cell or not column.path:
            continue
        place = found
        *steps, last = column.path
        for step in steps:
            inner = place.setdefault(step, {})
            assert isinstance(inner, dict)  # noqa: S101  no path begins with another column
            place = inner
        place[last] = column.value(cell)
    return _joined(found)


def _joined(members: _Members) -> bytes:
    return join(
        {name: one if isinstance(one, bytes) else _joined(one) for name, one in members.items()}
    )
