"""The first line of a journal: of what kind of work it is, and which version of this program can read it."""

from collections.abc import Container
from enum import Enum
from pathlib import Path
from typing import Protocol, TypeVar

from unified_cli.errors import StateError
from unified_cli.storage import state

VERSION = 1


class RunKind(Enum):
    """What kind of work a run is; those of an import, an export and a plan only say where it keeps its state."""

    FAN_OUT = "fan-out"
    LINES = "lines"
    AGENT = "agent"
    IMPORT = "import"
    EXPORT = "export"
    APPLY = "apply"

    @property
    def unit(self) -> str:
        """What one call of it is called."""
        return {RunKind.FAN_OUT: "connection", RunKind.LINES: "record"}.get(self, "call")


class JournalHeader(Protocol):
    """What the first lines of all journals have; those of older versions have no kind."""

    v: int

    @property
    def kind(self) -> RunKind | None:
        """What the journal is of."""


HeaderT = TypeVar("HeaderT", bound=JournalHeader)


def read(
    line: bytes, path: Path, form: type[HeaderT], kinds: Container[RunKind | None], *, hint: str | None = None
) -> HeaderT:
    """The first line of a journal of one of these kinds. Raises StateError where it is none, or of a later version."""
    found = state.decoded(line, form)
    if found is None or found.kind not in kinds:
        raise StateError(f"{path} is damaged in line 1, or no such journal", hint=hint)
    if found.v != VERSION:
        raise StateError(f"{path} was written by another version of this program", hint=hint)
    return found
