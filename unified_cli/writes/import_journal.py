"""Write and read the journal of an import, which is beside its input file.

The journal records the input, its destination, and the outcome of each record.
"""

import contextlib
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from unified_cli.errors import StateError, UnifiedError
from unified_cli.storage import state
from unified_cli.storage.append_file import MemoryFile
from unified_cli.storage.file_lock import HeldLock
from unified_cli.writes import journal as journals
from unified_cli.writes.entry import VERSION, RunKind, read_header
from unified_cli.writes.journal import Journal

_KINDS = (RunKind.IMPORT,)
SUFFIX = ".unified-journal"
"""The suffix of the journal's name, after the name of the input."""
_REMEDY = (
    "nothing was sent; restore the journal from a backup, or use --restart to send every record"
    " again with new keys"
)


def lock_of(source: Path, instead: str) -> HeldLock:
    """Return the lock of the journal beside an input. `instead` is the hint for the
    case that the disk does not support locks.
    """
    return HeldLock(source.with_name(f"{source.name}{SUFFIX}.lock"), instead)


class ImportHeader(msgspec.Struct):
    """The first line of the journal: the input, its destination, and the version of the
    program that began the import.

    `import_id` makes the idempotency keys of this import unique. `fingerprint` is a
    digest of everything that determines the requests.
    """

    import_id: str
    fingerprint: str
    size: int
    sha256: str
    version: str = ""
    kind: RunKind = RunKind.IMPORT
    v: int = VERSION
    choices: dict[str, str] | None = None
    """The values of the options that change the requests. "" means an option without a
    value. The journals of older versions have None.
    """


def path_of(source: Path) -> Path:
    """Return the path of the journal beside an input."""
    return source.with_name(source.name + SUFFIX)


def lacks_choices(source: Path) -> bool:
    """Return whether an older version wrote the journal. Older versions did not record
    the options that change the requests.
    """
    path = path_of(source)
    try:
        if path.is_symlink() or not path.is_file():
            return False
        with path.open("rb") as file:
            found = state.decoded(file.readline(state.LONGEST_LINE), ImportHeader)
    except OSError:
        # The error is raised again when the journal is opened.
        return False
    return found is not None and found.choices is None


class Counterpart(NamedTuple):
    """The fingerprint of a replay of this import.

    If this run is itself a replay, the fingerprint of the real import. `is_replay` says
    whether `fingerprint` is that of a replay.
    """

    fingerprint: str
    is_replay: bool


class ImportJournal(Journal):
    """An open journal of an import; `header` is the header in the file."""

    header: ImportHeader
    _other: Counterpart

    @classmethod
    def open(
        cls, path: Path, header: ImportHeader, other: Counterpart, *, highest: int, restart: bool
    ) -> "ImportJournal":
        """Open the journal of an input, or begin a new one.

        Begins a new journal if the file is missing, or if `restart` discards its
        content. A replay never discards the journal of a real import. `other` describes
        a replay of this import or, in a replay, the real import. `highest` is the
        number of the input's last record. The caller must hold the lock. Raises
        StateError if the journal belongs to another import or is damaged, and
        StorageError if the journal cannot be read or written.
        """
        journal = cls(journals.open_file(path, missing_ok=True), _REMEDY)
        journal.header, journal._other = header, other
        with journal.opening("use the journal"):
            journal._open(highest, restart=restart)
        return journal

    @classmethod
    def in_memory(cls, header: ImportHeader, *, highest: int) -> "ImportJournal":
        """Return a journal in memory, which is lost when the process ends."""
        journal = cls(MemoryFile(Path("(memory)")), _REMEDY)
        journal.header, journal.highest = header, highest
        journal.begin(header)
        return journal

    def _open(self, highest: int, *, restart: bool) -> None:
        def accept(line: bytes) -> int:
            self.header = self._matching(line, self.header)
            return highest

        if restart:
            self._check_restart()
            self._file.cut(0)
        if not self.load(accept):
            self.highest = highest
            self.begin(self.header)

    def _matching(self, line: bytes, given: ImportHeader) -> ImportHeader:
        result = read_header(line, self.path, ImportHeader, _KINDS, hint=_REMEDY)
        self._check_kind(result)
        self._check_choices(result.choices, given.choices)
        if result.fingerprint != given.fingerprint:
            # The header has only one digest of all these properties, so name all of
            # them.
            what = "another operation, connection, query or --map"
            hint = (
                "the same command as before resumes that import; --restart discards"
                " its journal, and sends everything"
                " again"
            )
            raise StateError(f"{self.path} belongs to an import with {what}", hint=hint)
        if (result.size, result.sha256) != (given.size, given.sha256):
            raise StateError(
                f"the input file has changed since the journal {self.path} was written",
                hint="--restart begins a new import",
            )
        return result

    def _check_choices(
        self, found: Mapping[str, str] | None, given: Mapping[str, str] | None
    ) -> None:
        """Raise StateError if the options differ from those in the journal. The hint
        names the options that resume the import.
        """
        if found is None or given is None:
            return
        other = {name: None for name in (*found, *given) if found.get(name) != given.get(name)}
        if not other:
            return
        were = " ".join(_words(name, found[name]) for name in other if name in found)
        without = " ".join(name for name in other if name not in found)
        what = " and ".join(
            [*([f"with {were}"] if were else []), *([f"without {without}"] if without else [])]
        )
        raise StateError(
            f"{self.path} belongs to an import {what}",
            hint=(
                f"the same command {what} resumes that import; --restart discards its"
                " journal, and sends everything"
                " again"
            ),
        )

    def check_choice_matters(self) -> None:
        """Raise StateError if an older version began the import and could not send any
        record.

        That version may have read the input in another format, and did not record the
        format in the journal.
        """
        if self.header.choices is None and self.settled and not self.has_sent:
            raise StateError(
                f"{self.path} belongs to an import that sent nothing, and may have read its input"
                " in another format",
                hint="--restart starts the import again",
            )

    def _check_restart(self) -> None:
        """Raise StateError if a replay would discard the journal of real writes."""
        if not self._other.is_replay:
            line = self._file.read(state.LONGEST_LINE, 0).partition(b"\n")[0]
            if (found := state.decoded(line, ImportHeader)) is not None:
                self._check_kind(found)

    def _check_kind(self, found: ImportHeader) -> None:
        """Raise StateError if the journal is of the other kind.

        A journal is either of a real import or of a replay.
        """
        if found.fingerprint != self._other.fingerprint:
            return
        if self._other.is_replay:
            message = "a replay of this import, which sent nothing"
            hint = "remove the journal or discard it with --restart to send all records"
        else:
            message, hint = (
                "the import itself, which a replay cannot continue",
                "replay it with a copy of its input",
            )
        raise StateError(f"{self.path} belongs to {message}", hint=hint)


def _words(option: str, value: str) -> str:
    return f"{option} {shlex.quote({chr(9): 'tab'}.get(value, value))}" if value else option


def open_to_read(path: Path) -> tuple[Journal, ImportHeader]:
    """Open the journal of an import for reading, and return the journal and its header.

    Raises StateError if the journal is damaged, and StorageError if reading fails.
    """
    found = ImportHeader("", "", 0, "")

    def highest(line: bytes) -> int:
        nonlocal found
        found = read_header(line, path, ImportHeader, _KINDS)
        # Each record has at least one byte, so there cannot be more records than bytes.
        return found.size

    return journals.open_to_read(path, _REMEDY, highest), found


def version_of(path: Path) -> str:
    """Return the version of the program that began an import. Returns "" for version
    0.1, which did not record its version.
    """
    with contextlib.suppress(UnifiedError), contextlib.closing(journals.open_file(path)) as file:
        line = file.read(state.LONGEST_LINE, 0).partition(b"\n")[0]
        return getattr(state.decoded(line, ImportHeader), "version", "")
    return ""
