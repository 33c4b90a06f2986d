"""Report ids that a new full read of a list did not find, in a file beside the list.

The file has each id with the time of the first full read that did not find it. Before
files are replaced, their ids are stored in a note until they are reported, so that they
are not lost if the run is killed.
"""

import hashlib
import io
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from unified_cli.errors import StateError
from unified_cli.exported.destination import Destination
from unified_cli.exported.manifest import ManifestEntry
from unified_cli.json_text.members import member, string

_READABLE = {".ndjson", ".parquet", ".delta"}
_GONE, _NOTE = ".ndjson", ".part"
# The prefix keeps patterns such as `tickets*.ndjson` from matching these files. A
# number in the name marks an increment.
_BESIDE = re.compile(r"(?:.*/)?gone\.(?!\d+\.)[^/.]+\.(?:ndjson|part)")


def is_beside(name: str) -> bool:
    """Return whether this is the name of a file of gone ids or of a note."""
    return _BESIDE.fullmatch(name) is not None


def file_beside(file: str) -> str:
    """Return the path of the file of gone ids for a list."""
    return _beside(file, _GONE)


def keep(destination: Destination, files: list[ManifestEntry]) -> None:
    """Store the ids of a list's complete files in a note.

    Stores nothing if the files were changed. Raises UnsafeError if a folder is a link,
    and StorageError if writing fails.
    """
    first = files[0]
    if not can_tell(first.file):
        return
    name = _beside(first.file, _NOTE)
    try:
        if not all(destination.holds(entry) for entry in files):
            return
        # Keep the ids that an earlier run stored, but did not report.
        noted = _noted(destination.read(name) or b"", first) or b""
        known = _Hashes()
        for line in io.BytesIO(noted):
            known.add(_hash_of_id(line.rstrip()))
        for entry in files:
            noted += _new_ids(_ids_as_json(destination.records(entry.file)), known)
    except StateError:
        return
    destination.replace(name, _header(first, noted) + b"\n" + noted)


def can_tell(file: str) -> bool:
    """Return whether the ids in a file of this format can be read."""
    return PurePosixPath(file).suffix in _READABLE


def forget(destination: Destination, file: str) -> None:
    """Remove the file of gone ids of a list, and its note.

    Raises UnsafeError if a folder is a link, and StorageError if removing fails.
    """
    for end in (_GONE, _NOTE):
        destination.remove(_beside(file, end))


def tell(destination: Destination, entry: ManifestEntry) -> int | None:
    """Write the ids that are gone, and return their number.

    Call it after a complete read of the list. Returns None if no ids were stored, or if
    the ids in this format cannot be read. Raises StateError and StorageError.
    """
    note, ids_file = _beside(entry.file, _NOTE), file_beside(entry.file)
    text = destination.read(note) if can_tell(entry.file) else None
    if text is None:
        return None
    noted = _noted(text, entry)
    # A list can have millions of ids.
    del text
    missing: dict[bytes, bytes] = {}
    if noted is not None:
        current = _Hashes()
        for one in _ids_as_json(destination.records(entry.file)):
            current.add(_hash_of_id(one))
        head = b'{"_profile":' + json.dumps(entry.profile).encode() + b',"id":'
        end = b',"gone_at":' + json.dumps(entry.ended).encode() + b"}"
        for line in (destination.read(ids_file) or b"").splitlines():
            # Keep the time, which older versions did not write.
            missing |= {
                key: line
                for one in _ids_as_json([line])
                if (key := _hash_of_id(one)) not in current
            }
        for one in map(bytes.rstrip, io.BytesIO(noted)):
            if (key := _hash_of_id(one)) not in current:
                missing.setdefault(key, head + one + end)
    if missing:
        destination.replace(ids_file, b"".join(line + b"\n" for line in missing.values()))
    else:
        destination.remove(ids_file)
    destination.remove(note)
    return None if noted is None else len(missing)


def _beside(file: str, end: str) -> str:
    path = PurePosixPath(file)
    return str(path.with_name(f"gone.{path.stem}{end}"))


class _Hashes:
    """A set of hashes that takes a sixth of the memory of `set`.

    Hashes with the same beginning are in one string. A match that begins within a hash
    is as improbable as two ids with the same hash.
    """

    def __init__(self) -> None:
        self._ends = defaultdict[bytes, bytearray](bytearray)

    def __contains__(self, one: bytes) -> bool:
        return one[2:] in self._ends.get(one[:2], b"")

    def add(self, one: bytes) -> None:
        self._ends[one[:2]] += one[2:]


def _new_ids(ids: Iterable[bytes], known: _Hashes) -> bytes:
    found = io.BytesIO()
    for id_text in ids:
        if (key := _hash_of_id(id_text)) not in known:
            known.add(key)
            found.write(id_text + b"\n")
    return found.getvalue()


def _noted(text: bytes, entry: ManifestEntry) -> bytes | None:
    """Return the ids in a note, one per line.

    Returns None if it belongs to another list or is damaged.
    """
    header, _, ids = text.partition(b"\n")
    return ids if header == _header(entry, ids) else None


def _header(entry: ManifestEntry, ids: bytes) -> bytes:
    """Return the first line of a note.

    It has a digest of the ids, and their connection, list and filter.
    """
    filters = (entry.options.get("query"), entry.options.get("changed_since"))
    digest = hashlib.sha256(ids.removesuffix(b"\n")).hexdigest()
    return json.dumps(
        [1, entry.origin, entry.account_id, entry.api, entry.resource, *filters, digest]
    ).encode()


def _ids_as_json(records: Iterable[bytes]) -> Iterator[bytes]:
    for record in records:
        found = member(record, "id")
        if found is not None and found != b"null":
            yield found


def _hash_of_id(identity: bytes) -> bytes:
    value = (
        b'"' + string(identity).encode("utf-8", "surrogatepass")
        if identity.startswith(b'"')
        else identity
    )
    return hashlib.blake2b(value, digest_size=8).digest()
