"""Where a downloaded file goes: under a given name, or in a folder under the name that the service proposes."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from unified_cli.errors import StorageError
from unified_cli.masking import MaskedText
from unified_cli.storage import file_names, output_file
from unified_cli.storage.atomic_file import AtomicFile
from unified_cli.storage.output_file import OutputStream


class DownloadTarget(Protocol):
    """Where a file is to go."""

    @property
    def folder(self) -> Path:
        """The folder it will be in, which must exist."""

    @property
    def label(self) -> str:
        """What it is called until it has its name."""

    def publish(self, file: AtomicFile, proposals: tuple[MaskedText, ...], sha256: str) -> Path:
        """Give the file of this checksum its name, for which there are proposals, the best first.

        Raises StorageError, OSError.
        """


@dataclass(frozen=True, slots=True)
class TargetFile:
    """The file of this name."""

    path: Path
    force: bool

    @property
    def folder(self) -> Path:
        """The folder it is in."""
        return self.path.parent

    @property
    def label(self) -> str:
        """Its name."""
        return self.path.name

    def publish(self, file: AtomicFile, proposals: tuple[MaskedText, ...], sha256: str) -> Path:  # noqa: ARG002  it has a name
        """Give it that name."""
        return _publish(file, self.path, force=self.force)


@dataclass(frozen=True, slots=True)
class FileInFolder:
    """A file in this folder, under the name that the service proposes."""

    folder: Path
    force: bool
    label: str = "download"

    def publish(self, file: AtomicFile, proposals: tuple[MaskedText, ...], sha256: str) -> Path:  # noqa: ARG002  not listed
        """Give it a safe form of the proposed name."""
        path = self.folder / file_names.safe(*proposals)
        output_file.check(path, force=self.force)
        return _publish(file, path, force=self.force)


@dataclass(frozen=True, slots=True)
class TargetStream:
    """A device or a pipe, which gets the file when all of it has come."""

    stream: OutputStream
    path: Path
    label: str = "unified"

    @property
    def folder(self) -> Path:
        """Where the file is until then."""
        return Path(tempfile.gettempdir())

    def publish(self, file: AtomicFile, proposals: tuple[MaskedText, ...], sha256: str) -> Path:  # noqa: ARG002  it has a name
        """Write it there."""
        output_file.write_stream(self.stream, file.chunks())
        return self.path


def _publish(file: AtomicFile, path: Path, *, force: bool) -> Path:
    try:
        file.publish(path, replace=force)
    except FileExistsError:
        raise StorageError(f"{path} exists (--force overwrites it)") from None
    return path
