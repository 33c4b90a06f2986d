"""The records of a page in slices, so that what is made of them never takes the memory of a whole page."""

from collections.abc import Iterator, Sequence

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
