"""Prepare records for a writer: add a label, run a jq program, choose columns, and
check for columns that no record has.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING

from unified_cli.errors import UsageError
from unified_cli.json_text.members import Record, parts, slices
from unified_cli.json_text.record_columns import paths, pick, project
from unified_cli.json_text.record_label import label, relabel
from unified_cli.masking import excerpt
from unified_cli.output.record_writer import RecordWriter, Style, WriterMemory

if TYPE_CHECKING:
    from unified_cli.output.jq_program import JqProgram

_MOST_NAMES = 500
_SEPARATOR = re.compile(r"[;|\s]+")


class ColumnCheck:
    """Finds chosen columns that no record has."""

    def __init__(
        self, columns: Sequence[str] = (), known: Sequence[str] = (), *, required: bool = True
    ) -> None:
        """If `required`, it is an error if no record has any of the columns."""
        self.unseen = [*dict.fromkeys(columns)]
        self._required = required
        self._asked_for = len(self.unseen)
        self._known = known
        self._names: dict[str, None] = {}
        self._records = False

    @classmethod
    def from_style(cls, style: Style) -> "ColumnCheck":
        """Return the check for the chosen columns of a style. It ignores the columns
        that this program adds.
        """
        chosen = style.columns if style.format.fields else ()
        return cls([column for column in chosen if column not in style.first], style.known)

    def observe(self, records: Sequence[Record]) -> None:
        """Check some records."""
        for record in records:
            if not self.unseen:
                return
            members = parts(record)
            if members is None:
                continue
            self._records = True
            self.unseen = [column for column in self.unseen if pick(members, column) is None]
            if self.unseen and len(self._names) < _MOST_NAMES:
                self._names |= dict.fromkeys(paths(members))

    def resume(self, unseen: Sequence[str]) -> None:
        """Continue an earlier run, which did not find these columns."""
        self.unseen = [column for column in self.unseen if column in unseen]
        self._records = True

    @property
    def found_nothing(self) -> bool:
        """Whether there were records, but none of them has any of the columns."""
        return self._records and 0 < len(self.unseen) == self._asked_for

    def error(self) -> UsageError | None:
        """Return the error if the columns are required and no record has any of
        them.
        """
        if not (self._required and self.found_nothing):
            return None
        which = "the column" if self._asked_for == 1 else "any of the columns"
        named = ", ".join(f'"{column}"' for column in self.unseen)
        close = [
            f'"{excerpt(column)}"'
            for column in dict.fromkeys(map(self._closest, self.unseen))
            if column
        ]
        hint = f"did you mean {', '.join(close)}?" if close else self._available()
        if any(_SEPARATOR.search(column) for column in self.unseen):
            hint = (
                "commas separate columns: --columns"
                f" {excerpt(_SEPARATOR.sub(',', ','.join(self.unseen)))}"
            )
        return UsageError(f"no record has {which} {excerpt(named)}", hint=hint)

    def notes(self) -> Sequence[str]:
        """Return a line for each column that no record has."""
        return [self._note(column) for column in self.unseen] if self._records else []

    def misspelt(self) -> Sequence[str]:
        """Return a line for each missing column that resembles an existing one."""
        wrong = [
            column for column in self.unseen if column not in self._known and self._closest(column)
        ]
        return [self._note(column) for column in wrong] if self._records else []

    def _note(self, column: str) -> str:
        message = f'no record has the column "{excerpt(column)}"'
        if column in self._known:
            return message
        close = self._closest(column)
        hint = f'did you mean "{excerpt(close)}"?' if close else self._available()
        return f"{message} ({hint})" if hint else message

    def _closest(self, column: str) -> str | None:
        close = get_close_matches(column, self._names, 1) or get_close_matches(
            column, self._known, 1
        )
        return close[0] if close else None

    def _available(self) -> str | None:
        names = ", ".join(name for name in self._names if "." not in name)
        return f"the columns are {excerpt(names)}" if names else None


class Transform:
    """Adds the label to records, runs the program, and chooses the columns, in this
    order.

    `check` gets the records before columns are chosen.
    """

    def __init__(
        self,
        program: "JqProgram | None" = None,
        columns: Sequence[str] = (),
        check: ColumnCheck | None = None,
    ) -> None:
        self._program = program
        self._columns = columns
        self.check = check or ColumnCheck()

    def apply(self, records: Sequence[Record], profile: str | None = None) -> Sequence[Record]:
        """Return the records to write.

        `profile` is added to each record as its first member.
        """
        if profile is not None:
            records = label(records, profile)
        if self._program:
            records = self._program.run_each(records)
            records = records if profile is None else relabel(records, profile)
        self.check.observe(records)
        if self._columns:
            records = [project(record, self._columns) for record in records]
        return records

    def slices(
        self, records: Sequence[Record], profile: str | None = None, *, large: bool
    ) -> Iterable[Sequence[Record]]:
        """Return the records to write, in slices if they are `large`. The slices can be
        iterated more than once.
        """
        return _Slices(self, records, profile) if large else [self.apply(records, profile)]

    def notes(self) -> Sequence[str]:
        """Return warnings about changed values, and about columns that no record
        has.
        """
        return [*(self._program.notes() if self._program else ()), *self.check.notes()]

    def missing_parts(self) -> Sequence[str]:
        """Return a sentence about the records that were left out, or nothing."""
        return self._program.missing_parts() if self._program else ()


class _Slices:
    def __init__(
        self, transform: Transform, records: Sequence[Record], profile: str | None
    ) -> None:
        self._transform = transform
        self._records = records
        self._profile = profile

    def __iter__(self) -> Iterator[Sequence[Record]]:
        return (self._transform.apply(part, self._profile) for part in slices(self._records))


def writer(style: Style, memory: WriterMemory | None = None) -> RecordWriter:
    """Return the writer of a format, which continues from `memory`. Raises UsageError
    for `raw`.
    """
    module, _, name = style.format.writer.partition(":")
    if not module:
        raise UsageError(
            f"-o {style.format} prints one response unchanged, so records cannot be selected from"
            " it (use -o json)"
        )
    made: RecordWriter = getattr(import_module(f"unified_cli.output.{module}"), name)(
        style, memory or {}
    )
    return made
