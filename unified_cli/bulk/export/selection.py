"""Which lists of which connections an export reads, and which of them belong to its shard."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from urllib.parse import quote

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.errors import UsageError

_GLOB = re.compile(r"[*?\[]")
_SHARD = re.compile(r"([1-9]\d{0,5})/([1-9]\d{0,5})")


def lists(catalogue: Catalogue, patterns: Sequence[str]) -> dict[Operation, bool]:
    """The list operations that the patterns match, all without a pattern, and whether each was named exactly.

    A pattern is an API, or API/RESOURCE, and may hold `*`. Raises UsageError for one that matches nothing.
    """
    every = [operation for operation in catalogue if operation.lists]
    if not patterns:
        return dict.fromkeys(every, False)
    found: dict[Operation, bool] = {}
    for pattern in patterns:
        matching = [operation for operation in every if _matches(operation, pattern)]
        if not matching:
            raise UsageError(f"nothing to list matches {pattern!r} (unified operations list shows what there is)")
        exact = "/" in pattern and not _GLOB.search(pattern)
        for operation in matching:
            found[operation] = exact or found.get(operation, False)
    return {operation: found[operation] for operation in every if operation in found}


def _matches(operation: Operation, pattern: str) -> bool:
    api, slash, resource = pattern.partition("/")
    same = fnmatchcase(operation.resource, resource) or operation.resource.replace("_", "-") == resource
    return fnmatchcase(operation.api, api) and (not slash or same)


def parse_shard(text: str) -> tuple[int, int]:
    """The K and N of `K/N`. Raises UsageError for anything else."""
    match = _SHARD.fullmatch(text)
    if match is None or int(match[1]) > int(match[2]):
        raise UsageError(f"--shard takes K/N with K from 1 to N, not {text!r}")
    return int(match[1]), int(match[2])


def in_shard(name: str, operation: Operation, shard: tuple[int, int] | None) -> bool:
    """Whether this list of this connection belongs to the shard: the same on every machine, in every run."""
    if shard is None:
        return True
    text = f"{name}\0{operation.api}/{operation.resource}".encode()
    number = int.from_bytes(hashlib.sha256(text).digest()[:8], "big")
    return number % shard[1] == shard[0] - 1


def file_for(name: str, operation: Operation, form: str) -> str:
    """Where a list goes, below the export's folder; a name can never lead out of it."""
    return f"{folder_for(name)}/{operation.api}/{operation.resource}.{form}"


def folder_for(name: str) -> str:
    """The folder of a connection's lists."""
    folder = quote(name, safe="")
    return f"%2E{folder[1:]}" if folder.startswith(".") else folder


def interleaved(names: Iterable[str], operations: Iterable[Operation]) -> list[tuple[str, Operation]]:
    """Every list of every connection; neighbours are of different connections, which have rate limits of their own."""
    names = [*names]
    return [(name, operation) for operation in operations for name in names]
