"""Write records as a table."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from unified_cli import text_width
from unified_cli.json_text.members import Parts, Record, items, one_line, parts, text
from unified_cli.json_text.record_columns import pick
from unified_cli.masking import excerpt, visible
from unified_cli.output.record_writer import RecordWriter, Style, WriterMemory, joined
from unified_cli.output.table_columns import (
    AHEAD,
    AHEAD_ON_SCREEN,
    DAY,
    MINUTE,
    NAMES,
    NEVER,
    Measured,
    candidates,
    expected,
    fit,
    share,
)
from unified_cli.output.terminal import GAP, encodable, is_id, narrow
from unified_cli.text_width import pad, width

_MOST_HIDDEN = 1000
_BREAKS = re.compile(r"[\t\r\n]+")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z")


def shows_id(value: bytes | None) -> bool:
    """Return whether a value is an object that is shown by its id."""
    members = parts(value) if value is not None else None
    return members is not None and _name(members) == "id"


def cell(value: bytes | None, encoding: str) -> str:
    """Return the text of a value on one line, safe for a terminal.

    An object is shown by its name or id, and an array by its items.
    """
    return encodable(visible(_BREAKS.sub(" ", shown(value))), encoding)


def shown(value: bytes | None) -> str:
    """Return the text of a value.

    An object is shown by its name or id, and an array by its items.
    """
    if value is None:
        return ""
    if value.startswith(b"["):
        return ", ".join(shown(bytes(item)) for item in items(value))
    members = parts(value)
    if members is None:
        return text(value)
    name = _name(members)
    return shown(members[name]) if name else one_line(value).decode("utf-8")


def _name(members: Parts) -> str | None:
    return next(
        (name for name in NAMES if members.get(name, b"null") not in {b"null", b'""'}), None
    )


def is_time(value: bytes | None) -> bool:
    """Return whether a value is a time, which `cut` can shorten."""
    return value is not None and _TIME.fullmatch(text(value)) is not None


def _cut_middle(shown: str, size: int, sign: str) -> str:
    if width(shown) <= size or not shown.isascii():
        return text_width.cut(shown, size, sign)
    tail = (size - 1) // 2
    return shown[: size - 1 - tail] + sign + shown[len(shown) - tail :]


def cut(shown: str, size: int, sign: str) -> str:
    """Cut a text to `size` columns, like `text_width.cut`.

    A time is shortened to the minute or the day, without an ellipsis.
    """
    if size >= DAY and width(shown) > size and (time := _TIME.fullmatch(shown)):
        return f"{time[1]} {time[2]}Z" if size >= MINUTE else time[1]
    return text_width.cut(shown, size, sign)


class Table(RecordWriter):
    """Rows in columns, or a line for each field of a single record.

    The first page defines the columns and their widths. If the records are from several
    connections, a table on a terminal has the known columns, because the first page may
    be from any connection.
    """

    def __init__(self, style: Style, memory: WriterMemory) -> None:
        super().__init__(style, memory)
        widths = memory.get("widths")
        self._widths = widths and dict(widths)
        self._hidden = dict.fromkeys(memory.get("hidden", ()))
        self._begun = widths is not None
        self._group = ("", 0)
        """The connection of the last row, and how many successive rows are from this
        connection.
        """

    def prepare(self, slices: Iterable[Sequence[Record]]) -> None:
        """Choose columns and widths from the first records."""
        if self._widths is None and self._style.listing and any(slices):
            self._widths = self._measure(slices)

    # `one_line` is not needed, because cells are rewritten.
    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:  # noqa: ARG002
        """Yield the rows, and the header before the first row."""
        for lines in joined(
            f"{line}\n" for record in records for line in self._lines(_members(record))
        ):
            yield lines.encode(self._style.encoding, "backslashreplace")
        if self._widths is not None:
            self.memory |= {"widths": self._widths, "hidden": [*self._hidden]}

    def _lines(self, members: Parts) -> Iterator[str]:
        if not self._style.listing:
            yield from self._field_lines(members)
            return
        assert self._widths is not None  # noqa: S101  measured before the first line
        if not self._begun:
            self._begun = True
            yield from self._head(self._widths)
        if not self._style.columns and len(self._hidden) < _MOST_HIDDEN:
            self._hidden |= dict.fromkeys(key for key in members if key not in self._widths)
        if self._style.label is not None and self._style.width is not None:
            yield from self._blank_line_before(members)
        yield self._row(members)

    def _blank_line_before(self, members: Parts) -> Iterator[str]:
        label = self._cell(pick(members, next(iter(members), "")))
        last, rows = self._group
        if label != last and rows > 1:
            yield ""
        self._group = (label, rows + 1 if label == last else 1)

    def _head(self, sizes: Mapping[str, int]) -> Iterator[str]:
        sign = self._style.ellipsis
        heads = [cut(visible(column).upper(), size, sign) for column, size in sizes.items()]
        head = self._line(heads, sizes.values())
        yield f"\x1b[1m{head}\x1b[0m" if self._style.colour else head

    def _cell(self, value: bytes | None) -> str:
        return cell(value, self._style.encoding)

    def notes(self) -> Sequence[str]:
        """Return a note about the columns that are not shown."""
        if self._widths is None and self._style.listing:
            return ["no records"]
        hidden = excerpt(", ".join(self._hidden))
        remedy = (
            "there is no room for more columns"
            if self._style.columns
            else "--columns chooses the columns"
        )
        return [f"not shown: {hidden} ({remedy})"] if hidden else []

    def _field_lines(self, members: Parts) -> Iterator[str]:
        """Yield a line for each field.

        On a terminal, a long value is wrapped in its column. After a long name, the
        value begins on the next line.
        """
        columns, room = self._style.columns or [*members], self._style.width
        sizes = {column: width(visible(column)) for column in columns}
        size = max(
            (limit for limit in sizes.values() if room is None or limit <= room // 2), default=0
        )
        for column in columns:
            name, value = visible(column), self._cell(pick(members, column))
            if room is not None and sizes[column] > size:
                yield from text_width.wrapped(name, room, fold=True)
                name = ""
            values = (
                [value]
                if room is None
                else text_width.wrapped(value, max(room - size - GAP, GAP), fold=True)
            )
            for at, line in enumerate(values):
                yield f"{pad('' if at else name, size)}  {line}".rstrip()

    def _measure(self, slices: Iterable[Sequence[Record]]) -> dict[str, int]:
        style = self._style
        if style.width is not None and style.label is not None and self._expects(slices):
            # Put the id last, so that a short id does not leave a gap.
            names = [name for name in NAMES[:-1] if name in style.known]
            known = [
                name for name in (*style.first, *names, *style.known, "id") if name not in NEVER
            ]
            columns = style.columns or sorted(dict.fromkeys(known), key=is_id)
            found = expected(columns, style.label)
            ids = [column for column in columns if is_id(column) and not column.startswith("_")]
            for column in ids:
                # Ids of other connections may be longer. Rows with longer ids have
                # narrower cells in the other columns.
                seen = (width(self._cell(pick(member, column))) for member in _all_members(slices))
                found.natural[column] = max(width(visible(column)), *seen, 0)
            return self._fitting_columns(found, style.width)
        columns = style.columns or self._candidates(slices)
        natural = {column: width(visible(column)) for column in columns}
        found = Measured(natural, {column for column in columns if is_id(column)}, set())
        for members in _all_members(slices):
            for column in columns:
                value = pick(members, column)
                natural[column] = max(natural[column], width(self._cell(value)))
                if column not in found.fixed and shows_id(value):
                    found.fixed.add(column)
                if column not in found.times and is_time(value):
                    found.times.add(column)
        return natural if style.width is None else self._fitting_columns(found, style.width)

    def _expects(self, slices: Iterable[Sequence[Record]]) -> bool:
        style = self._style
        if style.columns or not style.known:
            return bool(style.columns)
        return style.expects({name for members in _all_members(slices) for name in members})

    def _candidates(self, slices: Iterable[Sequence[Record]]) -> list[str]:
        style = self._style
        ahead = AHEAD if style.width is None else AHEAD_ON_SCREEN
        return candidates(_all_members(slices), style.known, (*style.first, *ahead))

    def _fitting_columns(self, measured: Measured, room: int) -> dict[str, int]:
        if not self._style.columns:
            return fit(measured, room)
        widths = share(measured, room)
        self._hidden = dict.fromkeys(column for column in measured.natural if column not in widths)
        return widths

    def _line(self, cells: Iterable[str], sizes: Iterable[int]) -> str:
        return (
            (" " * GAP)
            .join(pad(cell, size) for cell, size in zip(cells, sizes, strict=True))
            .rstrip()
        )

    def _row(self, members: Parts) -> str:
        """Return a record's cells, cut to their columns.

        Ids are never cut, so long ids narrow the other cells.
        """
        assert self._widths is not None  # noqa: S101  measured before the first line
        values = [pick(members, column) for column in self._widths]
        cells, sizes = (
            [self._cell(value) for value in values],
            [*self._widths.values()],
        )
        room = self._style.width
        if room is None:
            return self._line(cells, sizes)
        whole = [
            is_id(column) or shows_id(value)
            for column, value in zip(self._widths, values, strict=True)
        ]
        wide = [
            max(0, width(one) - size) if is_whole else 0
            for one, size, is_whole in zip(cells, sizes, whole, strict=True)
        ]
        if any(wide):
            sizes = [size + more for size, more in zip(sizes, wide, strict=True)]
            # Use the empty space in other columns before cutting words.
            filled = [min(size, width(cell)) for cell, size in zip(cells, sizes, strict=True)]
            sizes = narrow(sizes, filled, room)
            sizes = narrow(
                sizes,
                [size if is_whole else 1 for size, is_whole in zip(sizes, whole, strict=True)],
                room,
            )
        shown = zip(cells, sizes, whole, strict=True)
        return self._line(
            [
                one
                if is_whole
                else _cut_middle(one, size, self._style.ellipsis)
                if column.startswith("_")
                else cut(one, size, self._style.ellipsis)
                for column, (one, size, is_whole) in zip(self._widths, shown, strict=True)
            ],
            sizes,
        )


def _all_members(slices: Iterable[Sequence[Record]]) -> Iterator[Parts]:
    return map(_members, chain.from_iterable(slices))


def _members(record: Record) -> Parts:
    members = parts(record)
    return {"value": bytes(record)} if members is None else members
