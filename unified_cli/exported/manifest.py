"""The manifest of an export, which lists its files."""

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from urllib.parse import quote

import msgspec

from unified_cli import PRODUCT, hints
from unified_cli.errors import StateError
from unified_cli.exported.checkpoint import START_ANEW, Checkpoint, ListRecord
from unified_cli.exported.increments import Mark
from unified_cli.masking import MaskedText, masked
from unified_cli.storage import state
from unified_cli.values import JsonObject

NAME = "manifest.json"
TIMESTAMPS = 2
NOT_READ = masked("not read yet")
_VERSION = 1
# The members of an entry in their order.
_MEMBERS = (
    "file",
    "profile",
    "account_id",
    "origin",
    "api",
    "resource",
    "turn",
    "fingerprint",
    "options",
    "records",
    "pages",
    "bytes",
    "sha256",
    "started",
    "ended",
    "complete",
    "offered",
    "why",
    "since",
    "mark",
    "earlier",
    "look",
    "clock",
    "sent",
    "modified",
    "checked",
    "gone",
    "table",
)
_NUMBER_AND_SUFFIX = re.compile(r"(?:\.[0-9]+)?\.[^./]+$")
# The members that only the lists in tables have.
_OF_TABLES = {"table", "earlier"}


@dataclass(slots=True)
class ManifestEntry(ListRecord):
    """One file of a connection's list.

    `file` is its path below the folder, and `why` the reason if the list is missing or
    incomplete. `offered` is False if the connection does not have the resource. `since`
    is the start of the changes in the file, or "" for a full read. `modified` is the
    modification time of the file, in nanoseconds, when its content was last compared
    with the hash. `look` is a value from the destination that changes with the file, if
    any. `checked` is when an increment last found no changes. `gone` counts the ids
    that the last full read no longer found. `earlier` is the previous mark of a table.
    `turn` is increased when a run takes over a list from another manifest.
    """

    file: str
    profile: str
    account_id: str
    origin: str
    api: str
    resource: str
    ended: str = ""
    offered: bool = True
    why: MaskedText | None = None
    since: str | None = None
    look: str = ""
    modified: int | None = None
    checked: str = ""
    gone: int | None = None
    earlier: Mark | None = None
    turn: int = 0

    @property
    def list_file(self) -> str:
        """The first file of its list."""
        path = PurePosixPath(self.file)
        return str(path.with_name(f"{self.resource}{path.suffix}"))

    @property
    def gap(self) -> str:
        """Why the list is not complete, without advice for the run."""
        return (self.why or "").replace(hints.ACCEPTS, "")

    @property
    def is_unread(self) -> bool:
        """Whether an unfinished run has not reached the list."""
        return not self.complete and self.why == NOT_READ

    @property
    def marks(self) -> list[Mark]:
        """The marks, the newest last."""
        return [mark for mark in (self.earlier, self.mark) if mark]

    def finished(self, state: Checkpoint, missing: list[str], *, allow: bool) -> "ManifestEntry":
        """Return the entry of a list that ended with this checkpoint.

        The list is complete if nothing is `missing`, or if `allow` accepts missing
        parts.
        """
        size, sha256 = state.target
        return replace(
            self.updated_from(state),
            # Checkpoints of version 0.1 have no options, so keep those of the entry.
            options=self.options,
            bytes=size,
            sha256=sha256,
            ended=state.updated,
            complete=allow or not missing,
            why=masked("; ".join(missing)) or None,
        )


class _StoredManifest(msgspec.Struct):
    """The content of the file."""

    v: int
    started: str
    shard: str | None
    ended: str | None
    files: list[ManifestEntry]
    parquet: int = 1
    running: list[str] = []
    replaced: list[str] = []


@dataclass(slots=True)
class Manifest:
    """The manifest of an export or of a shard; `name` is its file name.

    `parquet` is `TIMESTAMPS`, or 1 if the times in its Parquet files are text.
    `running` has the first files of the lists that a run is reading, until it has
    `ended`. `replaced` has files in another format, to be removed when their list is
    complete in this format.
    """

    name: str
    started: str
    shard: str | None = None
    ended: str | None = None
    entries: dict[str, ManifestEntry] = field(default_factory=dict)
    parquet: int = TIMESTAMPS
    running: Collection[str] = ()
    replaced: Collection[str] = ()

    @classmethod
    def from_text(cls, text: bytes, name: str, folder: str) -> "Manifest":
        """Decode a manifest. Raises StateError if it is damaged."""
        found = state.decoded(text, _StoredManifest)
        if found is None or found.v != _VERSION or found.parquet > TIMESTAMPS:
            raise StateError(f"{folder}/{name} is damaged, or of another version", hint=START_ANEW)
        for file in (*(entry.file for entry in found.files), *found.running, *found.replaced):
            if not _is_below(file):
                raise StateError(
                    f"{folder}/{name} lists {file!r}, which is not a file below its folder",
                    hint=START_ANEW,
                )
        entries = {entry.file: entry for entry in found.files}
        return cls(
            name,
            found.started,
            found.shard,
            found.ended,
            entries,
            found.parquet,
            found.running,
            found.replaced,
        )

    def put(self, entry: ManifestEntry) -> None:
        """Add or replace the entry of a file."""
        first = self.entries.get(entry.list_file)
        entry.turn = first.turn if first else entry.turn
        self.entries[entry.file] = entry

    @property
    def complete(self) -> bool:
        """Whether the last run completed all offered lists."""
        # The manifest of an unfinished run only has the lists that it finished.
        return bool(self.ended) and all(
            entry.complete or not entry.offered for entry in self.entries.values()
        )

    def ended_before(self, wall: float, seconds: float) -> bool:
        """Return whether the last run ended, and more than this many seconds ago."""
        try:
            ended = datetime.fromisoformat(self.ended or "").timestamp()
        except ValueError:
            return False
        # The clocks of two machines may differ by a minute.
        return wall - ended > seconds + 60

    def text(self) -> bytes:
        """Encode the manifest."""
        entries = msgspec.to_builtins([self.entries[name] for name in sorted(self.entries)])
        value: JsonObject = {
            "v": _VERSION,
            "tool": PRODUCT,
            "started": self.started,
            "ended": self.ended,
            "shard": self.shard,
            "complete": self.complete,
            "parquet": self.parquet,
            **({} if self.ended else {"running": sorted(self.running)}),
            **({"replaced": sorted(self.replaced)} if self.replaced else {}),
            "files": [
                {
                    name: entry[name]
                    for name in _MEMBERS
                    if entry[name] is not None or name not in _OF_TABLES
                }
                for entry in entries
            ],
        }
        # A run may write it every second. Indent it afterwards, because `json` uses its
        # fast C encoder only without an indent.
        return msgspec.json.format(json.dumps(value).encode(), indent=1) + b"\n"


def manifest_of(name: str) -> str:
    """Return the name of the manifest for a connection's task. Each task of an export
    has its own.
    """
    return f"manifest-of-{quote(name, safe='')}.json"


def list_of(file: str) -> str:
    """Return the name of a file's list, which is the same in all formats."""
    return _NUMBER_AND_SUFFIX.sub("", file)


def is_of_task(manifest: str) -> bool:
    """Return whether a manifest belongs to a connection's task."""
    return manifest.startswith("manifest-of-")


def no_export(place: object) -> StateError:
    """Return the error for a destination without a manifest."""
    return StateError(
        f"{place} holds no {NAME}, so it is not an export",
        hint="name the folder that export --to wrote",
    )


def timestamp(wall: float) -> str:
    """Return a time in ISO 8601 format, in UTC."""
    return datetime.fromtimestamp(wall, UTC).isoformat(timespec="seconds")


def without_lists(entries: Iterable[ManifestEntry]) -> dict[str, list[ManifestEntry]]:
    """Return the entries of each connection that offers none of these lists."""
    found: dict[str, list[ManifestEntry]] = {}
    for entry in entries:
        found.setdefault(entry.profile, []).append(entry)
    return {
        name: of_profile
        for name, of_profile in found.items()
        if not any(entry.offered for entry in of_profile)
    }


def _is_below(file: str) -> bool:
    path = PurePosixPath(file)
    return (
        bool(path.parts) and not path.is_absolute() and ".." not in path.parts and "\0" not in file
    )
