"""Which columns of a table are shown, how wide, and the text of a cell."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from unified_cli.json_text.members import Parts, items, one_line, parts, text
from unified_cli.masking import visible
from unified_cli.output.text_columns import beginning, narrowed, width

_BREAKS = re.compile(r"[\t\r\n]+")
_NAMES = ("name", "title", "subject", "display_name", "label", "email", "id")
# The provider's raw data is too large for a table.
_NEVER = {"remote_data"}
_EARLY = ("id", "created_at", *_NAMES[:-1], "first_name", "last_name", "file_name", "status", "type", "priority")
_AHEAD = ("id", "created_at", "updated_at")
_LATE = ("updated_at", "etag")
_WIDEST, _NAME, _NARROWEST, _LEAST = 60, 24, 10, 4
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z")
_MINUTE, _DAY = len("2026-01-01 12:00Z"), len("2026-01-01")
GAP = 2


def candidates(members: Iterable[Parts], known: Sequence[str], first: Sequence[str]) -> list[str]:
    """The known columns that the data has, else all that it has; `first`, the id and the dates come first."""
    full: dict[str, None] = {}
    for one in members:
        full |= {key: None for key, value in one.items() if value != b"null" and key not in _NEVER}
    found = [key for key in known if key in full] or [*full]
    ahead = [key for key in (*first, *_AHEAD) if key in full]
    return [*dict.fromkeys([*ahead, *found])] or ["value"]


class Measured(NamedTuple):
    """The columns with the widths that their data would take; those in `fixed` hold ids, those in `times` times."""

    natural: dict[str, int]
    fixed: set[str]
    times: set[str]


def fit(found: Measured, room: int) -> dict[str, int]:
    """The columns that fit, in their order, and their widths; ids are not narrowed, times to minutes.

    Names are chosen before times other than `created_at`.
    """
    natural = found.natural
    floor = {column: _floor(column, size, found) for column, size in natural.items()}
    chosen: set[str] = set()
    for column in sorted(natural, key=_rank):
        if column in _NAMES and column not in found.fixed and chosen:
            # A name takes less than it should before it is left out.
            floor[column] = min(floor[column], max(room - GAP, _NARROWEST))
        if not chosen or floor[column] + GAP <= room:
            room -= floor[column] + (GAP if chosen else 0)
            chosen.add(column)
    wanted = {
        column: 0 if column in found.times else min(size, _WIDEST) - floor[column]
        for column, size in natural.items()
        if column in chosen
    }
    # Those that lack the least are made whole first.
    for column in sorted(wanted, key=wanted.__getitem__):
        more = max(0, min(wanted[column], room))
        floor[column] += more
        room -= more
    return {column: floor[column] for column in wanted}


def _floor(column: str, size: int, found: Measured) -> int:
    if column in found.fixed:
        return size
    if column in found.times:
        return min(size, _MINUTE)
    return min(size, max(width(visible(column)), _NAME if column in _NAMES else _NARROWEST))


def share(found: Measured, room: int) -> dict[str, int]:
    """The widths of all columns, narrowed until they fit; ids are not. The last columns are left out if they cannot."""
    times = found.times
    least = {
        column: size if column in found.fixed else min(size, _DAY if column in times else _LEAST)
        for column, size in found.natural.items()
    }
    while len(least) > 1 and sum(least.values()) + GAP * (len(least) - 1) > room:
        least.popitem()
    most = {
        column: min(found.natural[column], _MINUTE) if column in times else found.natural[column] for column in least
    }
    widths = narrowed([*most.values()], [*least.values()], room)
    # Where no minutes fit, a time takes no more than a day does, and the others share what is left.
    days = {column for column, size in zip(least, widths, strict=True) if column in times and size < most[column]}
    most |= {column: least[column] for column in days}
    return dict(zip(least, narrowed([*most.values()], [*least.values()], room), strict=True))


def _rank(column: str) -> int:
    # Columns that were added to the records begin with an underscore.
    if column.startswith("_"):
        return -1
    if column in _EARLY:
        return _EARLY.index(column)
    return len(_EARLY) + (1 if column in _LATE else 0)


def is_id(column: str) -> bool:
    """Whether a column holds ids, which are never cut."""
    return column == "id" or column.endswith("_id")


def shows_id(value: bytes | None) -> bool:
    """Whether an object is shown by its id because it has no name."""
    members = parts(value) if value is not None else None
    return members is not None and _name(members) == "id"


def cell(value: bytes | None) -> str:
    """A value on one line that is safe on a terminal: an object by its name or id, an array by its items."""
    return visible(_BREAKS.sub(" ", _shown(value)))


def _shown(value: bytes | None) -> str:
    if value is None:
        return ""
    if value.startswith(b"["):
        return ", ".join(_shown(bytes(item)) for item in items(value))
    members = parts(value)
    if members is None:
        return text(value)
    name = _name(members)
    return _shown(members[name]) if name else one_line(value).decode("utf-8")


def _name(members: Parts) -> str | None:
    return next((name for name in _NAMES if members.get(name, b"null") not in {b"null", b'""'}), None)


def is_time(value: bytes | None) -> bool:
    """Whether a value is a time that can be shown shorter."""
    return value is not None and _TIME.fullmatch(text(value)) is not None


def cut(shown: str, size: int, sign: str) -> str:
    """As much of the text as fits into so many columns, with a sign at its end where something is missing.

    Of a time the minute remains, or the day, which need no sign.
    """
    if width(shown) <= size:
        return shown
    if size >= _DAY and (time := _TIME.fullmatch(shown)):
        return f"{time[1]} {time[2]}Z" if size >= _MINUTE else time[1]
    return beginning(shown, size - width(sign)) + sign
