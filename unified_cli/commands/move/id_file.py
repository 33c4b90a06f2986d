"""Read and write the file of `--ids`: a header with the two connections, then a pair of
ids on each line.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import msgspec

from unified_cli import os_limits
from unified_cli.cli.prompt import Asking
from unified_cli.commands.move.side import Identity, SideFacts
from unified_cli.errors import StateError, StorageError
from unified_cli.json_text.members import text
from unified_cli.storage import permissions, regular_file, state
from unified_cli.storage.append_file import AppendFile
from unified_cli.storage.atomic_file import AtomicFile

VERSION = 1
_REMEDY = 'each line is {"resource": "API/RESOURCE", "from": ID, "to": ID}'


class IdPair(msgspec.Struct, rename={"old": "from", "new": "to"}):
    """The `old` and `new` id of a record, each a string or a number, and its resource
    as API/RESOURCE.
    """

    resource: str
    old: str | int
    new: str | int


class IdMap:
    """Maps resources and old ids to new ids. The string "1" and the number 1 count as
    the same id.
    """

    def __init__(self, pairs: Iterable[IdPair] = ()) -> None:
        self._found: dict[tuple[str, str], bytes] = {}
        for pair in pairs:
            self.add(pair)

    def add(self, pair: IdPair) -> bool:
        """Add a pair. Returns False if the record has a different new id."""
        new = msgspec.json.encode(pair.new)
        return self._found.setdefault((pair.resource, str(pair.old)), new) == new

    def new_id(self, resource: str, old: bytes) -> bytes | None:
        """Return the new id for an old one, or None.

        Both are JSON text.
        """
        return self._found.get((resource, text(old)))


class IdHeader(
    msgspec.Struct, frozen=True, rename={"version": "unified_ids", "source": "from", "target": "to"}
):
    """The first line: the connections of the old and the new ids.

    A connection is None if it is unknown, for example for an NDJSON file.
    """

    version: int
    source: Identity | None
    target: Identity | None

    @classmethod
    def from_sides(cls, source: SideFacts, target: SideFacts) -> Self:
        """Return the header for these two sides."""
        return cls(VERSION, source.identity, target.identity)

    @property
    def line(self) -> str:
        """The header as a line of the file."""
        return msgspec.json.encode(self).decode()

    @property
    def in_words(self) -> str:
        """Both connections, for error messages."""
        return f"from {_identity_in_words(self.source)} to {_identity_in_words(self.target)}"


@dataclass(slots=True)
class _Content:
    """The content of a file. `first` is true if it has a complete line."""

    ids: IdMap = field(default_factory=IdMap)
    header: IdHeader | None = None
    first: bool = False
    torn: bool = False


def read(path: Path, wanted: IdHeader, asking: Asking) -> IdMap:
    """Return the ids in a file, or no ids if the file is missing.

    If the file has no header, asks the user to confirm the connections, and adds the
    header. Raises StateError if the file belongs to other connections or has an invalid
    line, and StorageError if it cannot be read or written.
    """
    try:
        found = _content(path)
        if found.torn:
            note = "left out: applying the plan again adds the pair"
            asking.note(f"{path}: the last line was cut off when it was written, and is {note}")
        if found.header is None and found.first:
            _adopt(path, wanted, asking)
    except FileNotFoundError:
        os_limits.absolute(path)
        return IdMap()
    except regular_file.NotRegularError:
        raise state.not_regular(path, "move it away") from None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None
    if found.header not in {None, wanted}:
        assert found.header is not None  # noqa: S101  checked in the line before
        message = (
            f"{path} holds ids {found.header.in_words}, but this run needs ids {wanted.in_words}"
        )
        raise StateError(
            message, hint="nothing was sent; use one file with --ids for each pair of connections"
        )
    return found.ids


def _content(path: Path) -> _Content:
    """Read the file.

    Raises ConfigError if another user may have written the file, StateError if it has
    an invalid line, and OSError if reading fails.
    """
    result = _Content()
    with os.fdopen(regular_file.descriptor(path, follow=True), "rb") as lines:
        permissions.check_with_folder(path, os.fstat(lines.fileno()))
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            header = state.decoded(line, IdHeader) if number == 1 else None
            pair = state.decoded(line, IdPair) if header is None else None
            if header is not None and header.version != VERSION:
                raise StateError(f"{path} was written by another version of this program")
            if pair is not None and not result.ids.add(pair):
                raise StateError(
                    f"{path}, line {number}: {pair.resource} {pair.old} has two new ids"
                )
            if header is None and pair is None:
                if line.endswith(b"\n"):
                    raise StateError(f"{path}, line {number} is not a pair of ids", hint=_REMEDY)
                # A crash can leave a partial last line. Ignore it, because the journal
                # of that run has the pair.
                result.torn = True
                continue
            result.first, result.header = True, header or result.header
    return result


def _adopt(path: Path, wanted: IdHeader, asking: Asking) -> None:
    """Add the header to an older file if the user agrees.

    Raises StateError without the user's consent, and OSError if writing fails.
    """
    unknown = f"{path} does not say which connections its ids belong to"
    if asking.ask is None or not asking.ask(f"{unknown}: are the ids {wanted.in_words}?"):
        raise StateError(
            unknown,
            hint=(
                f"nothing was sent; if they are {wanted.in_words}, add the first line {wanted.line}"
            ),
        )
    place = os_limits.resolve_path(path)
    content = place.read_bytes()
    with AtomicFile.beside(place) as file:
        file.write(f"{wanted.line}\n".encode() + content)
        file.publish(place, replace=True)
    asking.note(f"{path}: added a first line that names the connections")


def _identity_in_words(identity: Identity | None) -> str:
    return f"account {identity.account} at {identity.origin}" if identity else "a file"


class IdFile:
    """An open file of ids to append to; a context manager."""

    def __init__(self, path: Path, header: IdHeader) -> None:
        """Open the file.

        Raises StateError if it is not a regular file, and StorageError if it cannot be
        opened.
        """
        self._path = path
        self._file = AppendFile(path)
        try:
            self._file.open(missing_ok=True)
            self._file.sync_name()
            self._end_last_line()
            if not self._file.size:
                self._file.append(f"{header.line}\n".encode())
        except regular_file.NotRegularError:
            raise state.not_regular(path, "move it away") from None
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror}") from None

    def _end_last_line(self) -> None:
        size = self._file.size
        with self._file.reader() as content:
            whole = sum(len(line) for line in content if line.endswith(b"\n"))
        last = self._file.read(size - whole, whole)
        if whole < size and not (state.decoded(last, IdPair) or state.decoded(last, IdHeader)):
            self._file.cut(whole)
        elif whole < size:
            self._file.append(b"\n")

    def append(self, pairs: Iterable[IdPair]) -> None:
        """Append pairs, and sync them to disk. Raises StorageError."""
        lines = b"".join(msgspec.json.encode(pair) + b"\n" for pair in pairs)
        try:
            if lines:
                self._file.append(lines)
                self._file.sync()
        except OSError as error:
            raise StorageError(f"cannot write {self._path}: {error.strerror}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
