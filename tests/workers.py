"""The order in which a worker of pytest-xdist reads the test files."""

from collections.abc import Sequence
from typing import TypeVar

FileT = TypeVar("FileT")


def reading_order(files: Sequence[FileT], number: int, workers: int) -> list[FileT]:
    """Return the files as worker `number` of `workers` reads them: each begins with
    others, because in a fresh clone each would compile them all.
    """
    first = len(files) * number // workers
    return [*files[first:], *files[:first]]
