"""Find the class with the options of an operation, and import only that."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from unified_cli.catalogue import Operation
from unified_cli.cli.command import Later
from unified_cli.cli.flags import Flag, Options, flags_of

_READS = Later("unified_cli.cli.options:ReadOptions")
_WRITES = Later("unified_cli.cli.write_options:WriteOptions")
_SEARCHES = Later("unified_cli.cli.search_options:SearchOptions")
_DOWNLOADS = Later("unified_cli.cli.download_options:DownloadOptions")


def class_for(operation: Operation) -> type[Options]:
    """Return the class of the options of an operation."""
    found: Any = _READS
    if operation.name == "download":
        found = _DOWNLOADS
    elif operation.searches:
        found = _SEARCHES
    elif operation.takes_body:
        found = _WRITES
    loaded: type[Options] = found.load()
    return loaded


@cache
def operation_flags() -> Sequence[Flag]:
    """Return the options of all operations, in the order of help pages."""
    return flags_of(_WRITES.load(), _READS.load(), _DOWNLOADS.load())


@cache
def by_spelling() -> Mapping[str, Flag]:
    """Return the options of all operations by their spellings."""
    return {spelling: flag for flag in operation_flags() for spelling in flag.spellings}
