"""What is done to records before they are written: a jq program, for each or for all, a label, a choice of columns."""

from collections.abc import Iterable, Iterator, Sequence

from unified_cli.json_text.members import Record, slices
from unified_cli.json_text.record_columns import project
from unified_cli.json_text.record_label import label, relabel
from unified_cli.output.column_check import ColumnCheck
from unified_cli.output.jq_programs.jq_program import JqProgram


class Transform:
    """Applied to records in this order: the label, the program, the choice of columns.

    `check` is told of the records that the columns are chosen from, here or by a writer.
    """

    def __init__(
        self, program: JqProgram | None = None, columns: Sequence[str] = (), check: ColumnCheck | None = None
    ) -> None:
        self._program = program
        self._columns = columns
        self.check = check or ColumnCheck()

    def apply(self, records: Sequence[Record], profile: str | None = None) -> Sequence[Record]:
        """The records to write; `profile` is the connection that each names in its first member."""
        if profile is not None:
            records = label(records, profile)
        if self._program:
            records = [Record(text) for text in self._program.texts(map(bytes, records))]
            records = records if profile is None else relabel(records, profile)
        self.check.look(records)
        if self._columns:
            records = [project(record, self._columns) for record in records]
        return records

    def slices(
        self, records: Sequence[Record], profile: str | None = None, *, large: bool
    ) -> Iterable[Sequence[Record]]:
        """The same, in slices if the records are `large`: they are made anew each time they are gone through."""
        return _Slices(self, records, profile) if large else [self.apply(records, profile)]

    def remarks(self) -> Sequence[str]:
        """What may differ from what was served, and the columns that no record has."""
        return [*(self._program.remarks() if self._program else ()), *self.check.remarks()]


class _Slices:
    def __init__(self, transform: Transform, records: Sequence[Record], profile: str | None) -> None:
        self._transform = transform
        self._records = records
        self._profile = profile

    def __iter__(self) -> Iterator[Sequence[Record]]:
        return (self._transform.apply(part, self._profile) for part in slices(self._records))
