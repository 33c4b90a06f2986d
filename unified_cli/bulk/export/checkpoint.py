"""How far an export came, as it stands on disk: refused when it is not what was written."""

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Annotated

import msgspec

from unified_cli import PRODUCT
from unified_cli.bulk.export import increments
from unified_cli.bulk.export.increments import Mark
from unified_cli.errors import StateError
from unified_cli.json_text import change_time, typed_json
from unified_cli.json_text.values import JsonObject
from unified_cli.output.formats.record_writer import WriterMemory
from unified_cli.storage import state

Data = bytes
# What later versions added.
_ADDED = {"clock", "mark", "options", "published"}
Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Fingerprint = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{1,16}$")]
_VERSION = 1
_REMEDY = "--restart starts anew"


@dataclass(slots=True)
class Checkpoint:
    """The state of an export after some whole pages: `bytes` of the part file, hashed, hold `records` in `pages`.

    `options` are digests of what was asked for, each by its name; version 0.1 kept none. `seen` are the fingerprints of
    all cursors so far, `memory` is the writer's. After the last page it is `complete`. `published` are the bytes and
    the hash of the target where it is not the part file, but made of it. `mark` is where the next run begins, if that
    was asked for; then `clock` is that of the service when the first page was served.
    """

    fingerprint: str
    started: str
    v: int = _VERSION
    tool: str = PRODUCT
    next_cursor: str | None = None
    bytes: Count = 0
    sha256: str = hashlib.sha256().hexdigest()
    records: Count = 0
    pages: Count = 0
    dropped: Count = 0
    partial_pages: list[Count] = field(default_factory=list)
    seen: list[Fingerprint] = field(default_factory=list)
    memory: WriterMemory = field(default_factory=WriterMemory)
    complete: bool = False
    options: dict[str, str] = field(default_factory=dict)
    published: tuple[Count, str] | None = None
    mark: Mark | None = None
    clock: str = ""
    updated: str = ""

    def __post_init__(self) -> None:
        """Raise ValueError for a time that is none."""
        increments.check_times(self.mark, self.started, self.clock)

    @property
    def target(self) -> tuple[int, str]:
        """The bytes and the hash of the target once it is published."""
        return self.published or (self.bytes, self.sha256)

    @property
    def begun(self) -> datetime:
        """When the first page was served by the service's clock; by this machine's for an older export."""
        return change_time.parse(self.clock or self.started).at

    @classmethod
    def of(cls, text: Data, path: Path) -> "Checkpoint":
        """The checkpoint that was written as this text. Raises StateError where it is damaged or of another version."""
        try:
            data = json.loads(text)
            total = data.pop("sum")
            whole = total == _sum(data)
        except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
            whole = False
        if not whole:
            raise StateError(f"{path} is damaged", hint=_REMEDY)
        if data.get("v") != _VERSION or {*data} | _ADDED != {one.name for one in fields(cls)}:
            raise StateError(f"{path} was written by another version of this program", hint=_REMEDY)
        try:
            found = typed_json.convert(data, cls)
            # No cursor that was sent holds half a surrogate pair.
            (found.next_cursor or "").encode()
        except (msgspec.ValidationError, UnicodeEncodeError):
            raise StateError(f"{path} is damaged", hint=_REMEDY) from None
        return found

    def text(self) -> Data:
        """The checkpoint as one line of JSON, with the sum over all the rest as its last member."""
        data = asdict(self)
        return json.dumps({**data, "sum": _sum(data)}).encode() + b"\n"


def _sum(data: JsonObject) -> str:
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()


def read(path: Path) -> Checkpoint | None:
    """The checkpoint in a file, None where there is none. Raises StateError for a damaged one."""
    text = state.whole(path, _REMEDY)
    return None if text is None else Checkpoint.of(text, path)
