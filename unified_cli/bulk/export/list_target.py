"""What a list is written to, page by page."""

from collections.abc import Callable, Iterator
from typing import BinaryIO, Protocol

from unified_cli.bulk.export.checkpoint import Checkpoint
from unified_cli.bulk.export.increments import Mark
from unified_cli.errors import StateError

Convert = Callable[[BinaryIO, Callable[[bytes], None]], None]
"""Reads lines of NDJSON from the one, and sends the bytes of another format to the other."""


class TakenOverError(StateError):
    """Another run writes to the same place: this one was taken for dead, and has to stop."""

    def __init__(self, place: str) -> None:
        super().__init__(f"another run writes to {place}, and has taken over from this one")


class ListTarget(Protocol):
    """The pages of one list, which are kept whatever ends the process; methods raise what the place raises.

    `state` says how far they go.
    """

    state: Checkpoint

    def open(self, *, force: bool, restart: bool = False, keep: bool = False) -> None:
        """Go on where an earlier run stopped, or begin; `restart` forgets it, but with `keep` not what it wrote.

        Raises StateError for an earlier run with other options, a damaged one, and one under way.
        """

    @property
    def is_published(self) -> bool:
        """Whether an earlier run came to the end."""

    def lines(self) -> Iterator[bytes]:
        """What was written so far, line by line."""

    def mark(self, lag: float) -> Mark:
        """How far the records that were written go in time."""

    def append(self, data: bytes) -> None:
        """Add a part of a page, which is forgotten unless `count` follows."""

    def count(self, state: Checkpoint) -> None:
        """Note that the page is whole; `state` is what follows from it, bytes and hash aside."""

    def keep(self) -> None:
        """Make all pages so far safe."""

    def publish(self, end: bytes, *, force: bool) -> None:
        """Write the end and make the whole list known."""

    def tidy(self) -> None:
        """Remove what only an unfinished list needs, and close it."""

    def abandon(self) -> None:
        """Remove what was begun and holds nothing."""

    def close(self) -> None:
        """Let go of the list; an unfinished one stays for the next run."""
