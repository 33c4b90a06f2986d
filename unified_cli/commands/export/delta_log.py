"""The reads in a table's log, and the check for changes by other programs."""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from urllib.parse import quote, unquote

import pyarrow as pa
from deltalake import DeltaTable, Transaction
from pyarrow import compute

from unified_cli.commands.export.delta_rows import PROFILE, DataFile
from unified_cli.exported.checkpoint import TableRead
from unified_cli.exported.list_export import TablePart
from unified_cli.masking import visible
from unified_cli.values import JsonObject

OURS = "unified"
"""The member of a commit that names the changed part."""
_OTHER_FILES = "the files of its table were replaced"


def application(part: TablePart, profile: str = "", *, restart: str = "") -> str:
    """Return the name of a connection in a table's log, or its name since a restart.

    The version of its transactions is the number of the read. The connection's name in
    the table may differ from `profile`.
    """
    identity = {
        "origin": part.origin,
        "account": part.account,
        "api": part.api,
        "resource": part.resource,
        "profile": profile or part.columns.profile,
        **({"restart": restart} if restart else {}),
    }
    return f"unified:{hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:32]}"


def prefix(part: TablePart, read: TableRead) -> str:
    """Return the prefix of the names of a read's files."""
    folder = f"{PROFILE}={quote(part.columns.profile, safe='')}"
    return f"{folder}/{application(part, restart=read.restart)[-16:]}-{read.number}-"


def has(table: DeltaTable, part: TablePart, read: TableRead) -> bool:
    """Return whether the table has a commit of this read."""
    number = table.transaction_version(application(part, restart=read.restart))
    return number is not None and number >= read.number


def transactions(part: TablePart, read: TableRead) -> list[Transaction]:
    """Return the transactions of a read.

    Each has the number of the read as its version. One has the connection's name, and
    so says which connection the part belongs to. After a restart, another has the name
    since the restart, so that a run from before the restart cannot have the same
    transactions.
    """
    names = {application(part), application(part, restart=read.restart)}
    return [Transaction(name, read.number) for name in sorted(names)]


def data_files(table: DeltaTable, part: TablePart) -> list[DataFile]:
    """Return the files of a part."""
    found = pa.table(table.get_add_actions())
    if not len(found):
        return []
    mine = found.filter(compute.equal(_profiles(found), part.columns.profile))
    columns = (mine[column].to_pylist() for column in ("path", "size_bytes", "num_records"))
    return [
        DataFile(unquote(path), size, rows or 0) for path, size, rows in zip(*columns, strict=True)
    ]


def _profiles(files: pa.Table) -> pa.Array:
    return files["partition"].combine_chunks().field(PROFILE)


def wrong_name(table: DeltaTable, part: TablePart, known: Collection[str]) -> str:
    """Return why the name of this connection in the table is wrong, or "".

    Names in `known` are ignored. A name belongs to the connection that has transactions
    with this name in the log.
    """
    name, found = part.columns.profile, pa.table(table.get_add_actions())
    profiles = {*_profiles(found).to_pylist()} if len(found) else set()
    for profile in sorted(profiles - {*known}):
        is_own = table.transaction_version(application(part, profile)) is not None
        if profile == name and not is_own:
            return f"rows of another connection or program as {visible(name)}"
        if profile != name and is_own:
            return f"the rows of {visible(name)} as {visible(profile)}"
    return ""


def after(read: TableRead, version: int, files: Collection[DataFile], changed: int) -> TableRead:
    """Return the finished read of this version.

    The result has the version of the table, and the rows and the digest of the part's
    files.
    """
    rows, digest = sum(file.rows for file in files), _digest(file.name for file in files)
    return replace(read, version=version, rows=rows, digest=digest, changed=changed)


def change_by_others(
    table: DeltaTable, part: TablePart, read: TableRead, commit: Callable[[int], bytes | None]
) -> str:
    """Return how others changed a part's records since this read.

    Returns "" if no others changed them: the part still has the same files, or this
    program made all later commits that change records. `commit` reads the log of a
    version.
    """
    names = (file.name for file in data_files(table, part))
    if read.version is None or _digest(names) == read.digest:
        return ""
    later = range(read.version + 1, table.version() + 1)
    # Another table may have replaced the one that was read.
    is_same = later and table.transaction_version(application(part)) is not None
    return _change_in(later, part, read, commit) or ("" if is_same else _OTHER_FILES)


def change_since_commit(
    table: DeltaTable, part: TablePart, read: TableRead, commit: Callable[[int], bytes | None]
) -> str:
    """Return how others changed a part's records since an interrupted run committed
    this read.

    Others may have restored the files from before the commit, but the commit's
    transaction stays in the log.
    """
    return _change_in(range(table.version() + 1), part, read, commit)


def _change_in(
    versions: Sequence[int],
    part: TablePart,
    read: TableRead,
    commit: Callable[[int], bytes | None],
) -> str:
    own = {"appId": application(part, restart=read.restart), "version": read.number}
    for version in reversed(versions):
        if (text := commit(version)) is None:
            return _OTHER_FILES
        actions: list[JsonObject] = [json.loads(line) for line in text.splitlines()]
        if any(own.items() <= action.get("txn", {}).items() for action in actions):
            return ""
        info: JsonObject = next(
            (action["commitInfo"] for action in actions if "commitInfo" in action), {}
        )
        files = (action[kind] for action in actions for kind in action.keys() & {"add", "remove"})
        if OURS not in info and any(_changes(file, part.columns.profile) for file in files):
            return f"version {version} is a {info.get('operation')}"
    return ""


def _changes(file: JsonObject, profile: str) -> bool:
    """Return whether an added or removed file changes a part's records."""
    values: JsonObject = file.get("partitionValues") or {PROFILE: profile}
    return bool(file.get("dataChange", True)) and values.get(PROFILE) == profile


def _digest(names: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()[:32]
