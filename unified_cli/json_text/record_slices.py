"""The records of a page in slices, so that what is made of them never takes the memory of a whole page."""

from collections.abc import Iterator, Sequence
from typing import overload

from unified_cli.json_text import surrogates
from unified_cli.json_text.members import Record

SIZE = 1024 * 1024
"""Bytes of records that are worked on at once."""


def slices(records: Sequence[Record], size: int = SIZE) -> Iterator[Sequence[Record]]:
    """The records in slices that end where they reach so many bytes."""
    part: list[Record] = []
    taken = 0
    for record in records:
        part.append(record)
        taken += len(memoryview(record))
        if taken >= size:
            yield part
            part, taken = [], 0
    if part:
        yield part


class MarkedRecords(Sequence[Record]):
    """Records in which a mark stands for halves of surrogate pairs; each is restored when it is taken."""

    def __init__(self, records: Sequence[Record], mark: bytes) -> None:
        self._records = records
        self._mark = mark

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> "MarkedRecords": ...
    def __getitem__(self, index: int | slice) -> "Record | MarkedRecords":
        if isinstance(index, slice):
            return MarkedRecords(self._records[index], self._mark)
        return Record(surrogates.restore(bytes(self._records[index]), self._mark))
