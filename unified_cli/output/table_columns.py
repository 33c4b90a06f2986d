"""Choose the columns of a table that fit, and their widths."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from unified_cli.json_text.members import Parts
from unified_cli.masking import visible
from unified_cli.output.terminal import GAP, is_id, narrow, total_width
from unified_cli.text_width import width

NAMES = ("name", "title", "subject", "display_name", "label", "email", "id")
# Members that never become columns, because the provider's raw data is too large.
NEVER = {"remote_data"}
_EARLY = (
    "id",
    *NAMES[:-1],
    "first_name",
    "last_name",
    "file_name",
    "created_at",
    "status",
    "type",
    "priority",
)
AHEAD = ("id", "created_at", "updated_at")
AHEAD_ON_SCREEN = ("id", *NAMES[:-1], "created_at", "updated_at")
_LATE = ("updated_at", "etag")
_WIDEST, _NAME, _NARROWEST, _LEAST, _FEW = 60, 24, 10, 4, 3
_WHOLE_NAME = 36
# The assumed widths before the first record: an id is a UUID, and a time has seconds.
_UUID, _SHORT, _LONG, _SECOND = 36, 12, 20, len("2026-01-01T12:00:00Z")
_TIMES = ("_at", "_time", "_date")
MINUTE, DAY = len("2026-01-01 12:00Z"), len("2026-01-01")


def candidates(members: Iterable[Parts], known: Sequence[str], ahead: Sequence[str]) -> list[str]:
    """Return the known columns that occur in the data, or all columns if no column is
    known. The columns in `ahead` are first.
    """
    full: dict[str, None] = {}
    for member in members:
        full |= {
            key: None for key, value in member.items() if value != b"null" and key not in NEVER
        }
    found = [key for key in known if key in full] or [*full]
    return [*dict.fromkeys([*(key for key in ahead if key in full), *found])] or ["value"]


class Measured(NamedTuple):
    """The columns and the `natural` widths of their data. `fixed` are the columns with
    ids, and `times` the columns with times.
    """

    natural: dict[str, int]
    fixed: set[str]
    times: set[str]


def fit(measured: Measured, room: int) -> dict[str, int]:
    """Return the columns that fit, in order, and their widths.

    Names are chosen before times. Names get their complete width before less important
    columns are added. Ids are not narrowed. Times are shown as days, or as minutes if
    there is room.
    """
    natural = measured.natural
    floor = {column: _floor(column, size, measured, room) for column, size in natural.items()}
    chosen: set[str] = set()
    for column in sorted(natural, key=_rank):
        if column in NAMES and column not in measured.fixed and chosen:
            # Narrow a name instead of leaving it out.
            floor[column] = min(floor[column], max(room - GAP, _NARROWEST))
        is_late = column not in _EARLY and not column.startswith("_")
        reserved = (
            sum(_lacking_name(column, measured, floor) for column in chosen) if is_late else 0
        )
        if not chosen or floor[column] + GAP + reserved <= room:
            room -= floor[column] + (GAP if chosen else 0)
            chosen.add(column)
    wanted = {
        column: 0 if column in measured.times else min(size, _WIDEST) - floor[column]
        for column, size in natural.items()
        if column in chosen
    }
    # First widen columns that lack a few letters, then names, then the others.
    for column in sorted(
        wanted, key=lambda column: (wanted[column] > _FEW, column not in NAMES, wanted[column])
    ):
        more = max(0, min(wanted[column], room))
        floor[column] += more
        room -= more
    for column in wanted:
        if (
            column in measured.times
            and (more := min(natural[column], MINUTE) - floor[column]) <= room
        ):
            floor[column] += more
            room -= more
    return {column: floor[column] for column in wanted}


def _lacking_name(column: str, measured: Measured, floor: Mapping[str, int]) -> int:
    """Return how much wider a column should be before other columns are added.

    Returns 0 unless the column has names.
    """
    if column not in NAMES or column in measured.fixed:
        return 0
    return max(0, min(measured.natural[column], _WHOLE_NAME) - floor[column])


def _floor(column: str, size: int, measured: Measured, room: int) -> int:
    if column in measured.fixed:
        return size
    if column.startswith("_"):
        return min(size, _most_label_width(room))
    if column in measured.times:
        return min(size, max(width(visible(column)), DAY))
    return min(size, max(width(visible(column)), _NAME if column in NAMES else _NARROWEST))


def _most_label_width(room: int) -> int:
    return max(room // 2, _NARROWEST)


def share(measured: Measured, room: int) -> dict[str, int]:
    """Return the widths of all columns, narrowed to fit.

    Times are shortened to days first, and ids are not narrowed. If the columns still do
    not fit, the last columns are left out.
    """
    times = measured.times
    least = {
        column: size
        if column in measured.fixed
        else min(
            size,
            DAY
            if column in times
            else _most_label_width(room)
            if column.startswith("_")
            else _LEAST,
        )
        for column, size in measured.natural.items()
    }
    while len(least) > 1 and total_width(least.values()) > room:
        least.popitem()
    most = {
        column: min(measured.natural[column], MINUTE)
        if column in times
        else measured.natural[column]
        for column in least
    }
    for column in reversed([column for column in least if column in times]):
        if total_width(most.values()) > room:
            most[column] = least[column]
    return dict(zip(least, narrow([*most.values()], [*least.values()], room), strict=True))


def expected(columns: Sequence[str], label: int) -> Measured:
    """Return the expected widths, before the first record. `label` is the width of
    connection names.
    """
    sizes: dict[str, int] = {}
    for column in columns:
        if column.startswith("_"):
            size = label
        elif is_id(column):
            size = _UUID
        elif column in NAMES:
            size = _WIDEST
        else:
            size = _SECOND if column.endswith(_TIMES) else _SHORT if column in _EARLY else _LONG
        sizes[column] = max(size, width(visible(column)))
    return Measured(
        sizes, {*filter(is_id, columns)}, {column for column in columns if column.endswith(_TIMES)}
    )


def _rank(column: str) -> int:
    # This program adds the columns that begin with an underscore.
    if column.startswith("_"):
        return -1
    if column in _EARLY:
        return _EARLY.index(column)
    return len(_EARLY) + (1 if column in _LATE else 0)
