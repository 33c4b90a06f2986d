"""The exchanges of a HAR file by what was asked, each given out once, in the order in which they were recorded."""

import hashlib
import os
import threading
from array import array
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import httpx

from unified_cli.errors import StateError, StorageError
from unified_cli.http.har import har_entry, har_reader, har_redaction
from unified_cli.http.har.har_reader import HarEntry, HarRequest
from unified_cli.json_text.json_stream import TooLongError
from unified_cli.masking import excerpt
from unified_cli.plural import counted
from unified_cli.storage import regular_file
from unified_cli.storage.regular_file import NotRegularError
from unified_cli.storage.spool_file import SpoolFile

_MOST = 1_000_000


class HarIndex:
    """The exchanges of a file, which are copied first, so that a change to it does not matter.

    `accounts` is the path of what answers with credentials. Raises StorageError for a file that cannot be read,
    StateError for one that is no HAR, naming the entry.
    """

    def __init__(self, path: Path, copy: SpoolFile, accounts: str) -> None:
        self.path = path
        self._accounts = accounts
        self._copy = copy
        self.started: float | None = None
        """When the command began, in seconds since 1970; None where the file does not say so."""
        self._lock = threading.Lock()
        self._ends = array("Q", [0])
        self._left: dict[bytes, deque[int]] = {}
        self._counts: dict[bytes, int] = {}
        with _opened(path) as file:
            for number, text in enumerate(self._texts(file), 1):
                self._add(number, text)
        copy.flush()

    @property
    def size(self) -> str:
        """How many exchanges there are, in words."""
        return counted(len(self._ends) - 1, "exchange")

    def take(self, request: httpx.Request) -> tuple[int, HarEntry] | None:
        """The next exchange for this request, and its number in the file; None if there is none left."""
        with self._lock:
            left = self._left.get(self._key_of(request))
            if not left:
                return None
            number = left.popleft()
        begin, end = self._ends[number - 1], self._ends[number]
        return number, har_reader.entry(self._copy.read(end - begin, begin))

    def times(self, request: httpx.Request) -> int:
        """How often this request was recorded."""
        return self._counts.get(self._key_of(request), 0)

    def _key_of(self, request: httpx.Request) -> bytes:
        body = har_entry.body_text(request, self._accounts)
        return _digest(request.method, har_redaction.url(str(request.url)), body)

    def _texts(self, file: BinaryIO) -> Iterator[bytes]:
        try:
            yield from har_reader.entries(file, self._begun)
        except ValueError as error:
            raise StateError(f"{self._place} {error}", hint="record it again with --record") from None
        except TooLongError:
            longest = har_reader.LONGEST_ENTRY >> 20
            raise StateError(f"{self._place} is longer than {longest} MiB") from None
        except OSError as error:
            raise StorageError(f"cannot read {self.path}: {error.strerror}") from None

    def _begun(self, started: float) -> None:
        self.started = started

    @property
    def _place(self) -> str:
        read = len(self._ends) - 1
        return f"{self.path}, after entry {read}," if read else f"{self.path}"

    def _add(self, number: int, text: bytes) -> None:
        try:
            found = har_reader.entry(text)
        except (ValueError, RecursionError) as error:
            raise StateError(f"entry {number} of {self.path} is damaged: {excerpt(str(error), 200)}") from None
        if number > _MOST:
            raise StateError(f"{self.path} has more than {_MOST} entries")
        key = _key(found.request)
        self._left.setdefault(key, deque()).append(number)
        self._counts[key] = self._counts.get(key, 0) + 1
        self._copy.append(text)
        self._ends.append(self._ends[-1] + len(text))


def _key(request: HarRequest) -> bytes:
    return _digest(request.method, request.url, request.body.text if request.body else "")


def _digest(*parts: str) -> bytes:
    """What stands for a request; the connection is in its URL, and what differs from run to run is in its headers."""
    found = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        found.update(b"%d:%b" % (len(data), data))
    return found.digest()


def _opened(path: Path) -> BinaryIO:
    try:
        return os.fdopen(regular_file.descriptor(path, follow=True), "rb")
    except NotRegularError:
        raise StorageError(f"{path} is not a file") from None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None
