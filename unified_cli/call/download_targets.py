"""Decide the path of a downloaded file: a given name, or a safe form of the name in the
response.
"""

import re
import tempfile
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from unified_cli.errors import StorageError
from unified_cli.masking import MaskedText, unsafe
from unified_cli.storage import folders, output_file
from unified_cli.storage.atomic_file import AtomicFile
from unified_cli.storage.output_file import OutputStream

_LONGEST = 180
_LONGEST_ENDING = 20
_EXTENDED = re.compile(r"(?:^|;)\s*filename\*\s*=\s*(?:utf-8)'[^']*'([^;\s]+)", re.IGNORECASE)
_PLAIN = re.compile(r'(?:^|;)\s*filename\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;]*))', re.IGNORECASE)
# Characters that some systems treat as a separator, a stream, a pattern or a
# redirection.
_FORBIDDEN = re.compile(r'[<>:"|?*]')
_RESERVED = re.compile(
    r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)\s*(\..*)?", re.IGNORECASE
)


def from_header(value: str) -> str:
    """Return the unchanged name in a Content-Disposition, or ""."""
    if match := _EXTENDED.search(value):
        return unquote(match[1], errors="replace")
    if match := _PLAIN.search(value):
        return re.sub(r"\\(.)", r"\1", match[1]) if match[1] is not None else match[2].strip()
    return ""


def from_url(url: str) -> str:
    """Return the decoded last part of a URL's path, or ""."""
    try:
        return unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2], errors="replace")
    except ValueError:
        return ""


def safe_name(*proposals: MaskedText) -> str:
    """Return the first usable proposal as a safe file name.

    It is valid on every system: without separators, a leading dot or dash, or a
    reserved word, and with at most 180 bytes in UTF-8.
    """
    for proposal in proposals:
        if name := _safe(proposal):
            return name
    return "download"


def _safe(proposal: str) -> str:
    name = unicodedata.normalize("NFC", proposal)
    # Remove folders first, because the service must not choose them.
    name = re.split(r"[/\\]", name)[-1]
    name = _FORBIDDEN.sub("_", unsafe().sub("_", name))
    name = name.lstrip(". ").rstrip(". ")
    if name.startswith("-"):
        name = f"_{name[1:]}"
    if _RESERVED.fullmatch(name):
        name = f"_{name}"
    return _bounded(name)


def _bounded(name: str) -> str:
    if len(name.encode()) <= _LONGEST:
        return name
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending.encode()) > _LONGEST_ENDING:
        stem, dot, ending = name, "", ""
    room = _LONGEST - len((dot + ending).encode())
    return stem.encode()[:room].decode("utf-8", "ignore").rstrip(". ") + dot + ending


def numbered(name: str, number: int) -> str:
    """Return the name for another file of the same name."""
    if number < 2:
        return name
    stem, dot, ending = name.rpartition(".")
    return f"{stem}-{number}.{ending}" if dot and stem else f"{name}-{number}"


Proposals = tuple[MaskedText, ...]
"""Proposed names, the best first."""


class DownloadTarget(Protocol):
    """The interface of download targets."""

    @property
    def folder(self) -> Path:
        """The folder for the temporary file, which must exist."""

    @property
    def label(self) -> str:
        """The name for messages before the file has one."""

    def publish(self, file: AtomicFile, proposals: Proposals, sha256: str) -> Path:
        """Publish the file under the best proposed name.

        Raises StorageError or OSError.
        """


@dataclass(frozen=True, slots=True)
class TargetFile:
    """The file of this name."""

    path: Path
    force: bool

    @property
    def folder(self) -> Path:
        """The folder of the file."""
        return self.path.parent

    @property
    def label(self) -> str:
        """The name of the file."""
        return self.path.name

    # `proposals` is not needed, because the file already has its name.
    def publish(self, file: AtomicFile, proposals: Proposals, sha256: str) -> Path:  # noqa: ARG002
        """Publish the file under its name."""
        return _publish(file, self.path, force=self.force)


@dataclass(frozen=True, slots=True)
class FileInFolder:
    """A file in a folder, under a proposed name."""

    folder: Path
    force: bool
    label: str = "download"

    # `sha256` is only needed for a list of files.
    def publish(self, file: AtomicFile, proposals: Proposals, sha256: str) -> Path:  # noqa: ARG002
        """Publish the file under a safe form of a proposed name."""
        path = self.folder / safe_name(*proposals)
        output_file.check(path, force=self.force)
        return _publish(file, path, force=self.force)


@dataclass(frozen=True, slots=True)
class TargetStream:
    """A device or a pipe, to which the complete file is written."""

    stream: OutputStream
    path: Path
    label: str = "unified"

    @property
    def folder(self) -> Path:
        """The folder of the file until it is complete."""
        return Path(tempfile.gettempdir())

    # `proposals` is not needed, because a stream has no name.
    def publish(self, file: AtomicFile, proposals: Proposals, sha256: str) -> Path:  # noqa: ARG002
        """Write the file to the device or the pipe."""
        output_file.write_stream(self.stream, file.chunks())
        return self.path


def make_folder(folder: Path) -> None:
    """Create the folder, if it does not exist. Raises StorageError."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        folders.sync(folder.parent)
    except OSError as error:
        raise StorageError(f"cannot create the folder {folder}: {error.strerror}") from None


def _publish(file: AtomicFile, path: Path, *, force: bool) -> Path:
    try:
        file.publish(path, replace=force)
    except FileExistsError:
        raise StorageError(f"{path} exists (--force overwrites it)") from None
    return path
