"""The reads that are recorded in a table's log, and the check whether other programs
changed a part since.
"""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from urllib.parse import quote, unquote

import pyarrow as pa
from deltalake import DeltaTable
from pyarrow import compute

from unified_cli.commands.export.delta_rows import PROFILE, DataFile
from unified_cli.exported.checkpoint import TableRead
from unified_cli.exported.list_export import TablePart
from unified_cli.masking import visible
from unified_cli.values import JsonObject

OURS = "unified"
"""The member of a commit that says which series of reads it belongs to."""
_OWN_FILE = re.compile(r"/([0-9a-f]{16})-\d+-[^/]*$")


def application(part: TablePart, read: TableRead) -> str:
    """Return the name of a series of reads in a table's log.

    A new series begins when the list is read for the first time, or again from the
    beginning.
    """
    of = json.dumps([part.origin, part.account, part.api, part.resource])
    return f"unified:{hashlib.sha256(of.encode()).hexdigest()[:32]}:{read.application}"


def _old_application(part: TablePart, profile: str) -> str:
    """Return the name that version 0.2.0 gave to the reads of a part."""
    of = {
        "origin": part.origin,
        "account": part.account,
        "api": part.api,
        "resource": part.resource,
        "profile": profile,
    }
    return f"unified:{hashlib.sha256(json.dumps(of).encode()).hexdigest()[:32]}"


def prefix(part: TablePart, read: TableRead) -> str:
    """Return the prefix of the names of a read's files."""
    folder = f"{PROFILE}={quote(part.columns.profile, safe='')}"
    return f"{folder}/{read.application}-{read.number}-"


def data_files(table: DeltaTable, part: TablePart) -> list[DataFile]:
    """Return the files of a part."""
    found = pa.table(table.get_add_actions())
    if not len(found):
        return []
    profiles = found["partition"].combine_chunks().field(PROFILE)
    mine = found.filter(compute.equal(profiles, part.columns.profile))
    columns = (mine[one].to_pylist() for one in ("path", "size_bytes", "num_records"))
    return [
        DataFile(unquote(path), size, rows or 0) for path, size, rows in zip(*columns, strict=True)
    ]


def wrong_name(table: DeltaTable, part: TablePart, known: Collection[str]) -> str:
    """Return how the names of parts do not fit this connection, in words. Empty if they
    fit. Parts with `known` names are ignored.

    The names of a part's files say which series of reads wrote them, and the log whose
    series they are. Only version 0.2.0 and other programs wrote files without a series.
    """
    name, found = part.columns.profile, pa.table(table.get_add_actions())
    series: dict[str, set[str]] = {}
    if not len(found):
        return ""
    profiles = found["partition"].combine_chunks().field(PROFILE)
    for profile, path in zip(profiles.to_pylist(), found["path"].to_pylist(), strict=True):
        own = _OWN_FILE.search(path)
        series.setdefault(profile, set()).add(own[1] if own else "")
    for profile in sorted(series.keys() - known):
        reads = [TableRead(0, application=one) for one in series[profile] if one]
        names = [*(application(part, one) for one in reads), _old_application(part, profile)]
        is_own = any(table.transaction_version(one) is not None for one in names)
        if profile == name and not is_own:
            return f"rows of another connection or program as {visible(name)}"
        if profile != name and is_own:
            return f"the rows of {visible(name)} as {visible(profile)}"
    return ""


def after(read: TableRead, version: int, files: Iterable[DataFile], changed: int) -> TableRead:
    """Return the finished read, with the version, rows and digest of files of its
    part.
    """
    there = [*files]
    return replace(
        read,
        version=version,
        rows=sum(one.rows for one in there),
        digest=_digest(one.name for one in there),
        changed=changed,
    )


def change_by_others(
    table: DeltaTable,
    part: TablePart,
    read: TableRead,
    actions_of: Callable[[int], list[JsonObject]],
) -> str:
    """Return how others changed the records of a part since this read, in words.

    Empty if no records were changed. If the files of the part differ, the versions
    since the read are undone one by one, to find the change.
    """
    names = {file.name for file in data_files(table, part)}
    if read.version is None or _digest(names) == read.digest:
        return ""
    for version in range(table.version(), read.version, -1):
        actions = actions_of(version)
        info: JsonObject = next((one["commitInfo"] for one in actions if "commitInfo" in one), {})
        is_ours = info.get(OURS) == application(part, read)
        for kind, file in _changes(actions, part.columns.profile):
            if file.get("dataChange", True) and not is_ours:
                return f"version {version} is a {info.get('operation')}"
            change = names.discard if kind == "add" else names.add
            change(unquote(file["path"]))
    return "" if _digest(names) == read.digest else "its files are others"


def _changes(actions: Iterable[JsonObject], profile: str) -> Iterable[tuple[str, JsonObject]]:
    """Yield the files of a part that a version adds and removes."""
    for action in actions:
        for kind in action.keys() & {"add", "remove"}:
            file: JsonObject = action[kind]
            if (file.get("partitionValues") or {PROFILE: profile}).get(PROFILE) == profile:
                yield kind, file


def _digest(names: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()[:32]
