"""Which columns of a table are shown, how wide, and the text of a cell."""

import re
from collections.abc import Iterable, Mapping, Sequence

from unified_cli.json_text.members import Parts, items, one_line, parts, text
from unified_cli.masking import visible
from unified_cli.output.text_columns import beginning, width

_BREAKS = re.compile(r"[\t\r\n]+")
_NAMES = ("name", "title", "subject", "display_name", "label", "email", "id")
# The provider's raw data is too large for a table.
_NEVER = {"remote_data"}
_EARLY = ("id", *_NAMES[:-1], "first_name", "last_name", "file_name", "status", "type", "priority")
_LATE = ("created_at", "updated_at", "etag")
_WIDEST, _NARROWEST = 60, 10
GAP = 2


def candidates(members: Iterable[Parts], known: Sequence[str], first: Sequence[str]) -> list[str]:
    """The known columns that the data has, else all that it has; `first` and the id come first."""
    full: dict[str, None] = {}
    for one in members:
        full |= {key: None for key, value in one.items() if value != b"null" and key not in _NEVER}
    found = [key for key in known if key in full]
    ahead = [key for key in (*first, "id") if key in full]
    return [*dict.fromkeys([*ahead, *(found or full)])] or ["value"]


def fit(natural: Mapping[str, int], fixed: set[str], room: int) -> dict[str, int]:
    """The columns that fit, in their order, and their widths; the `fixed` ones are not narrowed.

    Names are chosen before times.
    """
    floor = {
        column: size if column in fixed else min(size, max(width(visible(column)), _NARROWEST))
        for column, size in natural.items()
    }
    chosen: set[str] = set()
    for column in sorted(natural, key=_rank):
        if not chosen or floor[column] + GAP <= room:
            room -= floor[column] + (GAP if chosen else 0)
            chosen.add(column)
    widths = {}
    for column in natural:
        if column in chosen:
            more = max(0, min(min(natural[column], _WIDEST) - floor[column], room))
            widths[column] = floor[column] + more
            room -= more
    return widths


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


def cut(shown: str, size: int, sign: str) -> str:
    """As much of the text as fits into so many columns, with a sign at its end where something is missing."""
    if width(shown) <= size:
        return shown
    return beginning(shown, size - width(sign)) + sign
