"""Store the progress of the export of a list on disk, and read it back."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Self

import msgspec

from unified_cli import PRODUCT
from unified_cli.errors import StateError
from unified_cli.exported import increments
from unified_cli.exported.increments import Mark
from unified_cli.http.request import Request
from unified_cli.json_text import change_time, typed_json
from unified_cli.output.record_writer import WriterMemory
from unified_cli.storage import state
from unified_cli.values import JsonObject

Data = bytes
Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Fingerprint = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{1,16}$")]
# The members of a checkpoint, in order. Some are from later versions.
_MEMBERS = (
    "fingerprint",
    "started",
    "v",
    "tool",
    "next_cursor",
    "bytes",
    "sha256",
    "records",
    "pages",
    "dropped",
    "partial_pages",
    "seen",
    "memory",
    "complete",
    "options",
    "published",
    "mark",
    "clock",
    "sent",
    "updated",
    "table",
)
_ADDED = {"clock", "mark", "options", "published", "sent", "table"}
_VERSION = 1
START_ANEW = "--restart starts again"
REPLACE = "--restart replaces it"
REPLACE_ALL = "--restart, without --incremental, replaces it"
UNFILTERED = (
    "choose another folder with --to, or replace the export with --restart, but without -q,"
    " --since and --incremental"
)
_NEVER = "0001-01-01"
Option = str | int | list[str] | None
# The name of each option in messages.
_WORDS = {
    "origin": "base URL",
    "path": "operation",
    "query": "-q or --page-size",
    "account": "account",
    "format": "-o",
    "columns": "--columns",
    "jq": "--jq",
    "csv_safe": "--csv-safe",
    "bom": "--bom",
    "typed": "--typed-header",
    "dedupe": "--dedupe",
    "limit": "--limit",
    "cursor": "--cursor",
    "since": "--lag",
    "replay": "--replay",
    "changed_since": "--since",
}


@dataclass(frozen=True, slots=True)
class ListIdentity:
    """The identity of a list's export: its source, query and output options.

    `digest` covers all of them, and `options` has a digest of each.
    """

    digest: str
    options: Mapping[str, str]

    @classmethod
    def from_request(
        cls, request: Request, *, bom: bool, replay: bool, typed: bool, **options: Option
    ) -> Self:
        """Return the identity of the export of the request's list with these
        options.
        """
        # Add these options only if they are used, so that identities of older versions
        # still match.
        later = {"bom": bom, "replay": replay, "typed": typed}
        options |= {name: True for name, given in later.items() if given}
        if request.searches:
            options["body"] = (request.body or b"").decode("utf-8", "replace")
        identity = {
            "origin": request.address.origin,
            "path": request.path,
            "query": [*map(list, request.query)],
            "account": request.account,
            **options,
        }
        # The query also names the account, which is a separate option.
        digested = {
            **identity,
            "query": [[*pair] for pair in request.query if pair[1] != request.account],
        }
        # Store digests instead of values, because a query may contain private values.
        return cls(
            _digest(identity), {name: _digest(value)[:8] for name, value in digested.items()}
        )

    def begins_elsewhere(self, earlier: Mapping[str, str]) -> bool:
        """Return whether only the time of --since differs from an earlier export."""
        names = {*self.options, *earlier}
        return {name for name in names if earlier.get(name) != self.options.get(name)} == {"since"}

    def has_other_filter(self, earlier: Mapping[str, str]) -> bool:
        """Return whether an earlier export had a different filter."""
        return any(
            earlier.get(name) != self.options.get(name) for name in ("query", "changed_since")
        )

    def differing_options(self, earlier: Mapping[str, str]) -> str:
        """Return the options that differ from an earlier export, in words.

        Returns "" if that export did not record them.
        """
        names = {**self.options, **earlier} if earlier else {}
        differing = [
            _WORDS.get(name, name) for name in names if earlier.get(name) != self.options.get(name)
        ]
        return f"another {' and another '.join(differing)}" if differing else "other options"


@dataclass(frozen=True, slots=True)
class TableRead:
    """A read of a list into its part of a table. `number` counts the reads of the part,
    and is the version of the transaction in the table. The name of the transaction is
    new after each `restart`.

    After the read, `version` is the version of the table, `rows` the number of rows in
    the part, and `digest` a digest of the names of its files. Version 0.2.0 did not
    store the version.
    """

    number: Count
    rows: Count = 0
    digest: str = ""
    version: Count | None = None
    changed: Count = 0
    """The number of rows in the part that come from this read."""
    restart: str = ""


@dataclass(slots=True, kw_only=True)
class ListRecord:
    """The state of a list, in checkpoints and manifests.

    `bytes`, `sha256`, `records` and `pages` describe its content. `fingerprint` and
    `options` are its identity; version 0.1 stored only `fingerprint`. `mark` says how
    far the list was read. `clock` is the service's time when it sent the first page,
    and `sent` is this machine's time when it requested the page. `table` is set only if
    the list is a part of a table.
    """

    fingerprint: str = ""
    options: dict[str, str] = field(default_factory=dict)
    started: str = ""
    records: Count = 0
    pages: Count = 0
    bytes: Count = 0
    sha256: str = ""
    complete: bool = False
    mark: Mark | None = None
    clock: str = ""
    sent: str = ""
    table: TableRead | None = None

    def __post_init__(self) -> None:
        increments.check_times(self.mark, self.started, self.clock, self.sent)

    @property
    def begun(self) -> datetime:
        """When the first page was read, by the earlier of the two clocks.

        Older versions had no `sent`, and recorded the time when they started.
        """
        here = self.sent or self.started or _NEVER
        return min(change_time.parse(time).at for time in (here, self.clock or here))

    def updated_from(self, other: "ListRecord") -> Self:
        """Return a copy with the state of the list from `other`."""
        return replace(
            self, **{member.name: getattr(other, member.name) for member in fields(ListRecord)}
        )


@dataclass(slots=True, kw_only=True)
class Checkpoint(ListRecord):
    """The state of an export after some complete pages in the part file.

    `seen` are the hashes of all cursors so far, and `memory` is the state of the
    writer. It is `complete` after the last page. `published` has the size and hash of
    the target, if it is converted from the part file.
    """

    v: int = _VERSION
    tool: str = PRODUCT
    next_cursor: str | None = None
    sha256: str = hashlib.sha256().hexdigest()
    dropped: Count = 0
    partial_pages: list[Count] = field(default_factory=list)
    seen: list[Fingerprint] = field(default_factory=list)
    memory: WriterMemory = field(default_factory=WriterMemory)
    published: tuple[Count, str] | None = None
    updated: str = ""

    @classmethod
    def begin(cls, identity: ListIdentity, started: str) -> Self:
        """Return the state of a list before its first page."""
        return cls(fingerprint=identity.digest, options={**identity.options}, started=started)

    def begun_again(self) -> Self:
        """Return the initial state for reading the list again. Records are appended to
        the written ones.
        """
        return replace(self, next_cursor=None, pages=0, seen=[], partial_pages=[], complete=False)

    @property
    def target(self) -> tuple[int, str]:
        """The size and hash of the published target."""
        return self.published or (self.bytes, self.sha256)

    @classmethod
    def from_text(cls, text: Data, path: Path) -> "Checkpoint":
        """Decode a checkpoint. Raises StateError if it is damaged or of an unknown
        version.
        """
        try:
            data = json.loads(text)
            total = data.pop("sum")
            whole = total == _sum(data)
        except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
            whole = False
        if not whole:
            raise StateError(f"{path} is damaged", hint=START_ANEW)
        if data.get("v") != _VERSION or {*data} | _ADDED != {*_MEMBERS}:
            raise StateError(
                f"{path} was written by another version of this program", hint=START_ANEW
            )
        try:
            result = typed_json.convert(data, cls)
            # This raises UnicodeEncodeError for a lone surrogate, which only a damaged
            # checkpoint can have.
            (result.next_cursor or "").encode()
        except (msgspec.ValidationError, UnicodeEncodeError):
            raise StateError(f"{path} is damaged", hint=START_ANEW) from None
        return result

    def text(self) -> Data:
        """Encode the checkpoint as one line of JSON. The last member is a checksum."""
        data = self.members()
        return json.dumps({**data, "sum": _sum(data)}).encode() + b"\n"

    def members(self) -> JsonObject:
        """Return the members of the checkpoint in JSON."""
        result = dict(sorted(asdict(self).items(), key=lambda item: _MEMBERS.index(item[0])))
        if self.table is None:
            # Without this member, versions without tables can read the checkpoint.
            del result["table"]
        return result


def _sum(data: JsonObject) -> str:
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()


def read(path: Path) -> Checkpoint | None:
    """Return the checkpoint in a file, or None. Raises StateError if it is damaged."""
    text = state.whole(path, START_ANEW)
    return None if text is None else Checkpoint.from_text(text, path)


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
